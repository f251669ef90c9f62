/** The histogram of the last 24 hours above the list of alerts. */
import { card } from "../ui/card.ts";
import { barChart, chartKeys, type Series } from "../ui/chart.ts";
import { wholeNumber } from "../ui/count.ts";
import type { Html } from "../ui/html.ts";
import { clockWords } from "../ui/time.ts";
import { SEVERITIES } from "./severity.ts";

const HOURS: Series[] = [
  { label: "Critical", tone: "crit" },
  { label: "High", tone: "high" },
  { label: "Medium", tone: "med" },
  { label: "Low and below", tone: "low" },
];
const HOUR = 3_600_000;

/** Firings of the last 24 hours by hour and severity. */
export function hourCard(
  counts: readonly { bucket: number; severity: string; n: number }[],
  now: Date,
): Html {
  const bars = Array.from({ length: 24 }, (_, index) => ({
    label: `${clockWords(hourOf(index, now))} UTC`,
    values: [0, 0, 0, 0],
  }));
  for (const { bucket, severity, n } of counts) {
    const values = bars[Math.min(23, Math.max(0, bucket))]?.values;
    const series = Math.min(3, SEVERITIES.indexOf(severity as (typeof SEVERITIES)[number]));
    if (values) values[series] = (values[series] ?? 0) + n;
  }
  const totals = bars.map((bar) => bar.values.reduce((sum, value) => sum + value, 0));
  const total = totals.reduce((sum, value) => sum + value, 0);
  const busiest = bars[totals.indexOf(Math.max(...totals))]?.label;
  const words = `${wholeNumber(total)} ${total === 1 ? "occurrence" : "occurrences"} in the last 24 hours.`;
  return card({
    id: "hours",
    heading: "Occurrences by hour",
    lead: "The last 24 hours, in UTC.",
    aside: chartKeys(HOURS),
    body: barChart({
      label: total === 0 ? words : `${words} The busiest hour began at ${busiest}.`,
      per: "Hour",
      series: HOURS,
      bars,
      axis: [0, 6, 12, 18, 23].map((index) => clockWords(hourOf(index, now))),
    }),
  });
}

function hourOf(index: number, now: Date): Date {
  const hour = Math.floor(now.getTime() / HOUR) * HOUR;
  return new Date(hour - (23 - index) * HOUR);
}
