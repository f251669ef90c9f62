/** Heartbeats: concurrent pings, archived projects, and heartbeats that came due while the service was down. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { recordPing, sweepHeartbeats } from "../../src/alerts/record-heartbeat.ts";
import { lookAtClock } from "../../src/alerts/store-heartbeats.ts";
import { boolean, integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let beat: { id: number; identifier: string; key: string };
before(async () => {
  world = await startWorld();
  const json = { name: "Nightly backup", interval_seconds: 60, grace_seconds: 30 };
  const path = "/api/v4/projects/acme%2Frocket/alert_heartbeats";
  const made = await world.call(path, { as: "max", json });
  assert.equal(made.status, 201, made.text);
  const identifier = new URL(made.json.url).pathname.split("/").at(-1) as string;
  beat = { id: made.json.id, identifier, key: made.json.key };
});

const ping = () =>
  recordPing(world.platform, { projectPath: world.rocket.fullPath, identifier: beat.identifier }, beat.key);
/** Sets how many seconds ago the heartbeat was due, and how many seconds ago the job last ran. */
async function due({ dueAgo = 10, lookedAgo = 30, late = false }): Promise<void> {
  const { db } = world.platform;
  await db.run(
    sql`update alert_heartbeats set due_at = now() - make_interval(secs => ${dueAgo}), late = ${late}`,
  );
  await db.run(sql`update alert_heartbeat_watch set looked_at = now() - make_interval(secs => ${lookedAgo})`);
}
const state = () =>
  world.platform.db.one(
    row({ late: boolean, isDue: boolean }),
    sql`select late, due_at <= now() as is_due from alert_heartbeats`,
  );

test("a heartbeat that comes due between two runs is missed, and one that came due while the job did not run for a minute is not (decision 0098)", async () => {
  await ping();
  await due({ dueAgo: 40, lookedAgo: 90 });
  await sweepHeartbeats(world.platform);
  assert.deepEqual(await state(), { late: false, isDue: false });
  // One that is not due yet keeps its time.
  await due({ dueAgo: -20, lookedAgo: 90 });
  await lookAtClock(world.platform.db);
  const soon = sql`select due_at < now() + interval '1 minute' as is_soon from alert_heartbeats`;
  assert.ok((await world.platform.db.one(row({ isSoon: boolean }), soon)).isSoon);
  await due({ dueAgo: 10, lookedAgo: 30 });
  await sweepHeartbeats(world.platform);
  assert.deepEqual(await state(), { late: true, isDue: true });
  // A missed heartbeat gets no extra time.
  await due({ dueAgo: 40, lookedAgo: 90, late: true });
  await lookAtClock(world.platform.db);
  assert.deepEqual(await state(), { late: true, isDue: true });
});

test("of concurrent pings, the first resolves the alert of the missed heartbeat, and the others change nothing (decision 0098)", async () => {
  const { db } = world.platform;
  const decisions = async () =>
    (await db.many(row({ decision: text }), sql`select decision from alert_receipts order by id`)).map(
      ({ decision }) => decision,
    );
  assert.deepEqual(await decisions(), ["created"]);
  let pings: Promise<unknown>[] = [];
  await db.transaction(async (tx) => {
    await tx.run(sql`select from alert_heartbeats for update`);
    pings = [ping(), ping(), ping()];
    await until(async () => {
      const { n } = await db.one(
        row({ n: integer }),
        sql`select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return n === pings.length;
    });
  });
  await Promise.all(pings);
  assert.deepEqual(await decisions(), ["created", "resolved"]);
  assert.deepEqual(await state(), { late: false, isDue: false });
});

test("a long round keeps saying that the clock is looked at, so that heartbeats that come due meanwhile are missed (decision 0098)", async () => {
  const { db } = world.platform;
  await due({});
  const json = { name: "Elsewhere", interval_seconds: 60, grace_seconds: 30 };
  const path = "/api/v4/projects/acme%2Fopen/alert_heartbeats";
  assert.equal((await world.call(path, { as: "max", json })).status, 201);
  await db.run(sql`update alert_heartbeats set due_at = now() - interval '5 seconds', last_ping_at = now()
    where name = 'Elsewhere'`);
  const lock = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
  const { round } = await whileHeld(
    world,
    [[lock, `alerts of ${world.rocket.id}`]],
    async (isWaitedFor, watcher) => {
      const round = sweepHeartbeats(world.platform);
      await until(isWaitedFor);
      await watcher.query("update alert_heartbeat_watch set looked_at = now() - interval '40 seconds'");
      return { round };
    },
  );
  await round;
  const { isRecent } = await db.one(
    row({ isRecent: boolean }),
    sql`select looked_at > now() - interval '30 seconds' as is_recent from alert_heartbeat_watch`,
  );
  assert.ok(isRecent);
  await db.run(sql`delete from alert_heartbeats where name = 'Elsewhere'`);
});

test("a heartbeat of an archived project is not missed (decisions 0098, 0153)", async () => {
  const { db } = world.platform;
  const rest = (archived: boolean) =>
    db.run(sql`update projects set archived = ${archived} where id = ${world.rocket.id}`);
  await rest(true);
  await due({});
  await sweepHeartbeats(world.platform);
  assert.equal((await state()).late, false);
  await rest(false);
});
