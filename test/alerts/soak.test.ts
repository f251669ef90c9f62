/** A short run of a mixed load of alerts; `bench/soak.ts` runs it for an hour. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { runJob } from "../support/jobs.ts";
import { startWorld } from "../support/world.ts";

const SAME = 25;
const ROUNDS = 40;
/** How many rounds pass between two runs of vacuum. */
const UNTIL_VACUUM = 10;

test("repeats do not bloat the table, every accepted request is counted, and overdue receipts are deleted while alerts arrive (reference alerts D35)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  const source = await aSource(world);
  const numberOf = async (what: ReturnType<typeof sql>) =>
    (await db.one(row({ n: integer }), sql`select ${what} as n`)).n;
  const send = async (title: string, more: object = {}) => {
    const reply = await source.send({ title, fingerprint: title, ...more });
    assert.equal(reply.status, 200, reply.text);
  };
  const each = (work: (n: number) => Promise<void>) =>
    Promise.all(Array.from({ length: SAME }, (_, n) => work(n)));
  const size = () => numberOf(sql`pg_total_relation_size('alerts')`);

  await each((n) => send(`Disk ${n}`));
  const first = await size();
  for (let round = 1; round < ROUNDS; round++) {
    await each((n) => send(`Disk ${n}`));
    // Autovacuum runs once a minute. Until then every row version stays while a transaction in any database of the server, such
    // as that of another test, is older than the snapshots here: PostgreSQL counts transactions for all databases together.
    if (round % UNTIL_VACUUM === 0) await world.owner.run(sql`vacuum alerts`);
  }
  // With a transaction of the service that stays open, it would be three times as large.
  assert.ok((await size()) < 2.5 * first, `${await size()} bytes after ${first}`);
  assert.equal(await numberOf(sql`(select sum(events)::bigint from alerts)`), SAME * ROUNDS);

  await db.run(sql`update alert_receipts set received_at = received_at - interval '91 days'`);
  const ends = { end_time: new Date(Date.now() + 60_000).toISOString() };
  await Promise.all([
    runJob(world, "alerts"),
    each((n) => send(`Disk ${n}`, ends)),
    each((n) => send(`New ${n}`)),
    runJob(world, "alerts"),
  ]);
  assert.equal(await numberOf(sql`(select count(*) from alert_receipts)`), 2 * SAME);
  assert.deepEqual(
    await db.many(
      row({ resolved: integer, open: integer }),
      sql`select count(*) filter (where status = 'resolved') as resolved, count(*) filter (where status = 'triggered') as open
        from alerts`,
    ),
    [{ resolved: SAME, open: SAME }],
  );
});
