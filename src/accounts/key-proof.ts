/** Verifies a proof of possession, the content of a `DPoP` header (RFC 9449 §4; decision 0207). */
import { readJwt, thumbprintOf } from "../platform/jwt.ts";
import { type ProblemKind, ProofProblem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { type PublicKey, publicKeyOf } from "./public-key.ts";

/** How long a proof is valid after it was made, and how far its clock may be ahead of ours, in seconds. */
const OLDEST_SECONDS = 60;
const AHEAD_SECONDS = 10;
/** No proof is valid for longer after its first use. */
export const PROOF_SECONDS = OLDEST_SECONDS + AHEAD_SECONDS;

/** Room for a key and a signature of RSA with 4096 bits, and the longest address that the server accepts. */
const LONGEST = 8192;
const LONGEST_JTI = 255;

/** The request that a proof must belong to. */
export interface ProvenRequest {
  /** The method in the request line. */
  method: string;
  /** The address without its query, as spelled in the request line, below the public URL. */
  address: string;
  /** The access token of the request; undefined: none. */
  accessToken?: string | undefined;
  /** The thumbprint of the key that is required; undefined: none is. */
  boundKey?: string | undefined;
}

export interface KeyProof {
  /** The thumbprint of the key (RFC 7638, SHA-256). */
  thumbprint: string;
  jti: string;
  issuedAt: Date;
}

/**
 * Checks in the order of cost: form, claims, key, and the signature last, so that a caller who cannot name the token, its key and
 * the request costs no computation (§4.3).
 * @param refusedAs `invalid` where tokens are issued, `unauthenticated` where they are used
 * @throws ProofProblem what is wrong with it
 */
export async function checkKeyProof(
  given: string,
  proven: ProvenRequest,
  refusedAs: ProblemKind & ("invalid" | "unauthenticated"),
): Promise<KeyProof> {
  const refuse = (why: string): never => {
    throw new ProofProblem(refusedAs, `The DPoP proof is refused: ${why}.`);
  };
  if (given.length > LONGEST) refuse(`it is longer than ${LONGEST} characters`);
  const { header, claims } = readJwt(given);
  if (!header || !claims || given.endsWith(".")) return refuse("it is no signed JSON Web Token");
  if (header.typ !== "dpop+jwt") refuse("its typ is not dpop+jwt");
  const read = publicKeyOf(header.alg, header.jwk);
  const key: PublicKey = typeof read === "string" ? refuse(read) : read;
  const { jti, htm, htu, iat, ath } = claims;
  if (typeof jti !== "string" || jti === "" || jti.length > LONGEST_JTI) {
    return refuse(`its jti is not text of 1 to ${LONGEST_JTI} characters`);
  }
  if (htm !== proven.method) refuse("its htm is not the method of this request");
  if (typeof htu !== "string" || placeOf(htu) !== spelled(proven.address)) {
    // Most often the origin differs, because of a proxy in between.
    refuse("its htu is not the address of this request, which begins with the issuer of this server");
  }
  if (typeof iat !== "number" || !Number.isFinite(iat)) return refuse("its iat is not a number of seconds");
  const age = Date.now() / 1000 - iat;
  if (age > OLDEST_SECONDS) refuse(`its iat is more than ${OLDEST_SECONDS} seconds ago`);
  if (age < -AHEAD_SECONDS) refuse(`its iat is still to come by more than ${AHEAD_SECONDS} seconds`);
  if (proven.accessToken !== undefined && ath !== digest(proven.accessToken).toString("base64url")) {
    refuse("its ath does not belong to the access token");
  }
  const thumbprint = thumbprintOf(key.jwk);
  if (proven.boundKey !== undefined && thumbprint !== proven.boundKey) {
    refuse("its key is not the one of the access token");
  }
  const { importJWK, jwtVerify } = await import("jose");
  try {
    const options = { algorithms: [key.algorithm], clockTolerance: AHEAD_SECONDS };
    await jwtVerify(given, await importJWK(key.jwk, key.algorithm), options);
  } catch {
    refuse("its signature does not belong to its key, or its time is over");
  }
  return { thumbprint, jti, issuedAt: new Date(iat * 1000) };
}

/** Normalises an address without query and fragment (§4.3 number 9); undefined: it is not an address. */
function placeOf(htu: string): string | undefined {
  const url = URL.parse(htu);
  return url && !url.username && !url.password ? spelled(url.origin + url.pathname) : undefined;
}

/** Normalises percent-encoding (RFC 3986 §6.2.2). Dot segments stay: no client sends them. */
function spelled(address: string): string {
  return address.replaceAll(/%[0-9a-f]{2}/gi, (one) => {
    const character = String.fromCharCode(Number.parseInt(one.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : one.toUpperCase();
  });
}
