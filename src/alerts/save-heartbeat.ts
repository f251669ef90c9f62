/** Makes and changes heartbeats, and gives out their keys. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, newIdentifier, newSecret } from "../platform/secret.ts";
import { type Heartbeat, type HeartbeatFields, heartbeatContext, heartbeatFaults } from "./heartbeat.ts";
import {
  findHeartbeat,
  insertHeartbeat,
  listHeartbeats,
  replaceHeartbeatKey,
  updateHeartbeat,
} from "./store-heartbeats.ts";

const MAX_HEARTBEATS = 100;

/**
 * Makes a heartbeat, or changes that one.
 * @throws FieldProblem invalid, by field; Problem unprocessable: too many
 */
export function saveHeartbeat(
  platform: Platform,
  projectId: number,
  fields: HeartbeatFields,
  before?: Heartbeat,
): Promise<Heartbeat> {
  const faults = heartbeatFaults(fields);
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  return platform.db.transaction(async (tx) => {
    if (before) {
      await updateHeartbeat(tx, before.id, fields);
      return heartbeatOf(tx, projectId, before.id);
    }
    if ((await listHeartbeats(tx, projectId)).length >= MAX_HEARTBEATS)
      throw new Problem("unprocessable", `A project has at most ${MAX_HEARTBEATS} heartbeats.`);
    const identifier = newIdentifier(16);
    const key = newKey(platform, identifier);
    const { id } = await insertHeartbeat(tx, projectId, {
      ...fields,
      identifier,
      keyDigest: key.digest,
      keySealed: key.sealed,
    });
    return heartbeatOf(tx, projectId, id);
  });
}

/** @throws Problem not_found */
export async function heartbeatOf(
  db: Queries,
  projectId: number,
  id: number | undefined,
): Promise<Heartbeat> {
  const found = id === undefined ? undefined : await findHeartbeat(db, projectId, id);
  if (!found) throw new Problem("not_found", "404 Heartbeat Not Found");
  return found;
}

/** The key before ends at once. */
export async function rotateHeartbeatKey(platform: Platform, beat: Heartbeat): Promise<Heartbeat> {
  await replaceHeartbeatKey(platform.db, beat.id, newKey(platform, beat.identifier));
  return heartbeatOf(platform.db, beat.projectId, beat.id);
}

/** Its key, to show it to Maintainers. */
export function heartbeatKey({ keys }: Platform, beat: Heartbeat): string {
  return keys.open(beat.keySealed, heartbeatContext(beat.identifier));
}

function newKey({ keys }: Platform, identifier: string) {
  const key = newSecret("authorizationKey");
  return { digest: digest(key), sealed: keys.seal(key, heartbeatContext(identifier)) };
}
