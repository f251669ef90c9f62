/** Failed sign-ins, whose waits are short: a second after the fifth, twice as long after each that follows. */
import { sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

/** Makes whoever must wait for the failures so far wait forty seconds longer, so that what follows need not be quick. */
export async function prolongWaits({ platform }: World): Promise<void> {
  await platform.db.run(sql`update sign_in_failures set failed_at = failed_at + interval '40 seconds'
    where login in (select login from sign_in_failures group by login having count(*) >= 5)`);
}

/** How many guesses beside the first ones the waits may have let through since `began`, a moment of `performance`. */
export function guessesSince(began: number): number {
  return Math.ceil(Math.log2(1 + (performance.now() - began) / 1000));
}
