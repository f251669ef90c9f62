/** Orders the reports of many requests into rounds, so that one statement can decide a whole round. */
import type { Delivery } from "./delivery.ts";
import type { AlertReport } from "./report.ts";

/** One report to be recorded, and where it comes from. */
export interface Op {
  delivery: Delivery;
  /** Its index among the reports of the delivery. */
  item: number;
  report: AlertReport;
  /** Whether repeats join an open alert; an explicit fingerprint always groups (contract-alerts, plan). */
  grouped: boolean;
  /** The hash of its fingerprint, in hexadecimal. */
  hash: string;
}

/** Consecutive firings of one fingerprint, consecutive recoveries of it, or one report of any other kind. */
export interface Step {
  kind: AlertReport["action"];
  ops: [Op, ...Op[]];
}

const TOGETHER: ReadonlySet<AlertReport["action"]> = new Set(["firing", "recovery"]);

/**
 * Divides the reports of deliveries into rounds: each round has at most one step per fingerprint, and the steps of a
 * fingerprint keep their order. Reports for which `isRepeat` is true are left out.
 */
export function roundsOf(
  deliveries: readonly Delivery[],
  isRepeat = (_delivery: Delivery, _item: number) => false,
): Step[][] {
  const stepsByKey = new Map<string, Step[]>();
  for (const delivery of deliveries) {
    delivery.reading.reports.forEach((report, item) => {
      if (isRepeat(delivery, item)) return;
      const grouped = report.fingerprint.kind !== "payload" || delivery.groupsByPayload;
      const hash = report.fingerprint.hash.toString("hex");
      const key = `${delivery.projectId}:${hash}`;
      const steps = stepsByKey.get(key) ?? [];
      if (steps.length === 0) stepsByKey.set(key, steps);
      const op = { delivery, item, report, grouped, hash };
      const last = steps.at(-1);
      if (report.action === last?.kind && TOGETHER.has(report.action)) last.ops.push(op);
      else steps.push({ kind: report.action, ops: [op] });
    });
  }
  const rounds: Step[][] = [];
  for (const steps of stepsByKey.values()) {
    steps.forEach((step, index) => {
      const round = rounds[index] ?? [];
      if (round.length === 0) rounds[index] = round;
      round.push(step);
    });
  }
  return rounds;
}

/** Returns the latest start of the firings; undefined if one has none, since it began when it was received. */
export function newestStart(ops: readonly Op[]): Date | undefined {
  const starts = ops.flatMap(({ report }) => report.startedAt?.getTime() ?? []);
  if (starts.length < ops.length) return undefined;
  return new Date(starts.reduce((latest, start) => Math.max(latest, start)));
}

/** Returns the latest start since the last firing without one, which began when it was received; undefined if that is the last. */
export function lastStartGiven(ops: readonly Op[]): Date | undefined {
  const since = ops.slice(ops.findLastIndex(({ report }) => !report.startedAt) + 1);
  return since.length > 0 ? newestStart(since) : undefined;
}

/** The start that every firing of an alert with counting `once` gets. */
const ONLY_START = new Date(0).toISOString();

/** Returns the distinct starts of the firings, each with its first source; those of firings with counting `each` are left out. */
export function distinctStarts(ops: readonly Op[]): { start: string; source: string | null }[] {
  const starts = new Map<string, string | null>();
  for (const { report } of ops) {
    const { counting, startedAt, source = null } = report;
    const given = counting === "starts" ? startedAt?.toISOString() : undefined;
    const start = counting === "once" ? ONLY_START : given;
    if (start !== undefined && !starts.has(start)) starts.set(start, source);
  }
  return [...starts].map(([start, source]) => ({ start, source }));
}

/** Returns how many deliveries these reports belong to. */
export function countDeliveries(ops: readonly Op[]): number {
  return ops.length === 1 ? 1 : new Set(ops.map(({ delivery }) => delivery)).size;
}

/** Returns the distinct known sources of these firings. */
export function sourcesOf(ops: readonly Op[]): string[] {
  return [...new Set(ops.flatMap(({ report }) => report.source ?? []))];
}

/** Returns until when the firings hold without a repeat; undefined if the newest of them names no such time. */
export function believedUntil(ops: readonly Op[]): Date | undefined {
  if (!ops.at(-1)?.report.believedUntil) return undefined;
  const ends = ops.flatMap(({ report }) => report.believedUntil?.getTime() ?? []);
  return new Date(ends.reduce((latest, end) => Math.max(latest, end)));
}

/** Returns the distinct hosts of the reports, 1,000 at most. */
export function hostsOf(ops: readonly Op[]): string[] {
  return [...new Set(ops.flatMap(({ report }) => report.hosts))].slice(0, 1000);
}
