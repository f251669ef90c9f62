/** Receives one delivery of a forge: checks the proof, recognises repetitions, and records the events (contract-events §3). */
import { createHash } from "node:crypto";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digestOf, sealContext } from "./configure-source.ts";
import { eventOf, isShownAt, KEY_REUSED, type NamedAuthor, replayKeyOf, type Window } from "./draft.ts";
import { namedAuthor } from "./named-author.ts";
import { type OutsideAuthor, outsideAuthor } from "./outside-author.ts";
import { recordTurn } from "./record.ts";
import { type RecordRequest, recordOnce } from "./record-once.ts";
import { whyUnproven } from "./refusal.ts";
import {
  type ForgeEvent,
  type ForgeReader,
  forgeOf,
  keptHeaders,
  keptName,
  keptReason,
  type Letter,
  OF_GROUP,
  type Outsider,
  type RawDelivery,
  type ReadBody,
  type ReceivedDelivery,
  type Source,
  type TurnedTarget,
} from "./source.ts";
import { readerOf } from "./sources/readers.ts";
import { findWindow } from "./store.ts";
import {
  claimRepository,
  findDelivery,
  insertDelivery,
  updateDelivery,
  updateSecretDigest,
} from "./store-sources.ts";

/** What the sender is answered, after the commit. */
export type Received =
  | { status: "pong" }
  | { status: "accepted" | "duplicate" | "ignored"; eventIds: number[]; reason: string | null };

/** Parses the body, after the proof has been checked. @throws ParameterProblem */
export interface Reader {
  payload(): unknown;
  body: ReadBody;
}

/**
 * Records the events of a delivery, whose author is the user that the source's identities name or a placeholder.
 * @throws Problem unauthenticated: a missing or wrong proof, or that of another forge; unprocessable: an event that breaks the
 *   rules of the write API
 */
export async function receiveDelivery(
  { db, keys }: Platform,
  source: Source,
  delivery: ReceivedDelivery,
  reader: Reader,
): Promise<Received> {
  const secret = keys.open(source.secretSealed, sealContext(source.identifier));
  const forge = provenReader(source, delivery, secret);
  const secretDigest = source.secretDigest ?? digestOf(secret);
  if (secretDigest && !source.secretDigest) await updateSecretDigest(db, source, secretDigest);
  const letters = forge.letters(delivery, reader.payload(), reader.body);
  const kept = letters.filter(({ reading }) => reading.result !== "pong");
  if (kept.length === 0 && letters.length > 0) return { status: "pong" };
  const received = await db.transaction(async (tx) => {
    const all: Answered[] = [];
    for (const letter of kept) all.push(await receiveLetter(tx, source, delivery, letter));
    return all;
  });
  return together(received);
}

type Answered = Exclude<Received, { status: "pong" }>;

async function receiveLetter(
  tx: Queries,
  source: Source,
  delivery: RawDelivery,
  { deliveryId, kind, reading, own = delivery, repository }: Letter,
): Promise<Answered> {
  // Without an id the delivery is identified by its bytes: the same bytes are the same delivery.
  const number = keptName(deliveryId ?? createHash("sha256").update(own.body).digest("hex"));
  const reason = reading.result === "ignored" ? keptReason(reading.reason) : null;
  const noted = await insertDelivery(tx, {
    sourceId: source.id,
    deliveryId: number,
    kind: keptName(kind),
    reason,
    raw: own.body,
    headers: keptHeaders(own.headers),
  });
  if (!noted) {
    const first = await findDelivery(tx, source.id, number);
    return { status: "duplicate", eventIds: first?.eventIds ?? [], reason: first?.reason ?? null };
  }
  if (reading.result !== "events") {
    if (reading.result === "ignored" && reading.turned) {
      await recordTurned(tx, source, reading.turned, repository);
    }
    return { status: "ignored", eventIds: [], reason };
  }
  const { status, eventIds } = await recordAll(tx, source, reading.events, repository);
  await updateDelivery(tx, noted.id, eventIds, null);
  return { status, eventIds, reason: null };
}

/** Merges the results of all letters: accepted if any was, else duplicate if any was. */
function together(received: readonly Answered[]): Answered {
  const [first] = received;
  if (first && received.length === 1) return first;
  const status = (["accepted", "duplicate"] as const).find((word) =>
    received.some((answer) => answer.status === word),
  );
  const reasons = new Set(received.flatMap(({ reason }) => reason ?? []));
  return {
    status: status ?? "ignored",
    eventIds: received.flatMap(({ eventIds }) => eventIds),
    reason: status ? null : [...reasons].join("; ") || "The batch is empty",
  };
}

const NO_SIGN =
  "No header says which forge it is from. GitHub, GitLab, Gitea, Forgejo, Gogs, Bitbucket and CloudEvents are read; from another one, send events by the write API.";

function provenReader(source: Source, delivery: ReceivedDelivery, secret: string): ForgeReader {
  const { headers } = delivery;
  const forge = forgeOf(headers);
  if (forge === undefined) throw unproven(NO_SIGN);
  if (source.type !== "auto" && source.type !== forge) {
    throw unproven(`It is from ${forge}, and this source takes ${source.type} alone.`);
  }
  const reader = readerOf(forge);
  if (!reader.isProven(delivery, secret)) throw unproven(whyUnproven(forge, delivery));
  return reader;
}

/** Only the source's maintainers can read the reason; the sender cannot. */
function unproven(why: string): Problem {
  return new Problem("unauthenticated", "401 Unauthorized", { log: why });
}

/**
 * Records the events that were read from a delivery about this repository; `duplicate`: all of them had been, by their replay keys.
 * @throws Problem unprocessable: a replay key stands for another body
 */
export async function recordAll(
  tx: Queries,
  source: Source,
  told: readonly ForgeEvent[],
  repository: string | undefined,
): Promise<{ status: "accepted" | "duplicate"; eventIds: number[] }> {
  const otherRepository = await otherThanItsOwn(tx, source, repository);
  const window = await findWindow(tx, [source.projectId]);
  const requests: RecordRequest[] = [];
  // Looked up once for each author object: wiki pages that change together share one.
  const known = new Map<ForgeEvent["author"], OutsideAuthor>();
  for (const { draft, author, moments } of told) {
    const found = known.get(author) ?? (await authorOf(tx, source, author));
    known.set(author, found);
    const { authorId, toldAs } = found;
    const { projectId } = source;
    const createdAt = momentIn(window, projectId, moments);
    const event = { ...eventOf(draft, { projectId, authorId, createdAt }), toldAs, otherRepository };
    // As in the write API, so that what was sent both ways is recorded once (contract-events §1).
    requests.push({ projectId, createdAt, events: [event], key: replayKeyOf(draft) });
  }
  const outcomes = await recordOnce(tx, requests, source.id);
  if (outcomes.some(({ status }) => status === "conflict")) {
    throw new Problem("unprocessable", KEY_REUSED);
  }
  const isNew = outcomes.some(({ status }) => status === "created");
  const eventIds = outcomes.flatMap((outcome) => outcome.eventIds);
  return { status: isNew ? "accepted" : "duplicate", eventIds };
}

async function recordTurned(
  tx: Queries,
  source: Source,
  { moments, ...told }: TurnedTarget,
  repository: string | undefined,
): Promise<void> {
  const { projectId } = source;
  const createdAt = momentIn(await findWindow(tx, [projectId]), projectId, moments);
  const otherRepository = await otherThanItsOwn(tx, source, repository);
  await recordTurn(tx, { ...told, projectId, createdAt, otherRepository }, source.id);
}

/**
 * The repository if it is not the one that the source reported about first, whose issue 5 is another one (decision 0294). The first
 * one becomes the source's own; a group never does.
 */
async function otherThanItsOwn(
  tx: Queries,
  source: Source,
  repository: string | undefined,
): Promise<string | undefined> {
  if (repository === undefined || repository === OF_GROUP) return repository;
  const own = source.repository ?? (await claimRepository(tx, source.id, repository)) ?? repository;
  return repository === own ? undefined : repository;
}

/** The first time that is neither in the future nor older than events are kept; else the time of receipt. */
function momentIn(window: Window, projectId: number, moments: ForgeEvent["moments"]): Date {
  const { now } = window;
  return moments.find((at) => at !== undefined && isShownAt(at, window, projectId) && at <= now) ?? now;
}

async function authorOf(tx: Queries, source: Source, author: Outsider | NamedAuthor): Promise<OutsideAuthor> {
  const place = { sourceId: source.id, projectId: source.projectId };
  return "login" in author
    ? outsideAuthor(tx, place, author)
    : { authorId: await namedOrCreator(tx, source, author) };
}

async function namedOrCreator(tx: Queries, source: Source, author: NamedAuthor): Promise<number> {
  if (author.authorId !== undefined || author.authorUsername !== undefined) return namedAuthor(tx, author);
  if (source.createdBy !== null) return source.createdBy;
  throw new Problem("unprocessable", "author_id is missing, and the creator of the source was deleted");
}
