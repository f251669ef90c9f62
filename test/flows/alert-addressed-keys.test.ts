/** The authorization key as a query parameter: accepted only if its integration allows it. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket/alert_integrations";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const post = (path: string, headers: Record<string, string> = {}) =>
  world.call(path, { json: { text: "PROBLEM: queue" }, headers });
const addressed = (key: string) => `${source.path}?authorization_key=${key}`;
const allow = (key_in_address: boolean, id = source.id) =>
  world.call(`${api}/${id}`, { as: "max", method: "PUT", json: { key_in_address } });

test("a key in the query is refused with 401 unless a Maintainer allows it there (decision 0142; reference alerts D21)", async () => {
  assert.equal((await post(addressed(source.key))).status, 401);
  assert.equal((await allow(true)).json.key_in_address, true);
  assert.equal((await post(addressed(source.key))).status, 200);
  assert.equal(
    (await post(addressed(source.key.replace(/.$/, (last) => (last === "x" ? "y" : "x"))))).status,
    401,
  );
  assert.equal((await post(addressed(""))).status, 401);
  assert.equal((await allow(false)).json.key_in_address, false);
  assert.equal((await post(addressed(source.key))).status, 401);
});

test("the Authorization header takes precedence over the query, and two keys in the query are refused (decision 0142)", async () => {
  await allow(true);
  assert.equal((await post(addressed(source.key), { authorization: "Bearer wrong" })).status, 401);
  assert.equal((await post(addressed("wrong"), { authorization: `Bearer ${source.key}` })).status, 200);
  assert.equal((await post(`${addressed(source.key)}&authorization_key=${source.key}`)).status, 401);
});

test("each integration allows keys in the query for itself, also at endpoints shared by several (decision 0142)", async () => {
  const [open, shut] = [await aSource(world, "prometheus"), await aSource(world, "prometheus")];
  await allow(true, open.id);
  for (const path of [open.path, "/acme/rocket/alertmanager/api/v2/alerts"]) {
    const alerts = [{ labels: { alertname: "a" }, annotations: {} }];
    const by = async (key: string) =>
      (await world.call(`${path}?authorization_key=${key}`, { json: alerts })).status;
    assert.deepEqual([await by(open.key), await by(shut.key)], [200, 401], path);
  }
});

test("an integration that requires signatures refuses an unsigned request with its key in the query (spec: Authentication 10)", async () => {
  const signed = await aSource(world, "http");
  const secret = "a secret of sixteen";
  await world.call(`${api}/${signed.id}`, {
    ...{ as: "max", method: "PUT" },
    json: { key_in_address: true, signature: "hmac_sha256", signature_secret: secret },
  });
  assert.equal((await post(`${signed.path}?authorization_key=${signed.key}`)).status, 401);
});

test("the integration page has the switch and shows the full URL while it is on, and the audit log records the change (decision 0142)", async () => {
  const visitor = await signedIn(world, "max");
  const path = `/acme/rocket/-/settings/operations/integrations/${source.id}`;
  await allow(false);
  assert.doesNotMatch((await visitor.get(path)).text, /authorization_key=/);
  await visitor.submit(path, { name: "Chat", active: "true", key_in_address: "true" });
  assert.match((await visitor.get(path)).text, new RegExp(`notify\\.json\\?authorization_key=${source.key}`));
  await visitor.submit(path, { name: "Chat", active: "true" });
  assert.equal((await world.call(`${api}/${source.id}`, { as: "max" })).json.key_in_address, false);
  const audit = await signedIn(world, "ada");
  assert.match((await audit.get("/admin/audit")).text, /key_in_address/);
});

test("neither response nor receipt contains a key that was sent in the query (reference reliability S106)", async () => {
  await allow(true);
  const reply = await post(addressed(source.key));
  const id = reply.headers.get("x-alert-receipt");
  const receipt = await world.call(`/api/v4/projects/acme%2Frocket/alert_receipts/${id}`, { as: "max" });
  assert.deepEqual([reply.status, receipt.status, receipt.json.id], [200, 200, id]);
  assert.doesNotMatch(receipt.text + reply.text, new RegExp(source.key));
});

test("other paths of the Alertmanager API return 404 with a JSON message (decision 0085)", async () => {
  for (const path of ["silences", "status"]) {
    const reply = await post(`/acme/rocket/alertmanager/api/v2/${path}`, {
      authorization: `Bearer ${source.key}`,
    });
    assert.deepEqual([reply.status, reply.json.message], [404, "404 Not Found"], path);
  }
});
