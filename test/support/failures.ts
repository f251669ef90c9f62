/** Failed sign-ins, whose waits are short: a second after the fifth, and doubled after each further one. */
import { createHash } from "node:crypto";
import pg from "pg";
import { sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

/** Extends all current waits by forty seconds, so that the test need not be quick. */
export async function prolongWaits({ platform }: World): Promise<void> {
  await platform.db.run(sql`update sign_in_failures set failed_at = failed_at + interval '40 seconds'
    where login in (select login from sign_in_failures group by login having count(*) >= 5)`);
}

/** Extends every wait that begins during `work` by forty seconds, so that it does not end before it is checked. */
export async function withLongWaits(
  { connection }: Pick<World, "connection">,
  work: () => Promise<void>,
): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`create function fails_later() returns trigger language plpgsql as $$ begin
      if (select count(*) from sign_in_failures where login = new.login and network = new.network) >= 4 then
        new.failed_at := now() + interval '40 seconds';
      end if;
      return new;
    end $$`);
    await client.query(`create trigger fails_later before insert on sign_in_failures
      for each row execute function fails_later()`);
    await work();
    await client.query("drop function fails_later cascade");
  } finally {
    await client.end();
  }
}

/** How many further guesses the waits may have let through since `began`, a time of `performance`. */
export function guessesSince(began: number): number {
  return Math.ceil(Math.log2(1 + (performance.now() - began) / 1000));
}

/** The key under which failed sign-ins of a login are counted. */
export const countedLogin = (login: string): string => createHash("sha256").update(login).digest("hex");
