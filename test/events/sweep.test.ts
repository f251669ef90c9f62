/** The order of the hourly sweep of events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimIdentity } from "../../src/events/claim-identity.ts";
import { putAnswer } from "../../src/events/store-claims.ts";
import { sweepEvents } from "../../src/events/sweep.ts";
import { countOf } from "../../src/platform/count-of.ts";
import { sql } from "../../src/platform/sql.ts";
import { sources, startForge } from "../support/forge.ts";

test("what is older than it is kept is deleted even if claims cannot be settled, and the sweep reports that (decision 0118; spec: Events 4)", async () => {
  const { world, deliver } = await startForge();
  const { db } = world.platform;
  assert.equal((await deliver("star", { action: "created" })).json.status, "ignored");
  await db.run(sql`update event_deliveries set received_at = now() - interval '31 days'`);
  await db.run(
    sql`insert into event_outsiders (host, login, user_id) values ('github.com', 'busy', ${world.ids.stan})`,
  );
  const identity = { host: "github.com", login: "busy" };
  const { claim } = await claimIdentity(db, { id: world.ids.gus, ip: "127.0.0.1" }, identity);
  const answer = { claimId: claim.id, projectId: null, outsiderId: world.ids.stan, by: world.ids.ada };
  await putAnswer(db, { ...answer, state: "granted" });
  await world.owner.run(
    sql`create or replace function move_claimed_events(outsider bigint, claimant bigint, back boolean, most integer)
      returns bigint language plpgsql as $$ begin raise exception 'too long'; end $$`,
  );
  await assert.rejects(sweepEvents(world.platform), /too long/);
  assert.equal(await countOf(db, sql`select count(*) as n from event_deliveries`), 0);
  assert.equal((await world.call(`${sources}`, { as: "max" })).json.length, 1);
});
