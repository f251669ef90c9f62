/** Event sources for CloudEvents: who may send, in which modes, and how much at once (contract-events §3). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { exampleOf, type Forge, sources, startForge } from "../support/forge.ts";
import type { World } from "../support/world.ts";

let world: World;
let deliver: Forge["deliver"];
let listed: Forge["listed"];
before(async () => {
  ({ world, deliver, listed } = await startForge());
});

test("a CloudEvents abuse-protection request is allowed whether or not the source exists, and CORS preflights still work (HTTP 1.1 Web Hooks for CloudEvents §4)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Asked", type: "cloudevents" } });
  const to: string = made.json.url.slice(world.url.length);
  const names = ["allow", "webhook-allowed-origin", "webhook-allowed-rate", "access-control-allow-methods"];
  const ask = async (path: string, headers: Record<string, string>) => {
    const asked = await world.call(path, { method: "OPTIONS", headers });
    return [asked.status, ...names.map((name) => asked.headers.get(name))];
  };
  const origin = { "webhook-request-origin": "eventgrid.azure.net", "webhook-request-rate": "120" };
  for (const path of [to, to.replace(/[^/]+(?=\/receive)/, "nobody")]) {
    assert.deepEqual(await ask(path, origin), [200, "POST, OPTIONS", "*", "2000", null], path);
  }
  const [status, , allowed, , methods] = await ask(to, { origin: "https://a.example.org" });
  assert.deepEqual([status, allowed], [200, null]);
  assert.match(String(methods), /POST/);
  const [, , elsewhere] = await ask(sources, origin);
  assert.equal(elsewhere, null);
});

test("CloudEvents are accepted in structured, binary and batch mode, with a forge's payload or an event of our own format (contract-events §3)", async () => {
  const made = await world.call(sources, {
    as: "max",
    json: { name: "CE", type: "cloudevents", secret: "s3cret-of-sixteen" },
  });
  const to = made.json.url.slice(world.url.length);
  const send = (json: unknown, headers: Record<string, string> = {}) =>
    world.call(to, {
      method: "POST",
      body: JSON.stringify(json),
      headers: {
        authorization: "Bearer s3cret-of-sixteen",
        "content-type": "application/cloudevents+json; charset=utf-8",
        ...headers,
      },
    });
  const issue = exampleOf("issues", (p) => p.action === "opened");
  const time = new Date(Date.now() - 3_600_000).toISOString();
  const base = { specversion: "1.0", source: "/ci", id: "1", time };
  const structured = await send({ ...base, type: "com.github.issues.opened", data: issue });
  assert.equal(structured.json.status, "accepted", structured.text);
  const [opened] = await listed(structured.json.event_ids);
  assert.deepEqual([opened.target_iid, opened.created_at], [issue.issue.number, time]);
  assert.equal(
    (await send({ ...base, type: "com.github.issues.opened", data: issue })).json.status,
    "duplicate",
  );
  const body = { action: "created", target_type: "Milestone", target_iid: 4, target_title: "M" };
  const binary = await send(body, {
    "content-type": "application/json",
    "ce-specversion": "1.0",
    "ce-id": "2",
    "ce-source": "/ci",
    "ce-type": "gatehouse.event",
  });
  const [milestone] = await listed(binary.json.event_ids);
  assert.deepEqual([milestone.target_type, milestone.author_username], ["Milestone", "max"]);
  const batch = await send(
    [
      { ...base, id: "3", type: "gatehouse.event", data: { ...body, author_username: "dev" } },
      { ...base, id: "1", type: "com.github.issues.opened", data: issue },
      { ...base, id: "4", type: "org.example.unknown", data: {} },
    ],
    { "content-type": "application/cloudevents-batch+json" },
  );
  assert.equal(batch.json.status, "accepted");
  assert.equal(batch.json.event_ids.length, 2);
  assert.equal(batch.json.event_ids[1], opened.id);
  assert.equal((await listed(batch.json.event_ids))[0].author_username, "dev");
  for (const [envelope, status] of [
    [{ ...base, id: "5", type: "gatehouse.event", data: { action: "danced" } }, 400],
    [{ ...base, id: "6", type: "gatehouse.event", data: { action: "merged", target_type: "Issue" } }, 422],
    [{ ...base, id: "7", type: "gatehouse.event", data: { ...body, author_id: 99_999 } }, 422],
    [{ ...base, specversion: "0.3", type: "gatehouse.event", data: body }, 400],
    [{ specversion: "1.0" }, 400],
    [[], 400],
    ["x", 400],
  ] as [unknown, number][]) {
    assert.equal((await send(envelope)).status, status, JSON.stringify(envelope));
  }
  assert.equal(
    (await send({ ...base, id: "8", type: "gatehouse.event", data: body }, { authorization: "Bearer wrong" }))
      .status,
    401,
  );
  const github = await deliver("issues", issue, { to, secret: "s3cret-of-sixteen" });
  assert.equal(github.status, 401, "a source of one type accepts no other forge");
});

test("each CloudEvent of a batch is stored and replayed individually, and a batch of more than 10,000 is refused (contract-events §3)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Many", type: "cloudevents" } });
  const { url, secret, id } = made.json;
  const event = (n: number) => ({
    specversion: "1.0",
    source: "/many",
    id: String(n),
    type: "org.example.unknown",
  });
  const send = (list: unknown[]) =>
    world.call(url.slice(world.url.length), {
      method: "POST",
      body: JSON.stringify(list),
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/cloudevents-batch+json; charset=utf-8",
      },
    });
  const list = Array.from({ length: 20 }, (_, n) => ({ ...event(n), data: "x".repeat(1000) }));
  assert.equal((await send(list)).json.status, "ignored");
  const kept = await world.platform.db.many(
    row({ id: integer, deliveryId: text, raw: text }),
    sql`select id, delivery_id, convert_from(raw, 'UTF8') as raw from event_deliveries where source_id = ${id} order by id`,
  );
  assert.deepEqual(
    kept.map(({ raw }) => JSON.parse(raw)),
    list,
  );
  // As if a later version could read a type that was ignored.
  const data = { action: "created", target_type: "Milestone", target_iid: 40, target_title: "M" };
  const known = JSON.stringify({ ...event(7), type: "gatehouse.event", data });
  await world.platform.db.run(
    sql`update event_deliveries set raw = convert_to(${known}, 'UTF8') where id = ${kept[7]?.id}`,
  );
  const replay = await world.call(`${sources}/${id}/deliveries/${kept[7]?.id}/replay`, {
    as: "max",
    method: "POST",
  });
  assert.deepEqual([replay.status, replay.json], [201, { status: "accepted", recorded: 1 }]);
  const many = await send(Array.from({ length: 10_001 }, (_, n) => event(n)));
  assert.deepEqual(
    [many.status, many.json],
    [400, { error: "The batch holds more than 10,000 CloudEvents" }],
  );
});

test("JSON in a CloudEvent that is nested deeper than a delivery may be is refused with 400 (contract-events §3; decision 0159)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Deep", type: "cloudevents" } });
  const send = (levels: number) => {
    const attachment = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const note = `{"body":"Deep","noteable_type":"Issue","noteable_iid":3,"attachment":${attachment}}`;
    const data = `{"action":"commented","target_type":"Note","target_id":5,"note":${note}}`;
    return world.call(made.json.url.slice(world.url.length), {
      json: {
        ...{ specversion: "1.0", id: `deep-${levels}`, source: "/ci", type: "gatehouse.event" },
        data_base64: Buffer.from(data).toString("base64"),
      },
      headers: {
        authorization: `Bearer ${made.json.secret}`,
        "content-type": "application/cloudevents+json",
      },
    });
  };
  const statuses = await Promise.all([98, 99, 1000, 20_000].map(async (n) => (await send(n)).status));
  assert.deepEqual(statuses, [202, 400, 400, 400]);
});

test("the external_id of an event is its replay key in the project, whether a CloudEvent or the write API brings it (contract-events §1, §3)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Keys", type: "cloudevents" } });
  const { url, secret, id } = made.json;
  const send = (content: unknown, type = "cloudevents") =>
    world.call(url.slice(world.url.length), {
      method: "POST",
      body: JSON.stringify(content),
      headers: { authorization: `Bearer ${secret}`, "content-type": `application/${type}+json` },
    });
  const envelope = (number: number, data: object) => ({
    ...{ specversion: "1.0", source: "/keys", id: String(number), type: "gatehouse.event" },
    time: new Date(Date.now() - number * 60_000).toISOString(),
    data,
  });
  const body = { action: "created", target_type: "Issue", target_iid: 700, target_title: "Once" };
  const data = { ...body, external_id: "once" };
  const first = await send(envelope(1, data));
  assert.equal(first.json.status, "accepted", first.text);
  const again = await send(envelope(2, data));
  assert.deepEqual(
    [again.status, again.json],
    [202, { status: "duplicate", event_ids: first.json.event_ids, reason: null }],
  );
  const events = "/api/v4/projects/acme%2Frocket/events";
  const written = await world.call(events, { as: "max", json: data });
  assert.deepEqual([written.status, written.json.id], [200, first.json.event_ids[0]]);
  const other = await send(envelope(3, { ...data, target_title: "Other" }));
  const why = "external_id was already used with a different body";
  assert.deepEqual([other.status, other.json], [422, { message: why }]);
  const mixed = [envelope(4, data), envelope(5, { ...body, external_id: "twice" })];
  const batch = await send([...mixed, envelope(6, { ...body, external_id: "twice" })], "cloudevents-batch");
  assert.equal(batch.json.status, "accepted", batch.text);
  const [known, fresh, same] = batch.json.event_ids;
  assert.deepEqual([known, same], [first.json.event_ids[0], fresh]);
  const list = await world.call(`${events}?search=once&per_page=100`, { as: "max" });
  assert.equal(list.json.length, 2);
  const deliveries = await world.call(`${sources}/${id}/deliveries`, { as: "max" });
  assert.ok(deliveries.json.every(({ event_ids }: { event_ids: number[] }) => event_ids.length === 1));
  assert.equal(deliveries.json.length, 5);
});
