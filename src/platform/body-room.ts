/** Limits how many bytes of request bodies a process holds at once, from the first byte read to the end of the response. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Problem } from "./problem.ts";
import { isLost, onceOver } from "./response-over.ts";

const MIB = 1024 * 1024;

/** The bytes that one request holds of a limit. */
export interface Share {
  /** Reserves bytes until `giveBack` or the end of the response; false if there are not that many left. */
  take(bytes: number): boolean;
  giveBack(): void;
}

interface Room {
  left: number;
}

/**
 * Of the alert receiver, requests that show a key, and all others: unauthenticated requests must not use up the memory of
 * authenticated ones. Apart from them deliveries of forges, which are proven by their bodies, and what programs write with a token.
 */
const rooms = {
  known: { left: 64 * MIB },
  strangers: { left: 16 * MIB },
  deliveries: { left: 64 * MIB },
  writes: { left: 64 * MIB },
} satisfies Record<string, Room>;
export type RoomName = keyof typeof rooms;

/**
 * Whether a body of the declared length fits now; of a body beyond `limit` bytes only that much would be kept, and the first
 * `free` bytes do not count.
 */
export function hasRoom(
  name: RoomName,
  { headers }: IncomingMessage,
  { limit, free = 0 }: { limit: number; free?: number },
): boolean {
  const declared = Number(headers["content-length"] ?? 0);
  return Math.min(Number.isFinite(declared) ? declared : 0, limit) - free <= rooms[name].left;
}

/** Returns a share that is given back at the latest when the response ends. */
export function shareOf(name: RoomName, answer: ServerResponse): Share {
  const room: Room = rooms[name];
  let held = 0;
  const giveBack = () => {
    room.left += held;
    held = 0;
  };
  onceOver(answer, giveBack);
  return {
    take: (bytes) => {
      // After the client has disconnected, nothing would give the bytes back.
      if (bytes > room.left || isLost(answer)) return false;
      room.left -= bytes;
      held += bytes;
      return true;
    },
    giveBack,
  };
}

/** The refusal of a body for which there is no room. */
export function noRoom(): Problem {
  return new Problem("unavailable", "503 Service Unavailable: too many large bodies at once.", {
    retryAfterSeconds: 5,
  });
}
