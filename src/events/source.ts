/** An event source: a forge that tells by signed deliveries what happened in a project (contract-events §3). */
import type { IncomingHttpHeaders } from "node:http";
import {
  boolean,
  bytes,
  instant,
  integer,
  jsonb,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import type { EventDraft, NamedAuthor } from "./draft.ts";
import type { TargetType } from "./event.ts";

/** What a source can be fixed to; `auto` finds out with each delivery. */
export const SOURCE_TYPES = ["auto", "github", "gitlab", "gitea", "forgejo", "cloudevents"] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** Who can have sent a delivery. */
export type Forge = Exclude<SourceType, "auto"> | "gogs";

export const SourceRow = row({
  id: integer,
  projectId: integer,
  identifier: text,
  name: text,
  type: oneOf(SOURCE_TYPES),
  active: boolean,
  secretSealed: bytes,
  /** By what it is found where it leaked; null: the secret has not our form, or is older than that. */
  secretDigest: nullable(bytes),
  /** Who made it, and writes the events that name nobody; null: that person is gone. */
  createdBy: nullable(integer),
  createdAt: instant,
  updatedAt: instant,
});
export type Source = RowOf<typeof SourceRow>;

/** What became of a delivery. */
export const DeliveryRow = row({
  id: integer,
  deliveryId: text,
  kind: text,
  status: oneOf(["accepted", "ignored"]),
  reason: nullable(text),
  eventIds: list(integer),
  receivedAt: instant,
});
export type Delivery = RowOf<typeof DeliveryRow>;

/** What came, as far as it is kept: the bytes, and the headers that say how to read them. Null: an older note. */
export const KeptDeliveryRow = row({
  ...DeliveryRow.columns,
  raw: nullable(bytes),
  headers: nullable(jsonb<Readonly<Record<string, string>>>()),
});
export interface KeptDelivery {
  raw: Buffer;
  headers: Readonly<Record<string, string>>;
}

const READING_HEADER =
  /^(content-type|ce-.*|x-(github|gitea|gogs|forgejo|gitlab)-(event|event-type|delivery|event-uuid)|x-gitlab-instance|webhook-id|idempotency-key)$/;

/** The headers that tell what a delivery is; never one that proves who sent it. */
export function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      READING_HEADER.test(name) && typeof value === "string" ? [[name, value.slice(0, 1000)]] : [],
    ),
  );
}

/** A person of a forge. `host` keeps people of the same name on different servers apart. */
export interface Outsider {
  host: string;
  login: string;
  name: string;
}

/** An event as a forge tells it. */
export interface ForgeEvent {
  draft: EventDraft;
  /** A person of the forge, or one of ours by number or name (neither: the maker of the source). */
  author: Outsider | NamedAuthor;
  /** Moments at which it may have happened, the best first; the first one that can be is taken, else the receipt. */
  moments: readonly (Date | undefined)[];
}

/** Targets that forges know by a number. */
const NUMBERED: ReadonlySet<string | null | undefined> = new Set([
  ...["Issue", "WorkItem", "Incident", "MergeRequest", "Milestone"],
]);

/** What a forge's payload told; without the number of what it is about nothing is, rather than something about nothing. */
export function toldReading(events: readonly ForgeEvent[]): Reading {
  const told = events.filter(({ draft: { targetType, targetIid, targetId, note } }) =>
    note
      ? !NUMBERED.has(note.noteableType) || (note.noteableIid ?? note.noteableId) !== undefined
      : !NUMBERED.has(targetType) || (targetIid ?? targetId) !== undefined,
  );
  if (told.length > 0) return { result: "events", events: told };
  return { result: "ignored", reason: "The payload does not say what it is about" };
}

/** What a delivery says: events, nothing that we keep (and why), or that the address works. */
export type Reading =
  | { result: "events"; events: readonly ForgeEvent[] }
  | { result: "ignored"; reason: string; turned?: TurnedTarget | undefined }
  | { result: "pong" };

/** Something that was renamed, or made confidential or open, without an event (decision 0164). */
export interface TurnedTarget {
  targetType: TargetType;
  targetId: number | undefined;
  targetIid: number | undefined;
  title?: string | undefined;
  confidential?: boolean | undefined;
  moments: ForgeEvent["moments"];
}

/** A delivery as it came, before anybody believes it. */
export interface RawDelivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The same at the moment when it comes. */
export interface ReceivedDelivery extends RawDelivery {
  nowSeconds: number;
}

/** How far the clock of a sender may be from ours where it signs the time (Standard Webhooks: five minutes; decision 0144). */
const TOLERANCE_SECONDS = 300;

/** Whether a signed moment, in seconds, is of now. */
export function isFresh(time: unknown, nowSeconds: number): boolean {
  return (
    typeof time === "string" &&
    /^\d{1,12}$/.test(time) &&
    Math.abs(nowSeconds - Number(time)) <= TOLERANCE_SECONDS
  );
}

/** How one forge is understood. */
export interface ForgeReader {
  /**
   * Whether the delivery bears the proof that its sender knows the secret, compared in constant time, and is of now where
   * the proof tells the time.
   */
  isProven(delivery: ReceivedDelivery, secret: string): boolean;
  /** What the delivery holds, in order. @throws ParameterProblem for what is broken */
  letters(delivery: RawDelivery, payload: unknown, readBody: ReadBody): Letter[];
}

/** Reads a body of the write API. @throws ParameterProblem */
export type ReadBody = (body: unknown) => EventDraft;

/** One message of a delivery; most forges send one at a time. */
export interface Letter {
  /** The forge's number, the same when it is sent again; undefined: it gives none. */
  deliveryId: string | undefined;
  /** What kind of event it is, in the forge's words. */
  kind: string;
  reading: Reading;
  /** What is kept of it where it came with others; undefined: the delivery is this letter. */
  own?: RawDelivery;
}

/** Headers that name a forge. Gitea and Gogs speak as their elders too, so the order matters. */
const SIGNS: readonly (readonly [string, Forge])[] = [
  ["x-forgejo-event", "forgejo"],
  ["x-gitea-event", "gitea"],
  ["x-gogs-event", "gogs"],
  ["x-gitlab-event", "gitlab"],
  ["x-github-event", "github"],
  ["ce-specversion", "cloudevents"],
];

/** The forge that a delivery says it is from. */
export function forgeOf(headers: IncomingHttpHeaders): Forge | undefined {
  const sign = SIGNS.find(([header]) => headers[header] !== undefined);
  if (sign) return sign[1];
  return /^application\/cloudevents/i.test(headers["content-type"] ?? "") ? "cloudevents" : undefined;
}
