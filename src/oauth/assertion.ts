/** A client assertion: a JWT that an application signed to prove itself, and what must stand in it (RFC 7523 §3; decision 0206). */
import { ASSERTION_ALGORITHMS } from "./public-keys.ts";

/** The one `client_assertion_type` (RFC 7523 §2.2). */
export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Characters; what is longer is not even read. */
const LONGEST = 8192;
/** How far the clock of an application may be off. */
const TOLERANCE_SECONDS = 60;
/** How far ahead it may expire: for so long what was used is remembered. */
const MOST_AHEAD_SECONDS = 600;

/** As it says of itself, which proves nothing yet. */
export interface Assertion {
  /** The Application ID that it names. */
  uid: string;
  algorithm: string;
  kid: string | undefined;
  claims: Readonly<Record<string, unknown>>;
}

/** Without its signature looked at; else the fault in words. */
export function readAssertion(text: string): Assertion | string {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  const [, head = "", body = ""] = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(text) ?? [];
  const header = objectOf(head);
  const claims = objectOf(body);
  if (!header || !claims) return "is no signed JWT";
  const { alg, kid, typ, crit } = header;
  if (typeof alg !== "string" || !ASSERTION_ALGORITHMS.includes(alg)) {
    return `alg is not one of ${ASSERTION_ALGORITHMS.join(", ")}`;
  }
  if (kid !== undefined && typeof kid !== "string") return "kid is no text";
  // A JWT of another purpose, signed with the same key, is no proof (RFC 8725 §3.11).
  if (typ !== undefined && !TYPES.includes(String(typ).toLowerCase())) return "typ is that of another JWT";
  if (crit !== undefined) return "crit names what is not known here";
  const { iss, sub } = claims;
  if (typeof sub !== "string" || !/^[0-9a-f]{64}$/.test(sub)) return "sub is no Application ID";
  if (iss !== sub) return "iss is not the Application ID, as sub is";
  return { uid: sub, algorithm: alg, kid, claims };
}

const TYPES = ["jwt", "client-authentication+jwt"];

/** What was proven to be the application's words and may be used once. */
export interface Proven {
  jti: string;
  /** When it counts no more, also if the clock of the database, by which it is forgotten, is ahead. */
  expiresAt: Date;
}

/**
 * What a good signature leaves to be judged; else the fault in words.
 * @param audiences what this server is called
 * @param now milliseconds since 1970
 */
export function judgeClaims(
  { claims }: Assertion,
  audiences: readonly string[],
  now: number,
): Proven | string {
  const { aud, exp, nbf, iat, jti } = claims;
  const seconds = now / 1000;
  const [audience, ...others] = [aud].flat();
  if (others.length > 0) return "aud names more than one server";
  if (typeof audience !== "string" || !audiences.includes(audience)) {
    return `aud is not this server: it must be ${audiences[0]}`;
  }
  if (!isInstant(exp)) return "exp is missing or no number";
  if (exp <= seconds - TOLERANCE_SECONDS) return `expired ${Math.round(seconds - exp)} s before`;
  if (exp > seconds + MOST_AHEAD_SECONDS + TOLERANCE_SECONDS) {
    return `exp is more than ${MOST_AHEAD_SECONDS} s ahead`;
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

function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return value as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
