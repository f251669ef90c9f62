/** Alerts whose silence has ended while another silence is in force. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { releaseSilenced } from "../../src/alerts/release-silenced.ts";
import { integer, nullable, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

async function silence(comment: string, title: string): Promise<number> {
  const ends_at = new Date(Date.now() + 3_600_000).toISOString();
  const matchers = [{ field: "title", operator: "contains", value: title }];
  const json = { comment, ends_at, matchers };
  const made = await world.call(`${API}/alert_silences`, { as: "dev", json });
  assert.equal(made.status, 201, made.text);
  return made.json.id;
}
const end = async (id: number) => {
  const ended = await world.call(`${API}/alert_silences/${id}`, { as: "dev", method: "DELETE" });
  assert.ok(ended.status < 300, ended.text);
};

test("when a silence ends, alerts covered by another one stay silenced by that, and only the others open incidents (decision 0096; reference alerts D33)", async () => {
  const all = await silence("All of it", "Trouble");
  const pumps = await silence("Pumps alone", "pump");
  for (const title of ["Trouble of a pump", "Trouble of a fan"]) {
    assert.equal((await source.send({ title })).status, 200);
  }
  const state = () =>
    world.platform.db.many(
      row({ silence: nullable(integer), incident: nullable(integer) }),
      sql`select a.silence_id as silence, n.iid as incident from alerts a
        left join incidents n on n.id = a.incident_id order by a.iid`,
    );
  assert.deepEqual(await state(), [
    { silence: all, incident: null },
    { silence: all, incident: null },
  ]);
  await end(all);
  await releaseSilenced(world.platform);
  assert.deepEqual(await state(), [
    { silence: pumps, incident: null },
    { silence: null, incident: 1 },
  ]);
  await end(pumps);
  await releaseSilenced(world.platform);
  assert.deepEqual(await state(), [
    { silence: null, incident: 2 },
    { silence: null, incident: 1 },
  ]);
});

test("silences are listed with ended ones last, newest first (decision 0096)", async () => {
  const older = await silence("Older", "x");
  const over = await silence("Over", "x");
  const newer = await silence("Newer", "x");
  await end(over);
  const listed = (await world.call(`${API}/alert_silences`, { as: "dev" })).json as { id: number }[];
  const places = [newer, older, over].map((id) => listed.findIndex((one) => one.id === id));
  assert.ok(!places.includes(-1), `${places}`);
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
});

test("when a silence ends, an alert whose incident somebody opened meanwhile keeps it, without a second one (decision 0096)", async () => {
  const quiet = await silence("Quiet", "Leak");
  const iid = (await source.send({ title: "Leak" })).json[0].iid;
  const alert = `${API}/alert_management_alerts/${iid}`;
  const opened = await world.call(`${alert}/incident`, { as: "dev", method: "POST" });
  assert.equal(opened.status, 201, opened.text);
  const numbers = async () => {
    const issues = (await world.call(`${API}/issues?search=Leak`, { as: "dev" })).json;
    return [(await world.call(alert, { as: "dev" })).json.issue_iid, issues.length];
  };
  assert.deepEqual(await numbers(), [opened.json.iid, 1]);
  await end(quiet);
  await releaseSilenced(world.platform);
  assert.deepEqual(await numbers(), [opened.json.iid, 1]);
});

test("alerts of an archived project stay silenced until it is unarchived, also if their silence is over (decision 0153)", async () => {
  const quiet = await silence("Shut down", "Idle");
  const iid = (await source.send({ title: "Idle" })).json[0].iid;
  await end(quiet);
  const place = (how: "archive" | "unarchive") =>
    world.call(`/api/v4/projects/acme%2Frocket/${how}`, { as: "olga", method: "POST" });
  const incident = async () =>
    (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json.issue_iid;
  assert.equal((await place("archive")).status, 201);
  await releaseSilenced(world.platform);
  assert.equal(await incident(), null);
  assert.equal((await place("unarchive")).status, 201);
  await releaseSilenced(world.platform);
  assert.notEqual(await incident(), null);
});
