/** The mark of a form that was sent again with the proof that it needed (decision 0289). */
import type { FastifyRequest } from "fastify";
import { formText } from "./form-text.ts";

/** The hidden field: if it is there, `password` or `passkey` is the proof, and no field of the form itself. */
export const PROOF_FIELD = "with_proof";

/** Whether the page that asks for a proof sent the form. */
export function bringsProof(request: FastifyRequest): boolean {
  return formText(request, PROOF_FIELD) !== "";
}
