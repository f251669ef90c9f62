/** Checks that an application signed an assertion, and that it is shown for the first time (RFC 7523 §3; decision 0206). */
import { generateKeyPairSync } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import type { ApplicationWithSecrets } from "./application.ts";
import { ASSERTION_TYPE, type Assertion, judgeClaims, readAssertion } from "./assertion.ts";
import { algorithmsOf, keysIn, type PublicJwk } from "./public-keys.ts";
import { findApplicationWithSecrets } from "./store-presented.ts";
import { useProof } from "./store-used-proofs.ts";

const nobodys = new Map<string, PublicJwk>();

/** As the request carries it, with the address of the door. */
export interface PresentedAssertion {
  assertion: string | undefined;
  assertionType: string | undefined;
  /** `client_id` of the body, which need not be there. */
  id: string | undefined;
  path: string;
}

/** The application that it proves; else, in words for the log, why it proves none. */
export async function checkAssertion(
  { db, config }: Pick<Platform, "db" | "config">,
  { assertion, assertionType, id, path }: PresentedAssertion,
): Promise<ApplicationWithSecrets | string> {
  if (assertionType !== ASSERTION_TYPE) return `client_assertion_type is not ${ASSERTION_TYPE}`;
  if (assertion === undefined) return "client_assertion is missing";
  const read = readAssertion(assertion);
  if (typeof read === "string") return `client_assertion: ${read}`;
  if (id !== undefined && id !== read.uid) return "client_assertion: client_id names another application";
  const application = await findApplicationWithSecrets(db, read.uid);
  const isSigned = await isSignedBy(assertion, read, keysIn(application?.jwks ?? ""));
  if (!application) return "unknown client";
  if (!isSigned) {
    return application.jwks === ""
      ? "client_assertion: the application has no public key"
      : "client_assertion: not signed with a key of the application";
  }
  const { publicUrl: issuer } = config;
  const audiences = [issuer, `${issuer}/oauth/token`, issuer + path];
  const judged = judgeClaims(read, audiences, Date.now());
  if (typeof judged === "string") return `client_assertion: ${judged}`;
  // Last, so that a stranger spends none and fills no table.
  const isFirst = await useProof(db, { kind: "client_assertion", signer: read.uid, ...judged });
  return isFirst ? application : "client_assertion: its jti was used before";
}

/** A `kid` chooses among keys that have one, and proves nothing. Without a key that fits, the work is done for nothing (reference oauth D33). */
async function isSignedBy(
  text: string,
  { algorithm, kid }: Assertion,
  keys: readonly PublicJwk[],
): Promise<boolean> {
  const fitting = keys.filter(
    (key) =>
      algorithmsOf(key).includes(algorithm) &&
      (kid === undefined || key.kid === undefined || key.kid === kid),
  );
  if (fitting.length === 0) {
    await isSignedWith(text, algorithm, nobodysKey(algorithm));
    return false;
  }
  for (const key of fitting) if (await isSignedWith(text, algorithm, key)) return true;
  return false;
}

async function isSignedWith(text: string, algorithm: string, key: PublicJwk): Promise<boolean> {
  const { compactVerify, importJWK } = await import("jose");
  const verified = importJWK({ ...key }, algorithm).then((imported) =>
    compactVerify(text, imported, { algorithms: [algorithm] }),
  );
  return verified.then(
    () => true,
    () => false,
  );
}

/** A key of the kind that an algorithm is for, whose private part is known to nobody, ourselves included. */
function nobodysKey(algorithm: string): PublicJwk {
  const known = nobodys.get(algorithm);
  if (known) return known;
  const made = /^[RP]S/.test(algorithm) ? MODULUS : newKey(algorithm);
  nobodys.set(algorithm, made);
  return made;
}

/** To find a modulus with two factors would take a while; nobody needs them. */
const MODULUS: PublicJwk = { kty: "RSA", n: Buffer.alloc(256, 0xff).toString("base64url"), e: "AQAB" };

function newKey(algorithm: string): PublicJwk {
  const { publicKey } = /^ES/.test(algorithm)
    ? generateKeyPairSync("ec", { namedCurve: algorithm === "ES256" ? "P-256" : "P-384" })
    : generateKeyPairSync("ed25519");
  return publicKey.export({ format: "jwk" }) as PublicJwk;
}
