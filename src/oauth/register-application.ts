/** Registers an application of a person or, by an administrator, of the instance (spec: Application 1). */
import type { Queries } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import { digest, newIdentifier, newSecret } from "../platform/secret.ts";
import { type ApplicationFields, applicationFaults } from "./application.ts";
import { insertApplication } from "./store.ts";

export interface Registered {
  id: number;
  /** The Application ID. */
  uid: string;
  /** Shown now and never again: only its digest is stored. */
  secret: string;
}

/**
 * Makes the Application ID and the first client secret.
 * @param ownerId null: an application of the instance
 * @param trusted consent is not asked, if it is confidential; only administrators may say so
 * @throws FieldProblem what a field may not be
 */
export async function registerApplication(
  db: Queries,
  ownerId: number | null,
  fields: ApplicationFields,
  trusted = false,
): Promise<Registered> {
  const faults = applicationFaults(fields);
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  const uid = newIdentifier(64);
  const secret = newSecret("clientSecret");
  const id = await insertApplication(db, { ...fields, uid, ownerId, trusted, secretDigest: digest(secret) });
  return { id, uid, secret };
}
