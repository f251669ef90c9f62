/** Tells of storms while they last and when they are over (decision 0099). */
import { enqueue } from "../outbox/enqueue.ts";
import type { Message } from "../outbox/message.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { eachProject } from "./each-project.ts";
import { messagesOf, readersOf } from "./notify-alerts.ts";
import { lockAlerts } from "./store-batch.ts";
import { listActiveChannels, listReaders } from "./store-channels.ts";
import { listStorms, listStormy, upsertStorms } from "./store-storms.ts";
import {
  asTold,
  type Heard,
  isCalm,
  isOver,
  isSummaryDue,
  type Storm,
  UNHEARD,
  withOpened,
} from "./storm.ts";
import { type StormEvent, stormNotice } from "./storm-notice.ts";

/** One round over all storms; several processes may do it at a time, since each holds the lock of the project's alerts. */
export async function watchStorms(platform: Platform): Promise<void> {
  await eachProject(platform, await listStormy(platform.db), (projectId) =>
    platform.db.transaction(async (tx) => {
      await lockAlerts(tx, [projectId]);
      const [found] = await listStorms(tx, [projectId]);
      // Another process may have ended them meanwhile.
      if (found) await watchOne(platform, tx, found);
    }),
  );
}

async function watchOne(platform: Platform, tx: Queries, storm: Storm): Promise<void> {
  const [channels, readers] = await Promise.all([
    listActiveChannels(tx, [storm.projectId]),
    listReaders(tx, [storm.projectId], []),
  ]);
  const messages: Message[] = [];
  // A channel that was removed or switched off meanwhile hears nothing more, and nothing is kept of it.
  const after: Record<string, Heard> = {};
  for (const channel of channels) {
    const before = storm.channels[channel.id];
    if (!before) continue;
    const now = withOpened(before, storm, 0);
    const { heard, what } = stepOf(now, storm);
    if (what) {
      const notice = stormNotice(what, storm, now, platform.config.publicUrl);
      messages.push(...messagesOf(platform, channel, notice, readersOf(channel, readers)));
    }
    if (!isCalm(heard)) after[channel.id] = heard;
  }
  await Promise.all([
    enqueue(tx, messages),
    upsertStorms(tx, [{ projectId: storm.projectId, channels: after }]),
  ]);
}

/** What a channel is to be told now, and how it stands after that. */
function stepOf(heard: Heard, storm: Storm): { heard: Heard; what?: StormEvent } {
  if (heard.since === null) return { heard };
  if (isOver(heard, storm)) {
    const after = { ...UNHEARD, slots: heard.slots };
    return heard.toldAt === null ? { heard: after } : { heard: after, what: "storm_ended" };
  }
  return isSummaryDue(heard, storm.now)
    ? { heard: asTold(heard, storm.now), what: "storm_continues" }
    : { heard };
}
