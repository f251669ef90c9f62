/** Reading rules of an integration: mapping, group_by and ignore. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const setRules = (json: unknown) =>
  world.call(`${api}/alert_integrations/${source.id}`, { as: "max", method: "PUT", json });
const alertOf = async (iid: number) =>
  (await world.call(`${api}/alert_management_alerts/${iid}`, { as: "dev" })).json;

test("a foreign payload is read by the mapping, and a mapped end_time resolves its alert (contract-alerts, integrations)", async () => {
  const set = await setRules({
    mapping: {
      title: ["evt.headline", "evt.name"],
      severity: "evt.prio",
      hosts: "evt.node",
      end_time: "evt.over",
    },
  });
  assert.equal(set.status, 200);
  assert.deepEqual(set.json.mapping.title, ["evt.headline", "evt.name"]);
  assert.deepEqual(set.json.mapping.severity, ["evt.prio"]);
  const evt = { name: "Link lost", prio: "low", node: "sw-1" };
  const [opened] = (await source.send({ evt })).json;
  const alert = await alertOf(opened.iid);
  assert.deepEqual([alert.title, alert.severity, alert.hosts], ["Link lost", "low", ["sw-1"]]);
  const reply = await source.send({ evt: { ...evt, node: "sw-2", over: new Date().toISOString() } });
  assert.deepEqual(reply.json, [{ iid: opened.iid, title: "Link lost" }]);
  assert.equal((await alertOf(opened.iid)).status, "resolved");
  const receipt = await world.call(`${api}/alert_receipts/${reply.headers.get("x-alert-receipt")}`, {
    as: "max",
  });
  assert.equal(receipt.json.decision, "resolved");
  assert.equal(receipt.json.reading.alerts[0].title, "Link lost");
});

test("payloads are grouped by the values at group_by, whatever else differs (contract-alerts, integrations)", async () => {
  await setRules({ mapping: null, group_by: ["check.id", "site"], ignore: [] });
  const iids = [];
  for (const [id, site, load] of [
    [1, "a", 91],
    [1, "a", 92],
    [1, "b", 93],
    [2, "a", 94],
  ]) {
    iids.push((await source.send({ title: `Load ${load}`, check: { id }, site, load })).json[0].iid);
  }
  const [first = 0] = iids;
  assert.deepEqual(iids, [first, first, first + 1, first + 2]);
  assert.equal((await alertOf(first)).events, 2);
});

test("payloads that differ only in ignored members are one alert (contract-alerts, integrations)", async () => {
  await setRules({ group_by: [], ignore: ["load", "meta.at"] });
  const send = async (title: string, load: number) =>
    (await source.send({ title, load, meta: { at: load, of: "x" } })).json[0].iid;
  const first = await send("Hot", 1);
  assert.equal(await send("Hot", 2), first);
  assert.notEqual(await send("Hotter", 2), first);
});

test("a mapping to anything but paths is refused (reference events A2)", async () => {
  for (const at of [{ a: "b" }, 5, [5], [null]]) {
    const refused = await setRules({ mapping: { severity: at } });
    assert.deepEqual([refused.status, refused.json], [400, { error: "mapping is invalid" }]);
  }
});

test("invalid rules are refused by field and change nothing (contract-alerts, integrations)", async () => {
  for (const [field, value] of Object.entries({
    mapping: { colour: "a" },
    group_by: ["a..b"],
    ignore: [""],
  })) {
    const refused = await setRules({ [field]: value });
    assert.equal(refused.status, 400, field);
    assert.ok(refused.json.message[field], JSON.stringify(refused.json));
  }
  const kept = await world.call(`${api}/alert_integrations/${source.id}`, { as: "max" });
  assert.deepEqual([kept.json.mapping, kept.json.ignore], [null, ["load", "meta.at"]]);
});

test("a receipt is replayed with the current rules; a dry run reports the decision and changes nothing (contract-alerts, receipts)", async () => {
  await setRules({ group_by: [], ignore: [], mapping: null });
  const sent = await source.send({ evt: { name: "Replayed" } });
  const [first] = sent.json;
  assert.equal(first.title, "New: Alert");
  await setRules({ mapping: { title: "evt.name" } });
  const path = `${api}/alert_receipts/${sent.headers.get("x-alert-receipt")}/replay`;
  const replay = (json: unknown, as: "max" | "dev" = "max") => world.call(path, { as, method: "POST", json });
  const dry = await replay({ dry_run: true });
  assert.equal(dry.status, 200);
  assert.deepEqual([dry.json.dry_run, dry.json.decisions, dry.json.alerts], [true, ["counted"], []]);
  assert.equal(dry.json.reading.alerts[0].title, "Replayed");
  assert.equal((await alertOf(first.iid)).events, 1);

  const wet = await replay({});
  assert.deepEqual([wet.json.dry_run, wet.json.alerts[0].iid], [false, first.iid]);
  assert.equal((await alertOf(first.iid)).events, 2);
  const kept = await world.call(`${api}/alert_receipts/${wet.json.receipt_id}`, { as: "max" });
  assert.equal(kept.json.decision, "counted");
  assert.match(kept.json.warnings[0], /replay of receipt/);

  assert.equal((await replay({}, "dev")).status, 403);
  const absent = await world.call(`${api}/alert_receipts/nothing/replay`, {
    as: "max",
    method: "POST",
    json: {},
  });
  assert.equal(absent.status, 404);
});
