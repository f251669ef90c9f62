/** What happens to projects and their members; the function that records it as events is passed in by the wiring. */
import type { Queries } from "../platform/db.ts";

/** One happening; the person is the one who joined, left or whose membership ended, never the one who arranged it. */
export type Happening =
  | { kind: "created"; projectId: number; userId: number }
  | { kind: "joined" | "left"; projectId: number; userId: number }
  /** `at` is the instant at which the membership ended. */
  | { kind: "expired"; projectId: number; userId: number; at: Date };

/** Records happenings in the transaction of the change, so that neither exists without the other. */
export type RecordHappenings = (tx: Queries, happenings: readonly Happening[]) => Promise<void>;
