/** A proof of possession, what a `DPoP` header carries: whether it holds, and of which key (RFC 9449 §4; decision 0207). */
import { readJwt, thumbprintOf } from "../platform/jwt.ts";
import { type ProblemKind, ProofProblem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { type PublicKey, publicKeyOf } from "./public-key.ts";

/** Until when a proof counts after it was made, and how far a clock may be ahead of ours, in seconds. */
const OLDEST_SECONDS = 60;
const AHEAD_SECONDS = 10;
/** From its first use on no proof counts for longer. */
export const PROOF_SECONDS = OLDEST_SECONDS + AHEAD_SECONDS;

/** Room for a key and a signature of RSA with 4096 bits, and the longest address that a door takes. */
const LONGEST = 8192;
const LONGEST_JTI = 255;

/** What the request is to which a proof must belong. */
export interface Proven {
  /** As the request line has it. */
  method: string;
  /** The address without its query, in the spelling of the request line, below the public URL. */
  address: string;
  /** The access token beside it; undefined: none is shown here. */
  accessToken?: string | undefined;
  /** The one key that will do, by its thumbprint; undefined: whichever it is. */
  boundKey?: string | undefined;
}

export interface KeyProof {
  /** Of the key, by RFC 7638 with SHA-256. */
  thumbprint: string;
  jti: string;
  issuedAt: Date;
}

/**
 * Judges in the order of what it costs: form, claims, key, and the signature last, so that who cannot name the token and its
 * key, and the request, makes us compute nothing (§4.3).
 * @param refusedAs `invalid` where tokens are handed out, `unauthenticated` where they are taken
 * @throws ProofProblem what is wrong with it
 */
export async function checkKeyProof(
  given: string,
  proven: Proven,
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
    // Most often it is the origin that is another, where a proxy stands between.
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

/** An address as a client wrote it, without query and fragment (§4.3 number 9); undefined: it is none. */
function placeOf(htu: string): string | undefined {
  const url = URL.parse(htu);
  return url && !url.username && !url.password ? spelled(url.origin + url.pathname) : undefined;
}

/** One spelling of what percents may stand for (RFC 3986 §6.2.2). Dots that lead elsewhere stay: no client sends them. */
function spelled(address: string): string {
  return address.replaceAll(/%[0-9a-f]{2}/gi, (one) => {
    const character = String.fromCharCode(Number.parseInt(one.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : one.toUpperCase();
  });
}
