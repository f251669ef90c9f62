/** A TCP link to PostgreSQL that breaks as networks and machines do: it holds, delays, cuts, or ends at a statement. */
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { whenDone } from "./cleanup.ts";
import { type Message, type Statement, StatementReader } from "./statement-reader.ts";
import { until } from "./until.ts";
import { freePort } from "./world.ts";

/** Where the link ends, once: before a statement reaches the server, or when it was answered, before the answer passes. */
export interface End {
  when: "before" | "answered";
  at(statement: Statement): boolean;
  /** Called when nothing passes from now on. */
  ended(): void;
}

interface Pace {
  /** What each part waits. */
  delayMs?: number;
  /** The share of parts that are sent again after 200 ms, and with them what follows, as TCP does. */
  loss?: number;
  bytesPerSecond?: number;
}

const SENT_AGAIN_MS = 200;

export class DatabaseLink {
  /** The database through this link. */
  readonly connection: ClientConfig;
  /** New connections are reset at once. */
  refuses = false;
  /** Sees each statement before it reaches the server. */
  watch: ((statement: Statement) => void) | undefined;
  readonly held = { requests: false, replies: false };
  pace: Pace = {};
  /** As when the client is killed: the server gets what was sent before, and then the end of each connection. */
  end: End | undefined;
  private readonly wires = new Set<Wire>();

  private constructor(connection: ClientConfig) {
    this.connection = connection;
  }

  /** A link to this server, closed when the file's tests are done. */
  static async start(target: ClientConfig): Promise<DatabaseLink> {
    const port = await freePort();
    const link = new DatabaseLink({ ...target, host: "127.0.0.1", port });
    const server = createServer((near) => link.accept(near, target));
    await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
    whenDone(async () => {
      link.cut();
      server.close();
    });
    return link;
  }

  /** What is held is delivered by `release`, as TCP sends again what got lost. */
  hold(...directions: (keyof DatabaseLink["held"])[]): void {
    for (const direction of directions) this.held[direction] = true;
  }

  release(): void {
    this.held.requests = false;
    this.held.replies = false;
    for (const wire of this.wires) wire.goOn();
  }

  /** Resets all connections. */
  cut(): void {
    for (const wire of this.wires) wire.destroy();
  }

  /** Waits until the server has closed every connection that ended, and so has rolled back what was open. */
  async isForgotten(): Promise<void> {
    await until(async () => this.wires.size === 0);
  }

  private accept(near: Socket, { host = "", port = 5432 }: ClientConfig): void {
    near.on("error", () => {});
    if (this.refuses) {
      near.resetAndDestroy();
      return;
    }
    const far = host.startsWith("/") ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    const reader = new StatementReader();
    const wire = new Wire(near, far, this, {
      requests: (part) => this.passing(reader.requests(part), "before"),
      replies: (part) => this.passing(reader.replies(part), "answered"),
    });
    this.wires.add(wire);
    far.on("close", () => this.wires.delete(wire));
  }

  /** The messages that pass: all of them, unless the link ends here. */
  private passing(messages: readonly Message[], when: End["when"]): Buffer {
    const { end } = this;
    if (when === "before") for (const { statement } of messages) if (statement) this.watch?.(statement);
    const last = messages.findIndex(({ statement }) => statement && end?.when === when && end.at(statement));
    const passed = last < 0 ? messages : messages.slice(0, last);
    if (last >= 0) {
      this.end = undefined;
      this.refuses = true;
      // Once the messages before it are on their way.
      queueMicrotask(() => {
        for (const wire of this.wires) wire.end();
        end?.ended();
      });
    }
    return Buffer.concat(passed.map(({ bytes }) => bytes));
  }
}

interface Filters {
  requests(part: Buffer): Buffer;
  replies(part: Buffer): Buffer;
}

/** One connection of a client and its connection to the server. */
class Wire {
  private readonly near: Socket;
  private readonly far: Socket;
  private readonly requests: Way;
  private readonly replies: Way;
  private hasEnded = false;

  constructor(near: Socket, far: Socket, link: DatabaseLink, filters: Filters) {
    this.near = near;
    this.far = far;
    this.requests = new Way(far, link, "requests");
    this.replies = new Way(near, link, "replies");
    near.setNoDelay();
    far.on("error", () => {});
    near.on("data", (part) => !this.hasEnded && this.requests.push(filters.requests(part)));
    far.on("data", (part) => !this.hasEnded && this.replies.push(filters.replies(part)));
    near.on("close", () => this.requests.finish());
    far.on("close", () => this.replies.finish());
  }

  goOn(): void {
    this.requests.pump();
    this.replies.pump();
  }

  /** Nothing more passes in either direction, and the server learns that its client is gone. */
  end(): void {
    this.hasEnded = true;
    this.requests.finish();
    this.near.destroy();
  }

  destroy(): void {
    this.near.resetAndDestroy();
    this.far.destroy();
  }
}

/** One direction of a connection; what is pushed arrives in its order. */
class Way {
  private readonly to: Socket;
  private readonly link: DatabaseLink;
  private readonly direction: keyof DatabaseLink["held"];
  private readonly queue: { due: number; bytes: Buffer }[] = [];
  private lastDue = 0;
  private isFinished = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(to: Socket, link: DatabaseLink, direction: keyof DatabaseLink["held"]) {
    this.to = to;
    this.link = link;
    this.direction = direction;
  }

  push(bytes: Buffer): void {
    const { delayMs = 0, loss = 0, bytesPerSecond = Number.POSITIVE_INFINITY } = this.link.pace;
    let waitMs = delayMs;
    while (Math.random() < loss) waitMs += SENT_AGAIN_MS;
    const arrives = Math.max(this.lastDue, performance.now() + waitMs);
    this.lastDue = arrives + (1000 * bytes.length) / bytesPerSecond;
    this.queue.push({ due: this.lastDue, bytes });
    this.pump();
  }

  /** The other end is closed after what is under way. */
  finish(): void {
    this.isFinished = true;
    this.pump();
  }

  pump(): void {
    clearTimeout(this.timer);
    if (this.link.held[this.direction]) return;
    for (let next = this.queue[0]; next; next = this.queue[0]) {
      const waitMs = next.due - performance.now();
      if (waitMs > 0) {
        this.timer = setTimeout(() => this.pump(), waitMs);
        return;
      }
      this.queue.shift();
      this.to.write(next.bytes);
    }
    if (this.isFinished) this.to.end();
  }
}
