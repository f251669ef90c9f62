/** Which alerts of a storm open incidents of their own, and the severity of the incident that the others share. */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { alertBot } from "../../src/alerts/alert-bot.ts";
import type { Severity } from "../../src/alerts/severity.ts";
import { upsertIncidentStorm } from "../../src/alerts/store-shared-incidents.ts";
import { listStormy } from "../../src/alerts/store-storms.ts";
import { shareIncident } from "../../src/alerts/storm-incident.ts";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let botId: number;
before(async () => {
  world = await startWorld();
  botId = await alertBot(world.platform);
  const json = { collapse_incidents: true, storm_threshold: 4, storm_seconds: 3600 };
  const path = `/api/v4/projects/${world.rocket.id}/alert_settings`;
  assert.equal((await world.call(path, { as: "max", method: "PUT", json })).status, 200);
});
beforeEach(() => world.platform.db.run(sql`delete from alert_storms`));

/** Opens alerts of these severities together. */
const open = (...severities: Severity[]) =>
  world.platform.db.transaction((tx) =>
    shareIncident({ platform: world.platform, tx, botId }, world.rocket.id, severities),
  );
const severityOf = async (id: number | undefined) => {
  const found = sql`select severity from incidents where id = ${id ?? 0}`;
  return (await world.platform.db.one(row({ severity: text }), found)).severity;
};

test("alerts up to the threshold open incidents, and further ones share one with the highest severity among them (decision 0177)", async () => {
  assert.deepEqual(await open("critical", "low"), { own: 2, shared: undefined, made: undefined });
  const { own, shared, made } = await open("critical", "low", "medium", "high", "low");
  assert.deepEqual([own, made?.iid], [2, shared?.iid]);
  assert.equal(await severityOf(shared?.id), "high");
  const next = await open("low");
  assert.deepEqual([next.own, next.shared, next.made], [0, shared, undefined]);
  assert.equal(await severityOf(shared?.id), "high", "the severity does not fall");
  await open("low", "critical");
  assert.equal(await severityOf(shared?.id), "critical");
});

test("during a storm all new alerts share an incident, and a new one is opened if somebody has closed it (decision 0177)", async () => {
  const { shared } = await open("low", "low", "low", "low", "low");
  assert.ok(shared);
  const second = Math.floor(Date.now() / 1000);
  // Half of the threshold is left in the window, so that the storm continues.
  await world.platform.db.transaction((tx) =>
    upsertIncidentStorm(tx, world.rocket.id, {
      ...{ slots: [[second - 60, 2]], since: new Date().toISOString(), opened: 5 },
      incidentId: shared.id,
    }),
  );
  assert.deepEqual(await open("low"), { own: 0, shared, made: undefined });
  await world.platform.db.run(
    sql`update incidents set state = 'closed', closed_at = now() where id = ${shared.id}`,
  );
  const after = await open("low");
  assert.equal(after.own, 0);
  assert.ok(after.made && after.shared && after.shared.id !== shared.id);
});

test("the storm of an archived project is not processed until the project is unarchived (decisions 0099, 0153)", async () => {
  const { db } = world.platform;
  await db.run(sql`insert into alert_storms (project_id, since) values (${world.rocket.id}, now())`);
  for (const archived of [true, false]) {
    await db.run(sql`update projects set archived = ${archived} where id = ${world.rocket.id}`);
    assert.deepEqual(await listStormy(db), archived ? [] : [world.rocket.id]);
  }
});
