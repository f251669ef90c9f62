/** Measures one operation: checks one response first, then sends the load and reads processor times. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Sender, type Server, startSender } from "./children.ts";
import { busySeconds, cpuSecondsOf } from "./cpu.ts";
import type { BenchDatabase } from "./database.ts";
import { type Load, type LoadResult, type Shape, sampleOf } from "./load-plan.ts";
import type { Operation } from "./operation.ts";
import type { Options } from "./options.ts";

/** The figures of one measurement, or its failure. */
export interface Figures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the server and of PostgreSQL, in seconds per 1000 responses; undefined if it cannot be read. */
  serverCpu: number | undefined;
  databaseCpu: number | undefined;
  /** Processor cores busy with anything outside the bench: above 0.2 the figures are unreliable. */
  otherCores: number | undefined;
  answers: number;
  failure: string | undefined;
}

export interface Measurer {
  measure(operation: Operation, server: Server): Promise<Figures>;
}

export function createMeasurer(options: Options, database: BenchDatabase): Measurer {
  const sender = startSender();
  const besideSender = startSender();
  // Values of a sequence are used once over all measurements.
  const used = new Map<string, number>();
  return {
    async measure(operation, server) {
      const failure = await look(operation, server, used);
      const figures =
        failure === undefined
          ? await send({ operation, server, options, database, sender, besideSender, used })
          : failed(failure);
      // Cancelled work may still be running, and would distort the next figures.
      if (figures.failure !== undefined) await untilQuiet(database.pid);
      return figures;
    },
  };
}

const QUIET_CORES = 0.2;
const PATIENCE_SECONDS = 25;

/** Waits until PostgreSQL is nearly idle, up to a time limit. */
async function untilQuiet(databasePid: number): Promise<void> {
  for (let second = 0; second < PATIENCE_SECONDS; second++) {
    const before = cpuSecondsOf([databasePid])?.[0];
    await sleep(1000);
    const after = cpuSecondsOf([databasePid])?.[0];
    if (before === undefined || after === undefined || after - before < QUIET_CORES) return;
  }
}

async function look(
  operation: Operation,
  { port }: Server,
  used: Map<string, number>,
): Promise<string | undefined> {
  const { path, init } = sampleOf(advanced(operation.shape, used, 1), 0);
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, redirect: "manual" });
    const text = await reply.text();
    if (reply.status !== operation.shape.expect) return `${reply.status} ${text.slice(0, 300)}`;
    return operation.check?.(text === "" ? undefined : JSON.parse(text));
  } catch (error) {
    return (error as Error).message;
  }
}

interface Sending {
  operation: Operation;
  server: Server;
  options: Options;
  database: BenchDatabase;
  sender: Sender;
  besideSender: Sender;
  used: Map<string, number>;
}

async function send(sending: Sending): Promise<Figures> {
  const { operation, server, options, database, sender, used } = sending;
  const shape = advanced(operation.shape, used, 0);
  const load: Load = {
    ...shape,
    port: server.port,
    connections: operation.connections,
    warmUpSeconds: options.warmUpSeconds,
    seconds: options.seconds,
    ...(operation.ratePerSecond === undefined ? {} : { ratePerSecond: operation.ratePerSecond }),
    ...limitOf(shape),
  };
  const clocks: Clocks[] = [];
  const meanwhile = await operation.meanwhile?.(database.connection);
  const beside = [sendBeside(sending)];
  if (meanwhile) beside.push(sleep((load.warmUpSeconds + load.seconds / 3) * 1000).then(meanwhile));
  const result = await sender.send(load, () => clocks.push(readClocks(server.pid, database.pid)));
  await Promise.all(beside);
  advanced(operation.shape, used, result.sent);
  return figuresOf(result, clocks);
}

/** The parallel load begins with the warm-up and ends with the measurement. */
function sendBeside({ operation, server, options, besideSender }: Sending): Promise<unknown> {
  if (!operation.beside) return Promise.resolve();
  const { shape, connections } = operation.beside;
  const { warmUpSeconds, seconds } = options;
  const load: Load = {
    ...shape,
    port: server.port,
    connections,
    warmUpSeconds: 0,
    seconds: warmUpSeconds + seconds,
  };
  return besideSender.send(load, () => {});
}

/** Processor times so far, in seconds. */
interface Clocks {
  trees: number[] | undefined;
  busy: number | undefined;
  atMs: number;
}

/** The third tree is the bench itself, whose senders are its children. */
function readClocks(serverPid: number, databasePid: number): Clocks {
  return {
    trees: cpuSecondsOf([serverPid, databasePid, process.pid]),
    busy: busySeconds(),
    atMs: performance.now(),
  };
}

/** Cores that were busy with anything but the bench and its children, which include PostgreSQL and the servers. */
function otherCoresBetween(before: Clocks | undefined, after: Clocks | undefined): number | undefined {
  const [from, to] = [before?.trees?.[2], after?.trees?.[2]];
  if (!before || !after || from === undefined || to === undefined) return undefined;
  if (before.busy === undefined || after.busy === undefined) return undefined;
  const seconds = (after.atMs - before.atMs) / 1000;
  return Math.max(0, (after.busy - before.busy - (to - from)) / seconds);
}

function figuresOf(result: LoadResult, [before, after]: Clocks[]): Figures {
  const { perSecond, p50Ms, p99Ms, answers } = result;
  if (result.failed > 0) return failed(`${result.failed} failed, the first: ${result.firstFailure}`);
  if (answers === 0) return failed("nothing was answered");
  const perThousand = (which: 0 | 1) => {
    const [from, to] = [before?.trees?.[which], after?.trees?.[which]];
    return from === undefined || to === undefined ? undefined : ((to - from) / answers) * 1000;
  };
  return {
    perSecond,
    p50Ms,
    p99Ms,
    answers,
    serverCpu: perThousand(0),
    databaseCpu: perThousand(1),
    otherCores: otherCoresBetween(before, after),
    failure: undefined,
  };
}

function failed(failure: string): Figures {
  const none = Number.NaN;
  return {
    perSecond: none,
    p50Ms: none,
    p99Ms: none,
    answers: 0,
    serverCpu: undefined,
    databaseCpu: undefined,
    otherCores: undefined,
    failure,
  };
}

/** Returns the shape with its sequences moved past the used values; `more` further values count as used. */
function advanced(shape: Shape, used: Map<string, number>, more: number): Shape {
  const varied = Object.entries(shape.varied ?? {}).map(([name, value]) => {
    if (value.kind === "random") return [name, value] as const;
    // Values are counted by address and body: the same numbers elsewhere are other values.
    const key = `${shape.path} ${shape.body}`;
    const from = used.get(key) ?? value.from;
    used.set(key, from + more);
    return [name, { ...value, from }] as const;
  });
  return { ...shape, varied: Object.fromEntries(varied) };
}

function limitOf({ varied = {} }: Shape): { limit?: number } {
  const left = Object.values(varied).map(({ kind, from, to }) =>
    kind === "sequence" ? to - from : Number.POSITIVE_INFINITY,
  );
  const limit = Math.min(...left);
  return Number.isFinite(limit) ? { limit } : {};
}
