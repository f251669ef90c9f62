/** How many bytes of bodies a process holds at once, from the first byte read to the end of the answer. */
import type { IncomingMessage, ServerResponse } from "node:http";

const MIB = 1024 * 1024;

/** One request's share of a room. */
export interface Share {
  /** Whether there was room for so many bytes more; they are held until `giveBack`, or the end of the answer. */
  take(bytes: number): boolean;
  giveBack(): void;
}

interface Room {
  left: number;
}

/** Whoever shows a key that fits, and everybody else: strangers may not fill the room of those who are known. */
const rooms = { known: { left: 64 * MIB }, strangers: { left: 16 * MIB } } satisfies Record<string, Room>;
export type RoomName = keyof typeof rooms;

/** Whether a body of the length that the request declares fits in now, as far as it would be kept at all. */
export function hasRoom(name: RoomName, { headers }: IncomingMessage, limit: number): boolean {
  const declared = Number(headers["content-length"] ?? 0);
  return Math.min(Number.isFinite(declared) ? declared : 0, limit) <= rooms[name].left;
}

/** A share that ends with the answer at the latest. */
export function shareOf(name: RoomName, answer: ServerResponse): Share {
  const room: Room = rooms[name];
  let held = 0;
  const giveBack = () => {
    room.left += held;
    held = 0;
  };
  answer.once("close", giveBack);
  answer.once("finish", giveBack);
  return {
    take: (bytes) => {
      // After the sender hung up nobody would give it back.
      if (bytes > room.left || answer.destroyed) return false;
      room.left -= bytes;
      held += bytes;
      return true;
    },
    giveBack,
  };
}
