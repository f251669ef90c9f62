/** Orders the reports of many requests into rounds, so that one statement can decide a whole round. */
import type { Delivery } from "./delivery.ts";
import type { AlertReport } from "./report.ts";

/** One report and where it stands. */
export interface Op {
  delivery: Delivery;
  item: number;
  report: AlertReport;
  /** Whether repeats join an open alert; an explicit fingerprint always groups (contract-alerts, plan). */
  grouped: boolean;
  hash: string;
}

/** Firings of one fingerprint that follow each other, its recoveries that do, or one of anything else. */
export interface Step {
  kind: AlertReport["action"];
  ops: [Op, ...Op[]];
}

const TOGETHER: ReadonlySet<AlertReport["action"]> = new Set(["firing", "recovery"]);

/**
 * Steps of one fingerprint keep their order by standing in different rounds; within a round each fingerprint stands
 * once, apart from firings that are not grouped, of which each is an alert of its own. Repeats are left out.
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

/** When the newest of firings began, as their sender says; undefined where one says none, for that began when it came. */
export function newestStart(ops: readonly Op[]): Date | undefined {
  const starts = ops.flatMap(({ report }) => report.startedAt?.getTime() ?? []);
  if (starts.length < ops.length) return undefined;
  return new Date(starts.reduce((latest, start) => Math.max(latest, start)));
}

/** What all firings of an alert that counts `once` have as their start. */
const ONLY_START = new Date(0).toISOString();

/** The distinct starts of firings that count by them, each with who said it first; none of those that count each. */
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

/** How many deliveries brought these. */
export function countDeliveries(ops: readonly Op[]): number {
  return ops.length === 1 ? 1 : new Set(ops.map(({ delivery }) => delivery)).size;
}

/** Who said these firings, where that is known. */
export function sourcesOf(ops: readonly Op[]): string[] {
  return [...new Set(ops.flatMap(({ report }) => report.source ?? []))];
}

/** Until when firings are to be believed without another; undefined when the newest of them says no end. */
export function believedUntil(ops: readonly Op[]): Date | undefined {
  if (!ops.at(-1)?.report.believedUntil) return undefined;
  const ends = ops.flatMap(({ report }) => report.believedUntil?.getTime() ?? []);
  return new Date(ends.reduce((latest, end) => Math.max(latest, end)));
}

/** Distinct hosts of several reports. */
export function hostsOf(ops: readonly Op[]): string[] {
  return [...new Set(ops.flatMap(({ report }) => report.hosts))].slice(0, 1000);
}
