/** The process that sends load: raw keep-alive connections with one request at a time, limited in number and time. */
import { connect, type Socket } from "node:net";
import { type Load, type LoadResult, percentile, renderRequest } from "./load-plan.ts";

/** The shared state of a measurement's connections. */
class Run {
  readonly load: Load;
  sent: number;
  measuring = false;
  stopped = false;
  ok = 0;
  failed = 0;
  firstFailure: string | undefined;
  readonly latencies: number[] = [];

  constructor(load: Load) {
    this.load = load;
    this.sent = 0;
  }

  /** The next request; undefined when the single-use values are used up or the time is over. */
  next(): string | undefined {
    const { limit } = this.load;
    if (this.stopped || (limit !== undefined && this.sent >= limit)) return undefined;
    return renderRequest(this.load, this.sent++);
  }

  answered(status: number, since: number, text: () => string): void {
    if (status !== this.load.expect) {
      this.failed++;
      this.firstFailure ??= text().slice(0, 600);
    } else if (this.measuring) {
      this.ok++;
      this.latencies.push(performance.now() - since);
    }
  }

  lost(why: string): void {
    this.failed++;
    this.firstFailure ??= why;
  }
}

/** One connection; `onIdle` is called after each response, and the loop decides what comes next. */
class Connection {
  private readonly run: Run;
  private readonly socket: Socket;
  private since = 0;
  private got: Buffer | undefined;
  busy = false;
  onIdle: (connection: Connection) => void = () => {};

  constructor(run: Run) {
    this.run = run;
    this.socket = connect({ host: "127.0.0.1", port: run.load.port, noDelay: true });
    this.socket.on("data", (chunk) => this.read(chunk));
    this.socket.on("error", (error) => this.drop(error.message));
    this.socket.on("close", () => this.drop("the connection was closed"));
  }

  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once("connect", () => resolve());
      this.socket.once("error", reject);
    });
  }

  /** @param since when the request was due; an open loop includes the wait for a free connection */
  send(request: string, since = performance.now()): void {
    this.busy = true;
    this.since = since;
    this.socket.write(request);
  }

  end(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    const got = this.got ? Buffer.concat([this.got, chunk]) : chunk;
    if (!isWhole(got)) {
      this.got = got;
      return;
    }
    this.got = undefined;
    this.busy = false;
    const status = (got[9] as number) * 100 + (got[10] as number) * 10 + (got[11] as number) - 5328;
    this.run.answered(status, this.since, () => got.toString());
    this.onIdle(this);
  }

  private drop(why: string): void {
    if (this.busy && !this.run.stopped) this.run.lost(why);
    this.busy = false;
  }
}

/** Whether a response is complete: by its length, its last chunk, or a status without a body. */
function isWhole(got: Buffer): boolean {
  const headEnd = got.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const head = got.toString("latin1", 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return got.length >= headEnd + 4 + Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(head))
    return got.toString("latin1", got.length - 5) === "0\r\n\r\n";
  return true;
}

async function run(load: Load): Promise<LoadResult> {
  const state = new Run(load);
  const connections = Array.from({ length: load.connections }, () => new Connection(state));
  await Promise.all(connections.map((connection) => connection.ready()));
  const stop =
    load.ratePerSecond === undefined ? closedLoop(state, connections) : openLoop(state, connections);
  await pause(load.warmUpSeconds);
  process.send?.({ marker: "begin" });
  state.measuring = true;
  const begun = performance.now();
  const cpu = process.cpuUsage();
  await Promise.race([pause(load.seconds), usedUp(state)]);
  state.measuring = false;
  const seconds = (performance.now() - begun) / 1000;
  const used = process.cpuUsage(cpu);
  process.send?.({ marker: "end" });
  stop();
  await drained(connections);
  state.stopped = true;
  for (const connection of connections) connection.end();
  const sorted = Float64Array.from(state.latencies).sort();
  return {
    perSecond: state.ok / seconds,
    answers: state.ok,
    sent: state.sent,
    failed: state.failed,
    firstFailure: state.firstFailure,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    senderCores: (used.user + used.system) / 1e6 / seconds,
  };
}

/** Each connection sends its next request after the response. */
function closedLoop(state: Run, connections: readonly Connection[]): () => void {
  let stopping = false;
  const step = (connection: Connection) => {
    const request = stopping ? undefined : state.next();
    if (request !== undefined) connection.send(request);
  };
  for (const connection of connections) {
    connection.onIdle = step;
    step(connection);
  }
  return () => {
    stopping = true;
  };
}

/** Requests are due at a fixed rate, whether earlier ones were answered or not. */
function openLoop(state: Run, connections: readonly Connection[]): () => void {
  const everyMs = 1000 / (state.load.ratePerSecond ?? 1);
  let due = performance.now();
  const idle = [...connections];
  const step = () => {
    const now = performance.now();
    while (due <= now && idle.length > 0) {
      const request = state.next();
      if (request === undefined) return;
      // In turn: the service closes a connection that is idle for ten seconds.
      idle.shift()?.send(request, due);
      due += everyMs;
    }
  };
  for (const connection of connections) {
    connection.onIdle = () => {
      idle.push(connection);
      step();
    };
  }
  const timer = setInterval(step, 1);
  return () => {
    clearInterval(timer);
    due = Number.POSITIVE_INFINITY;
  };
}

const pause = (seconds: number) => new Promise<void>((done) => setTimeout(done, seconds * 1000));

async function usedUp(state: Run): Promise<void> {
  const { limit } = state.load;
  if (limit === undefined) return new Promise(() => {});
  while (state.measuring && state.sent < limit) await pause(0.01);
}

async function drained(connections: readonly Connection[]): Promise<void> {
  const deadline = performance.now() + 5000;
  while (performance.now() < deadline && connections.some((connection) => connection.busy)) await pause(0.01);
}

process.on("message", (load: Load) => {
  run(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
// The parent is gone, so nobody waits for figures.
process.on("disconnect", () => process.exit(0));
