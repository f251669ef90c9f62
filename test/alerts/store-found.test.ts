/** The search over all alerts that a user may read is limited to the newest ones, however many there are. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { listFoundAlerts, SEARCHED_OF_ALL } from "../../src/alerts/store-found.ts";
import { sql } from "../../src/platform/sql.ts";
import { rowsRead } from "../support/plans.ts";
import { startWorld, type World } from "../support/world.ts";

const EACH = 12_000;
let world: World;
before(async () => {
  world = await startWorld();
  for (const { id } of [world.rocket, world.open])
    await world.platform.db.pooled.run(sql`
      insert into alerts (project_id, iid, title, severity, status, hosts, fingerprint_hash, grouped, events, deliveries,
        started_at, ended_at, first_payload)
      select ${id}, n, 'Alert ' || n || '.', 'low', 'resolved', '{}', sha256(n::text::bytea), true, 1, 1, now(), now(), '{}'
      from generate_series(1, ${EACH}::integer) n`);
  await world.owner.run(sql`analyze alerts, alert_counts, projects, members`);
});

const BOTH = ["acme/open", "acme/rocket"];
for (const [who, isAdmin, found] of [
  ["dev", false, { 12000: BOTH, 3000: BOTH, 1: [] }],
  ["ada", true, { 12000: BOTH, 3000: ["acme/open"], 1: ["acme/open"] }],
] as const) {
  test(`the search of ${who} covers the newest ${SEARCHED_OF_ALL} alerts, whatever the words are (decision 0192)`, async () => {
    const seeker = { id: world.ids[who], isAdmin };
    for (const words of ["Alert", "nothing like it"]) {
      const read = await rowsRead(world, "alerts", (db) => listFoundAlerts(db, seeker, words, 6));
      assert.ok(read <= SEARCHED_OF_ALL + 12, `${words}: ${read} rows`);
    }
    for (const [iid, projects] of Object.entries(found)) {
      const alerts = await listFoundAlerts(world.platform.db.pooled, seeker, `alert ${iid}.`, 6);
      assert.deepEqual(alerts.map(({ projectFullPath }) => projectFullPath).sort(), projects, iid);
    }
  });
}

test("alerts of a project that is being removed are not found (decision 0152)", async () => {
  const { db } = world.platform;
  await db.run(sql`update projects set removal_began_at = now() where id = ${world.open.id}`);
  for (const [who, isAdmin] of [
    ["dev", false],
    ["ada", true],
  ] as const) {
    const found = await listFoundAlerts(db.pooled, { id: world.ids[who], isAdmin }, "Alert 12000.", 6);
    assert.deepEqual(
      new Set(found.map(({ projectFullPath }) => projectFullPath)),
      new Set(["acme/rocket"]),
      who,
    );
  }
});
