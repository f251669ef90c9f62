/** Parts of statements: the statuses of open alerts, and of those that need attention. */
import { sql } from "../platform/sql.ts";

/** For `= any`, as in the indexes. Ignored alerts count repeats too, and keep their incident open. */
export const OPEN = sql`array['triggered', 'acknowledged', 'ignored']`;

/** For `in`. What lists and pages count as open: ignored alerts need no attention. */
export const WAITING = sql`('triggered', 'acknowledged')`;
