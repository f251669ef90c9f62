/** Finds the key whose possession a requesting application proves (RFC 9449 §5). */
import type { FastifyRequest } from "fastify";
import { checkProofOf, PROOF_USED } from "../accounts/check-binding.ts";
import { PROOF_SECONDS } from "../accounts/key-proof.ts";
import type { Platform } from "../platform/platform.ts";
import { ProofProblem } from "../platform/problem.ts";
import type { Application } from "./application.ts";
import type { AuthenticatedApplication } from "./authenticated-application.ts";
import { spendProof } from "./store-used-proofs.ts";

/** The tolerated difference by which the clock of the database may be ahead of ours. */
const TOLERANCE_SECONDS = 60;

/**
 * Returns the application with its proven key. It is authenticated first, so that strangers cause no signature to be verified.
 * @throws ProofProblem (400): the proof is invalid, was used before, or is missing though the application must send one (§5.2)
 */
export async function proveKey(
  platform: Platform,
  request: FastifyRequest,
  proven: Promise<Application>,
): Promise<AuthenticatedApplication> {
  const application = await proven;
  if (request.headers.dpop === undefined) {
    if (!application.boundTokensOnly) return { ...application, provenKey: null };
    throw new ProofProblem(
      "invalid",
      "The application requires tokens that are bound to a key: the request must have a DPoP header.",
    );
  }
  return { ...application, provenKey: await spendProofOf(platform, request) };
}

/**
 * Returns the key to which the code of a pushed request is bound: that of its proof, or `dpop_jkt` (RFC 9449 §10.1).
 * @throws ProofProblem (400): the proof is invalid, was used before, or is for another key than `dpop_jkt`
 */
export async function keyOfPushed(
  platform: Platform,
  request: FastifyRequest,
  named: string | undefined,
): Promise<string | undefined> {
  if (request.headers.dpop === undefined) return named;
  const thumbprint = await spendProofOf(platform, request);
  if (named === undefined || named === thumbprint) return thumbprint;
  throw new ProofProblem("invalid", "The DPoP proof is refused: its key is not the one of dpop_jkt.");
}

/** Uses up the proof for all processes, before anything else is used up; returns the thumbprint of its key. */
async function spendProofOf(platform: Platform, request: FastifyRequest): Promise<string> {
  const { thumbprint, jti, issuedAt } = await checkProofOf(platform, request, "invalid");
  const expiresAt = new Date(issuedAt.getTime() + (PROOF_SECONDS + TOLERANCE_SECONDS) * 1000);
  const isFirst = await spendProof(platform.db, { kind: "dpop", signer: thumbprint, jti, expiresAt });
  if (!isFirst) throw new ProofProblem("invalid", PROOF_USED);
  return thumbprint;
}
