/** Creates and changes event sources, and rotates their secrets (contract-events §3). */
import { checkName } from "../accounts/name.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newIdentifier, newSecret, secretKindOf } from "../platform/secret.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Source, SourceType } from "./source.ts";
import { insertSource, replaceIdentities, updateSource } from "./store-sources.ts";

/** A source to be created. */
export interface SourceFields {
  projectId: number;
  name: string;
  type: SourceType;
  /** Undefined: one is generated. */
  secret: string | undefined;
  identities: Readonly<Record<string, number>> | undefined;
}

/**
 * Creates a source and returns its secret, which is never returned again.
 * @throws FieldProblem name; Problem unprocessable: an identity that is no user
 */
export async function createSource(
  { db, keys }: Platform,
  makerId: number,
  fields: SourceFields,
): Promise<{ source: Source; secret: string }> {
  checkName(fields.name);
  const { projectId, name, type, secret = newSecret("eventSourceSecret"), identities } = fields;
  const identifier = newIdentifier(32);
  const secretSealed = keys.seal(secret, sealContext(identifier));
  const source = await db.transaction(async (tx) => {
    await holdMaintainer(tx, makerId, projectId);
    const made = await insertSource(tx, {
      projectId,
      identifier,
      name,
      type,
      secretSealed,
      secretDigest: digestOf(secret),
      createdBy: makerId,
    });
    await setIdentities(tx, made.id, identities);
    return made;
  });
  return { source, secret };
}

/** @throws FieldProblem name; Problem unprocessable: an identity that is no user; as `holdMaintainer` */
export async function changeSource(
  { db }: Platform,
  makerId: number,
  source: Source,
  change: {
    name?: string | undefined;
    active?: boolean | undefined;
    identities?: Readonly<Record<string, number>> | undefined;
  },
): Promise<void> {
  if (change.name !== undefined) checkName(change.name, undefined, source.name);
  return db.transaction(async (tx) => {
    await holdMaintainer(tx, makerId, source.projectId);
    await updateSource(tx, source.id, change);
    await setIdentities(tx, source.id, change.identities);
  });
}

/** Gives the source a new secret; the old one stops working at once. */
export async function rotateSourceSecret(
  { db, keys }: Platform,
  makerId: number,
  source: Source,
): Promise<string> {
  const secret = newSecret("eventSourceSecret");
  const secretSealed = keys.seal(secret, sealContext(source.identifier));
  await db.transaction(async (tx) => {
    await holdMaintainer(tx, makerId, source.projectId);
    await updateSource(tx, source.id, { secretSealed, secretDigest: digestOf(secret) });
  });
  return secret;
}

/** Null for a secret that a person chose: with its digest, whoever reads the database could try guesses. */
export function digestOf(secret: string): Buffer | null {
  return secretKindOf(secret) === "eventSourceSecret" ? digest(secret) : null;
}

/** The context with which a source's secret is sealed. */
export function sealContext(identifier: string): string {
  return `event_sources:${identifier}`;
}

async function setIdentities(
  tx: Queries,
  sourceId: number,
  identities: Readonly<Record<string, number>> | undefined,
): Promise<void> {
  if (identities === undefined) return;
  const logins = new Set(Object.keys(identities).map((login) => login.toLowerCase()));
  if (logins.size !== Object.keys(identities).length) {
    throw new Problem("unprocessable", "identities names a login twice");
  }
  const known = await replaceIdentities(tx, sourceId, identities);
  if (known !== logins.size) throw new Problem("unprocessable", "identities names a user who does not exist");
}
