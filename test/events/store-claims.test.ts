/** What the list of a project's claims reads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimIdentity } from "../../src/events/claim-identity.ts";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { countProjectClaims, listProjectClaims } from "../../src/events/store-claims.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, recordOnly } from "../support/events.ts";
import { rowsHandled } from "../support/plans.ts";
import { startWorld } from "../support/world.ts";

test("the claims of a project are found without reading the events of the account elsewhere, or of others in the project (decision 0118)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  const issues = (project: { id: number }, authorId: number) =>
    Array.from({ length: 1000 }, (_, n) => ({
      ...about("created", "Issue", n + 1),
      ...{ projectId: project.id, authorId },
    }));
  // Stan stands for the account.
  await recordOnly(world, issues(world.open, world.ids.stan));
  await recordOnly(world, issues(world.rocket, world.ids.dev));
  await db.run(
    sql`insert into event_outsiders (host, login, user_id) values ('github.com', 'busy', ${world.ids.stan})`,
  );
  await claimIdentity(db, { id: world.ids.gus, ip: "127.0.0.1" }, { host: "github.com", login: "busy" });
  await compactEventCounts(world.platform);
  await world.owner.run(sql`analyze`);
  const page = { limit: 20, offset: 0 };
  assert.deepEqual(
    (await listProjectClaims(db, world.open.id, page)).map(({ login }) => login),
    ["busy"],
  );
  assert.equal(await countProjectClaims(db, world.rocket.id), 0);
  const read = await rowsHandled(world, (queries) => listProjectClaims(queries, world.rocket.id, page));
  assert.ok(read < 300, `${read} rows`);
});
