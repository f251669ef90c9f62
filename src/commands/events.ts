/** `gatehouse events sweep`, `import` and `new-epoch`: runs the periodic work at once, imports files, begins another epoch. */
import { compactEventCounts } from "../events/compact-counts.ts";
import { recordHappenings } from "../events/record-happenings.ts";
import { EVENTS_JOB, findOverdueEvents, sweepEvents } from "../events/sweep.ts";
import { beginAnotherEpoch } from "../operations/mend-event-numbers.ts";
import { checkPurge } from "../platform/clock-mark.ts";
import type { Config } from "../platform/config.ts";
import type { Connection } from "../platform/copy.ts";
import type { Platform } from "../platform/platform.ts";
import { runInTurn } from "../platform/schedule.ts";
import { endMemberships } from "../projects/end-memberships.ts";
import { type Answer, runCommand, WrongUsage } from "./command.ts";
import { importCommand } from "./import-events.ts";

const USAGE = `Usage: gatehouse events sweep [--dry-run] [--json]
       gatehouse events import FILE|- [--help for its options]
       gatehouse events new-epoch [--json]

sweep runs the hourly event maintenance of the service immediately: it records memberships that have expired, creates the
partitions of the coming months, drops the months that ended at least two years and a day ago, and deletes events of projects
with a shorter retention.

new-epoch is for a database that was recovered to an earlier point: by WAL archiving, by an older copy of its directory, or by a
failover that lost transactions. Programs that follow events are refused with an explanation and start again, instead of missing
what was written since; webhooks continue where they were.

  --dry-run   only print which months would be dropped and how many events of which projects would be deleted
  --json      print one JSON object: {"made": 0, "dropped": ["events_2024_10"], "removed": 0, "dry_run": false};
              with --dry-run also "projects": [{"project": "acme/rocket", "days": 30, "removed": 12}];
              of new-epoch: {"epoch": "0d1c2b3a", "renumbered": false}

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration.
For example: gatehouse events sweep --dry-run
             gatehouse events new-epoch
`;

export function eventsCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  if (args[0] === "import") return importCommand(args.slice(1), readConfig);
  const shape = { usage: USAGE, options: { "dry-run": { type: "boolean" } }, positionals: 1 } as const;
  return runCommand(shape, args, readConfig, ({ flags, positionals }) => {
    switch (positionals[0]) {
      case "sweep":
        return ({ platform }) => sweep(platform, flags.has("dry-run"));
      case "new-epoch":
        if (flags.has("dry-run")) throw new WrongUsage("--dry-run is an option of sweep.");
        return ({ connection }) => newEpoch(connection);
      default:
        throw new WrongUsage("Missing or unknown subcommand. Available: sweep, import, new-epoch");
    }
  });
}

async function newEpoch(connection: Connection): Promise<Answer> {
  const { epoch, renumbered } = await beginAnotherEpoch(connection);
  const also = renumbered
    ? " The events had transaction numbers of another server, and were renumbered."
    : "";
  return {
    text: `Began the epoch ${epoch}: programs that follow events are told to start again.${also}\n`,
    json: { epoch, renumbered },
  };
}

async function sweep(platform: Platform, isDryRun: boolean): Promise<Answer> {
  if (isDryRun) {
    const { months: dropped, projects } = await findOverdueEvents(platform);
    const removed = projects.reduce((sum, { n }) => sum + n, 0);
    const lines = projects.map(
      ({ fullPath, days, n }) => `  ${fullPath} (retention of ${days} days): ${n}\n`,
    );
    return {
      text: `Would drop: ${dropped.join(", ") || "nothing"}\nWould delete ${removed} events past the retention of their project${removed > 0 ? ":" : "."}\n${lines.join("")}`,
      json: {
        made: 0,
        dropped,
        removed,
        projects: projects.map(({ fullPath, days, n }) => ({ project: fullPath, days, removed: n })),
        dry_run: true,
      },
    };
  }
  await checkPurge(platform.db);
  await endMemberships(platform, recordHappenings);
  await compactEventCounts(platform);
  // Waits for the sweep of another process: of two that create or drop the same month one would fail.
  const { made, dropped, removed } = await runInTurn(platform.db, EVENTS_JOB, () => sweepEvents(platform));
  const text = `Created ${made} partitions. Dropped: ${dropped.join(", ") || "nothing"}. Deleted ${removed} events past the retention of their project.\n`;
  return { text, json: { made, dropped, removed, dry_run: false } };
}
