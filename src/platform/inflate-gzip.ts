/** Inflates gzip one body at a time: the inflated size is not known in advance, and many at once would fill the memory. */
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { noRoom } from "./body-room.ts";
import { errorCode } from "./error-code.ts";
import type { Problem } from "./problem.ts";
import { isLost, onceOver } from "./response-over.ts";

const inflated = promisify(gunzip) as (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** A byte becomes so many at most (RFC 1951 §3.2.5: 258 bytes take two bits). */
const MAX_OF_A_BYTE = 1032;
/** What those that wait may become together: two to three seconds of work, so that each is done before its sender gives up. */
const MAX_WAITING_BYTES = 512 * 1024 * 1024;

/** How a body is inflated. */
export interface Inflating {
  /** Largest inflated size, in bytes. */
  most: number;
  /** The response to whoever sent the body: once its connection has ended, the body is not inflated. */
  answer?: ServerResponse | undefined;
  tooLarge: () => Problem;
  broken: () => Problem;
}

/** @throws Problem one of the two; unavailable: too much waits, or the connection has ended */
export type Inflate = (body: Buffer, how: Inflating) => Promise<Buffer>;

/** Returns the function for bodies of one purpose: those of another one wait for none of them. */
export function createInflater(): Inflate {
  /** What begins each, in their order. */
  const waiting = new Set<() => void>();
  let waitingBytes = 0;
  let isBusy = false;

  const turn = (bytes: number, answer: ServerResponse | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(begin);
        waitingBytes -= bytes;
        forget?.();
      };
      const begin = () => {
        leave();
        resolve();
      };
      // At once, so that whoever hangs up takes no place from others.
      const end = () => {
        leave();
        reject(noRoom());
      };
      waiting.add(begin);
      waitingBytes += bytes;
      const forget = answer && onceOver(answer, end);
    });

  return async (body, { most, answer, tooLarge, broken }) => {
    if (answer && isLost(answer)) throw noRoom();
    if (isBusy) {
      const bytes = Math.min(body.length * MAX_OF_A_BYTE, most);
      if (waitingBytes + bytes > MAX_WAITING_BYTES) throw noRoom();
      await turn(bytes, answer);
    }
    isBusy = true;
    try {
      return await inflated(body, { maxOutputLength: most });
    } catch (error) {
      throw errorCode(error) === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : broken();
    } finally {
      const [next] = waiting;
      isBusy = next !== undefined;
      next?.();
    }
  };
}
