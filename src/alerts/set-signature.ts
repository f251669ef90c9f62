/** Sets how the requests of an integration must be signed (decision 0110). */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { type Integration, signatureContext } from "./integration.ts";
import { signatureHeaderFault, signatureSecretFault } from "./signature.ts";
import { type IntegrationFields, updateSignature } from "./store-integrations.ts";

type SignatureFields = Pick<IntegrationFields, "signature" | "signatureHeader" | "signatureSecret">;

/**
 * Changes the signature settings and returns the integration; absent ones stay.
 * @throws FieldProblem invalid: a signature without a secret, or a secret that is invalid for its kind
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

/** Returns the errors in a signature's header, by field. */
export function signatureFaults({ signatureHeader: header }: SignatureFields): Record<string, string[]> {
  const wrong = header ? signatureHeaderFault(header) : undefined;
  return wrong ? { signature_header: [wrong] } : {};
}
