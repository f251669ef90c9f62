/** The figures of a run by operation and round, and their comparison with the targets. */
import type { Gate, Target } from "./gates.ts";
import type { Figures } from "./measure.ts";
import type { Operation } from "./operation.ts";

export interface Results {
  /** In the order of measurement. */
  operations: Operation[];
  /** One entry per round. */
  figures: Map<string, Figures[]>;
  /** Resident memory of the service after each group, in MiB. */
  residentMebibytes: Map<string, number>;
  /** Sign-ins per second that hashing alone would allow. */
  hashLimit: number | undefined;
}

/** A target with its measured value. */
export interface Judged {
  gate: Gate;
  target: Target;
  /** The ratio, or the figure itself for an absolute target; undefined: not measured. */
  measured: number | undefined;
  /** For a rate: the other's total processor time, divided by one's own; valid on a busy machine too. */
  byCpu: number | undefined;
  met: boolean | undefined;
}

export function emptyResults(operations: Operation[]): Results {
  return { operations, figures: new Map(), residentMebibytes: new Map(), hashLimit: undefined };
}

/** Returns the median of a list; undefined for an empty one. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

/** Returns the median of one figure over the rounds. */
export function medianOf(
  results: Results,
  id: string,
  figure: "perSecond" | "p50Ms" | "p99Ms" | "serverCpu" | "databaseCpu" | "otherCores",
): number | undefined {
  return median((results.figures.get(id) ?? []).map((figures) => figures[figure] ?? Number.NaN));
}

/** Compares a gate's targets; ratios are taken within each round, because conditions differ between rounds. */
export function judge(results: Results, gate: Gate, targets: readonly Target[]): Judged[] {
  return targets.map((target) => {
    const measured = measuredOf(results, gate.id, target);
    const met =
      measured === undefined
        ? undefined
        : target.figure === "rate"
          ? measured >= target.factor
          : measured <= target.factor;
    return { gate, target, measured, byCpu: cpuRatio(results, gate.id, target), met };
  });
}

function measuredOf(results: Results, id: string, { figure, than }: Target): number | undefined {
  switch (figure) {
    case "resident-mebibytes":
      return results.residentMebibytes.get(id);
    case "absolute-p99-ms":
      return medianOf(results, id, "p99Ms");
    case "p99":
      return ratio(results, id, than, "p99Ms");
    case "rate":
      return ratio(results, id, than, "perSecond");
  }
}

function cpuRatio(results: Results, id: string, { figure, than }: Target): number | undefined {
  const [own, other] = [results.figures.get(id), results.figures.get(than ?? "")];
  if (figure !== "rate" || !own || !other) return undefined;
  const whole = (figures: Figures | undefined) =>
    (figures?.serverCpu ?? Number.NaN) + (figures?.databaseCpu ?? Number.NaN);
  return median(own.map((figures, round) => whole(other[round]) / whole(figures)));
}

function ratio(
  results: Results,
  id: string,
  than: string | undefined,
  figure: "perSecond" | "p99Ms",
): number | undefined {
  const own = results.figures.get(id);
  if (!own || than === undefined) return undefined;
  if (than === "hash-limit")
    return median(own.map(({ perSecond }) => perSecond / (results.hashLimit ?? Number.NaN)));
  const other = results.figures.get(than);
  return (
    other && median(own.map((figures, round) => figures[figure] / (other[round]?.[figure] ?? Number.NaN)))
  );
}
