/** The end of an application that was used for long. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { anApplication, longUsed } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Refuses whatever takes more than so many rows of a table at once. */
async function refusePortionsOver(most: number, table: string): Promise<void> {
  const { db } = world.platform;
  await db.run(
    new Sql(
      [
        `create function checks_${table}() returns trigger language plpgsql as $$ begin
          if (select count(*) from gone) > ${most} then raise exception 'too many at once'; end if;
          return null;
        end $$`,
      ],
      [],
    ),
  );
  const each = `referencing old table as gone for each statement execute function checks_${table}()`;
  await db.run(new Sql([`create trigger checks_portions after delete on ${table} ${each}`], []));
}

test("it goes with all its tokens, and no statement takes more than ends in its time (decision 0168)", async () => {
  const { db } = world.platform;
  for (const table of ["access_tokens", "refresh_tokens", "authorizations"])
    await refusePortionsOver(5000, table);
  const [used, other] = [await anApplication(world), await anApplication(world)];
  await longUsed(world, used.id, 5100);
  await longUsed(world, other.id, 10);
  const left = () =>
    db.one(
      row({ tokens: integer, renewals: integer, authorizations: integer, codes: integer }),
      sql`select (select count(*) from access_tokens where kind = 'oauth') as tokens, (select count(*) from refresh_tokens) as renewals,
        (select count(*) from authorizations) as authorizations, (select count(*) from authorization_codes) as codes`,
    );
  assert.deepEqual(await left(), { tokens: 5110, renewals: 5110, authorizations: 5110, codes: 5110 });
  const path = `/api/v4/applications/${used.id}`;
  assert.equal((await world.call(path, { as: "ada", method: "DELETE" })).status, 204);
  assert.deepEqual(await left(), { tokens: 10, renewals: 10, authorizations: 10, codes: 10 });
  assert.equal((await world.call(path, { as: "ada" })).status, 404);
});
