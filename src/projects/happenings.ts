/** What happens to projects and their members; the function that records it as events is handed in by the wiring. */
import type { Queries } from "../platform/db.ts";

/** One happening; the person of a membership is the one who joined, left or ran out, never who arranged it. */
export type Happening =
  | { kind: "created"; projectId: number; userId: number }
  | { kind: "joined" | "left"; projectId: number; userId: number }
  /** `at` is the instant at which the membership ended. */
  | { kind: "expired"; projectId: number; userId: number; at: Date };

/** Writes happenings down in the transaction in which they happen, so that neither can be without the other. */
export type RecordHappenings = (tx: Queries, happenings: readonly Happening[]) => Promise<void>;
