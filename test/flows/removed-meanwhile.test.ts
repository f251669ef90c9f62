/** The object of a request is deleted during the request: the request fails with a clear error, and nothing of it is stored. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sign } from "@octokit/webhooks-methods";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const GONE = { message: "The resource was removed during the request." };

let world: World;
before(async () => {
  world = await startWorld();
});

/** Sends the request while a transaction has deleted something but not yet committed. */
async function whileRemoving(removal: Sql, ask: () => Promise<Reply>): Promise<Reply> {
  return (await whileDoing(world, (tx) => tx.run(removal), ask)).worked;
}

test("an alert for an integration that is being deleted gets 409, and the next one 403 (decision 0151)", async () => {
  const source = await aSource(world, "http");
  const send = () => source.send({ title: "Late" }, { "idempotency-key": "late" });
  const reply = await whileRemoving(sql`delete from alert_integrations where id = ${source.id}`, send);
  assert.deepEqual([reply.status, reply.json], [409, GONE]);
  assert.equal((await send()).status, 403);
  const alerts = await world.call(`${API}/alert_management_alerts`, { as: "dev" });
  assert.deepEqual(alerts.json, []);
});

test("changing an integration that is being deleted gets the same 404 as one that does not exist (contract-alerts, integrations; decision 0151)", async () => {
  const source = await aSource(world, "http");
  const change = () =>
    world.call(`${API}/alert_integrations/${source.id}`, {
      as: "max",
      method: "PUT",
      json: { name: "Late" },
    });
  const reply = await whileRemoving(sql`delete from alert_integrations where id = ${source.id}`, change);
  assert.deepEqual([reply.status, reply.json], [404, { message: "404 Integration Not Found" }]);
  assert.deepEqual((await change()).json, reply.json);
});

test("changing an incident that is being deleted gets the same 404 as one that does not exist (contract §4, visibility; decision 0151)", async () => {
  const title = { title: "Late", issue_type: "incident" };
  const { iid } = (await world.call(`${API}/issues`, { as: "max", json: title })).json;
  const change = () =>
    world.call(`${API}/issues/${iid}`, { as: "max", method: "PUT", json: { description: "Later" } });
  const reply = await whileRemoving(sql`delete from incidents where iid = ${iid}`, change);
  assert.deepEqual([reply.status, reply.json], [404, { message: "404 Issue Not Found" }]);
  assert.deepEqual((await change()).json, reply.json);
});

test("a delivery to an event source that is being deleted gets 409, and the next one 404 (decision 0151)", async () => {
  const { json: made } = await world.call(`${API}/event_sources`, { as: "max", json: { name: "Going" } });
  const body = JSON.stringify({ zen: "Going", action: "opened", issue: { number: 1, id: 1, title: "Late" } });
  const headers = {
    "content-type": "application/json",
    "x-github-event": "issues",
    "x-hub-signature-256": await sign(made.secret, body),
  };
  const deliver = () => world.call(made.url.slice(world.url.length), { method: "POST", body, headers });
  const reply = await whileRemoving(sql`delete from event_sources where id = ${made.id}`, deliver);
  assert.deepEqual([reply.status, reply.json], [409, GONE]);
  assert.equal((await deliver()).status, 404);
});

test("an event whose author is being deleted gets 409, and the next one 422 (decision 0151)", async () => {
  const password = "correct horse battery staple";
  const fields = { username: "going", name: "Going", email: "going@example.org", password };
  const { id } = (await world.call("/api/v4/users", { as: "ada", json: fields })).json;
  const json = { action: "created", target_type: "issue", author_id: id };
  const write = () => world.call(`${API}/events`, { as: "max", json });
  const reply = await whileRemoving(sql`delete from users where id = ${id}`, write);
  assert.deepEqual([reply.status, reply.json], [409, GONE]);
  assert.equal((await write()).status, 422);
});
