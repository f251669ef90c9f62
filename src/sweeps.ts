/** The periodic work of the service, as one list. */
import { sendNotices } from "./accounts/send-notices.ts";
import { sweepAccounts } from "./accounts/sweep.ts";
import { tellTokenEnds } from "./accounts/tell-token-ends.ts";
import { sweepHeartbeats } from "./alerts/record-heartbeat.ts";
import { releaseSilenced } from "./alerts/release-silenced.ts";
import { resolveTimeouts } from "./alerts/resolve-timeouts.ts";
import { resolveUnheard } from "./alerts/resolve-unheard.ts";
import { sweepAlerts } from "./alerts/sweep.ts";
import { watchStorms } from "./alerts/watch-storms.ts";
import { compactEventCounts } from "./events/compact-counts.ts";
import { feedHooks } from "./events/feed-hooks.ts";
import { recordHappenings } from "./events/record-happenings.ts";
import { EVENTS_JOB, sweepEvents } from "./events/sweep.ts";
import { hookLetter } from "./events/wire-hooks.ts";
import { goOnRemoving, removeSomeOfGroup } from "./oauth/remove-application.ts";
import { sweepOauth } from "./oauth/sweep.ts";
import { noteHorizon } from "./operations/watch-horizon.ts";
import { sweepOutbox } from "./outbox/sweep.ts";
import { noteClock } from "./platform/clock-mark.ts";
import type { Platform } from "./platform/platform.ts";
import { type Job, startJobs } from "./platform/schedule.ts";
import { endMemberships } from "./projects/end-memberships.ts";
import { removePlaces } from "./projects/remove-places.ts";

const PROVEN = "by a proven clock";

export const jobs: readonly Job[] = [
  // An end must be visible in the lists within 15 seconds (contract-events §4, membership), also after a long stop.
  {
    name: "memberships",
    everySeconds: 5,
    purges: "by a right clock",
    run: (platform) => endMemberships(platform, recordHappenings),
  },
  { name: "clock", everySeconds: 10, run: (platform) => noteClock(platform) },
  { name: "notices", everySeconds: 10, run: sendNotices },
  { name: "ends of tokens", everySeconds: 3600, run: tellTokenEnds },
  { name: "accounts", everySeconds: 600, purges: PROVEN, run: sweepAccounts },
  { name: "alerts", everySeconds: 600, purges: PROVEN, run: sweepAlerts },
  { name: "heartbeats", everySeconds: 3, run: sweepHeartbeats },
  { name: "silences", everySeconds: 5, run: releaseSilenced },
  { name: "unheard alerts", everySeconds: 10, run: resolveUnheard },
  // Often, among the quick jobs: after a long sweep it would conclude that the service had been down.
  { name: "alert timeouts", everySeconds: 30, run: resolveTimeouts },
  { name: "storms", everySeconds: 5, run: watchStorms },
  { name: "oauth", everySeconds: 600, purges: PROVEN, run: sweepOauth },
  { name: "outbox", everySeconds: 3600, purges: PROVEN, run: sweepOutbox },
  { name: "event hooks", everySeconds: 1, run: (platform) => feedHooks(platform, hookLetter) },
  { name: "event arrivals", everySeconds: 30, run: noteHorizon },
  { name: "event counts", everySeconds: 5, run: compactEventCounts },
  { name: EVENTS_JOB, everySeconds: 3600, purges: PROVEN, run: sweepEvents },
  {
    name: "removals",
    everySeconds: 60,
    purges: PROVEN,
    run: (platform) => removePlaces(platform, removeSomeOfGroup),
  },
  { name: "applications in removal", everySeconds: 60, run: goOnRemoving },
];

/** Starts every job; returns a function that stops them. */
export function startSweeps(platform: Platform): () => void {
  return startJobs(platform, jobs);
}
