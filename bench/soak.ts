/**
 * Sends alerts of all kinds for an hour and checks each minute what grows: memory, dead rows, the database, overdue rows, and
 * latencies (reference alerts D35). `sh bin/node bench/soak.ts --minutes 60 --rate 200 --dir DIR`
 */
import { parseArgs } from "node:util";
import pg from "pg";
import { endChildren, startSender, startService } from "./children.ts";
import { busySeconds, cpuSecondsOf, residentMebibytes } from "./cpu.ts";
import { startBenchDatabase } from "./database.ts";
import { endsEarly, once } from "./end.ts";
import type { LoadResult, Varied } from "./load-plan.ts";
import { alert } from "./operations/alerts.ts";
import { readOptions } from "./options.ts";
import { seedBench } from "./seed-bench.ts";

/** Alerts that fire repeatedly, and recover in between. */
const SAME = 500;
/** Old rows for an hour of this load become due within that hour, as in a service that is older than ninety days. */
const DUE_MINUTES = 60;
const MINUTE = 60;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** The share of each kind of the load, and its values. */
const KINDS = [
  { share: 0.5, name: "same", varied: { kind: "random", from: 1, to: SAME } },
  { share: 0.3, name: "distinct", varied: { kind: "sequence", from: SAME, to: Number.MAX_SAFE_INTEGER } },
  { share: 0.2, name: "ends", varied: { kind: "random", from: 1, to: SAME } },
] as const satisfies readonly { share: number; name: string; varied: Varied }[];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "60" },
      rate: { type: "string", default: "200" },
      dir: { type: "string", default: "tmp" },
    },
  });
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
  if (!(minutes >= 1 && minutes <= 240 && rate >= 10 && rate <= 1000)) {
    throw new Error("--minutes is from 1 to 240, --rate from 10 to 1000 alerts a second");
  }
  const quick = ["--quick", "--only", "alerts", "--tokens", "10", "--alerts", "1", "--dir", values.dir];
  const options = readOptions(quick);
  if (!options) return;
  const starting = startBenchDatabase(options, say);
  const clean = once(async () => {
    await endChildren();
    await starting.then((database) => database.stop());
  });
  endsEarly(clean);
  const database = await starting;
  const client = new pg.Client(database.connection);
  client.on("error", () => {});
  try {
    await client.connect();
    await seedBench(database.connection, options, say);
    await client.query(old(rate * MINUTE * DUE_MINUTES));
    const service = await startService(database, { GATEHOUSE_MASTER_KEY: "01".repeat(32) });
    const senders = KINDS.map(() => startSender());
    const used = KINDS.map(() => 0);
    let answered = 0;
    process.stdout.write(HEAD);
    for (let minute = 1; minute <= minutes; minute++) {
      const before = clocks(service.pid, database.pid);
      const results = await Promise.all(
        KINDS.map(({ share, name, varied }, at) => {
          const from = varied.kind === "sequence" ? varied.from + (used[at] ?? 0) : varied.from;
          const shape = name === "ends" ? ending() : alert(1, "{n}");
          const sending = { port: service.port, connections: 16, warmUpSeconds: 0, seconds: MINUTE };
          return (senders[at] as (typeof senders)[number]).send(
            { ...shape, ...sending, varied: { n: { ...varied, from } }, ratePerSecond: rate * share },
            () => {},
          );
        }),
      );
      for (const [at, { sent, failed, firstFailure }] of results.entries()) {
        used[at] = (used[at] ?? 0) + sent;
        answered += sent - failed;
        if (failed > 0) say(`${failed} were not taken: ${firstFailure}`);
      }
      const { rows } = await client.query<Grown>(GROWN);
      const cores = before && coresBetween(before, clocks(service.pid, database.pid));
      process.stdout.write(lineOf(minute, results, residentMebibytes(service.pid), cores, rows[0]));
    }
    const { rows } = await client.query<{ kept: number }>(
      "select count(*)::integer as kept from alert_receipts where received_at > now() - interval '80 days'",
    );
    process.stdout.write(`${answered} answers, ${rows[0]?.kept} receipts\n`);
    if (rows[0]?.kept !== answered) process.exitCode = 1;
  } finally {
    await client.end().catch(() => {});
    await clean();
  }
}

/** A recovery of one of the repeated alerts, no earlier than any of its firings in this minute. */
function ending() {
  const shape = alert(1, "{n}");
  const end_time = new Date(Date.now() + MINUTE * 1000).toISOString();
  return { ...shape, body: JSON.stringify({ ...JSON.parse(shape.body ?? "{}"), end_time }) };
}

/** Receipts that become due one after another during the load. */
function old(count: number): string {
  const at = `now() - interval '90 days' + interval '${DUE_MINUTES} minutes' * (n::float8 / ${count})`;
  return `insert into alert_receipts (id, project_id, key_hint, received_at, headers, raw, status, decision, alert_iids)
    select gen_random_uuid(), 1, '', ${at}, '{}', convert_to(repeat('x', 300), 'UTF8'), 200, 'counted', '{1}'
    from generate_series(1, ${count}) n`;
}

/** Statistics of the tables that alerts write to. */
interface Grown {
  dead: number;
  live: number;
  mebibytes: number;
  due: number;
}
const GROWN = `select sum(n_dead_tup)::integer as dead, sum(n_live_tup)::integer as live,
    round(pg_database_size(current_database()) / 1048576.0)::integer as mebibytes,
    (select count(*)::integer from alert_receipts where received_at < now() - interval '90 days') as due
  from pg_stat_user_tables where relname ~ '^(alert|incident)'`;

const HEAD =
  "minute  per s  p50 ms  p99 ms  RSS MiB  cores service + database  dead rows  live rows  database MiB  past their time\n";

function lineOf(
  minute: number,
  results: readonly LoadResult[],
  memory: number | undefined,
  cores: string | undefined,
  grown: Grown | undefined,
): string {
  const sum = results.reduce((all, { perSecond }) => all + perSecond, 0);
  const most = (read: (result: LoadResult) => number) => Math.max(...results.map(read));
  return `${[
    String(minute).padStart(6),
    sum.toFixed(0).padStart(5),
    most(({ p50Ms }) => p50Ms)
      .toFixed(1)
      .padStart(6),
    most(({ p99Ms }) => p99Ms)
      .toFixed(1)
      .padStart(6),
    (memory?.toFixed(0) ?? "-").padStart(7),
    (cores ?? "-").padStart(24),
    String(grown?.dead ?? "-").padStart(9),
    String(grown?.live ?? "-").padStart(9),
    String(grown?.mebibytes ?? "-").padStart(12),
    String(grown?.due ?? "-").padStart(15),
  ].join("  ")}\n`;
}

interface Clocks {
  at: number;
  service: number;
  database: number;
  busy: number;
}

function clocks(service: number, database: number): Clocks | undefined {
  const [a, b] = cpuSecondsOf([service, database]) ?? [];
  const busy = busySeconds();
  if (a === undefined || b === undefined || busy === undefined) return undefined;
  return { at: performance.now(), service: a, database: b, busy };
}

/** Processor cores used by service and database, and by the whole machine. */
function coresBetween(before: Clocks, after: Clocks | undefined): string | undefined {
  if (!after) return undefined;
  const seconds = (after.at - before.at) / 1000;
  const part = (name: "service" | "database" | "busy") => ((after[name] - before[name]) / seconds).toFixed(2);
  return `${part("service")} + ${part("database")} of ${part("busy")}`;
}

await main();
