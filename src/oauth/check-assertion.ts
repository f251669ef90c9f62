/**
 * Checks that an application signed an assertion, and that the assertion is used for the first time (RFC 7523 §3; decision 0206).
 */
import { generateKeyPairSync } from "node:crypto";
import { cutText } from "../platform/cut-text.ts";
import type { Platform } from "../platform/platform.ts";
import { withoutSecrets } from "../platform/secret.ts";
import type { ApplicationWithSecrets } from "./application.ts";
import { ASSERTION_TYPE, type Assertion, judgeClaims, readAssertion } from "./assertion.ts";
import { algorithmsOf, keysIn, type PublicJwk } from "./public-keys.ts";
import { findApplicationWithSecrets } from "./store-presented.ts";
import { spendProof } from "./store-used-proofs.ts";

const nobodys = new Map<string, PublicJwk>();

/** The assertion in a request, with the path of the endpoint. */
export interface PresentedAssertion {
  assertion: string | undefined;
  assertionType: string | undefined;
  /** `client_id` of the body, which is optional. */
  id: string | undefined;
  path: string;
}

/** Returns the application that the assertion authenticates, else the fault in words for the log. */
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
  // Last, so that strangers can neither use up an assertion nor fill the table.
  const isFirst = await spendProof(db, { kind: "client_assertion", signer: read.uid, ...judged });
  return isFirst
    ? application
    : "client_assertion: its jti was used before, or it has expired by the database's clock";
}

const MAX_OF_KID = 100;

function unsignedWords({ kid }: Assertion, keys: readonly PublicJwk[]): string {
  if (keys.length === 0) return "the application has no public key";
  if (kid === undefined || keys.some((key) => mayBe(key, kid)))
    return "not signed with a key of the application";
  return `no key of the application has the kid “${cutText(withoutSecrets(kid), MAX_OF_KID)}”`;
}

const mayBe = (key: PublicJwk, kid: string | undefined) =>
  kid === undefined || key.kid === undefined || key.kid === kid;

/**
 * A `kid` selects among keys that have one, and proves nothing. Without a matching key a signature is verified all the same, so
 * that it takes the same time (reference oauth D33).
 */
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

/** A key of the kind that the algorithm needs; the result of verifying with it is ignored. */
function nobodysKey(algorithm: string): PublicJwk {
  const known = nobodys.get(algorithm);
  if (known) return known;
  const made = /^[RP]S/.test(algorithm) ? MODULUS : newKey(algorithm);
  nobodys.set(algorithm, made);
  return made;
}

/** Not a product of two primes, which would take a while to generate: nobody needs the private key. */
const MODULUS: PublicJwk = { kty: "RSA", n: Buffer.alloc(256, 0xff).toString("base64url"), e: "AQAB" };

function newKey(algorithm: string): PublicJwk {
  const { publicKey } = /^ES/.test(algorithm)
    ? generateKeyPairSync("ec", { namedCurve: algorithm === "ES256" ? "P-256" : "P-384" })
    : generateKeyPairSync("ed25519");
  return publicKey.export({ format: "jwk" }) as PublicJwk;
}
