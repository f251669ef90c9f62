/** What the list of a project's claims reads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimIdentity } from "../../src/events/claim-identity.ts";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import {
  countProjectClaims,
  listProjectClaims,
  moveClaimedEvents,
  putAnswer,
} from "../../src/events/store-claims.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row } from "../../src/platform/row.ts";
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

/** How many rows of the months of events this connection has read, as far as it has not reported them yet. */
async function eventsRead(tx: Queries): Promise<number> {
  const { n } = await tx.one(
    row({ n: integer }),
    sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as n from pg_stat_xact_user_tables where relname ~ '^events_2'`,
  );
  return n;
}

test("a claim that is approved for all is looked at without reading the other events of the claimant, or those that a project keeps (decision 0118)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  const { gus, stan } = world.ids;
  const issues = (project: { id: number }, authorId: number, from = 0) =>
    Array.from({ length: 1000 }, (_, n) => ({
      ...about("created", "Issue", from + n + 1),
      ...{ projectId: project.id, authorId },
    }));
  // Stan stands for the account at the forge; Gus is the claimant, who has worked here as himself.
  await recordOnly(world, issues(world.open, stan));
  await recordOnly(world, issues(world.open, gus, 1000));
  await recordOnly(world, issues(world.rocket, gus));
  await db.run(
    sql`insert into event_outsiders (host, login, user_id) values ('github.com', 'busy', ${stan})`,
  );
  const identity = { host: "github.com", login: "busy" };
  const { claim } = await claimIdentity(db, { id: gus, ip: "127.0.0.1" }, identity);
  const answer = { claimId: claim.id, outsiderId: stan, by: world.ids.ada };
  await putAnswer(db, { ...answer, projectId: null, state: "granted" });
  await putAnswer(db, { ...answer, projectId: world.open.id, state: "refused" });
  // What a third project has of the account is his by the approval.
  await recordOnly(world, issues(world.free, stan));
  await compactEventCounts(world.platform);
  const moved = await db.transaction((tx) =>
    moveClaimedEvents(tx, { outsiderId: stan, userId: gus, back: false }, 10_000),
  );
  assert.equal(moved, 1000);
  await compactEventCounts(world.platform);
  await world.owner.run(sql`analyze`);

  const page = { limit: 20, offset: 0 };
  assert.deepEqual(await listProjectClaims(db, world.rocket.id, page), []);
  const read = await rowsHandled(world, (queries) => listProjectClaims(queries, world.rocket.id, page));
  assert.ok(read < 300, `${read} rows`);

  for (const back of [true, false]) {
    const looked = await db.transaction(async (tx) => {
      // Months as small as these are scanned whole.
      await tx.run(sql`set local enable_seqscan = off`);
      const before = await eventsRead(tx);
      assert.equal(await moveClaimedEvents(tx, { outsiderId: stan, userId: gus, back }, 10_000), 0);
      return (await eventsRead(tx)) - before;
    });
    assert.ok(looked < 100, `${looked} events, back: ${back}`);
  }
});
