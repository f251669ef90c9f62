/** Counters and gauges of this process, in the text format of Prometheus 0.0.4 (decision 0071). */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Label values must be from fixed sets of words, never from outside. */
export type Labels = Readonly<Record<string, string | number>>;

/** Observed values: their number in each bucket, the last of which has no bound, and their sum. */
interface Histogram {
  counts: number[];
  sum: number;
}

/** By the name of a metric, its series by their labels. */
type Metrics<T> = Map<string, Map<string, T>>;

/** Most series of one metric, so that an unbounded label cannot fill the memory. */
const MAX_SERIES = 3000;
/** Upper bounds of the histogram buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;

const counters: Metrics<number> = new Map();
const histograms: Metrics<Histogram> = new Map();
const help: Readonly<Record<string, string>> = {
  gatehouse_http_requests_total: "Requests by entry point, route and status.",
  gatehouse_http_request_seconds: "Time from the first byte of a request to the end of its response.",
  gatehouse_tokens_issued_total: "Access tokens issued, by grant.",
  gatehouse_password_hashes_total: "Password hashes computed: one for each sign-in attempt with a password.",
  gatehouse_sign_ins_total: "Sign-ins by their result.",
  gatehouse_outbox_attempts_total: "Attempts to send mails, webhooks and messages, by result.",
  gatehouse_application_events_dropped_total:
    "Refused requests not recorded in the event logs of applications, beyond their limit.",
  gatehouse_alert_deliveries_total: "Requests to the alert receiver, by result.",
};

/** Adds `by` to a counter, whose name ends in `_total`. */
export function countUp(name: string, labels: Labels = {}, by = 1): void {
  change(counters, name, labels, (before = 0) => before + by);
}

/** Adds a duration in seconds to a histogram, whose name ends in `_seconds`. */
export function observe(name: string, seconds: number, labels: Labels = {}): void {
  const bound = BUCKETS.findIndex((most) => seconds <= most);
  const bucket = bound < 0 ? BUCKETS.length : bound;
  change(histograms, name, labels, (before) => {
    const { counts, sum } = before ?? { counts: new Array<number>(BUCKETS.length + 1).fill(0), sum: 0 };
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    return { counts, sum: sum + seconds };
  });
}

function change<T>(metrics: Metrics<T>, name: string, labels: Labels, changed: (before?: T) => T): void {
  const series = metrics.get(name) ?? new Map<string, T>();
  metrics.set(name, series);
  const key = keyOf(labels);
  if (series.size < MAX_SERIES || series.has(key)) series.set(key, changed(series.get(key)));
}

/** A current value, read when the metrics are requested. */
export interface Gauge {
  name: string;
  help: string;
  value: number;
  labels?: Labels;
}

/** The series of one metric, as lines of the text format. */
export interface Family {
  name: string;
  /** The lines that describe it. */
  header: string;
  lines: string[];
}

/** Returns what this process counted and measured; `common` labels every line, to tell processes apart. */
export function processFamilies(common: Labels = {}): Family[] {
  const shared = keyOf(common);
  const counted = [...counters].map(([name, series]) => ({
    name,
    header: headerOf(name, help[name] ?? name, "counter"),
    lines: [...series].map(([key, value]) => line(name, [shared, key], value)),
  }));
  const observed = [...histograms].map(([name, series]) => ({
    name,
    header: headerOf(name, help[name] ?? name, "histogram"),
    lines: [...series].flatMap(([key, histogram]) => histogramLines(name, [shared, key], histogram)),
  }));
  return [...counted, ...observed, ...familiesOf(processGauges(), common)];
}

/** Returns the gauges as families; `common` labels every line. */
export function familiesOf(gauges: readonly Gauge[], common: Labels = {}): Family[] {
  return gauges.map(({ name, help: words, value, labels = {} }) => ({
    name,
    header: headerOf(name, words, "gauge"),
    lines: [line(name, [keyOf(common), keyOf(labels)], value)],
  }));
}

/** Returns the text of all families; those of one name, from several processes, are one, as the format requires. */
export function metricsText(families: readonly Family[]): string {
  const merged = new Map<string, string[]>();
  for (const { name, header, lines } of families) {
    merged.set(name, [...(merged.get(name) ?? [header]), ...lines]);
  }
  return `${[...merged.values()].flat().join("\n")}\n`;
}

function headerOf(name: string, words: string, type: "counter" | "histogram" | "gauge"): string {
  return `# HELP ${name} ${words}\n# TYPE ${name} ${type}`;
}

let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

/** Memory, and the largest delay of the event loop since the metrics were last read. */
function processGauges(): Gauge[] {
  // Measuring starts at the first request for metrics: short-lived commands do not need it.
  const late = delay && Number.isFinite(delay.max) ? delay.max / 1e9 : 0;
  delay ??= monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  delay.reset();
  const memory = process.memoryUsage();
  return [
    { name: "process_resident_memory_bytes", help: "Resident memory.", value: memory.rss },
    { name: "nodejs_heap_used_bytes", help: "Heap in use.", value: memory.heapUsed },
    {
      name: "nodejs_eventloop_lag_max_seconds",
      help: "Longest event loop delay since the last scrape.",
      value: late,
    },
    {
      name: "process_start_time_seconds",
      help: "When the process started, in Unix time.",
      value: Math.round(Date.now() / 1000 - process.uptime()),
    },
  ];
}

function histogramLines(name: string, keys: readonly string[], { counts, sum }: Histogram): string[] {
  let sofar = 0;
  const buckets = [...BUCKETS, "+Inf"].map((bound, index) => {
    sofar += counts[index] ?? 0;
    return line(`${name}_bucket`, [...keys, `le="${bound}"`], sofar);
  });
  return [...buckets, line(`${name}_sum`, keys, sum), line(`${name}_count`, keys, sofar)];
}

function line(name: string, keys: readonly string[], value: number): string {
  const labels = keys.filter(Boolean).join(",");
  return `${name}${labels && `{${labels}}`} ${value}`;
}

function keyOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${String(value).replace(/["\\\n]/g, "_")}"`)
    .join(",");
}
