/** Checks that an application signed an assertion, and that it is shown for the first time (RFC 7523 §3; decision 0206). */
import { generateKeyPairSync } from "node:crypto";
import { cutText } from "../platform/cut-text.ts";
import type { Platform } from "../platform/platform.ts";
import { withoutSecrets } from "../platform/secret.ts";
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
  const keys = keysIn(application?.jwks ?? "");
  const isSigned = await isSignedBy(assertion, read, keys);
  if (!application) return "unknown client";
  if (!isSigned) return `client_assertion: ${unsignedWords(read, keys)}`;
  const { publicUrl: issuer } = config;
  const audiences = [issuer, `${issuer}/oauth/token`, issuer + path];
  const judged = judgeClaims(read, audiences, Date.now());
  if (typeof judged === "string") return `client_assertion: ${judged}`;
  // Last, so that a stranger spends none and fills no table.
  const isFirst = await useProof(db, { kind: "client_assertion", signer: read.uid, ...judged });
  return isFirst ? application : "client_assertion: its jti was used before";
}

const MOST_OF_KID = 100;

function unsignedWords({ kid }: Assertion, keys: readonly PublicJwk[]): string {
  if (keys.length === 0) return "the application has no public key";
  if (kid === undefined || keys.some((key) => mayBe(key, kid)))
    return "not signed with a key of the application";
  return `no key of the application has the kid “${cutText(withoutSecrets(kid), MOST_OF_KID)}”`;
}

const mayBe = (key: PublicJwk, kid: string | undefined) =>
  kid === undefined || key.kid === undefined || key.kid === kid;

/** A `kid` chooses among keys that have one, and proves nothing. Without a key that fits, the work is done for nothing (reference oauth D33). */
async function isSignedBy(
  text: string,
  { algorithm, kid }: Assertion,
  keys: readonly PublicJwk[],
): Promise<boolean> {
  const fitting = keys.filter((key) => algorithmsOf(key).includes(algorithm) && mayBe(key, kid));
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
