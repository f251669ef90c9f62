/**
 * A client assertion: a JWT that an application signed to authenticate itself, and the rules for its contents (RFC 7523 §3;
 * decision 0206).
 */
import type { JsonObject } from "../platform/json-object.ts";
import { readJwt, SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from "../platform/jwt.ts";
import { isUid } from "./uid.ts";

/** The one `client_assertion_type` (RFC 7523 §2.2). */
export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Characters; a longer assertion is not parsed. */
const LONGEST = 8192;
/** The tolerated difference between the clock of an application and ours. */
const TOLERANCE_SECONDS = 60;
/** How far ahead an assertion may expire, and so how long used ones are remembered; authlib uses an hour. */
const MAX_AHEAD_SECONDS = 3600;

/** The contents of the assertion, not verified yet. */
export interface Assertion {
  /** The Application ID in `iss` and `sub`. */
  uid: string;
  algorithm: SignatureAlgorithm;
  kid: string | undefined;
  claims: JsonObject;
}

/** Parses the assertion without verifying its signature; returns the fault in words if there is one. */
export function readAssertion(text: string): Assertion | string {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  const { header, claims } = readJwt(text);
  if (!header || !claims) return "is no signed JWT";
  const { alg, kid, typ, crit } = header;
  const algorithm = SIGNATURE_ALGORITHMS.find((one) => one === alg);
  if (!algorithm) return `alg is not one of ${SIGNATURE_ALGORITHMS.join(", ")}`;
  if (text.endsWith(".")) return "is not signed";
  if (kid !== undefined && typeof kid !== "string") return "kid is no text";
  // A JWT for another purpose, signed with the same key, must not authenticate (RFC 8725 §3.11).
  if (typ !== undefined && !(typeof typ === "string" && TYPES.includes(typ.toLowerCase()))) {
    return "typ is that of another JWT";
  }
  if (crit !== undefined) return "crit names what is not known here";
  const { iss, sub } = claims;
  if (!isUid(sub)) return "sub is no Application ID";
  if (iss !== sub) return "iss is not the Application ID, as sub is";
  return { uid: sub, algorithm, kid, claims };
}

/** The Application ID in `sub`, even if the assertion is faulty otherwise: the refusal is recorded for its owner. */
export function namedIn(text: string): string | undefined {
  const sub = text.length > LONGEST ? undefined : readJwt(text).claims?.sub;
  return isUid(sub) ? sub : undefined;
}

const TYPES = ["jwt", "client-authentication+jwt"];

/** The identity of a verified assertion, which may be used once. */
export interface ProvenAssertion {
  jti: string;
  /** When it is invalid for certain, even if the clock of the database, by which used ones are deleted, is ahead. */
  expiresAt: Date;
}

/**
 * Checks the claims of an assertion whose signature is good; returns the fault in words if there is one.
 * @param audiences the names of this server
 * @param now milliseconds since 1970
 */
export function judgeClaims(
  { claims }: Assertion,
  audiences: readonly string[],
  now: number,
): ProvenAssertion | string {
  const { aud, exp, nbf, iat, jti } = claims;
  const seconds = now / 1000;
  // Several names are fine if all are of this server: libraries send the issuer and the endpoint together.
  const named: unknown[] = [aud].flat();
  const others = named.filter((name) => typeof name !== "string" || !audiences.includes(name));
  if (named.length > others.length && others.length > 0) return "aud names more than this server";
  if (named.length === 0 || others.length > 0) return `aud is not this server: it must be ${audiences[0]}`;
  if (!isInstant(exp)) return "exp is missing or no number";
  if (exp <= seconds - TOLERANCE_SECONDS) return `expired ${Math.round(seconds - exp)} s before`;
  if (exp > seconds + MAX_AHEAD_SECONDS + TOLERANCE_SECONDS) {
    return `exp is more than ${MAX_AHEAD_SECONDS} s ahead`;
  }
  for (const [name, value] of Object.entries({ nbf, iat })) {
    if (value === undefined) continue;
    if (!isInstant(value)) return `${name} is no number`;
    if (value > seconds + TOLERANCE_SECONDS) return `${name} is ahead of the clock here`;
  }
  if (typeof jti !== "string" || jti === "") return "jti is missing or no text";
  return { jti, expiresAt: new Date((exp + 2 * TOLERANCE_SECONDS) * 1000) };
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
