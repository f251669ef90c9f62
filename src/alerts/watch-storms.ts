/** Notifies channels of storms while they last and when they are over (decision 0099). */
import { enqueue } from "../outbox/enqueue.ts";
import type { Message } from "../outbox/message.ts";
import { bothOf } from "../platform/both-of.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { eachProject } from "./each-project.ts";
import { messagesOf, readersOf } from "./notify-alerts.ts";
import { lockAlerts } from "./store-batch.ts";
import { listActiveChannels, listReaders } from "./store-channels.ts";
import { listStorms, listStormy, upsertStorms } from "./store-storms.ts";
import {
  isEmpty,
  isOver,
  isSummaryDue,
  NO_STORM,
  type Storm,
  type StormState,
  withNotice,
  withOpened,
} from "./storm.ts";
import { type StormEvent, stormNotice } from "./storm-notice.ts";

/** Runs one round over all storms; several processes may do it at a time, since each locks the project's alerts. */
export async function watchStorms(platform: Platform): Promise<void> {
  await eachProject(platform, await listStormy(platform.db), (projectId) =>
    platform.db.transaction(async (tx) => {
      await lockAlerts(tx, [projectId]);
      const [found] = await listStorms(tx, [projectId]);
      // Its project may have been removed meanwhile.
      if (found) await watchOne(platform, tx, found);
    }),
  );
}

async function watchOne(platform: Platform, tx: Queries, storm: Storm): Promise<void> {
  const [active, readers] = await Promise.all([
    listActiveChannels(tx, [storm.projectId]),
    listReaders(tx, [storm.projectId], []),
  ]);
  const messages: Message[] = [];
  // A channel that was removed or deactivated meanwhile is not notified, and its state is dropped.
  const channels: Record<string, StormState> = {};
  for (const channel of active) {
    const before = storm.channels[channel.id];
    if (!before) continue;
    const now = withOpened(before, storm, 0);
    const { state, what } = stepOf(now, storm);
    if (what) {
      const notice = stormNotice(what, storm, now, platform.config.publicUrl);
      for (const one of messagesOf(platform, channel, notice, readersOf(channel, readers)))
        messages.push(one);
    }
    if (!isEmpty(state)) channels[channel.id] = state;
  }
  await bothOf(enqueue(tx, messages), upsertStorms(tx, [{ projectId: storm.projectId, channels }]));
}

/** Returns what a channel is to be notified of now, and its new state. */
function stepOf(state: StormState, storm: Storm): { state: StormState; what?: StormEvent } {
  if (state.since === null) return { state };
  if (isOver(state, storm)) {
    const after = { ...NO_STORM, slots: state.slots };
    return state.toldAt === null ? { state: after } : { state: after, what: "storm_ended" };
  }
  return isSummaryDue(state, storm.now)
    ? { state: withNotice(state, storm.now), what: "storm_continues" }
    : { state };
}
