/** Creates, changes and removes heartbeats, and gives them keys. */
import type { Act } from "../accounts/audit.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, newIdentifier, newSecret } from "../platform/secret.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Project } from "../projects/project.ts";
import { changedNames } from "./changed-names.ts";
import { checkExclusivity } from "./create-integration.ts";
import { type Heartbeat, type HeartbeatFields, heartbeatContext, heartbeatFaults } from "./heartbeat.ts";
import { recordChange } from "./record-change.ts";
import {
  deleteHeartbeat,
  findHeartbeat,
  insertHeartbeat,
  listHeartbeats,
  lockHeartbeat,
  replaceHeartbeatKey,
  updateHeartbeat,
} from "./store-heartbeats.ts";
import { lockSettings } from "./store-settings.ts";

const MAX_HEARTBEATS = 100;
const SHOWN = ["name", "active", "intervalSeconds", "graceSeconds", "severity"] as const;

/**
 * Creates a heartbeat.
 * @throws FieldProblem invalid, by field; Problem unprocessable: too many, or an external alerting tool is linked
 */
export function createHeartbeat(
  platform: Platform,
  act: Act,
  { id: projectId, fullPath }: Pick<Project, "id" | "fullPath">,
  fields: HeartbeatFields,
): Promise<Heartbeat> {
  checkFields(fields);
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, projectId);
    await checkExclusivity(tx, projectId, { type: "heartbeat", active: fields.active });
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
    await recordChange(tx, act, "heartbeat_created", fullPath, { name: fields.name });
    return heartbeatOf(tx, projectId, id);
  });
}

/**
 * Changes a heartbeat; absent fields stay, including what another request changes at the same time.
 * @throws FieldProblem invalid, by field; Problem not_found; unprocessable when it may not be switched on
 */
export function changeHeartbeat(
  platform: Platform,
  act: Act,
  { id: projectId, fullPath }: Pick<Project, "id" | "fullPath">,
  id: number,
  change: Partial<HeartbeatFields>,
): Promise<Heartbeat> {
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, projectId);
    // Locked before the heartbeat, in the same order as when an external tool is linked.
    if (change.active) await lockSettings(tx, projectId);
    const before = await lockHeartbeat(tx, projectId, id);
    if (!before) throw noHeartbeat();
    const { name, intervalSeconds, graceSeconds, severity } = before;
    const fields = { name, active: before.isOn, intervalSeconds, graceSeconds, severity, ...change };
    checkFields(fields, name);
    if (fields.active && !before.isOn)
      await checkExclusivity(tx, projectId, { type: "heartbeat", active: true });
    await updateHeartbeat(tx, id, fields);
    const beat = await heartbeatOf(tx, projectId, id);
    const changed = changedNames(before, beat, SHOWN);
    const details = { name: beat.name, changed };
    if (changed !== "") await recordChange(tx, act, "heartbeat_changed", fullPath, details);
    return beat;
  });
}

function checkFields(fields: HeartbeatFields, before?: string): void {
  const faults = heartbeatFaults(fields, before);
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
}

/** @throws Problem not_found */
export async function heartbeatOf(
  db: Queries,
  projectId: number,
  id: number | undefined,
): Promise<Heartbeat> {
  const found = id === undefined ? undefined : await findHeartbeat(db, projectId, id);
  if (!found) throw noHeartbeat();
  return found;
}

function noHeartbeat(): Problem {
  return new Problem("not_found", "404 Heartbeat Not Found");
}

/** Gives a heartbeat a new key; the previous one stops working at once. */
export function rotateHeartbeatKey(platform: Platform, act: Act, beat: Heartbeat): Promise<Heartbeat> {
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, beat.projectId);
    await replaceHeartbeatKey(tx, beat.id, newKey(platform, beat.identifier));
    const changed = await heartbeatOf(tx, beat.projectId, beat.id);
    await recordChange(tx, act, "heartbeat_key_renewed", beat.projectPath, { name: beat.name });
    return changed;
  });
}

/** Removes a heartbeat; its address and key stop working at once, and an alert that it opened stays. */
export async function removeHeartbeat({ db }: Platform, act: Act, beat: Heartbeat): Promise<void> {
  await db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, beat.projectId);
    if ((await deleteHeartbeat(tx, beat.id)) === 0) return;
    await recordChange(tx, act, "heartbeat_removed", beat.projectPath, { name: beat.name });
  });
}

/** Returns its key, for Maintainers; empty if it was sealed with another master key. */
export function heartbeatKey({ keys }: Platform, beat: Heartbeat): string {
  return keys.openIfOurs(beat.keySealed, heartbeatContext(beat.identifier)) ?? "";
}

function newKey({ keys }: Platform, identifier: string) {
  const key = newSecret("authorizationKey");
  return { digest: digest(key), sealed: keys.seal(key, heartbeatContext(identifier)) };
}
