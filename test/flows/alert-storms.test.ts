/** Storms: when many alerts open at once, few messages are sent, and every alert is stored. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { watchStorms } from "../../src/alerts/watch-storms.ts";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { type Receiver, startReceiver } from "../support/receivers.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const SETTINGS = `${API}/alert_settings`;

/** A window in which any machine sends the alerts of a test. */
const HOUR = 3600;
let world: World;
let source: Source;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
  source = await aSource(world);
});

async function channel(path: string, fields: Record<string, unknown> = {}): Promise<void> {
  const severities = ["critical", "high", "low"];
  const json = { name: path, kind: "webhook", url: `${receiver.url}/${path}`, severities, ...fields };
  const reply = await world.call(`${API}/alert_channels`, { as: "max", json });
  assert.equal(reply.status, 201, reply.text);
}

/** Deletes channels and storms, and changes the project's settings. */
async function anew(settings: Record<string, number>): Promise<void> {
  await world.platform.db.run(sql`delete from alert_channels`);
  await world.platform.db.run(sql`delete from alert_storms`);
  assert.equal((await world.call(SETTINGS, { as: "max", method: "PUT", json: settings })).status, 200);
  receiver.reset();
}

let made = 0;
async function fire(severity = "low", more: Record<string, unknown> = {}): Promise<number> {
  const title = `Trouble ${++made}`;
  const { json } = await source.send({ title, fingerprint: title, severity, ...more });
  return json[0].iid;
}
async function fireMany(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await fire();
}

/** Delivers what is due and returns the requests received since the last call, in no order. */
async function heard(): Promise<{ path: string; event: string; storm: Record<string, unknown> }[]> {
  while ((await deliverDue(world.platform)) > 0);
  const all = receiver.requests.map(({ path, body }) => ({ path, ...JSON.parse(body) }));
  receiver.reset();
  return all;
}
const events = (all: readonly { path: string; event: string }[]) =>
  all.map(({ path, event }) => `${path} ${event}`).sort();

/** Shifts the storm's times so many seconds into the past. */
async function pass(seconds: number): Promise<void> {
  await world.platform.db.run(
    sql`update alert_storms o set channels = (
        select coalesce(jsonb_object_agg(key, value || jsonb_build_object(
            'since', (value ->> 'since')::timestamptz - make_interval(secs => ${seconds}),
            'toldAt', (value ->> 'toldAt')::timestamptz - make_interval(secs => ${seconds}),
            'slots', (select coalesce(jsonb_agg(jsonb_build_array((s ->> 0)::bigint - ${seconds}::bigint, s -> 1)), '[]')
              from jsonb_array_elements(value -> 'slots') s))), '{}')
        from jsonb_each(o.channels))`,
  );
}

test("above the threshold one message announces the storm, and all alerts are stored with their incidents (decision 0099)", async () => {
  await anew({ storm_threshold: 5, storm_seconds: HOUR });
  await channel("ops");
  await fireMany(5);
  assert.deepEqual(events(await heard()), Array(5).fill("/ops alert.opened"));
  const iid = await fire("high");
  await fireMany(20);
  const [began, ...others] = await heard();
  assert.deepEqual(others, []);
  assert.equal(began?.event, "alert.storm_began");
  const { storm } = began;
  assert.deepEqual([storm.alerts_opened_in_window, storm.window_seconds], [6, HOUR]);
  assert.deepEqual(
    (storm.most_severe as { iid: number }[]).map((one) => one.iid),
    [iid],
  );
  const all = await world.call(`${API}/alert_management_alerts?per_page=100`, { as: "dev" });
  const kept = all.json.filter((one: { title: string }) => one.title.startsWith("Trouble"));
  assert.equal(kept.length, 26);
  assert.ok(kept.every((one: { issue_iid: number | null }) => one.issue_iid !== null));
  const dev = await signedIn(world, "dev");
  assert.match(
    (await dev.get("/acme/rocket/-/alerts")).text,
    /Storm since <time[^>]*>.*messages are collapsed/,
  );
});

test("during a storm a summary is sent every five minutes at most, and a last one when it is over (decision 0099)", async () => {
  await anew({ storm_threshold: 5, storm_seconds: 600 });
  await channel("ops");
  await fireMany(10);
  assert.deepEqual(events(await heard()).slice(-1), ["/ops alert.storm_began"]);
  await watchStorms(world.platform);
  await pass(270);
  await watchStorms(world.platform);
  assert.deepEqual(await heard(), []);
  await pass(30);
  await Promise.all([watchStorms(world.platform), watchStorms(world.platform)]);
  const [goesOn, ...twice] = await heard();
  assert.deepEqual(twice, []);
  assert.equal(goesOn?.event, "alert.storm_continues");
  assert.deepEqual([goesOn.storm.alerts_opened, goesOn.storm.messages_held_back], [10, 5]);
  // After five minutes without held back messages.
  await pass(300);
  await fireMany(3);
  await watchStorms(world.platform);
  assert.deepEqual(events(await heard()), ["/ops alert.storm_continues"]);
  await pass(270);
  await watchStorms(world.platform);
  assert.deepEqual(await heard(), []);
  await pass(339);
  await Promise.all([watchStorms(world.platform), watchStorms(world.platform)]);
  const [over, ...more] = await heard();
  assert.deepEqual(more, []);
  assert.equal(over?.event, "alert.storm_ended");
  assert.deepEqual([over.storm.alerts_opened, over.storm.messages_held_back], [13, 8]);
  assert.notEqual(over.storm.ended_at, null);
  await fire();
  assert.deepEqual(events(await heard()), ["/ops alert.opened"]);
  const dev = await signedIn(world, "dev");
  assert.doesNotMatch((await dev.get("/acme/rocket/-/alerts")).text, /Storm since/);
});

test("storms are counted per channel: each gets single messages until its own alerts exceed the threshold (decision 0099)", async () => {
  await anew({ storm_threshold: 3, storm_seconds: HOUR });
  await channel("ops");
  await channel("pager", { severities: ["critical"] });
  await channel("chat", { kind: "slack" });
  await fireMany(8);
  const paths = (await heard()).map(({ path }) => path).sort();
  assert.deepEqual(paths, [...Array(4).fill("/chat"), ...Array(4).fill("/ops")]);
  for (let i = 0; i < 3; i++) await fire("critical");
  assert.deepEqual(events(await heard()), Array(3).fill("/pager alert.opened"));
  await fire("critical");
  await fire("critical");
  const [began, ...others] = await heard();
  assert.deepEqual([others, began?.path, began?.event], [[], "/pager", "alert.storm_began"]);
  assert.deepEqual([began?.storm.alerts_opened, began?.storm.alerts_opened_in_window], [4, 4]);
  await pass(HOUR + 1);
  await fire("critical");
  await watchStorms(world.platform);
  const ended = await heard();
  const told = ended.map(({ path, event, storm }) => [
    path,
    event,
    storm?.alerts_opened,
    storm?.messages_held_back,
  ]);
  assert.deepEqual(told.filter(([path]) => path !== "/chat").sort(), [
    ["/ops", "alert.storm_ended", 14, 11],
    ["/pager", "alert.storm_ended", 6, 3],
  ]);
});

test("a channel for resolved alerts only gets a storm message when those exceed the threshold (decision 0099)", async () => {
  await anew({ storm_threshold: 3, storm_seconds: HOUR });
  await channel("ends", { events: ["resolved"] });
  const titles = Array.from({ length: 5 }, (_, at) => `Short ${at}`);
  await source.send(titles.map((title) => ({ title, fingerprint: title, severity: "high" })));
  assert.deepEqual(await heard(), []);
  const end_time = new Date(Date.now() + 1000).toISOString();
  await source.send(titles.map((title) => ({ title, fingerprint: title, end_time })));
  assert.deepEqual(events(await heard()), ["/ends alert.storm_began"]);
});

test("a channel switched off during its storm gets no more messages, and the list of alerts shows no storm (decision 0099)", async () => {
  await anew({ storm_threshold: 2, storm_seconds: HOUR });
  await channel("ops");
  await fireMany(4);
  await heard();
  await world.platform.db.run(sql`update alert_channels set active = false`);
  await watchStorms(world.platform);
  assert.deepEqual(await heard(), []);
  const dev = await signedIn(world, "dev");
  assert.doesNotMatch((await dev.get("/acme/rocket/-/alerts")).text, /Storm since/);
});

test("a storm stored in the format of the previous version can be read and counts as over (decision 0099)", async () => {
  await anew({ storm_threshold: 2, storm_seconds: HOUR });
  await channel("ops");
  await world.platform.db.run(
    sql`insert into alert_storms (project_id, slots, since, opened, channels)
      select project_id, '[[1, 40]]', now(), 40, jsonb_build_object(id,
        '{"toldAt": "2026-01-01T00:00:00Z", "held": 9, "heldSince": 9, "worst": []}'::jsonb) from alert_channels`,
  );
  await fire();
  assert.deepEqual(events(await heard()), ["/ops alert.opened"]);
  await watchStorms(world.platform);
  const dev = await signedIn(world, "dev");
  assert.doesNotMatch((await dev.get("/acme/rocket/-/alerts")).text, /Storm since/);
});

test("silenced and test alerts cause no storm, but one request with many alerts does (decision 0099)", async () => {
  await anew({ storm_threshold: 3, storm_seconds: HOUR });
  await channel("ops");
  const ends = new Date(Date.now() + 3_600_000).toISOString();
  const matchers = [{ field: "service", operator: "equals", value: "quiet" }];
  const json = { comment: "Works", ends_at: ends, matchers };
  assert.equal((await world.call(`${API}/alert_silences`, { as: "dev", json })).status, 201);
  for (let i = 0; i < 6; i++) await fire("low", { service: "quiet" });
  for (let i = 0; i < 4; i++) {
    const test = { as: "dev", json: { payload: { title: "Only a test", severity: "high" } } } as const;
    await world.call(`${API}/alert_integrations/${source.id}/test`, test);
  }
  await fireMany(3);
  assert.deepEqual(events(await heard()), Array(3).fill("/ops alert.opened"));
  await anew({ storm_threshold: 3, storm_seconds: HOUR });
  await channel("ops");
  const many = Array.from({ length: 40 }, (_, at) => ({
    title: `Host ${made}-${at} is down`,
    severity: "high",
  }));
  assert.equal((await source.send(many)).status, 200);
  const [began, ...others] = await heard();
  assert.deepEqual(others, []);
  assert.equal(began?.storm.alerts_opened, 40);
  assert.equal(began?.storm.messages_held_back, 40);
});

test("alerts below the threshold rate are sent one by one (decision 0099)", async () => {
  await anew({ storm_threshold: 4, storm_seconds: HOUR });
  await channel("ops");
  await fireMany(4);
  await pass(HOUR + 1);
  await fireMany(4);
  assert.deepEqual(events(await heard()), Array(8).fill("/ops alert.opened"));
  await pass(HOUR / 2);
  await fire();
  assert.deepEqual(events(await heard()), ["/ops alert.storm_began"]);
});

test("concurrent requests cause one storm with exact counts (decision 0099)", async () => {
  await anew({ storm_threshold: 10, storm_seconds: HOUR });
  await channel("ops");
  await Promise.all(Array.from({ length: 60 }, () => fire()));
  const all = await heard();
  const began = all.filter(({ event }) => event === "alert.storm_began");
  assert.equal(began.length, 1);
  assert.ok(all.length <= 11);
  await pass(2 * HOUR);
  await watchStorms(world.platform);
  const [over] = await heard();
  assert.equal(over?.storm.alerts_opened, 60);
  assert.equal(over?.storm.messages_held_back, 60 - (all.length - 1));
});

test("a threshold of 0 disables storms and ends a current one, and only Maintainers may change it (decision 0099)", async () => {
  await anew({ storm_threshold: 2, storm_seconds: HOUR });
  await channel("ops");
  await fireMany(4);
  await heard();
  assert.equal((await world.call(SETTINGS, { as: "dev", method: "PUT", json: {} })).status, 403);
  for (const json of [{ storm_threshold: -1 }, { storm_seconds: 9 }, { storm_seconds: 3601 }]) {
    assert.equal((await world.call(SETTINGS, { as: "max", method: "PUT", json })).status, 400);
  }
  const max = await signedIn(world, "max");
  const at = "/acme/rocket/-/settings/operations";
  await max.get(at);
  const wrong = await max.post(`${at}/alerts`, { storm_threshold: "many", storm_seconds: "300" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /must be a whole number from 0 to 100000/);
  assert.match(wrong.text, /value="many"/);
  assert.equal((await max.post(`${at}/alerts`, { storm_threshold: "0", storm_seconds: "300" })).status, 303);
  const set = (await world.call(SETTINGS, { as: "max" })).json;
  assert.deepEqual([set.storm_threshold, set.storm_seconds], [0, 300]);
  await watchStorms(world.platform);
  assert.deepEqual(events(await heard()), ["/ops alert.storm_ended"]);
  await fireMany(6);
  assert.deepEqual(events(await heard()), Array(6).fill("/ops alert.opened"));
});
