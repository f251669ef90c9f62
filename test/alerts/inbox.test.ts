import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Delivery } from "../../src/alerts/delivery.ts";
import { createInbox } from "../../src/alerts/inbox.ts";
import { recordBatch } from "../../src/alerts/record-batch.ts";
import { Problem } from "../../src/platform/problem.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aDelivery as anyDelivery, aSource, type Source } from "../support/alerts.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const aDelivery = (payload: unknown, change: Partial<Delivery> = {}) =>
  anyDelivery(payload, { projectId: world.rocket.id, integrationId: source.id, ...change });

test("waiting deliveries share transactions, and each gets its own outcome (reference performance §7)", async () => {
  const sizes: number[] = [];
  const inbox = createInbox(world.platform, (platform, deliveries) => {
    sizes.push(deliveries.length);
    return recordBatch(platform, deliveries);
  });
  const titles = Array.from({ length: 100 }, (_, i) => `Shared ${i % 10}`);
  const outcomes = await Promise.all(titles.map((title) => inbox.submit(aDelivery({ title }))));
  assert.deepEqual(
    outcomes.map(({ alerts }) => alerts[0]?.title),
    titles,
  );
  assert.ok(sizes.length < 100, `${sizes.length} transactions`);
});

test("a delivery that cannot be stored does not fail the others in its batch (reference alerts D6)", async () => {
  const inbox = createInbox(world.platform);
  // No project has this id, which only the database detects.
  const poisoned = aDelivery({ title: "Poison" }, { projectId: 999_999 });
  const results = await Promise.allSettled([
    inbox.submit(aDelivery({ title: "Before poison" })),
    inbox.submit(poisoned),
    inbox.submit(aDelivery({ title: "After poison" })),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

test("the events counter of an alert equals the number of its receipts (reference reliability, ack = committed)", async () => {
  const inbox = createInbox(world.platform);
  await Promise.all(Array.from({ length: 40 }, () => inbox.submit(aDelivery({ title: "Sum" }))));
  const { events, receipts } = await world.platform.db.one(
    row({ events: integer, receipts: integer }),
    sql`select a.events, (select count(*) from alert_receipts r where a.iid = any (r.alert_iids)) as receipts
      from alerts a where a.title = 'Sum'`,
  );
  assert.deepEqual([events, receipts], [40, 40]);
});

test("deliveries above the limits of count and memory are refused with a retry time, and waiting ones are still recorded (reference alerts A12; reference reliability)", async () => {
  let open = () => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  const recorded: number[] = [];
  const inbox = createInbox(world.platform, async (_platform, deliveries) => {
    await opened;
    recorded.push(deliveries.length);
    return deliveries.map(({ receiptId }) => ({ receiptId, alerts: [] }));
  });
  const isRefused = (error: unknown) =>
    error instanceof Problem && error.kind === "unavailable" && (error.retryAfterSeconds ?? 0) > 0;
  const waiting = Array.from({ length: 2000 }, () => inbox.submit(aDelivery({ title: "Wait" })));
  assert.throws(() => inbox.submit(aDelivery({ title: "One too many" })), isRefused);
  open();
  await Promise.all(waiting);
  assert.equal(
    recorded.reduce((sum, n) => sum + n, 0),
    2000,
  );
  const large = () => inbox.submit(aDelivery({ title: "Large" }, { raw: Buffer.alloc(16 * 1024 * 1024) }));
  const packed = () => inbox.submit(aDelivery({ title: "Packed" }, { inflatedBytes: 16 * 1024 * 1024 }));
  const three = [large(), packed(), large()];
  assert.throws(large, isRefused);
  await Promise.all(three);
  await large();
});

test("a project does not wait for another project's running batch (decision 0033)", async () => {
  let open = () => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  let begin = () => {};
  const begun = new Promise<void>((done) => {
    begin = done;
  });
  const inbox = createInbox(world.platform, async (_platform, deliveries) => {
    begin();
    if (deliveries[0]?.projectId === world.rocket.id) await opened;
    return deliveries.map(({ receiptId }) => ({ receiptId, alerts: [] }));
  });
  const slow = inbox.submit(aDelivery({ title: "Slow" }));
  await begun;
  const behind = inbox.submit(aDelivery({ title: "Behind it" }));
  await inbox.submit(aDelivery({ title: "Elsewhere" }, { projectId: world.open.id }));
  open();
  await Promise.all([slow, behind]);
});

test("a locked project delays only its own deliveries, not those of another project in the same batch or after it (decisions 0033, 0248)", async () => {
  const inbox = createInbox(world.platform);
  const at = (projectId: number, title: string) => inbox.submit(aDelivery({ title }, { projectId }));
  const held = [
    "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    `alerts of ${world.open.id}`,
  ] as const;
  const stuck = await whileHeld(world, [held], async (isWaitedFor) => {
    const together = [at(world.open.id, "Held"), at(world.rocket.id, "Beside what is held")] as const;
    await together[1];
    await at(world.rocket.id, "After it");
    assert.equal(await isWaitedFor(), true, "the others were recorded first");
    return [together[0], at(world.open.id, "Behind what is held")];
  });
  for (const outcome of await Promise.all(stuck)) assert.equal(outcome.alerts.length, 1);
});

test("repeats under one Idempotency-Key count as one occurrence and as deliveries each, and another body under the key is not recorded (contract-alerts, counting; decision 0089)", async () => {
  const key = { idempotencyHash: Buffer.alloc(32, 5), idempotentBody: "one" };
  const twins = [1, 2, 3].map(() => aDelivery({ title: "Twin" }, key));
  const strange = aDelivery({ title: "Strange" }, { ...key, idempotentBody: "other" });
  const elsewhere = await aSource(world, "http");
  const other = aDelivery({ title: "Twin" }, { ...key, integrationId: elsewhere.id });
  const [first, second, third, refused, own] = await recordBatch(world.platform, [...twins, strange, other]);
  assert.deepEqual([second, third], [first, first]);
  assert.deepEqual([refused?.isReused, refused?.alerts], [true, []]);
  assert.deepEqual([own?.alerts, own?.receiptId], [first?.alerts, other.receiptId]);
  const [again] = await recordBatch(world.platform, [aDelivery({ title: "Twin" }, key)]);
  assert.deepEqual(again, first);
  const found = await world.platform.db.many(
    row({ events: integer, deliveries: integer }),
    sql`select events, deliveries from alerts where title in ('Twin', 'Strange')`,
  );
  assert.deepEqual(found, [{ events: 2, deliveries: 5 }]);
});

test("consecutive recoveries in a batch have the same effect as one after the other (spec: States 1; decision 0160)", async () => {
  const fingerprint = "many ends";
  const end = (end_time: string) => ({ title: "Ends", fingerprint, end_time });
  const outcomes = await recordBatch(world.platform, [
    aDelivery({ title: "Ends", fingerprint, start_time: "2026-05-01T10:00:00Z" }),
    // Two recoveries from before the start, the real one, 500 without an open alert, and a new firing that recovers at once.
    aDelivery([end("2026-05-01T08:00:00Z"), end("2026-05-01T09:00:00Z"), end("2026-05-01T11:00:00Z")]),
    aDelivery(Array.from({ length: 500 }, () => end("2026-05-01T12:00:00Z"))),
    aDelivery([
      { title: "Ends", fingerprint },
      ...Array.from({ length: 300 }, () => end("2030-05-01T13:00:00Z")),
    ]),
  ]);
  assert.deepEqual(
    outcomes.map(({ alerts }) => alerts.length),
    [1, 1, 0, 1],
  );
  const ended = await world.platform.db.many(
    row({ deliveries: integer, events: integer, hour: integer }),
    sql`select deliveries, events, extract(hour from ended_at)::bigint as hour from alerts where title = 'Ends' order by id`,
  );
  // Each request counts once per alert, however often it names it (contract-alerts, counting).
  assert.deepEqual(ended, [
    { deliveries: 2, events: 1, hour: 11 },
    { deliveries: 1, events: 1, hour: 13 },
  ]);
  const decisions = await world.platform.db.many(
    row({ decision: text }),
    sql`select decision from alert_receipts where id = any (${outcomes.map(({ receiptId }) => receiptId)}::uuid[])
      order by array_position(${outcomes.map(({ receiptId }) => receiptId)}::uuid[], id)`,
  );
  assert.deepEqual(
    decisions.map(({ decision }) => decision),
    ["created", "mixed", "orphan", "mixed"],
  );
});
