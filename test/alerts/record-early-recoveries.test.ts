/** Recoveries that arrive before their firings, at the boundaries: which firings they end, and when they are used up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Delivery } from "../../src/alerts/delivery.ts";
import { recordBatch } from "../../src/alerts/record-batch.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { deliveriesToTwo, type Place } from "../support/alerts.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld();
const aDelivery = await deliveriesToTwo(world);
for (const { id } of [world.rocket, world.open]) {
  const path = `/api/v4/projects/${id}/alert_settings`;
  const json = { late_firings_stay_resolved: true };
  assert.equal((await world.call(path, { as: "max", method: "PUT", json })).status, 200);
}

const at = (minute: number) => `2026-05-01T10:${String(minute).padStart(2, "0")}:00Z`;
/** One request about the alert with this name. */
const said = (name: string, times: object, place?: Place) =>
  aDelivery({ title: name, fingerprint: name, ...times }, place);
const began = (name: string, minute: number) => said(name, { start_time: at(minute) });
const ended = (name: string, minute: number) => said(name, { end_time: at(minute) });
const record = (...deliveries: Delivery[]) => recordBatch(world.platform, deliveries);
const alertsOf = (name: string) =>
  world.platform.db.many(
    row({ project: integer, status: text, events: integer, deliveries: integer }),
    sql`select project_id as project, status, events, deliveries from alerts where title = ${name} order by id`,
  );
const statesOf = async (name: string) => (await alertsOf(name)).map(({ status, events }) => [status, events]);

test("an early recovery ends a firing of its own project only (decision 0180)", async () => {
  await record(said("Gate", { end_time: at(30) }, "open"));
  await record(began("Gate", 10));
  await record(said("Gate", { start_time: at(10) }, "open"));
  assert.deepEqual(
    (await alertsOf("Gate")).map(({ project, status }) => [project, status]),
    [
      [world.rocket.id, "triggered"],
      [world.open.id, "resolved"],
    ],
  );
});

test("a firing that started after an early recovery opens an alert (decision 0180)", async () => {
  await record(ended("After", 20));
  await record(began("After", 21));
  assert.deepEqual(await statesOf("After"), [["triggered", 1]]);
});

test("every early recovery of a batch is kept for its firing (decision 0180)", async () => {
  const names = ["First", "Second", "Third"];
  await record(...names.map((name) => ended(name, 30)));
  await record(...names.map((name) => began(name, 10)));
  for (const name of names) assert.deepEqual(await statesOf(name), [["resolved", 1]], name);
});

test("an early recovery is used up by one firing, and does not end one that starts at the moment of the recovery (decisions 0179, 0180)", async () => {
  await record(ended("Spent", 30));
  await record(began("Spent", 10));
  await record(began("Spent", 30));
  assert.deepEqual(await statesOf("Spent"), [
    ["resolved", 1],
    ["triggered", 1],
  ]);
});

test("repeats of a firing that ended at its own start are counted on the resolved alert (decision 0179)", async () => {
  await record(ended("At once", 10));
  await record(began("At once", 10));
  await record(began("At once", 10), began("At once", 10));
  assert.deepEqual(
    (await alertsOf("At once")).map(({ status, events, deliveries }) => [status, events, deliveries]),
    [["resolved", 3, 3]],
  );
});
