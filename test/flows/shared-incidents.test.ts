/** In an alert storm, the alerts of a project with this setting share one incident, and every alert is stored. */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { releaseSilenced } from "../../src/alerts/release-silenced.ts";
import { resolveTimeouts } from "../../src/alerts/resolve-timeouts.ts";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { type Receiver, startReceiver } from "../support/receivers.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const PAGES = "/acme/rocket/-";

let world: World;
let source: Source;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
  source = await aSource(world);
  // As after days of operation: the database may be older than ten minutes, which would count as an outage.
  const up = sql`update alert_timeout_watch set looked_at = now(), up_since = now() - interval '3 days'`;
  await world.platform.db.run(up);
});

/** More than three alerts within an hour, in which any machine sends them, are a storm, and none has begun. */
beforeEach(async () => {
  await world.platform.db.run(sql`delete from alert_storms`);
  await put({ collapse_incidents: true, storm_threshold: 3, storm_seconds: 3600, resolve_after_hours: 0 });
});

async function put(json: Record<string, unknown>): Promise<void> {
  assert.equal((await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json })).status, 200);
}

let made = 0;
const titlesOf = (n: number) => Array.from({ length: n }, () => `Trouble ${++made}`);
const payload = (title: string, more: Record<string, unknown> = {}) => ({
  title,
  fingerprint: title,
  severity: "low",
  ...more,
});
async function send(title: string, more: Record<string, unknown> = {}): Promise<number> {
  const reply = await source.send(payload(title, more));
  assert.equal(reply.status, 200, reply.text);
  return reply.json[0]?.iid;
}
/** Opens alerts one after another and returns their iids. */
async function open(titles: readonly string[], more: Record<string, unknown> = {}): Promise<number[]> {
  const iids: number[] = [];
  for (const title of titles) iids.push(await send(title, more));
  return iids;
}
const recover = (title: string) => send(title, { end_time: new Date(Date.now() + 1000).toISOString() });

const alertOf = async (iid: number) =>
  (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
const incidentsOf = (iids: readonly number[]): Promise<number[]> =>
  Promise.all(iids.map(async (iid) => (await alertOf(iid)).issue_iid));
const incident = async (iid: number) => (await world.call(`${API}/issues/${iid}`, { as: "dev" })).json;
const change = (iid: number, json: Record<string, unknown>) =>
  world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev", method: "PUT", json });
const changeIncident = (iid: number, state_event: string) =>
  world.call(`${API}/issues/${iid}`, { as: "dev", method: "PUT", json: { state_event } });
/** The events of an incident, oldest first. */
async function eventsOf(iid: number): Promise<string[]> {
  const { json } = await world.call(`${API}/events?per_page=100&sort=asc`, { as: "dev" });
  return json
    .filter((one: { target_iid: number; target_type: string }) => one.target_iid === iid && one.target_type)
    .map((one: { action_name: string; target_title: string }) => `${one.action_name} ${one.target_title}`);
}

/** Makes the storm counters look this many seconds older. */
async function pass(seconds: number): Promise<void> {
  await world.platform.db.run(
    sql`update alert_storms set incidents = incidents || jsonb_build_object('slots', (
        select coalesce(jsonb_agg(jsonb_build_array((s ->> 0)::bigint - ${seconds}::bigint, s -> 1)), '[]')
        from jsonb_array_elements(incidents -> 'slots') s))`,
  );
}

const STORM = "Alert storm: more than 3 alerts within 3600 seconds";

test("the alerts beyond the threshold share one incident, whose severity is that of the worst of them, and their activity says so (reference alerts D9; decision 0177)", async () => {
  const iids = await open(titlesOf(4));
  iids.push(...(await open(titlesOf(1), { severity: "high" })), ...(await open(titlesOf(3))));
  const theirs = await incidentsOf(iids);
  assert.equal(new Set(theirs.slice(0, 3)).size, 3);
  const shared = theirs[3] as number;
  assert.deepEqual(theirs.slice(3), Array(5).fill(shared));
  assert.ok(!theirs.slice(0, 3).includes(shared));
  const { title, description, state } = await incident(shared);
  assert.deepEqual([title, state], [STORM, "opened"]);
  assert.match(description, /^\*\*Start time:\*\* .*\n\*\*Alerts:\*\* http.*\/acme\/rocket\/-\/alerts {2}\n/);
  assert.deepEqual(await eventsOf(shared), [`opened ${STORM}`]);
  const dev = await signedIn(world, "dev");
  const page = (await dev.get(`${PAGES}/incidents/${shared}`)).text;
  assert.match(page, /High/);
  for (const iid of iids.slice(3)) assert.ok(page.includes(`/acme/rocket/-/alerts/${iid}"`));
  const alert = (await dev.get(`${PAGES}/alerts/${iids[5]}`)).text;
  assert.match(alert, new RegExp(`oined incident .*#${shared}.*, which is shared by an alert storm`));
  assert.doesNotMatch(alert, /reated incident/);
});

test("a shared incident closes when its last alert is resolved, by a recovery, by hand or by timeout (reference alerts D9; decision 0177)", async () => {
  const titles = titlesOf(8);
  const iids = (await open(titles)).slice(3);
  const [shared = 0] = await incidentsOf(iids.slice(0, 1));
  const stateOf = async () => (await incident(shared)).state;
  await recover(titles[3] as string);
  assert.equal((await change(iids[1] as number, { status: "resolved" })).status, 200);
  await put({ resolve_after_hours: 1 });
  await world.platform.db.run(
    sql`update alerts set last_seen_at = last_seen_at - interval '2 hours' where iid = ${iids[2] as number}`,
  );
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(iids[2] as number)).status, "resolved");
  assert.equal((await change(iids[3] as number, { status: "ignored" })).status, 200);
  assert.equal(await stateOf(), "opened");
  // An ignored alert is not resolved.
  await recover(titles[7] as string);
  assert.equal(await stateOf(), "opened");
  await recover(titles[6] as string);
  assert.equal(await stateOf(), "closed");
  assert.deepEqual(await eventsOf(shared), [`opened ${STORM}`, `closed ${STORM}`]);
  assert.equal((await change(iids[0] as number, { status: "triggered" })).status, 200);
  assert.equal(await stateOf(), "opened");
  await world.platform.db.run(
    sql`update alerts set last_seen_at = last_seen_at - interval '2 hours' where iid = ${iids[0] as number};`,
  );
  await world.platform.db.run(sql`update alert_activity set created_at = created_at - interval '2 hours'`);
  await resolveTimeouts(world.platform);
  assert.equal(await stateOf(), "closed");
});

test("one delivery with many alerts opens one shared incident, and deliveries of their recoveries close it once (reference alerts D8, D9; decision 0177)", async () => {
  const metrics = await aSource(world, "prometheus");
  const group = (status: "firing" | "resolved", n: number) => ({
    version: "4",
    groupKey: "{}",
    status,
    receiver: "gatehouse",
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: "http://alertmanager.example",
    alerts: Array.from({ length: n }, (_, i) => ({
      status,
      labels: { alertname: "HostDown", instance: `host-${i}` },
      annotations: {},
      startsAt: "2026-01-05T10:00:00Z",
      endsAt: status === "resolved" ? "2026-01-05T11:00:00Z" : "0001-01-01T00:00:00Z",
      generatorURL: "",
    })),
  });
  const reply = await metrics.send(group("firing", 250));
  assert.equal(reply.status, 201, reply.text);
  const { json } = await world.call(`${API}/alert_management_alerts?search=HostDown&per_page=100`, {
    as: "dev",
  });
  const shared = json[0].issue_iid;
  assert.ok(json.every((one: { issue_iid: number }) => one.issue_iid === shared));
  const dev = await signedIn(world, "dev");
  const page = (await dev.get(`${PAGES}/incidents/${shared}`)).text;
  assert.match(page, /100 of 247 are listed\. Closing this incident resolves all of them\./);
  assert.match(page, /247 of its alerts are still open/);
  // First some recoveries, then all, of which most are repeated.
  assert.equal((await metrics.send(group("resolved", 200))).status, 201);
  assert.equal((await incident(shared)).state, "opened");
  assert.equal((await metrics.send(group("resolved", 250))).status, 201);
  assert.equal((await incident(shared)).state, "closed");
  assert.deepEqual(await eventsOf(shared), [`opened ${STORM}`, `closed ${STORM}`]);
});

test("closing a shared incident resolves all its alerts and reopening it reopens them, and channels are notified only of the incident (decision 0177)", async () => {
  const json = {
    name: "ops",
    kind: "webhook",
    url: `${receiver.url}/ops`,
    severities: ["low"],
    events: ["opened", "resolved", "reopened"],
  };
  assert.equal((await world.call(`${API}/alert_channels`, { as: "max", json })).status, 201);
  const heard = async () => {
    while ((await deliverDue(world.platform)) > 0);
    const all = receiver.requests.map(({ body }) => JSON.parse(body).event);
    receiver.reset();
    return all;
  };
  const iids = (await open(titlesOf(9))).slice(3);
  const [shared = 0] = await incidentsOf(iids);
  await heard();
  const statuses = () => Promise.all(iids.map(async (iid) => (await alertOf(iid)).status));
  assert.equal((await changeIncident(shared, "close")).status, 200);
  assert.deepEqual(await statuses(), Array(6).fill("resolved"));
  assert.deepEqual(await heard(), ["incident.closed"]);
  assert.equal((await changeIncident(shared, "reopen")).status, 200);
  assert.deepEqual(await statuses(), Array(6).fill("triggered"));
  assert.deepEqual(await heard(), ["incident.reopened"]);
  // Alerts that open after somebody closed the incident get another one.
  assert.equal((await changeIncident(shared, "close")).status, 200);
  const [another = 0, same = 0] = await incidentsOf(await open(titlesOf(2)));
  assert.equal((await incident(another)).title, STORM);
  assert.ok(another > shared);
  assert.equal(same, another);
  await world.platform.db.run(sql`delete from alert_channels`);
});

test("an ignored alert is ignored again when its incident was closed and is reopened, however often (decision 0253)", async () => {
  const iids = (await open(titlesOf(6))).slice(3);
  const [shared = 0] = await incidentsOf(iids);
  const [ignored = 0, seen = 0] = iids;
  assert.equal((await change(ignored, { status: "ignored" })).status, 200);
  assert.equal((await change(seen, { status: "acknowledged" })).status, 200);
  for (const _time of ["first", "second"]) {
    assert.equal((await changeIncident(shared, "close")).status, 200);
    assert.equal((await alertOf(ignored)).status, "resolved");
    assert.equal((await changeIncident(shared, "reopen")).status, 200);
    const statuses = await Promise.all(iids.map(async (iid) => (await alertOf(iid)).status));
    assert.deepEqual(statuses, ["ignored", "triggered", "triggered"]);
  }
  const { json } = await world.call(`${API}/alert_management_alerts/${ignored}/notes`, { as: "dev" });
  const said = json.map(({ body }: { body: string }) => body);
  const line = `changed the status to **Ignored** by reopening incident #${shared}`;
  assert.equal(said.filter((body: string) => body === line).length, 2, said.join());
});

test("after a storm, alerts open incidents of their own, and the next storm opens another shared incident (decision 0177)", async () => {
  const first = await incidentsOf(await open(titlesOf(5)));
  await pass(3000);
  // Still within the window.
  assert.deepEqual(await incidentsOf(await open(titlesOf(1))), [first[4]]);
  await pass(7200);
  const calm = await incidentsOf(await open(titlesOf(3)));
  assert.equal(new Set([...first, ...calm]).size, 4 + 3);
  const next = await incidentsOf(await open(titlesOf(2)));
  assert.equal(next[0], next[1]);
  assert.ok(![...first, ...calm].includes(next[0] as number));
  assert.equal((await incident(next[0] as number)).title, STORM);
});

test("repeated alerts do not count as a storm, and there is none with a threshold of 0 or without the setting (decision 0177)", async () => {
  const titles = titlesOf(2);
  await open(titles);
  for (let i = 0; i < 5; i++) await open(titles);
  const [third, fourth] = await incidentsOf(await open(titlesOf(2)));
  assert.equal((await incident(fourth as number)).title, STORM);
  assert.notEqual((await incident(third as number)).title, STORM);
  for (const setting of [{ storm_threshold: 0 }, { storm_threshold: 3, collapse_incidents: false }]) {
    await put(setting);
    const theirs = await incidentsOf(await open(titlesOf(6)));
    assert.equal(new Set(theirs).size, 6);
    assert.ok(!theirs.includes(fourth as number));
  }
});

test("parallel requests open one shared incident, and the iids of incidents have no gaps (decision 0177; reference alerts D10)", async () => {
  await put({ storm_threshold: 10 });
  const before = (await world.call(`${API}/issues?per_page=1`, { as: "dev" })).json[0]?.iid ?? 0;
  const theirs = await incidentsOf(await Promise.all(titlesOf(60).map((title) => send(title))));
  const numbers = [...new Set(theirs)].sort((a, b) => a - b);
  assert.deepEqual(
    numbers,
    Array.from({ length: 11 }, (_, i) => before + 1 + i),
  );
  const shared = numbers.filter((iid) => theirs.filter((one) => one === iid).length > 1);
  assert.equal(shared.length, 1);
  assert.equal(theirs.filter((one) => one === shared[0]).length, 50);
});

test("too many alerts released by the end of a silence are a storm as well (decisions 0096, 0177)", async () => {
  const at = `${API}/alert_silences`;
  const matchers = [{ field: "title", operator: "contains", value: "Trouble" }];
  const ends_at = new Date(Date.now() + 3_600_000).toISOString();
  const quiet = await world.call(at, { as: "max", json: { comment: "Work on the net", matchers, ends_at } });
  assert.equal(quiet.status, 201, quiet.text);
  const iids = await open(titlesOf(7));
  assert.deepEqual(await incidentsOf(iids), Array(7).fill(null));
  assert.ok((await world.call(`${at}/${quiet.json.id}`, { as: "max", method: "DELETE" })).status < 300);
  await releaseSilenced(world.platform);
  const theirs = await incidentsOf(iids);
  assert.equal(new Set(theirs).size, 4);
  assert.deepEqual(theirs.slice(3), Array(4).fill(theirs[3]));
  const shared = await incident(theirs[3] as number);
  assert.equal(shared.title, STORM);
  assert.deepEqual(await eventsOf(shared.iid), [`opened ${STORM}`]);
  const dev = await signedIn(world, "dev");
  const alert = (await dev.get(`${PAGES}/alerts/${iids[5]}`)).text;
  assert.match(alert, new RegExp(`oined incident .*#${shared.iid}.*, which is shared by an alert storm`));
});

test("a Maintainer chooses it on the Operations page, and a Developer gets 403 from the API (decision 0177; contract-alerts, roles)", async () => {
  const max = await signedIn(world, "max");
  const at = `${PAGES}/settings/operations`;
  const fields = { storm_threshold: "30", storm_seconds: "60", create_incident: "true" };
  const set = async () => (await world.call(`${API}/alert_settings`, { as: "max" })).json.collapse_incidents;
  assert.match((await max.get(at)).text, /name="collapse_incidents"[^>]*checked/);
  assert.equal((await max.post(`${at}/alerts`, fields)).status, 303);
  assert.equal(await set(), false);
  assert.equal((await max.post(`${at}/alerts`, { ...fields, collapse_incidents: "true" })).status, 303);
  assert.equal(await set(), true);
  const json = { collapse_incidents: false };
  assert.equal((await world.call(`${API}/alert_settings`, { as: "dev", method: "PUT", json })).status, 403);
});

test("an incident opened by hand for an alert is mentioned once in the activity of the alert (reference alerts A8)", async () => {
  await put({ create_incident: false });
  const [iid = 0] = await open(titlesOf(1));
  await put({ create_incident: true });
  const dev = await signedIn(world, "dev");
  await dev.get(`${PAGES}/alerts/${iid}`);
  assert.equal((await dev.post(`${PAGES}/alerts/${iid}`, { action: "incident" })).status, 303);
  const page = (await dev.get(`${PAGES}/alerts/${iid}`)).text;
  assert.equal(page.match(/reated incident/g)?.length, 1);
});
