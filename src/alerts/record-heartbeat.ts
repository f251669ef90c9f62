/** Records the pings of heartbeats, and opens alerts for those that are overdue (decision 0098). */
import { timingSafeEqual } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import { KeyNeeded, Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { alertBot } from "./alert-bot.ts";
import type { AlertTransaction } from "./alert-transaction.ts";
import type { Delivery } from "./delivery.ts";
import { eachProject } from "./each-project.ts";
import { type Heartbeat, type HeartbeatAddress, type HeartbeatTurn, heartbeatPayload } from "./heartbeat.ts";
import { readDelivery } from "./read-delivery.ts";
import { newReceiptId } from "./receipt.ts";
import { recordIn } from "./record-batch.ts";
import {
  findHeartbeatAt,
  listDue,
  lockDue,
  lockHeartbeatAt,
  lookAtClock,
  updateBack,
  updateLate,
  updatePinged,
} from "./store-heartbeats.ts";

/** How many overdue heartbeats are handled in one transaction. */
const PORTION = 50;

/**
 * Records a ping, resolves the alert of a late heartbeat, and returns the heartbeat.
 * @throws Problem forbidden: there is none, or it is off; unauthenticated; unavailable
 */
export async function recordPing(
  platform: Platform,
  address: HeartbeatAddress,
  key: string | undefined,
): Promise<Heartbeat> {
  const found = await findHeartbeatAt(platform.db, address);
  if (!found?.active) throw new Problem("forbidden", "403 Forbidden");
  if (!timingSafeEqual(found.keyDigest, digest(key ?? ""))) throw new KeyNeeded();
  // The sweep that looks for overdue heartbeats locks the row while it waits for the alerts of the project (decision 0229).
  if ((await updatePinged(platform.db.pooled, found.id)) === 0) await recordReturn(platform, found);
  return (await findHeartbeatAt(platform.db, address)) ?? found;
}

async function recordReturn(platform: Platform, address: HeartbeatAddress): Promise<void> {
  const botId = await alertBot(platform);
  await platform.db.transaction(async (tx) => {
    const beat = await lockHeartbeatAt(tx, address);
    if (!beat?.active) return;
    await updateBack(tx, beat.id);
    if (beat.late) await recordBeats({ platform, tx, botId }, [beat], "back");
  });
}

/** One round over all heartbeats; several processes may do it at a time. */
export async function sweepHeartbeats(platform: Platform): Promise<void> {
  await lookAtClock(platform.db);
  const botId = await alertBot(platform);
  await eachProject(platform, await listDue(platform.db), async (projectId) => {
    let handled = PORTION;
    while (handled === PORTION) {
      // Again before each portion: a round may take longer than the time after which nobody seems to have looked.
      await lookAtClock(platform.db);
      handled = await recordOverdue(platform, projectId, botId);
    }
  });
}

/** Records the overdue heartbeats of a project, at most a portion; returns how many there were. */
function recordOverdue(platform: Platform, projectId: number, botId: number): Promise<number> {
  return platform.db.transaction(async (tx) => {
    const due = await lockDue(tx, projectId, PORTION);
    if (due.length === 0) return 0;
    await updateLate(
      tx,
      due.map(({ id }) => id),
    );
    await recordBeats({ platform, tx, botId }, due, "late");
    return due.length;
  });
}

/**
 * Records what happened to heartbeats by deliveries of alerts: with receipt, grouping, incident, silences and notifications
 * like all others.
 */
async function recordBeats(
  transaction: AlertTransaction,
  beats: readonly Heartbeat[],
  turn: HeartbeatTurn,
): Promise<void> {
  await recordIn(
    transaction,
    beats.map((beat) => deliveryOf(beat, turn)),
  );
}

function deliveryOf(beat: Heartbeat, turn: HeartbeatTurn): Delivery {
  const raw = JSON.stringify(heartbeatPayload(beat, turn));
  return {
    projectId: beat.projectId,
    projectPath: beat.projectPath,
    // No integration has this id; alerts show it like one whose integration was removed.
    integrationId: 0,
    integrationName: beat.name,
    groupsByPayload: true,
    createsIncidents: beat.createIncident,
    incidentTemplateId: beat.incidentTemplateId,
    reaches: beat.reaches,
    receiptId: newReceiptId(beat.now.getTime()),
    keyHint: "",
    headers: {},
    raw: Buffer.from(raw),
    reading: readDelivery(raw, { strict: false }),
    idempotencyHash: undefined,
  };
}
