/** Heartbeats: pings, missed heartbeats, recoveries, and downtimes of the service. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { runJob } from "../support/jobs.ts";
import { endWaiting, meanwhile, whileHeld } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const BEATS = `${API}/alert_heartbeats`;

let world: World;
before(async () => {
  world = await startWorld();
});

async function beat(fields: Record<string, unknown> = {}, status = 201) {
  const reply = await world.call(BEATS, {
    as: "max",
    json: { name: "Nightly backup", interval_seconds: 60, grace_seconds: 30, ...fields },
  });
  assert.equal(reply.status, status, reply.text);
  return reply.json;
}
type Beat = Awaited<ReturnType<typeof beat>>;
const look = async (one: Beat) => (await world.call(`${BEATS}/${one.id}`, { as: "max" })).json;
const ping = (one: Beat, options = {}) =>
  world.call(new URL(one.url).pathname, { headers: { authorization: `Bearer ${one.key}` }, ...options });
/** Shifts the last ping and the due time so many seconds into the past. */
const age = (one: Beat, seconds: number) =>
  world.platform.db.run(
    sql`update alert_heartbeats set due_at = due_at - make_interval(secs => ${seconds}),
      last_ping_at = last_ping_at - make_interval(secs => ${seconds}) where id = ${one.id}`,
  );
const alertsOf = async (one: Beat) => {
  const { json } = await world.call(`${API}/alert_management_alerts?sort=created_at_asc`, { as: "dev" });
  return json.filter((alert: { title: string }) => alert.title === `Heartbeat missed: ${one.name}`);
};
const sweep = () => runJob(world, "heartbeats");

test("a heartbeat is missed only after its first ping, once, and its alert resolves on the next ping, with how long it was silent (decision 0098; reference alerts D32)", async () => {
  const one = await beat();
  assert.equal(one.state, "waiting");
  await sweep();
  assert.equal((await look(one)).state, "waiting");
  const first = await ping(one);
  assert.deepEqual([first.status, first.json.state], [200, "up"]);
  await age(one, 60);
  await sweep();
  assert.equal((await look(one)).state, "up");
  await age(one, 35);
  // Several processes run the sweep at the same time.
  await Promise.all([sweep(), sweep(), sweep(), sweep()]);
  await sweep();
  assert.equal((await look(one)).state, "late");
  const [missed, ...others] = await alertsOf(one);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [missed.status, missed.severity, missed.events, missed.monitoring_tool],
    ["triggered", "critical", 1, "Heartbeat"],
  );
  assert.ok(missed.issue_iid > 0);
  const backs = await Promise.all([ping(one), ping(one), ping(one, { method: "POST", json: { any: 1 } })]);
  assert.deepEqual(
    backs.map(({ json }) => json.state),
    ["up", "up", "up"],
  );
  const [resolved] = await alertsOf(one);
  assert.deepEqual([resolved.status, resolved.deliveries], ["resolved", 2]);
  const { json: receipts } = await world.call(
    `${API}/alert_receipts?alert_iid=${missed.iid}&decision=resolved`,
    {
      as: "max",
    },
  );
  const { json: told } = await world.call(`${API}/alert_receipts/${receipts[0].id}`, { as: "max" });
  const back = JSON.parse(Buffer.from(told.raw, "base64").toString());
  assert.ok(back.silent_seconds >= 95 && back.silent_seconds < 95 + 300, `${back.silent_seconds} s`);
  assert.match(back.description, new RegExp(`No ping was received for ${back.silent_seconds} s\\.$`));
  await age(one, 100);
  await sweep();
  const again = await alertsOf(one);
  assert.deepEqual(
    again.map((alert: { recurrence_of: number }) => alert.recurrence_of),
    [null, missed.iid],
  );
});

test("a heartbeat that became due while the service was not running gets another interval (decision 0098; reference alerts D32)", async () => {
  const one = await beat({ name: "Away" });
  await ping(one);
  await age(one, 200);
  await world.platform.db.run(
    sql`update alert_heartbeat_watch set looked_at = now() - interval '10 minutes'`,
  );
  await sweep();
  assert.equal((await look(one)).state, "up");
  assert.ok(new Date((await look(one)).due_at).getTime() > Date.now() + 60_000);
  await age(one, 200);
  await sweep();
  assert.equal((await look(one)).state, "late");
});

test("pings need the key: a wrong one gets 401, an unknown or inactive heartbeat 403 (contract-alerts, order of refusal)", async () => {
  const one = await beat({ name: "Keys" });
  const basic = Buffer.from(`any:${one.key}`).toString("base64");
  assert.equal((await ping(one, { headers: { authorization: `Basic ${basic}` } })).status, 200);
  assert.equal((await ping(one, { headers: {} })).status, 401);
  assert.equal((await ping(one, { headers: { authorization: "Bearer wrong" } })).status, 401);
  const unknown = new URL(one.url).pathname.replace(/[0-9a-f]{16}$/, "0123456789abcdef");
  assert.equal((await world.call(unknown)).status, 403);
  // `curl -f` would take a redirect to the sign-in page for success.
  const none = unknown.replace("0123456789abcdef", "null");
  assert.equal((await world.call(none, { headers: { authorization: `Bearer ${one.key}` } })).status, 404);
  const other = new URL(one.url).pathname.replace("/rocket/", "/open/");
  assert.equal((await world.call(other, { headers: { authorization: `Bearer ${one.key}` } })).status, 403);
  const rotated = await world.call(`${BEATS}/${one.id}/rotate_key`, { as: "max", method: "POST" });
  assert.notEqual(rotated.json.key, one.key);
  assert.equal((await ping(one)).status, 401);
  await world.call(`${BEATS}/${one.id}`, { as: "max", method: "PUT", json: { active: false } });
  assert.equal((await ping(rotated.json)).status, 403);
  assert.equal((await look(one)).state, "off");
});

test("a HEAD request with the key counts as a ping, one without it gets 401 (decision 0098)", async () => {
  const one = await beat({ name: "Head" });
  const address = new URL(one.url).pathname;
  const refused = await world.call(address, { method: "HEAD" });
  assert.deepEqual([refused.status, (await look(one)).state], [401, "waiting"]);
  const headers = { authorization: `Bearer ${one.key}` };
  const { status, text } = await world.call(address, { method: "HEAD", headers });
  assert.deepEqual([status, text, (await look(one)).state], [200, "", "up"]);
});

test("heartbeats are for Maintainers only, and invalid fields are reported by name (contract-alerts, roles)", async () => {
  const one = await beat({ name: "Roles" });
  // On small screens each value is shown with its label, so none may be empty.
  const list = await (await signedIn(world, "max")).get("/acme/rocket/-/settings/operations/heartbeats");
  assert.match(list.text, /data-label="Due"[^>]*>(?:<div>)?Not yet/);
  for (const [as, status] of [
    ["dev", 403],
    ["stan", 404],
  ] as const) {
    assert.equal((await world.call(BEATS, { as })).status, status);
    assert.equal((await world.call(`${BEATS}/${one.id}`, { as, method: "DELETE" })).status, status);
  }
  const wrong = await beat({ name: " ", interval_seconds: 5, grace_seconds: -1 }, 400);
  assert.deepEqual(Object.keys(wrong.message), ["name", "interval_seconds", "grace_seconds"]);
  assert.equal((await world.call(`${BEATS}/${one.id}`, { as: "max", method: "DELETE" })).status, 204);
  assert.equal((await ping(one)).status, 403);
});

test("a Maintainer creates a heartbeat on its page and finds its URL and key there (reference ux)", async () => {
  const max = await signedIn(world, "max");
  const at = "/acme/rocket/-/settings/operations/heartbeats";
  const fields = {
    name: "Page",
    interval_seconds: "300",
    grace_seconds: "60",
    severity: "high",
    active: "true",
  };
  await max.get(`${at}/new`);
  assert.equal((await max.post(at, { ...fields, name: "" })).status, 422);
  const saved = await max.post(at, fields);
  const page = await max.follow(saved);
  assert.match(page.text, /\/acme\/rocket\/heartbeats\/[0-9a-f]{16}/);
  assert.match(page.text, /gak_/);
  await max.post(`${saved.location}/rotate`, {});
  assert.match((await max.get(at)).text, /Page[\s\S]*Waiting for the first[\s\S]*5 min/);
  await max.post(`${saved.location}/delete`, {});
  assert.equal((await max.get(saved.location ?? "")).status, 404);
});

test("a heartbeat that became due before the service stopped is missed once it runs again (decision 0098; reference alerts D32)", async () => {
  const one = await beat({ name: "Before" });
  await ping(one);
  await age(one, 900);
  await world.platform.db.run(
    sql`update alert_heartbeat_watch set looked_at = now() - interval '10 minutes'`,
  );
  await sweep();
  assert.equal((await look(one)).state, "late");
});

test("a heartbeat switched off and on again waits for its next ping (decision 0098)", async () => {
  const one = await beat({ name: "Paused" });
  await ping(one);
  const set = (active: boolean) =>
    world.call(`${BEATS}/${one.id}`, { as: "max", method: "PUT", json: { active } });
  await set(false);
  await age(one, 300);
  assert.deepEqual([(await set(true)).json.state, (await look(one)).due_at], ["waiting", null]);
  await sweep();
  assert.deepEqual(await alertsOf(one), []);
  assert.equal((await ping(one)).json.state, "up");
  await age(one, 300);
  await sweep();
  assert.equal((await look(one)).state, "late");
  await set(false);
  assert.equal((await set(true)).json.state, "waiting", "also one that was late");
  const [missed] = await alertsOf(one);
  assert.equal((await ping(one)).json.state, "up");
  const [resolved, ...others] = await alertsOf(one);
  assert.deepEqual([missed.status, resolved.status, others], ["triggered", "resolved", []]);
});

test("a heartbeat that waits for its next ping keeps waiting when other fields are changed (decision 0098)", async () => {
  const one = await beat({ name: "Changed while it waits" });
  await ping(one);
  const put = async (json: object) =>
    (await world.call(`${BEATS}/${one.id}`, { as: "max", method: "PUT", json })).json.state;
  await put({ active: false });
  await age(one, 300);
  await put({ active: true });
  await world.platform.db.run(
    sql`update alert_heartbeats set last_ping_at = now() - interval '1 hour' where id = ${one.id}`,
  );
  assert.equal(await put({ grace_seconds: 40 }), "waiting");
  await sweep();
  assert.deepEqual([(await look(one)).state, await alertsOf(one)], ["waiting", []]);
});

test("an update keeps fields that a concurrent update changed (decision 0098)", async () => {
  const one = await beat({ name: "Changed twice" });
  const reply = await meanwhile(
    world,
    [["update alert_heartbeats set severity = 'low', interval_seconds = 3600 where id = $1", one.id]],
    () => world.call(`${BEATS}/${one.id}`, { method: "PUT", as: "max", json: { grace_seconds: 10 } }),
  );
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    [reply.json.severity, reply.json.interval_seconds, reply.json.grace_seconds],
    ["low", 3600, 10],
  );
});

test("a project has at most 100 heartbeats, even if several are created at once (decision 0098)", async () => {
  const open = "/api/v4/projects/acme%2Fopen/alert_heartbeats";
  await world.platform.db.run(
    sql`insert into alert_heartbeats (project_id, name, identifier, key_digest, key_sealed, interval_seconds, grace_seconds)
      select ${world.open.id}, 'Beat', lpad(n::text, 16, '0'), '\\x00', '\\x00', 60, 0 from generate_series(1, 99) n`,
  );
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, n) => world.call(open, { as: "max", json: { name: `At once ${n}` } })),
  );
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, ...new Array<number>(7).fill(422)]);
});

test("active heartbeats and an active link to an external tool exclude each other, also when both are enabled at once (spec: Configuration 5; decision 0098)", async () => {
  const project = "/api/v4/projects/acme%2Fopen";
  const call = (path: string, json: object, method = "POST") =>
    world.call(`${project}/${path}`, { as: "max", method, json });
  await world.platform.db.run(sql`delete from alert_heartbeats where project_id = ${world.open.id}`);
  const tool = { type: "external_tool", name: "Tool", api_url: "https://tool.example.org/api" };
  const one = (await call("alert_heartbeats", { name: "Backup", interval_seconds: 60 })).json;
  const refused = await call("alert_integrations", tool);
  assert.deepEqual(
    [refused.status, /Other alert services are active/.test(refused.json.message)],
    [422, true],
  );
  const switched = (path: string, active: boolean) => call(path, { active }, "PUT");
  assert.equal((await switched(`alert_heartbeats/${one.id}`, false)).status, 200);
  const linked = (await call("alert_integrations", tool)).json;
  const more = await call("alert_heartbeats", { name: "More", interval_seconds: 60 });
  assert.deepEqual([more.status, /tool is linked/.test(more.json.message)], [422, true]);
  assert.equal((await call("alert_heartbeats", { name: "Later", active: false })).status, 201);
  assert.equal((await call(`alert_heartbeats/${one.id}`, { name: "Renamed" }, "PUT")).status, 200);
  for (let round = 0; round < 5; round++) {
    const both = [`alert_heartbeats/${one.id}`, `alert_integrations/${linked.id}`];
    await Promise.all(both.map((path) => switched(path, false)));
    const replies = await Promise.all(both.map((path) => switched(path, true)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422]);
  }
});

test("a project where recording a missed heartbeat fails does not delay those of other projects (decisions 0098, 0150)", async () => {
  const { db } = world.platform;
  // Earlier tests may have left an external tool or a heartbeat in the other project.
  await db.run(sql`delete from alert_integrations where project_id = ${world.open.id}`);
  await db.run(sql`delete from alert_heartbeats where project_id = ${world.open.id}`);
  const stuck = await beat({ name: "Cannot be told" });
  const reply = await world.call("/api/v4/projects/acme%2Fopen/alert_heartbeats", {
    as: "max",
    json: { name: "Of another project", interval_seconds: 60, grace_seconds: 30 },
  });
  assert.equal(reply.status, 201, reply.text);
  const other = reply.json;
  await ping(stuck);
  await ping(other);
  await age(stuck, 200);
  await age(other, 100);
  await world.owner.run(
    sql`alter table alerts add constraint cannot_open check (title <> 'Heartbeat missed: Cannot be told')`,
  );
  await sweep();
  const there = await world.call(`/api/v4/projects/acme%2Fopen/alert_heartbeats/${other.id}`, { as: "max" });
  assert.equal(there.json.state, "late");
  assert.equal((await look(stuck)).state, "up");
  await world.owner.run(sql`alter table alerts drop constraint cannot_open`);
  await sweep();
  assert.equal((await look(stuck)).state, "late");
  assert.equal((await alertsOf(stuck)).length, 1);
});

test("a project whose alerts stay locked until the timeout does not delay heartbeats of other projects (decisions 0098, 0150)", async () => {
  const stuck = await beat({ name: "Held until time runs out" });
  const path = "/api/v4/projects/acme%2Fopen/alert_heartbeats";
  const json = { name: "Of the other project", interval_seconds: 60, grace_seconds: 30 };
  const other = (await world.call(path, { as: "max", json })).json;
  await ping(stuck);
  await ping(other);
  await age(stuck, 200);
  await age(other, 100);
  const lock = `alerts of ${world.rocket.id}`;
  const held = ["select pg_advisory_xact_lock(hashtextextended($1, 0))", lock] as const;
  await whileHeld(world, [held], async (isWaitedFor) => {
    const sweeping = sweep();
    sweeping.catch(() => {});
    await until(isWaitedFor);
    await endWaiting(world);
    await sweeping;
  });
  assert.equal((await world.call(`${path}/${other.id}`, { as: "max" })).json.state, "late");
  assert.equal((await look(stuck)).state, "up");
  await sweep();
  assert.equal((await look(stuck)).state, "late");
});

test("a ping that waits for a lock on its heartbeat does not block other requests (decisions 0051, 0229)", async () => {
  const one = await beat({ name: "Held" });
  await ping(one);
  const held = ["select from alert_heartbeats where id = $1 for update", one.id] as const;
  const [pinging, stillWaits] = await whileHeld(world, [held], async (isWaitedFor) => {
    const pinging = ping(one);
    await until(isWaitedFor);
    const others = Array.from({ length: 40 }, () => world.call("/api/v4/user", { as: "dev" }));
    for (const { status } of await Promise.all(others)) assert.equal(status, 200);
    return [pinging, await isWaitedFor()] as const;
  });
  assert.equal((await pinging).status, 200);
  assert.equal(stillWaits, true, "the others were answered while the ping still waited");
});

test("a heartbeat's id is not found in another project, even for its Maintainer (contract-alerts, roles)", async () => {
  const one = await beat({ name: "Of one project" });
  const there = `/api/v4/projects/acme%2Fopen/alert_heartbeats/${one.id}`;
  for (const call of [
    {},
    { method: "PUT", json: { name: "Taken" } },
    { method: "DELETE" },
    { path: "/rotate_key", method: "POST" },
  ]) {
    const { path = "", ...options } = call;
    assert.equal((await world.call(`${there}${path}`, { as: "max", ...options })).status, 404);
  }
  assert.equal((await look(one)).name, "Of one project");
  assert.equal((await ping(one)).status, 200);
});

test("a heartbeat is still pinged at its old URL after the project's path changed (contract-events §5; decision 0098)", async () => {
  const made = await world.call("/api/v4/projects", { as: "olga", json: { name: "early" } });
  const path = `/api/v4/projects/${made.json.id}`;
  const one = (await world.call(`${path}/alert_heartbeats`, { as: "olga", json: { name: "Moves" } })).json;
  await world.call(path, { as: "olga", method: "PUT", json: { path: "today" } });
  const { status, json } = await ping(one);
  assert.deepEqual([status, json.state], [200, "up"]);
});

test("the interval is ten seconds to 366 days, the grace period at most a week (decision 0098)", async () => {
  for (const [interval_seconds, grace_seconds] of [
    [10, 0],
    [31_622_400, 604_800],
  ])
    await beat({ name: `Every ${interval_seconds} s`, interval_seconds, grace_seconds });
  for (const [interval_seconds, grace_seconds, wrong] of [
    [9, 0, "interval_seconds"],
    [31_622_401, 0, "interval_seconds"],
    [60, 604_801, "grace_seconds"],
  ] as const) {
    const { message } = await beat({ interval_seconds, grace_seconds }, 400);
    assert.deepEqual(Object.keys(message), [wrong]);
  }
});

test("late heartbeats are listed first (decision 0098)", async () => {
  await beat({ name: "Stands before it" });
  const one = await beat({ name: "Late and first" });
  await ping(one);
  await age(one, 200);
  await sweep();
  const { json } = await world.call(BEATS, { as: "max" });
  const states = json.map(({ state }: { state: string }) => state === "late");
  assert.ok(json.some(({ id, state }: Beat) => id === one.id && state === "late"));
  assert.deepEqual(
    states,
    [...states].sort((a, b) => Number(b) - Number(a)),
  );
});

test("a ping during which the heartbeat is switched off does not resolve its alert (decision 0098)", async () => {
  const one = await beat({ name: "Off meanwhile" });
  await ping(one);
  await age(one, 200);
  await sweep();
  await meanwhile(world, [["update alert_heartbeats set active = false where id = $1", one.id]], () =>
    ping(one),
  );
  const [missed] = await alertsOf(one);
  assert.deepEqual([missed.status, missed.deliveries, (await look(one)).state], ["triggered", 1, "off"]);
});
