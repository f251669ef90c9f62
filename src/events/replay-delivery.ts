/** Reads a kept delivery again, as it would be read today, and records what it says if it said nothing before. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { type Reader, recordAll } from "./receive-delivery.ts";
import { forgeOf, type Letter, type RawDelivery, type Source } from "./source.ts";
import { readerOf } from "./sources/readers.ts";
import { lockDelivery, updateDelivery } from "./store-sources.ts";

/** What the door reads for us. */
export type ReaderOf = (delivery: RawDelivery) => Reader;

/** The letter with this number among those of a kept delivery; undefined: nothing is kept, or nobody reads it. */
export function readAgain(
  delivery: { deliveryId: string; raw: Buffer | null; headers: Readonly<Record<string, string>> | null },
  readerFor: ReaderOf,
): Letter | undefined {
  if (!delivery.raw || !delivery.headers) return undefined;
  const raw: RawDelivery = { headers: delivery.headers, body: delivery.raw };
  const forge = forgeOf(raw.headers);
  const reading = forge && readerOf(forge);
  if (!reading) return undefined;
  const { payload, body } = readerFor(raw);
  const letters = reading.letters(raw, payload(), body);
  return letters.find(({ deliveryId }) => deliveryId?.slice(0, 255) === delivery.deliveryId) ?? letters[0];
}

/**
 * Records the events that an ignored delivery has in today's reading; returns how many. Whatever was recorded stays once.
 * @throws Problem not_found; conflict: its events stand already, or its bytes are not kept
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
    if (delivery.status === "accepted") throw new Problem("conflict", "Its events stand already.");
    const letter = readAgain(delivery, readerFor);
    if (!letter) throw new Problem("conflict", "What came is not kept any more.");
    if (letter.reading.result !== "events") {
      const reason = letter.reading.result === "ignored" ? letter.reading.reason.slice(0, 500) : "A ping";
      await updateDelivery(tx, delivery.id, [], reason);
      return 0;
    }
    const eventIds = await recordAll(tx, source, letter.reading.events);
    await updateDelivery(tx, delivery.id, eventIds, null);
    return eventIds.length;
  });
}
