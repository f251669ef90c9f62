/** Tells of storms while they last and when they are over (decision 0099). */
import { enqueue } from "../outbox/enqueue.ts";
import type { Message } from "../outbox/message.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { messagesOf, readersOf } from "./notify-alerts.ts";
import { lockAlerts } from "./store-batch.ts";
import { listActiveChannels, listReaders } from "./store-channels.ts";
import { listStorms, listStormy, upsertStorms } from "./store-storms.ts";
import { asTold, type Heard, isOver, isSummaryDue, type Storm, withOpened } from "./storm.ts";
import { type StormEvent, stormNotice } from "./storm-notice.ts";

/** One round over all storms; several processes may do it at a time, since each holds the lock of the project's alerts. */
export async function watchStorms(platform: Platform): Promise<void> {
  for (const projectId of await listStormy(platform.db)) {
    await platform.db.transaction(async (tx) => {
      await lockAlerts(tx, [projectId]);
      const [found] = await listStorms(tx, [projectId]);
      // Another process may have ended it meanwhile.
      if (found?.since) await watchOne(platform, tx, withOpened(found, 0));
    });
  }
}

async function watchOne(platform: Platform, tx: Queries, storm: Storm): Promise<void> {
  const ends = isOver(storm);
  const isDue = (heard: Heard) => (ends ? heard.toldAt !== null : isSummaryDue(heard, storm.now));
  const due = Object.entries(storm.channels).filter(([, heard]) => isDue(heard));
  if (due.length > 0) {
    const what = ends ? "storm_ended" : "storm_continues";
    await enqueue(tx, await messagesTo(platform, tx, storm, due, what));
  }
  if (!ends && due.length === 0) return;
  const told = Object.fromEntries(due.map(([id, heard]) => [id, asTold(heard, storm.now)]));
  const after = ends
    ? { ...storm, since: null, opened: 0, channels: {} }
    : { ...storm, channels: { ...storm.channels, ...told } };
  await upsertStorms(tx, [after]);
}

/** A channel that was removed or switched off meanwhile hears nothing more. */
async function messagesTo(
  platform: Platform,
  tx: Queries,
  storm: Storm,
  due: readonly [string, Heard][],
  what: StormEvent,
): Promise<Message[]> {
  const [channels, readers] = await Promise.all([
    listActiveChannels(tx, [storm.projectId]),
    listReaders(tx, [storm.projectId]),
  ]);
  const heardBy = new Map(due);
  return channels.flatMap((channel) => {
    const heard = heardBy.get(`${channel.id}`);
    if (!heard) return [];
    const notice = stormNotice(what, storm, heard, platform.config.publicUrl);
    return messagesOf(platform, channel, notice, readersOf(channel, readers));
  });
}
