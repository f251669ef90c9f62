/** Whom a client of another service's API can assign an alert to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findPeople } from "../../src/alerts/store-responses.ts";
import { sql } from "../../src/platform/sql.ts";
import { insertMember } from "../../src/projects/store-members.ts";
import { startWorld } from "../support/world.ts";

test("an alert can be assigned to active members who may see it, by username or a shown mail address in any case (decisions 0186 and 0314; contract-alerts, roles)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  await insertMember(
    db,
    { projectId: world.open.id },
    { userId: world.ids.stan, accessLevel: 30, expiresAt: null, createdBy: null },
  );
  await db.run(sql`update users set shows_email = true where username = 'max'`);
  const given = async (projectId: number) => {
    const people = ["DEV", "Max@Example.org", "olga", "Olga@example.org", "stan", "rep", "ada", "nobody"];
    const found = await findPeople(
      db,
      people.map((person, ord) => ({ ord, projectId, person })),
    );
    return found.map(({ ord }) => people[ord]).sort();
  };
  assert.deepEqual(await given(world.rocket.id), ["DEV", "Max@Example.org", "olga"]);
  assert.deepEqual(await given(world.open.id), ["DEV", "Max@Example.org", "olga", "stan"]);
  await db.run(sql`update users set state = 'blocked' where username = 'max'`);
  assert.deepEqual(await given(world.rocket.id), ["DEV", "olga"]);
  await db.run(sql`update users set state = 'blocked' where username = 'dev'`);
  assert.deepEqual(await given(world.rocket.id), ["olga"]);
});
