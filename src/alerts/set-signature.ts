/** Sets how the requests of an integration are to be signed (decision 0110). */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { type Integration, signatureContext } from "./integration.ts";
import { signatureHeaderFault, signatureSecretFault } from "./signature.ts";
import { type IntegrationFields, updateSignature } from "./store-integrations.ts";

type SignatureFields = Pick<IntegrationFields, "signature" | "signatureHeader" | "signatureSecret">;

/**
 * Returns the integration as it is after the change; what is not named stays.
 * @throws FieldProblem invalid: a signature without a secret, or a secret that its kind cannot have
 */
export async function setSignature(
  { keys }: Platform,
  tx: Queries,
  integration: Integration,
  change: SignatureFields,
): Promise<Integration> {
  const { signature, signatureHeader, signatureSecret: secret } = change;
  if (signature === undefined && signatureHeader === undefined && secret === undefined) return integration;
  const kind = signature === undefined ? integration.signature : signature;
  const isNew = kind !== integration.signature;
  if (kind && isNew && secret === undefined) throw new FieldProblem({ signature_secret: ["can't be blank"] });
  if (!kind && secret !== undefined) throw new FieldProblem({ signature: ["can't be blank"] });
  const wrong = kind && secret !== undefined ? signatureSecretFault(kind, secret) : undefined;
  if (wrong) throw new FieldProblem({ signature_secret: [wrong] });
  const context = signatureContext(`${integration.projectId}/${integration.identifier}`);
  return updateSignature(tx, integration.projectId, integration.id, {
    kind,
    header: signatureHeader === undefined ? integration.signatureHeader : signatureHeader,
    sealed: secret === undefined ? undefined : keys.seal(secret, context),
  });
}

/** What is wrong with the header of a signature, by field. */
export function signatureFaults({ signatureHeader: header }: SignatureFields): Record<string, string[]> {
  const wrong = header ? signatureHeaderFault(header) : undefined;
  return wrong ? { signature_header: [wrong] } : {};
}
