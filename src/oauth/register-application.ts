/** Registers an application of a person, of a group or, by an administrator, of the instance (spec: Application 1). */
import type { Act } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Queries } from "../platform/db.ts";
import { checkFaults } from "../platform/problem.ts";
import { digest, newIdentifier, newSecret } from "../platform/secret.ts";
import {
  type ApplicationFields,
  applicationFaults,
  auditDetails,
  NOWHERE_PRIVATE,
  type TargetPolicy,
  trustFaults,
} from "./application.ts";
import { keptKeys } from "./public-keys.ts";
import { insertApplication } from "./store.ts";
import { updateOwnerGroup } from "./store-applications.ts";

export interface Registered {
  id: number;
  /** The Application ID. */
  uid: string;
  /** Shown now and never again: only its digest is stored. */
  secret: string;
}

/** What is decided by the place of a registration, not by the form. */
export interface Placing {
  /** Whether consent is skipped, which only administrators may set. */
  trusted?: boolean | undefined;
  /** The group that owns the application; undefined: a person or the instance does. */
  groupId?: number | undefined;
  /** The network from which the application registered itself; undefined: somebody registers it. */
  registeredFrom?: string | undefined;
  /** Which private networks requests may go to; undefined: none. */
  policy?: TargetPolicy | undefined;
  /** Who registers it; undefined: not recorded (demonstrations). */
  act?: Act | undefined;
}

/**
 * Creates the Application ID and the first client secret, in the caller's transaction.
 * @param ownerId null: an application of the instance or of a group
 * @throws FieldProblem the faults of the fields
 */
export async function registerApplication(
  tx: Queries,
  ownerId: number | null,
  fields: ApplicationFields,
  { trusted = false, groupId, act, policy = NOWHERE_PRIVATE, registeredFrom }: Placing = {},
): Promise<Registered> {
  checkFaults({ ...applicationFaults(fields, policy), ...trustFaults(trusted, fields.confidential) });
  if (act) await holdActor(tx, act, ownerId);
  const uid = newIdentifier(64);
  const secret = newSecret("clientSecret");
  const made = {
    ...fields,
    jwks: keptKeys(fields.jwks),
    uid,
    ownerId,
    trusted,
    secretDigest: digest(secret),
    registeredFrom: registeredFrom ?? null,
  };
  const id = await insertApplication(tx, made);
  if (groupId !== undefined) await updateOwnerGroup(tx, id, groupId);
  const details = auditDetails({ ...made, selfRegistered: registeredFrom !== undefined });
  if (act) await recordAudit(tx, { ...act, action: "application_created", userId: ownerId, details });
  return { id, uid, secret };
}
