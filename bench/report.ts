/** Prints the figures of a run, then each target with its measured value. */
import { GATES, type Target } from "./gates.ts";
import { type Judged, judge, medianOf, type Results } from "./results.ts";

/** Returns the two tables as text. */
export function reportOf(results: Results): string {
  return `${figuresTable(results)}\n\n${targetsTable(results)}\n${failuresOf(results)}`;
}

function figuresTable(results: Results): string {
  const rows = results.operations
    .filter(({ id }) => results.figures.has(id))
    .map(({ id, title, connections, ratePerSecond }) => [
      title,
      ratePerSecond === undefined ? `c${connections}` : "open",
      number(medianOf(results, id, "perSecond"), 0),
      number(medianOf(results, id, "p50Ms"), 2),
      number(medianOf(results, id, "p99Ms"), 2),
      // Milliseconds per request equal seconds per thousand requests.
      number(medianOf(results, id, "serverCpu"), 3),
      number(medianOf(results, id, "databaseCpu"), 3),
      number(medianOf(results, id, "otherCores"), 2),
    ]);
  const head = ["operation", "load", "per s", "p50 ms", "p99 ms", "CPU server", "CPU pg", "others"];
  return `CPU: seconds for 1000 answers, of the server and of PostgreSQL. Others: cores busy with something else.\n\n${table(head, rows)}`;
}

/** The targets with their figures, one per line. */
function targetsTable(results: Results): string {
  const measured = new Set([...results.figures.keys(), ...results.residentMebibytes.keys()]);
  const rows = GATES.filter(({ id }) => measured.has(id)).flatMap((gate) => [
    ...judge(results, gate, gate.gate).map((judged) => targetRow(judged, "gate")),
    ...judge(results, gate, gate.goal).map((judged) => targetRow(judged, "goal")),
  ]);
  return table(["operation", "", "target", "measured", "by CPU", "verdict"], rows);
}

function targetRow({ gate, target, measured, byCpu, met }: Judged, kind: "gate" | "goal"): string[] {
  const verdict = met === undefined ? "not measured" : met ? "ok" : "below";
  return [gate.id, kind, wordsOf(target), number(measured, 2), number(byCpu, 2), verdict];
}

function wordsOf({ figure, than, factor }: Target): string {
  switch (figure) {
    case "rate":
      return `at least ${factor} × ${than}`;
    case "p99":
      return `p99 at most ${factor} × ${than}`;
    case "absolute-p99-ms":
      return `p99 at most ${factor} ms`;
    case "resident-mebibytes":
      return `at most ${factor} MiB`;
  }
}

function failuresOf(results: Results): string {
  const lines = [...results.figures].flatMap(([id, rounds]) => {
    const failure = rounds.find((figures) => figures.failure !== undefined)?.failure;
    return failure === undefined ? [] : [`FAILED ${id}: ${failure.replaceAll(/\s+/g, " ").slice(0, 400)}`];
  });
  return lines.length > 0 ? `\n${lines.join("\n")}\n` : "";
}

function number(value: number | undefined, digits: number): string {
  return value === undefined || Number.isNaN(value) ? "-" : value.toFixed(digits);
}

/** Columns of equal width; those of numbers are right-aligned. */
function table(head: readonly string[], rows: readonly string[][]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const isNumber = head.map((_, column) => rows.every((row) => /^[\d.-]*$/.test(row[column] ?? "")));
  return all
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return isNumber[column] ? cell.padStart(width) : cell.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
