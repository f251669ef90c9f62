/** A batch of events as a sender writes them, and what became of each row (contract-events §2). */
import type { EventDraft } from "./draft.ts";

/** A larger batch is refused as a whole. */
export const MAX_ROWS = 10_000;
export const MAX_BYTES = 10 * 1024 * 1024;

/** A row as written: the project it names and its draft, or what is wrong with it. */
export type BatchRow = { project: string; draft: EventDraft } | { error: string };

export interface RowResult {
  status: "created" | "duplicate" | "invalid";
  /** Of a duplicate the id of the first event; null: nothing was written. */
  id: number | null;
  error: string | null;
}
