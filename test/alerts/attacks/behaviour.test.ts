/** Senders that behave badly: late, out of order, mixed, truncated, and in more ways than one. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../../support/alerts.ts";
import { startWorld, type World } from "../../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let generic: Source;
let metrics: Source;
before(async () => {
  world = await startWorld();
  generic = await aSource(world);
  metrics = await aSource(world, "prometheus");
});

const found = async (search: string) =>
  (await world.call(`${api}/alert_management_alerts?search=${search}&sort=created_at_asc`, { as: "dev" }))
    .json;
const { receiptOf } = readsAlerts(() => world);
const alert = (name: string, more: Record<string, unknown> = {}) => ({
  status: "firing",
  labels: { alertname: name, instance: "a" },
  annotations: { summary: name },
  startsAt: "2026-05-01T10:00:00Z",
  endsAt: "0001-01-01T00:00:00Z",
  ...more,
});
const group = (alerts: unknown[], more: Record<string, unknown> = {}) => ({
  version: "4",
  groupKey: "{}",
  status: "firing",
  receiver: "us",
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: "",
  truncatedAlerts: 0,
  alerts,
  ...more,
});

test("a recovery that comes before its firing opens nothing, and the late firing opens an alert that a second recovery ends (reference alerts D4)", async () => {
  const trouble = { title: "Out of order", fingerprint: "order" };
  const early = await generic.send({ ...trouble, end_time: "2026-05-01T11:00:00Z" });
  assert.deepEqual(early.json, []);
  const late = await generic.send({ ...trouble, start_time: "2026-05-01T10:00:00Z" });
  assert.equal(late.json.length, 1);
  await generic.send({ ...trouble, end_time: "2026-05-01T11:00:00Z" });
  const [one, two] = await found("Out%20of%20order");
  assert.deepEqual([one.status, one.ended_at, two], ["resolved", "2026-05-01T11:00:00.000Z", undefined]);
});

test("firing three times, a recovery and a firing are two alerts, of three and of one (reference alerts D30)", async () => {
  const payload = { service: "press", title: "Comes and goes", b: 1, a: { d: 1, c: 2 } };
  const shuffled = { a: { c: 2, d: 1 }, title: "Comes and goes", b: 1, service: "press" };
  for (const one of [payload, shuffled, payload]) await generic.send(one);
  await generic.send({ ...shuffled, end_time: "2030-01-01T00:00:00Z" });
  await generic.send(payload);
  const [first, second] = await found("Comes");
  assert.deepEqual([first.events, first.status], [3, "resolved"]);
  assert.deepEqual([second.events, second.status, second.recurrence_of], [1, "triggered", first.iid]);
});

test("of a mixed group each alert has its own fate, and what was left out is warned of (reference alerts D31)", async () => {
  await metrics.send(group([alert("Mixed1"), alert("Mixed2")]));
  const reply = await metrics.send(
    group([alert("Mixed1"), alert("Mixed2", { status: "resolved", endsAt: "2026-05-01T10:05:00Z" })], {
      truncatedAlerts: 7,
    }),
  );
  assert.equal(reply.status, 201);
  const receipt = await receiptOf(reply);
  assert.equal(receipt.decision, "mixed");
  assert.match(receipt.warnings[0], /left out 7 alerts/);
  const statuses = [(await found("Mixed1"))[0].status, (await found("Mixed2"))[0].status];
  assert.deepEqual(statuses, ["triggered", "resolved"]);
});

test("an alert that comes by two routes and two addresses is one, and a zero end is none (reference alerts D5, D31)", async () => {
  const one = group([alert("Routes")], { receiver: "one" });
  const two = group([alert("Routes")], { receiver: "two" });
  await Promise.all([metrics.send(one), generic.send(two), metrics.send(two)]);
  const [only, none] = await found("Routes");
  assert.deepEqual([only.events, only.deliveries, only.status, none], [1, 3, "triggered", undefined]);
});

test("a body from a pair of senders that say the same at once is one occurrence, a new start is another (reference alerts D5)", async () => {
  await Promise.all([1, 2, 3, 4].map(() => metrics.send(group([alert("Twins")]))));
  await Promise.all(
    [1, 2].map(() => metrics.send(group([alert("Twins", { startsAt: "2026-05-01T12:00:00Z" })]))),
  );
  const [only] = await found("Twins");
  assert.deepEqual([only.events, only.deliveries], [2, 6]);
});
