/** Alerts that get no more deliveries are resolved after the hours set in the project, with a note. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { resolveTimeouts } from "../../src/alerts/resolve-timeouts.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  // As if the service had been up for days: the database may be older than the ten minutes that count as an outage.
  const up = sql`update alert_timeout_watch set looked_at = now(), up_since = now() - interval '3 days'`;
  await world.platform.db.run(up);
});

const put = (json: unknown, as: "max" | "dev" = "max") =>
  world.call(`${API}/alert_settings`, { as, method: "PUT", json });
const fire = async (title: string): Promise<number> =>
  (await source.send({ title, fingerprint: title })).json[0].iid;
const alertOf = async (iid: number) =>
  (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
const age = (hours: number) =>
  world.platform.db.run(
    sql`update alerts set last_seen_at = last_seen_at - make_interval(hours => ${hours}) where status <> 'resolved'`,
  );

test("an alert without delivery for the project's hours is resolved once, with its incident and a note (decision 0116)", async () => {
  const [silent, repeated] = [await fire("Silent"), await fire("Repeated")];
  await age(6);
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(silent)).status, "triggered", "off by default");
  assert.equal((await put({ resolve_after_hours: 7 })).json.resolve_after_hours, 7);
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(silent)).status, "triggered", "an hour is left");
  await age(1);
  await fire("Repeated");
  await Promise.all([resolveTimeouts(world.platform), resolveTimeouts(world.platform)]);
  assert.equal((await alertOf(repeated)).status, "triggered");
  const ended = await alertOf(silent);
  assert.equal(ended.status, "resolved");
  assert.notEqual(ended.ended_at, null);
  const notes = (await world.call(`${API}/alert_management_alerts/${silent}/notes`, { as: "dev" })).json;
  const why = notes.filter(({ body }: { body: string }) =>
    /^nothing was received since .* after \*\*7 h\*\*/.test(body),
  );
  assert.equal(why.length, 1);
  const incident = await world.call(`${API}/issues/${ended.issue_iid}`, { as: "dev" });
  assert.equal(incident.json.state, "closed");
  assert.notEqual(await fire("Silent"), silent);
});

test("hours during which the service was down do not count (decision 0116)", async () => {
  await put({ resolve_after_hours: 2 });
  const iid = await fire("During an outage");
  await age(5);
  const away = sql`update alert_timeout_watch set looked_at = now() - interval '4 hours'`;
  await world.platform.db.run(away);
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(iid)).status, "triggered");
  // One second more, as the column is rounded to milliseconds and may be up to half of one ahead.
  const upSince = sql`update alert_timeout_watch set up_since = now() - interval '2 hours 1 second'`;
  await world.platform.db.run(upSince);
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(iid)).status, "resolved");
});

test("only Maintainers change the setting, through the API and on the page (contract-alerts, project settings)", async () => {
  assert.equal((await put({ resolve_after_hours: 1 }, "dev")).status, 403);
  assert.equal((await put({ resolve_after_hours: 8761 })).status, 400);
  const max = await signedIn(world, "max");
  const at = "/acme/rocket/-/settings/operations";
  await max.get(at);
  const fields = { storm_threshold: "30", storm_seconds: "60", resolve_after_hours: "24" };
  assert.equal((await max.post(`${at}/alerts`, fields)).status, 303);
  assert.match((await max.get(at)).text, /value="24" selected/);
});

test("an alert that starts in the future ends at its start when it times out, and delays no others (decision 0116)", async () => {
  await put({ resolve_after_hours: 1 });
  const start = "2099-01-01T00:00:00.000Z";
  const ahead = (await source.send({ title: "Ahead", fingerprint: "ahead", start_time: start })).json[0].iid;
  const other = await fire("Beside it");
  await age(2);
  await resolveTimeouts(world.platform);
  assert.deepEqual([(await alertOf(ahead)).status, (await alertOf(ahead)).ended_at], ["resolved", start]);
  assert.equal((await alertOf(other)).status, "resolved");
});

test("reopening or acknowledging an alert restarts its timeout (decision 0150)", async () => {
  await put({ resolve_after_hours: 1 });
  const set = (iid: number, status: string) =>
    world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev", method: "PUT", json: { status } });
  const [again, seen] = [await fire("Opened again"), await fire("Acknowledged")];
  await age(2);
  await set(seen, "acknowledged");
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(again)).status, "resolved");
  await set(again, "triggered");
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(again)).status, "triggered");
  assert.equal((await alertOf(seen)).status, "acknowledged");
  await world.platform.db.run(
    sql`update alert_activity set created_at = created_at - interval '1 hour' where kind = 'status'`,
  );
  await resolveTimeouts(world.platform);
  assert.deepEqual([(await alertOf(again)).status, (await alertOf(seen)).status], ["resolved", "resolved"]);
});

test("a project where the update fails does not delay other projects (decision 0150)", async () => {
  const open = await aSource(world, "generic", {}, "acme/open");
  const settings = { as: "max", method: "PUT", json: { resolve_after_hours: 1 } } as const;
  await world.call("/api/v4/projects/acme%2Fopen/alert_settings", settings);
  await put({ resolve_after_hours: 1 });
  await fire("Cannot end");
  await open.send({ title: "Can", fingerprint: "can" });
  await age(2);
  await world.owner.run(
    sql`alter table alerts add constraint cannot_end check (title <> 'Cannot end' or status <> 'resolved')`,
  );
  await resolveTimeouts(world.platform);
  const alerts = "/api/v4/projects/acme%2Fopen/alert_management_alerts";
  assert.equal((await world.call(`${alerts}/1`, { as: "dev" })).json.status, "resolved");
  await world.owner.run(sql`alter table alerts drop constraint cannot_end`);
});

test("alerts of an archived project time out only after it is unarchived (decision 0116)", async () => {
  await put({ resolve_after_hours: 1 });
  const iid = await fire("Of an archive");
  await age(2);
  await world.platform.db.run(sql`update projects set archived = true where id = ${world.rocket.id}`);
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(iid)).status, "triggered");
  await world.platform.db.run(sql`update projects set archived = false where id = ${world.rocket.id}`);
  await resolveTimeouts(world.platform);
  assert.equal((await alertOf(iid)).status, "resolved");
});
