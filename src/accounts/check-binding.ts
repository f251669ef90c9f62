/** The one gate for tokens that are bound to a key, wherever a token is taken (RFC 9449 §7; decision 0207). */
import type { FastifyRequest } from "fastify";
import { originForm } from "../platform/plain-address.ts";
import type { Platform } from "../platform/platform.ts";
import { BoundTokenProblem, Problem, ProofProblem } from "../platform/problem.ts";
import { checkKeyProof, type KeyProof, PROOF_SECONDS, type Proven } from "./key-proof.ts";
import { createSeenProofs, type SeenProofs } from "./seen-proofs.ts";

/** What a request has proven already: a stream is judged again while it runs, and shows its proof once. */
const provenKeys = new WeakMap<FastifyRequest, string>();
const seenProofs = new WeakMap<Platform, SeenProofs>();

/** Whether the request shows its token by this scheme (§7.1). */
export function isShownWithProof(request: FastifyRequest): boolean {
  return /^dpop /i.test(request.headers.authorization ?? "");
}

/**
 * A bound token counts only as `Authorization: DPoP` beside a proof of its key; one that is bound to none only without. Whoever has
 * found a token asks here before anything is done by it.
 * @param token as it was presented
 * @param boundKey the thumbprint of its key; null: bound to none
 * @throws BoundTokenProblem shown by the wrong scheme; ProofProblem; Problem unavailable: more proofs than can be remembered
 */
export async function checkBinding(
  platform: Platform,
  request: FastifyRequest,
  token: string,
  boundKey: string | null,
): Promise<void> {
  const withProof = isShownWithProof(request);
  if (boundKey === null) {
    if (withProof) throw new BoundTokenProblem("The access token is bound to no key: show it as Bearer.");
    return;
  }
  if (!withProof) {
    throw new BoundTokenProblem(
      "The access token is bound to a key: show it with the scheme DPoP, beside a proof of the key.",
    );
  }
  if (provenKeys.get(request) === boundKey) return;
  const proof = await checkProofOf(platform, request, "unauthenticated", { accessToken: token, boundKey });
  const seen = seenProofs.get(platform) ?? createSeenProofs(PROOF_SECONDS);
  seenProofs.set(platform, seen);
  const verdict = seen.see(`${proof.thumbprint} ${proof.jti}`, performance.now() / 1000);
  if (verdict === "again") throw new ProofProblem("unauthenticated", USED);
  if (verdict === "no room") {
    throw new Problem("unavailable", "More proofs than can be remembered. Try again in a moment.", {
      retryAfterSeconds: PROOF_SECONDS,
      log: "the memory of DPoP proofs is full",
    });
  }
  provenKeys.set(request, boundKey);
}

/** Why a proof does not count a second time (§11.1). */
export const USED = "The DPoP proof is refused: it was used before.";

/**
 * The proof that a request carries, which must belong to it.
 * @throws ProofProblem none, more than one, or one that does not hold
 */
export function checkProofOf(
  { config }: Platform,
  request: FastifyRequest,
  refusedAs: "invalid" | "unauthenticated",
  more: Pick<Proven, "accessToken" | "boundKey"> = {},
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
