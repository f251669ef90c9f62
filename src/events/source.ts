/** An event source: a forge that reports what happened in a project by signed deliveries (contract-events §3). */
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

/** The forges for which a source can be; `auto` recognises the forge of each delivery. */
export const SOURCE_TYPES = ["auto", "github", "gitlab", "gitea", "forgejo", "cloudevents"] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** The possible senders of a delivery; the last two are read by sources of type `auto` alone (decision 0284). */
export type Forge = Exclude<SourceType, "auto"> | "gogs" | "bitbucket";

export const SourceRow = row({
  id: integer,
  projectId: integer,
  identifier: text,
  name: text,
  type: oneOf(SOURCE_TYPES),
  active: boolean,
  secretSealed: bytes,
  /** The digest by which a leaked secret is found; null: the secret does not have our form, or is older than this column. */
  secretDigest: nullable(bytes),
  /** The user who created it, and the author of events that name nobody; null: that user is gone. */
  createdBy: nullable(integer),
  /** The repository that it reported about first, by the forge's id; null: it has not named any (decision 0294). */
  repository: nullable(text),
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

/** A delivery as it is stored: the bytes, and the headers that say how to read them. Null: stored by an older version. */
export const KeptDeliveryRow = row({
  ...DeliveryRow.columns,
  raw: nullable(bytes),
  headers: nullable(jsonb<Readonly<Record<string, string>>>()),
});
export interface KeptDelivery {
  raw: Buffer;
  headers: Readonly<Record<string, string>>;
}

/** Cuts the id or the kind of a delivery to what is stored of it. */
export function keptName(name: string): string {
  return name.slice(0, 255);
}

/** Cuts the reason why a delivery was ignored or refused to what is stored of it. */
export function keptReason(reason: string): string {
  return reason.slice(0, 500);
}

const READING_HEADER =
  /^(content-type|ce-.*|x-(github|gitea|gogs|forgejo|gitlab)-(event|event-type|delivery|event-uuid)|x-gitlab-instance|x-event-key|x-request-(uuid|id)|webhook-id|idempotency-key)$/;

/** The headers that describe a delivery, without those that prove who sent it. */
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

/** An event as a forge reports it. */
export interface ForgeEvent {
  draft: EventDraft;
  /** A person of the forge, or a user here by id or name (neither: the creator of the source). */
  author: Outsider | NamedAuthor;
  /** Times at which it may have happened, the best first; the first possible one is used, else that of the receipt. */
  moments: readonly (Date | undefined)[];
}

/** Targets that forges identify by a number. */
const NUMBERED: ReadonlySet<string | null | undefined> = new Set([
  "Issue",
  "WorkItem",
  "Incident",
  "MergeRequest",
  "Milestone",
]);

/** The events of a forge's payload. One without the number of its target is dropped, rather than recorded without a target. */
export function toldReading(events: readonly ForgeEvent[]): Reading {
  const told = events.filter(({ draft: { targetType, targetIid, targetId, note } }) =>
    note
      ? !NUMBERED.has(note.noteableType) || (note.noteableIid ?? note.noteableId) !== undefined
      : !NUMBERED.has(targetType) || (targetIid ?? targetId) !== undefined,
  );
  if (told.length > 0) return { result: "events", events: told };
  return { result: "ignored", reason: "The payload does not say what it is about" };
}

/** The content of a delivery: events, nothing that is recorded (and why), or a ping. */
export type Reading =
  | { result: "events"; events: readonly ForgeEvent[] }
  | { result: "ignored"; reason: string; turned?: TurnedTarget | undefined }
  | { result: "pong" };

/** A target that was renamed, or made confidential or open, without an event (decision 0164). */
export interface TurnedTarget {
  targetType: TargetType;
  targetId: number | undefined;
  targetIid: number | undefined;
  title?: string | undefined;
  confidential?: boolean | undefined;
  moments: ForgeEvent["moments"];
}

/** A delivery as it was received, not yet verified. */
export interface RawDelivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The same with the time of receipt. */
export interface ReceivedDelivery extends RawDelivery {
  nowSeconds: number;
}

/**
 * How many seconds the clock of a sender may differ from ours if the proof contains the time (Standard Webhooks: five minutes;
 * decision 0144).
 */
const TOLERANCE_SECONDS = 300;

/** Whether a signed time, in seconds, is recent. */
export function isFresh(time: unknown, nowSeconds: number): boolean {
  return (
    typeof time === "string" &&
    /^\d{1,12}$/.test(time) &&
    Math.abs(nowSeconds - Number(time)) <= TOLERANCE_SECONDS
  );
}

/** Reads the deliveries of one forge. */
export interface ForgeReader {
  /**
   * Whether the delivery proves that its sender knows the secret, compared in constant time, and is recent if the proof contains
   * the time.
   */
  isProven(delivery: ReceivedDelivery, secret: string): boolean;
  /** The letters of a delivery, in order. @throws ParameterProblem for a malformed one */
  letters(delivery: RawDelivery, payload: unknown, readBody: ReadBody): Letter[];
}

/** Reads a body of the write API. @throws ParameterProblem */
export type ReadBody = (body: unknown) => EventDraft;

/** In place of a repository: what belongs to a group of GitLab, such as an epic. */
export const OF_GROUP = "group";

/** One message of a delivery; most forges send one at a time. */
export interface Letter {
  /** The forge's id of it, the same when it is sent again; undefined: it has none. */
  deliveryId: string | undefined;
  /** The kind of event, in the forge's terms. */
  kind: string;
  reading: Reading;
  /** The forge's id of the repository that it is about, or `OF_GROUP`; undefined: the forge names none. */
  repository?: string | undefined;
  /** The part of the delivery that is stored if it contains several letters; undefined: all of it. */
  own?: RawDelivery;
}

/** Headers that name a forge. Some forges also send the headers of those that they descend from, so the order matters. */
const SIGNS: readonly (readonly [string, Forge])[] = [
  ["x-forgejo-event", "forgejo"],
  ["x-gitea-event", "gitea"],
  ["x-gogs-event", "gogs"],
  ["x-gitlab-event", "gitlab"],
  ["x-github-event", "github"],
  ["ce-specversion", "cloudevents"],
  ["x-event-key", "bitbucket"],
];

/** The forge that a delivery says it is from. */
export function forgeOf(headers: IncomingHttpHeaders): Forge | undefined {
  const sign = SIGNS.find(([header]) => headers[header] !== undefined);
  if (sign) return sign[1];
  return /^application\/cloudevents/i.test(headers["content-type"] ?? "") ? "cloudevents" : undefined;
}
