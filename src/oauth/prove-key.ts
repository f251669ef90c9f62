/** Finds which key the application that asks for a token proves to possess (RFC 9449 §5). */
import type { FastifyRequest } from "fastify";
import { checkProofOf, USED } from "../accounts/check-binding.ts";
import { PROOF_SECONDS } from "../accounts/key-proof.ts";
import type { Platform } from "../platform/platform.ts";
import { ProofProblem } from "../platform/problem.ts";
import type { Application } from "./application.ts";
import type { Asker } from "./asker.ts";
import { useProof } from "./store-used-proofs.ts";

/** How far the clock of the database may be ahead of the process that judges a proof. */
const TOLERANCE_SECONDS = 60;

/**
 * The application, once it is proven itself: only then is a signature computed.
 * @throws ProofProblem (400): it does not hold, was used before, or the application must bring one (§5.2)
 */
export async function proveKey(
  platform: Platform,
  request: FastifyRequest,
  proven: Promise<Application>,
): Promise<Asker> {
  const application = await proven;
  if (request.headers.dpop === undefined) {
    if (!application.boundTokensOnly) return { ...application, provenKey: null };
    throw new ProofProblem(
      "invalid",
      "The application takes only tokens that are bound to a key: the request must carry a DPoP header.",
    );
  }
  return { ...application, provenKey: await spendProof(platform, request) };
}

/**
 * The key to which the code of a pushed request is bound: that of its proof, or `dpop_jkt` (RFC 9449 §10.1).
 * @throws ProofProblem (400): the proof does not hold, was used before, or is of another key than `dpop_jkt`
 */
export async function keyOfPushed(
  platform: Platform,
  request: FastifyRequest,
  named: string | undefined,
): Promise<string | undefined> {
  if (request.headers.dpop === undefined) return named;
  const thumbprint = await spendProof(platform, request);
  if (named === undefined || named === thumbprint) return thumbprint;
  throw new ProofProblem("invalid", "The DPoP proof is refused: its key is not the one of dpop_jkt.");
}

/** Spends the proof for all processes, before anything else is; returns the thumbprint of its key. */
async function spendProof(platform: Platform, request: FastifyRequest): Promise<string> {
  const { thumbprint, jti, issuedAt } = await checkProofOf(platform, request, "invalid");
  const expiresAt = new Date(issuedAt.getTime() + (PROOF_SECONDS + TOLERANCE_SECONDS) * 1000);
  const isFirst = await useProof(platform.db, { kind: "dpop", signer: thumbprint, jti, expiresAt });
  if (!isFirst) throw new ProofProblem("invalid", USED);
  return thumbprint;
}
