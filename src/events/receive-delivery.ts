/** Receives one delivery of a forge: proof first, then once only, then its events (contract-events §3). */
import { createHash } from "node:crypto";
import { placeholderUser } from "../accounts/placeholder-user.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { sealContext } from "./configure-source.ts";
import { eventOf, type Window } from "./draft.ts";
import type { NewEvent } from "./event.ts";
import { recordEvents } from "./record.ts";
import {
  type ForgeEvent,
  type ForgeReader,
  forgeOf,
  type Outsider,
  type RawDelivery,
  type Source,
} from "./source.ts";
import { readerOf } from "./sources/readers.ts";
import { findWindow } from "./store.ts";
import {
  findAuthor,
  findDelivery,
  insertDelivery,
  insertOutsider,
  lockOutsider,
  updateDeliveryEvents,
} from "./store-sources.ts";

/** What the sender is told, after the commit. */
export type Received =
  | { status: "pong" }
  | { status: "accepted" | "duplicate" | "ignored"; eventIds: number[]; reason: string | null };

/**
 * Records the events of a delivery, whose author is the user that the source's identities name or a placeholder.
 * @param parse reads the body, and runs after the proof
 * @throws Problem unauthenticated: no, wrong or foreign proof; unprocessable: a forge that is not read
 */
export async function receiveDelivery(
  { db, keys }: Platform,
  source: Source,
  delivery: RawDelivery,
  parse: () => Readonly<Record<string, unknown>>,
): Promise<Received> {
  const secret = keys.open(source.secretSealed, sealContext(source.identifier));
  const reader = provenReader(source, delivery, secret);
  const kind = reader.kind(delivery).slice(0, 255);
  const reading = reader.read(kind, parse());
  if (reading.result === "pong") return { status: "pong" };
  // Without a number the bytes are the delivery: the same ones again are the same delivery.
  const deliveryId =
    reader.deliveryId(delivery)?.slice(0, 255) ?? createHash("sha256").update(delivery.body).digest("hex");
  const reason = reading.result === "ignored" ? reading.reason.slice(0, 500) : null;
  return db.transaction(async (tx) => {
    const noted = await insertDelivery(tx, { sourceId: source.id, deliveryId, kind, reason });
    if (!noted) {
      const first = await findDelivery(tx, source.id, deliveryId);
      return { status: "duplicate", eventIds: first?.eventIds ?? [], reason: first?.reason ?? null };
    }
    if (reading.result === "ignored") return { status: "ignored", eventIds: [], reason };
    const eventIds = await recordAll(tx, source, reading.events);
    await updateDeliveryEvents(tx, noted.id, eventIds);
    return { status: "accepted", eventIds, reason: null };
  });
}

function provenReader(source: Source, delivery: RawDelivery, secret: string): ForgeReader {
  const forge = forgeOf(delivery.headers);
  const isForeign = forge === undefined || (source.type !== "auto" && source.type !== forge);
  if (isForeign) throw new Problem("unauthenticated", "401 Unauthorized");
  const reader = readerOf(forge);
  if (!reader) throw new Problem("unprocessable", `Deliveries of ${forge} are not read by this version`);
  if (!reader.isProven(delivery, secret)) throw new Problem("unauthenticated", "401 Unauthorized");
  return reader;
}

async function recordAll(tx: Queries, source: Source, told: readonly ForgeEvent[]): Promise<number[]> {
  const window = await findWindow(tx);
  const events: NewEvent[] = [];
  for (const { draft, author, moments } of told) {
    const authorId = await authorOf(tx, source.id, author);
    events.push(eventOf(draft, source.projectId, authorId, momentIn(window, moments)));
  }
  const recorded = await recordEvents(tx, events, source.id);
  return recorded.map(({ id }) => id);
}

/** The first moment that has come and is not older than two years; else that of the receipt. */
function momentIn({ now, oldest }: Window, moments: ForgeEvent["moments"]): Date {
  return moments.find((at) => at !== undefined && at >= oldest && at <= now) ?? now;
}

async function authorOf(tx: Queries, sourceId: number, outsider: Outsider): Promise<number> {
  const known = await findAuthor(tx, sourceId, outsider);
  if (known) return known.id;
  await lockOutsider(tx, outsider);
  const meanwhile = await findAuthor(tx, sourceId, outsider);
  if (meanwhile) return meanwhile.id;
  const userId = await placeholderUser(tx, outsider);
  await insertOutsider(tx, outsider, userId);
  return userId;
}
