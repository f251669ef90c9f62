/** Records what a source refused, at a cost that a flood of refusals does not raise (decision 0120). */
import type { Platform } from "../platform/platform.ts";
import type { NewRefusal } from "./refusal.ts";
import { countRefused, insertRefusal } from "./store-refusals.ts";

/** Statements of one source at a time; refusals meanwhile are counted, and the next statement adds them. */
const AT_ONCE = 4;

/** Records a refusal; never rejects, since the answer is already determined. A killed process loses what is not written yet. */
export type NoteRefusal = (refusal: NewRefusal) => Promise<void>;

/** Returns a function that records refusals, with one queue for each source in this process. */
export function noteRefusal({ db, log }: Pick<Platform, "db" | "log">): NoteRefusal {
  const busy = new Map<number, { running: number; waiting: number }>();

  async function drain(sourceId: number, state: { running: number; waiting: number }): Promise<void> {
    try {
      while (state.running === 1 && state.waiting > 0) {
        const n = state.waiting;
        state.waiting = 0;
        await countRefused(db, sourceId, n);
      }
    } catch (error) {
      log.warn({ err: error }, "refusals are not counted");
    }
    state.running--;
    if (state.running === 0) busy.delete(sourceId);
  }

  return async (refusal) => {
    const { sourceId } = refusal;
    const state = busy.get(sourceId) ?? { running: 0, waiting: 0 };
    if (state.running >= AT_ONCE) {
      state.waiting++;
      return;
    }
    busy.set(sourceId, state);
    state.running++;
    const more = state.waiting;
    state.waiting = 0;
    await insertRefusal(db, refusal, more).catch((error: unknown) =>
      log.warn({ err: error }, "a refusal is not noted"),
    );
    void drain(sourceId, state);
  };
}
