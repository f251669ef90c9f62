/** The pages of receipts: what was received, how it was read and decided, and replays. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "/acme/rocket/-/settings/operations/receipts";
const API = "/api/v4/projects/acme%2Frocket/alert_receipts";

let world: World;
let source: Source;
let other: Source;
let max: Visitor;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  const mapping = { title: ["event.headline", "event.name"], service: ["labels.app"] };
  other = await aSource(world, "http", { name: "Depot", mapping });
  max = await signedIn(world, "max");
});

async function sent(from: Source, payload: unknown): Promise<string> {
  const { status, headers } = await from.send(payload);
  assert.equal(status, 200);
  return headers.get("x-alert-receipt") ?? "";
}

test("receipts can be filtered by integration, decision and alert, on the page and in the API (contract-alerts, receipts)", async () => {
  const first = await sent(source, { title: "Pump stands still", fingerprint: "pump" });
  const second = await sent(source, { title: "Pump stands still", fingerprint: "pump" });
  const third = await sent(other, { event: { name: "Fan" }, labels: { app: "hvac" } });
  const shown = async (query: string) => {
    const { text } = await max.get(`${PAGE}?${query}`);
    return [first, second, third].filter((id) => text.includes(`${PAGE}/${id}"`));
  };
  assert.deepEqual(await shown(""), [first, second, third]);
  assert.deepEqual(await shown(`integration=${other.id}`), [third]);
  assert.deepEqual(await shown("decision=counted"), [second]);
  assert.deepEqual(await shown("alert=1"), [first, second]);
  assert.deepEqual(await shown("alert=1&decision=created"), [first]);
  assert.deepEqual(await shown("decision=orphan"), []);
  const asked = await world.call(`${API}?decision=counted&integration_id=${source.id}&alert_iid=1`, {
    as: "max",
  });
  assert.deepEqual(
    asked.json.map((one: { id: string }) => one.id),
    [second],
  );
  assert.equal(asked.headers.get("x-total"), "1");
});

test("a receipt shows the source of each field and the reason for the decision (reference alerts F4)", async () => {
  const id = await sent(other, { event: { name: "Fan" }, labels: { app: "hvac" }, fingerprint: "fan" });
  // Removes the hints for line breaks.
  const text = (await max.get(`${PAGE}/${id}`)).text.replaceAll("<wbr>", "");
  const row = (field: string) =>
    new RegExp(`<code>${field}</code></th>([\\s\\S]*?)</tr>`).exec(text)?.[1]?.replace(/<[^>]+>/g, " ") ?? "";
  assert.match(row("title"), /Fan\s+event\.name/);
  assert.match(row("service"), /hvac\s+labels\.app/);
  assert.match(row("fingerprint"), /fan\s+fingerprint/);
  assert.match(row("severity"), /critical\s+Ours/);
  assert.match(text, /No open alert had this identity/);
  assert.match(text, /<h1[^>]*>Receipt of <time datetime="[^"]+Z" title="([^"]+ UTC)">\1<\/time><\/h1>/);
});

test("the raw body is shown escaped, with control characters made visible, and downloaded as an attachment (ux §9)", async () => {
  const id = await sent(source, { title: "<script>alert(1)</script>", trick: "a\u202eb\u0007c" });
  const { text } = await max.get(`${PAGE}/${id}`);
  assert.ok(!text.includes("<script>alert(1)"));
  assert.ok(text.includes("&lt;script&gt;alert(1)"));
  assert.ok(text.includes("a\\u{202e}b"));
  const file = await max.get(`${PAGE}/${id}/raw`);
  assert.equal(file.headers.get("content-type"), "application/octet-stream");
  assert.match(file.headers.get("content-disposition") ?? "", /^attachment;/);
  assert.equal(JSON.parse(file.text).title, "<script>alert(1)</script>");
});

test("a dry replay reports the decision and changes nothing; a real one counts and gets its own receipt (decision 0038)", async () => {
  const id = await sent(source, { title: "Belt slips", fingerprint: "belt" });
  const count = async () =>
    (await world.call("/api/v4/projects/acme%2Frocket/alert_management_alerts?search=Belt", { as: "max" }))
      .json[0].events;
  const dry = await max.submit(`${PAGE}/${id}`, { action: "dry" });
  assert.equal(dry.status, 200);
  assert.match(dry.text, /Replayed now it would be: counted\. Nothing was changed/);
  assert.equal(await count(), 1);
  const real = await max.submit(`${PAGE}/${id}`, { action: "replay" });
  assert.equal(real.status, 303);
  const { text } = await max.follow(real);
  assert.match(text, new RegExp(`A replay of receipt ${id}`));
  assert.equal(await count(), 2);
});

test("receipts are for Maintainers only and found in their own project only (contract-alerts, roles)", async () => {
  const id = await sent(source, { title: "Private" });
  const dev = await signedIn(world, "dev");
  assert.equal((await dev.get(PAGE)).status, 403);
  assert.equal((await dev.get(`${PAGE}/${id}`)).status, 403);
  assert.equal((await dev.get(`${PAGE}/${id}/raw`)).status, 403);
  assert.equal((await max.get(`/acme/open/-/settings/operations/receipts/${id}`)).status, 404);
  assert.equal((await max.get(`${PAGE}/not-an-id`)).status, 404);
  assert.ok(!(await dev.get("/acme/rocket/-/alerts/1")).text.includes("/receipts/"));
  assert.ok((await max.get("/acme/rocket/-/alerts/1")).text.includes(`${PAGE}/`));
});

test("a dry replay of a recovery also finds alerts that are not grouped (decision 0038)", async () => {
  const settings = (grouping: boolean) =>
    world.call("/api/v4/projects/acme%2Frocket/alert_settings", {
      method: "PUT",
      as: "max",
      json: { grouping },
    });
  await settings(false);
  const early = await sent(source, { title: "Alone", end_time: "2026-05-01T10:00:00Z" });
  await sent(source, { title: "Alone" });
  const replay = async (dry_run: boolean) =>
    (await world.call(`${API}/${early}/replay`, { as: "max", json: { dry_run } })).json;
  assert.deepEqual((await replay(true)).decisions, ["resolved"]);
  const { receipt_id: id } = await replay(false);
  assert.equal((await world.call(`${API}/${id}`, { as: "max" })).json.decision, "resolved");
  await settings(true);
});

test("a list of large receipts returns the same as single requests (contract-alerts, receipts)", async () => {
  const group = (n: number) => ({
    ...{ version: "4", groupKey: "{}", status: "firing", receiver: "r", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://alertmanager.example.org" },
    alerts: [
      { status: "firing", labels: { alertname: `Large ${n}` }, annotations: { all: "x".repeat(3_000_000) } },
    ],
  });
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const reply = await other.send(group(n));
    assert.equal(reply.status, 201, reply.text);
    ids.unshift(reply.headers.get("x-alert-receipt") ?? "");
  }
  const reply = await world.call(`${API}?per_page=4`, { as: "max" });
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.equal(reply.headers.get("x-per-page"), "4");
  assert.deepEqual(
    reply.json.map((one: { id: string }) => one.id),
    ids,
  );
  for (const [at, id] of ids.entries()) {
    const { json } = await world.call(`${API}/${id}`, { as: "max" });
    assert.deepEqual(reply.json[at], json);
  }
});
