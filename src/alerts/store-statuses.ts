/** Parts of statements: the statuses in which an alert is open, and in which it waits for somebody. */
import { sql } from "../platform/sql.ts";

/** For `= any`, as an index knows them. On an ignored one too repeats are counted, and it holds its incident open. */
export const OPEN = sql`array['triggered', 'acknowledged', 'ignored']`;

/** For `in`. What lists and pages count as open: nobody has to look at an ignored one. */
export const WAITING = sql`('triggered', 'acknowledged')`;
