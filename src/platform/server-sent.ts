/** Server-sent events: responses that stay open until the service or their reader ends. */
import { once } from "node:events";
import type { FastifyReply } from "fastify";
import { Problem } from "./problem.ts";

const HEARTBEAT_MS = 15_000;
/** How long a reader may leave sent data unread. */
const PATIENCE_MS = 10_000;
const STREAMS_A_KIND = 500;
/** How many of these one person, or visitors of one network, may have (decision 0297). */
const STREAMS_A_READER = 100;

/** Why a stream woke; at `end` it should end. */
export type Reason = "arrival" | "heartbeat" | "end";

/** One open response. */
export interface ServerSent {
  /** Waits for the next wake-up; several in the meantime count as one. */
  next(): Promise<Reason>;
  /** Sends text, and waits for a reader who is behind; the connection of one who stays behind is closed. */
  send(text: string): Promise<void>;
  /** Whether the connection is closed. */
  isGone(): boolean;
  /** Ends the response and stops listening. */
  stop(): void;
}

/** Calls `wake` at each arrival, until the returned function is called. */
export type Listen = (wake: () => void) => () => void;

/** The open responses of one kind in this process. */
export interface Streams {
  /**
   * Called before anything is read for the stream.
   * @param reader distinguishes who opens it
   * @throws Problem unavailable: too many are open; too_many: this reader has too many
   */
  checkRoom(reader: string): void;
  /**
   * Takes the response over from the framework and sends the first lines.
   * @param first what the first `next` returns at once
   * @throws Problem as `checkRoom`, since others may have begun meanwhile
   */
  begin(reply: FastifyReply, reader: string, greeting: string, listen: Listen, first?: Reason): ServerSent;
  /** Tells all streams to end: a server that closes waits for its responses. */
  end(): void;
}

/** How to end each open stream, and its reader. */
type Open = Map<() => void, string>;

/**
 * Creates the streams of one kind; at most 500 are open in this process.
 * @param isShared whether the number for one reader is limited, too
 */
export function createStreams(isShared: boolean): Streams {
  const open: Open = new Map();
  const checkRoom = (reader: string) => {
    if (open.size >= STREAMS_A_KIND)
      throw new Problem("unavailable", "Too many streams are open.", { retryAfterSeconds: 30 });
    const own = [...open.values()].filter((other) => other === reader).length;
    if (!isShared || own < STREAMS_A_READER) return;
    const words = `${STREAMS_A_READER} streams are open for you already. Close one first.`;
    throw new Problem("too_many", words, { retryAfterSeconds: 30 });
  };
  return {
    checkRoom,
    begin: (reply, reader, greeting, listen, first) => {
      checkRoom(reader);
      return beginOne(open, reply, reader, greeting, listen, first);
    },
    end: () => {
      for (const end of open.keys()) end();
    },
  };
}

function beginOne(
  open: Open,
  reply: FastifyReply,
  reader: string,
  greeting: string,
  listen: Listen,
  first: Reason | undefined,
): ServerSent {
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    // A kept-alive connection would outlive a server that closes.
    connection: "close",
  });
  raw.write(greeting);
  let waiting: ((reason: Reason) => void) | undefined;
  let pending = first;
  const wake = (reason: Reason) => {
    if (waiting) waiting(reason);
    else if (pending !== "end") pending = reason;
    waiting = undefined;
  };
  const end = () => wake("end");
  const timer = setInterval(() => wake("heartbeat"), HEARTBEAT_MS).unref();
  const forget = listen(() => wake("arrival"));
  raw.on("close", end);
  open.set(end, reader);
  return {
    next: () => {
      const reason = pending;
      pending = undefined;
      if (reason) return Promise.resolve(reason);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    send: async (text) => {
      if (raw.destroyed || raw.write(text)) return;
      await once(raw, "drain", { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => raw.destroy());
    },
    isGone: () => raw.destroyed || raw.writableEnded,
    stop: () => {
      clearInterval(timer);
      forget();
      open.delete(end);
      raw.end();
    },
  };
}
