/** A delivery: one message for one target, and the tries to send it. */
import type { Platform } from "../platform/platform.ts";
import {
  boolean,
  bytes,
  instant,
  integer,
  jsonb,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import { CHANNELS, type Channel } from "./message.ts";

/** Waiting for its first or next try, sent, or given up. */
export const DELIVERY_STATES = ["waiting", "sent", "dead"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A delivery as it is shown; it contains no secret. */
export const DeliveryRow = row({
  id: integer,
  messageId: text,
  channel: oneOf(CHANNELS),
  target: text,
  /** The subject of a mail, the event of a webhook, the text of a Slack message. */
  title: text,
  projectId: nullable(integer),
  purpose: text,
  state: oneOf(DELIVERY_STATES),
  attempts: integer,
  /** When the next try is due, while it waits. */
  dueAt: instant,
  createdAt: instant,
  finishedAt: nullable(instant),
  /** Of the last finished try. */
  lastStatus: nullable(integer),
  /** Of the last finished try; null: there is none, empty: it succeeded. */
  lastError: nullable(text),
});
export type Delivery = RowOf<typeof DeliveryRow>;

/** One try. */
export const AttemptRow = row({
  number: integer,
  at: instant,
  durationMs: integer,
  status: nullable(integer),
  error: text,
});
export type Attempt = RowOf<typeof AttemptRow>;

/** A delivery that was taken for a try. */
export const TakenRow = row({
  id: integer,
  messageId: text,
  channel: oneOf(CHANNELS),
  target: text,
  purpose: text,
  projectId: nullable(integer),
  /** Whose turn it was. */
  owner: text,
  content: jsonb<unknown>(),
  sealedUrl: nullable(bytes),
  sealedSecret: nullable(bytes),
  /** Which try this is, from 1. */
  attempts: integer,
  /** The database's time at which it was taken. */
  takenAt: instant,
  /** Whether the time at which it is given up had passed by then. */
  isTooLate: boolean,
});
export type Taken = RowOf<typeof TakenRow>;

/** How a try ended. */
export interface Outcome {
  isSent: boolean;
  /** No later try can succeed. */
  isFinal?: boolean;
  status: number | null;
  /** Empty when sent; in our own words, never in those of the other side. */
  error: string;
  /** How long the other side asks us to wait, in seconds. */
  retryAfterSeconds?: number | undefined;
}

/** Sends the messages of a channel. */
export interface Sender {
  send(platform: Platform, taken: Taken): Promise<Outcome>;
  /** Called when the delivery is given up; returns at once and never throws. */
  givenUp?(platform: Platform, taken: Taken, last: Outcome): void;
}
/** The senders of the rooms above, by channel. */
export type Senders = Readonly<Partial<Record<Channel, Sender>>>;

const FIRST_SECONDS = 10;
const FACTOR = 2.5;
const MAX_SECONDS = 4 * 3600;
/** Half of the time after which it is given up; otherwise a target that asks for a day would never be tried again. */
const MAX_ASKED_SECONDS = 12 * 3600;

/**
 * Seconds to wait after the try of this number (from 1): 10 s, 25 s, 1 min and so on to 4 h, each up to a fifth shorter or longer
 * by `chance` (0 to 1), so that tries that failed together are not repeated together. `asked` can only lengthen it, to 12 hours.
 */
export function pauseSeconds(number: number, chance: number, asked = 0): number {
  const pause = Math.min(FIRST_SECONDS * FACTOR ** (number - 1), MAX_SECONDS) * (0.8 + 0.4 * chance);
  return Math.max(pause, Math.min(asked, MAX_ASKED_SECONDS));
}
