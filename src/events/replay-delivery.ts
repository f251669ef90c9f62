/** Reads a stored delivery again, as it would be read today, and records its events if it had none before. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { type Reader, recordAll } from "./receive-delivery.ts";
import { forgeOf, keptName, keptReason, type Letter, type RawDelivery, type Source } from "./source.ts";
import { readerOf } from "./sources/readers.ts";
import { lockDelivery, updateDelivery } from "./store-sources.ts";

/** Returns the parser of a stored delivery. */
export type ReaderOf = (delivery: RawDelivery) => Reader;

/** The letter with this id among those of a stored delivery; undefined: its body is not stored, or no forge reads it. */
export function readAgain(
  delivery: { deliveryId: string; raw: Buffer | null; headers: Readonly<Record<string, string>> | null },
  readerFor: ReaderOf,
): Letter | undefined {
  if (!delivery.raw || !delivery.headers) return undefined;
  const raw: RawDelivery = { headers: delivery.headers, body: delivery.raw };
  const forge = forgeOf(raw.headers);
  if (!forge) return undefined;
  const { payload, body } = readerFor(raw);
  const letters = readerOf(forge).letters(raw, payload(), body);
  return (
    letters.find(({ deliveryId: id }) => id !== undefined && keptName(id) === delivery.deliveryId) ??
    letters[0]
  );
}

/**
 * Records the events that an ignored delivery has when it is read today; returns how many. Nothing is recorded twice.
 * @throws Problem not_found; conflict: its events are recorded already, or its body is not stored
 */
export function replayDelivery(
  { db }: Platform,
  source: Source,
  id: number,
  readerFor: ReaderOf,
): Promise<number> {
  return db.transaction(async (tx) => {
    const delivery = await lockDelivery(tx, source.id, id);
    if (!delivery) throw new Problem("not_found", "404 Delivery Not Found");
    if (delivery.status === "accepted") throw new Problem("conflict", "Its events were already recorded.");
    const letter = readAgain(delivery, readerFor);
    if (!letter) throw new Problem("conflict", "Its payload is no longer stored.");
    if (letter.reading.result !== "events") {
      const reason = letter.reading.result === "ignored" ? keptReason(letter.reading.reason) : "A ping";
      await updateDelivery(tx, delivery.id, [], reason);
      return 0;
    }
    const { eventIds } = await recordAll(tx, source, letter.reading.events, letter.repository);
    await updateDelivery(tx, delivery.id, eventIds, null);
    return eventIds.length;
  });
}
