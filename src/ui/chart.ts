/** Bar charts rendered on the server: small ones in tables, and large ones with a table of their numbers. */
import { type Html, html } from "./html.ts";
import { scrollTable } from "./table.ts";

/** Half the width of the stroke around a small bar, which rounds its corners (`.spark`). */
const ROUND = 0.8;

/**
 * The small bars of a row, drawn as one path; the label is a sentence, since screen readers cannot read the drawing. Values of zero
 * show the dashes of the base line.
 */
export function spark(values: readonly number[], label: string): Html {
  const most = Math.max(1, ...values);
  const step = 71 / Math.max(1, values.length);
  const wide = round(step - 1);
  const bars = values.map((value, index) => {
    if (value === 0) return "";
    const tall = round(Math.max(2, (20 * value) / most));
    const x = round(0.5 + index * step + ROUND);
    return bar(x, round(20 - tall + ROUND), round(wide - 2 * ROUND), round(tall - 2 * ROUND));
  });
  const base = html`<path class="z" d="M.5 19.2h71" stroke-dasharray="${wide} ${round(step - wide)}"/>`;
  const drawn = bars.join("");
  return html`<svg class="spark" viewBox="0 0 72 20" preserveAspectRatio="none" role="img" aria-label="${label}">${base}${drawn && html`<path fill="currentColor" d="${drawn}"/>`}</svg>`;
}

/** A colour of a chart and its meaning. */
export type Series = { label: string; tone: "crit" | "high" | "med" | "low" | "rest" | "acc" };

/** A chart of stacked bars; each bar has a value for each series. */
export type BarChart = {
  /** A sentence with the total and the busiest time. */
  label: string;
  /** What a bar stands for: "Hour". */
  per: string;
  series: readonly Series[];
  bars: readonly { label: string; values: readonly number[] }[];
  /** The labels of the axis, spread evenly. */
  axis: readonly string[];
};

const width = 960;
const height = 112;

/** A chart with its numbers in a collapsed table below (WCAG 1.1.1). */
export function barChart(chart: BarChart): Html {
  const most = Math.max(1, ...chart.bars.map((bar) => bar.values.reduce((sum, value) => sum + value, 0)));
  const step = width / Math.max(1, chart.bars.length);
  const bars = chart.bars.map(({ values }, index) => stacked(values, index * step, step, most));
  const drawn = chart.series.map(({ tone }, index) => {
    const path = bars.map((parts) => parts[index] ?? "").join("");
    return path && html`<path class="f-${tone}" d="${path}"/>`;
  });
  const lines = [0.5, height / 2, height - 0.5].map(
    (y) => html`<line class="grid" x1="0" x2="${width}" y1="${y}" y2="${y}"/>`,
  );
  const axis = chart.axis.map((words) => html`<span>${words}</span>`);
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${chart.label}">${lines}${drawn}</svg><div class="axis" aria-hidden="true">${axis}</div>${numbers(chart)}`;
}

/** The legend of a chart. */
export function chartKeys(series: readonly Series[]): Html {
  const keys = series.map(
    ({ label, tone }) =>
      html`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="f-${tone}" width="10" height="10" rx="2"/></svg>${label}</li>`,
  );
  return html`<ul class="keys">${keys}</ul>`;
}

/** The parts of one bar, by series, as pieces of a path: one path for each colour is far shorter than its rectangles. */
function stacked(values: readonly number[], x: number, step: number, most: number): string[] {
  const scale = (height - 4) / most;
  let top = height;
  return values.map((value) => {
    if (value <= 0) return "";
    const tall = value * scale;
    top -= tall;
    // A hairline separates the colours, if there is room for it.
    const gap = tall > 3 ? 1.2 : 0;
    return bar(round(x + step * 0.1), round(top), round(step * 0.8), round(tall - gap));
  });
}

/** A rectangle as a piece of a path. */
function bar(x: number, y: number, wide: number, tall: number): string {
  return `M${x} ${y}h${wide}v${tall}h-${wide}z`;
}

function numbers(chart: BarChart): Html {
  const columns = [
    {
      head: chart.per,
      cell: (bar: BarChart["bars"][number]) => bar.label,
      rowHeader: true,
      kind: "nowrap" as const,
    },
    ...chart.series.map((series, index) => ({
      head: series.label,
      cell: (bar: BarChart["bars"][number]) => bar.values[index] ?? 0,
      kind: "num" as const,
    })),
  ];
  return html`<details class="more mt-s"><summary>Numbers</summary>${scrollTable({ caption: `${chart.per}s and numbers`, columns, rows: chart.bars })}</details>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
