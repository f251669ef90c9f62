/** Whether the database takes writes, asked by writing. */
import type { Db } from "./db.ts";
import { integer, row } from "./row.ts";
import { sql } from "./sql.ts";

/**
 * Counts one beat in the database: a full disk or a read-only server must not count as ready.
 * @throws Problem unavailable: the database is gone or refuses the write
 */
export async function checkReadiness(db: Db): Promise<void> {
  await db.one(
    row({ beats: integer }),
    sql`insert into readiness (one, beats) values (true, 1)
      on conflict (one) do update set beats = readiness.beats + 1 returning beats`,
  );
}
