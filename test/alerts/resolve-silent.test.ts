/** Which alerts are resolved because they are no longer reported: after what time, and in which project. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { alertBot } from "../../src/alerts/alert-bot.ts";
import type { SilentPortion } from "../../src/alerts/store-closing.ts";
import { resolveTimedOut } from "../../src/alerts/store-timeouts.ts";
import { lookAtBeliefs, resolveUnheardAlerts } from "../../src/alerts/store-unheard.ts";
import type { Queries } from "../../src/platform/db.ts";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let botId: number;
before(async () => {
  world = await startWorld();
  botId = await alertBot(world.platform);
  for (const { id, fullPath } of [world.rocket, world.open]) {
    const source = await aSource(world, "generic", {}, fullPath);
    for (const title of ["Quiet", "Loud"]) assert.equal((await source.send({ title })).status, 200);
    await world.platform.db.run(sql`insert into alert_settings (project_id, resolve_after_hours) values (${id}, 2)
      on conflict (project_id) do update set resolve_after_hours = 2`);
  }
});

/** Resets: all alerts are open, and those titled Quiet have not been reported for the interval. */
async function quietFor(interval: string): Promise<void> {
  const { db } = world.platform;
  await db.run(
    sql`update alerts set status = 'triggered', ended_at = null, last_seen_at = now(), believed_until = null`,
  );
  await db.run(sql`update alerts set last_seen_at = now() - ${interval}::interval - interval '5 minutes',
    believed_until = now() - ${interval}::interval, started_at = now() - interval '9 days' where title = 'Quiet'`);
  await db.run(sql`update alert_belief_watch set looked_at = now()`);
  await db.run(sql`update alert_timeout_watch set looked_at = now(), up_since = now() - interval '9 days'`);
}
const resolved = async () =>
  (
    await world.platform.db.many(
      row({ name: text }),
      sql`select p.path || ' ' || a.title as name from alerts a join projects p on p.id = a.project_id
        where a.status = 'resolved' order by 1`,
    )
  ).map(({ name }) => name);
const here = (work: (tx: Queries, portion: SilentPortion) => Promise<unknown>) =>
  world.platform.db.transaction((tx) => work(tx, { projectId: world.rocket.id, limit: 100, botId }));

test("the jobs resolve alerts of the given project only (decisions 0113, 0116)", async () => {
  for (const work of [resolveUnheardAlerts, resolveTimedOut]) {
    await quietFor("3 hours");
    await here(work);
    assert.deepEqual(await resolved(), ["rocket Quiet"], work.name);
  }
});

test("frequent runs give alerts no extra time, and the first run after a minute without one does (decision 0113)", async () => {
  const { db } = world.platform;
  for (const [seconds, left] of [
    [30, ["rocket Quiet"]],
    [90, []],
  ] as const) {
    await quietFor("61 seconds");
    await db.run(sql`update alert_belief_watch set looked_at = now() - make_interval(secs => ${seconds})`);
    await lookAtBeliefs(db);
    await here(resolveUnheardAlerts);
    assert.deepEqual(await resolved(), left, `${seconds} s`);
  }
});

test("after a project is unarchived, its alerts get their full time again before they are resolved (decision 0153)", async () => {
  const { db } = world.platform;
  for (const work of [resolveUnheardAlerts, resolveTimedOut]) {
    for (const [awake, left] of [
      [sql`now() - interval '1 minute'`, []],
      [sql`now() - interval '4 hours'`, ["rocket Quiet"]],
    ] as const) {
      await quietFor("3 hours");
      await db.run(sql`update projects set awake_since = ${awake} where id = ${world.rocket.id}`);
      await here(work);
      assert.deepEqual(await resolved(), left, work.name);
    }
  }
  await db.run(sql`update projects set awake_since = null`);
});

test("hours without a report count only while the service runs, and from the last action of a person (decisions 0116, 0150)", async () => {
  const { db } = world.platform;
  await quietFor("3 hours");
  await db.run(sql`update alert_timeout_watch set up_since = now() - interval '1 hour'`);
  await here(resolveTimedOut);
  assert.deepEqual(await resolved(), []);
  await quietFor("3 hours");
  await db.run(sql`insert into alert_activity (alert_id, kind, body) select id, 'status', 'changed the status'
    from alerts where title = 'Quiet'`);
  await here(resolveTimedOut);
  assert.deepEqual(await resolved(), []);
});

test("test alerts are not resolved after hours without a report (decision 0116; contract-alerts, test alert)", async () => {
  const { db } = world.platform;
  await db.run(sql`delete from alert_activity`);
  await quietFor("3 hours");
  await db.run(sql`update alerts set test = true where title = 'Quiet'`);
  await here(resolveTimedOut);
  assert.deepEqual(await resolved(), []);
});
