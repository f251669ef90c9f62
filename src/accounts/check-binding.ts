/** Checks tokens that are bound to a key, on all routes that accept tokens (RFC 9449 §7; decision 0207). */
import type { FastifyRequest } from "fastify";
import { originForm } from "../platform/plain-address.ts";
import type { Platform } from "../platform/platform.ts";
import { BoundTokenProblem, Problem, ProofProblem } from "../platform/problem.ts";
import { checkKeyProof, type KeyProof, PROOF_SECONDS, type ProvenRequest } from "./key-proof.ts";
import { createSeenProofs, type SeenProofs } from "./seen-proofs.ts";

/** The key that a request has proven already: a stream is authenticated again while it runs, but sends its proof once. */
const provenKeys = new WeakMap<FastifyRequest, string>();
const seenProofs = new WeakMap<Platform, SeenProofs>();

/** Whether the request sends its token with the scheme DPoP (§7.1). */
export function isShownWithProof(request: FastifyRequest): boolean {
  return /^dpop /i.test(request.headers.authorization ?? "");
}

/**
 * Accepts a bound token only as `Authorization: DPoP` with a proof of its key, and an unbound one only without. Must be called
 * after a token was found and before it is used.
 * @param token as it was presented
 * @param boundKey the thumbprint of its key; null: unbound
 * @throws BoundTokenProblem wrong scheme; ProofProblem; Problem unavailable: too many proofs to remember
 */
export async function checkBinding(
  platform: Platform,
  request: FastifyRequest,
  token: string,
  boundKey: string | null,
): Promise<void> {
  const withProof = isShownWithProof(request);
  if (boundKey === null) {
    if (withProof) throw new BoundTokenProblem("The access token is not bound to a key: send it as Bearer.");
    return;
  }
  if (!withProof) {
    throw new BoundTokenProblem(
      "The access token is bound to a key: send it with the scheme DPoP and a proof of the key.",
    );
  }
  if (provenKeys.get(request) === boundKey) return;
  const proof = await checkProofOf(platform, request, "unauthenticated", { accessToken: token, boundKey });
  const seen = seenProofs.get(platform) ?? createSeenProofs(PROOF_SECONDS);
  seenProofs.set(platform, seen);
  const verdict = seen.see(`${proof.thumbprint} ${proof.jti}`, performance.now() / 1000);
  if (verdict === "again") throw new ProofProblem("unauthenticated", PROOF_USED);
  if (verdict === "no room") {
    throw new Problem("unavailable", "Too many DPoP proofs are in use. Try again in a moment.", {
      retryAfterSeconds: PROOF_SECONDS,
      log: "the memory of DPoP proofs is full",
    });
  }
  provenKeys.set(request, boundKey);
}

/** The message for a proof that is used twice (§11.1). */
export const PROOF_USED = "The DPoP proof is refused: it was used before.";

/**
 * Verifies the proof of a request, which must belong to it.
 * @throws ProofProblem none, more than one, or an invalid one
 */
export function checkProofOf(
  { config }: Platform,
  request: FastifyRequest,
  refusedAs: "invalid" | "unauthenticated",
  more: Pick<ProvenRequest, "accessToken" | "boundKey"> = {},
): Promise<KeyProof> {
  const [given, second] = request.raw.headersDistinct.dpop ?? [];
  if (given === undefined || second !== undefined) {
    throw new ProofProblem(refusedAs, "The request must carry exactly one DPoP header.");
  }
  // As the client wrote and signed it, not as it is routed (`plain-address.ts`).
  const [path = ""] = originForm(request.originalUrl).split("?", 1);
  const { method } = request;
  return checkKeyProof(given, { method, address: config.publicUrl + path, ...more }, refusedAs);
}
