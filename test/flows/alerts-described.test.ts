/** The OpenAPI document says what the API of alerts answers, and names nothing that never comes (contract-alerts). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { whole } from "../support/described.ts";
import { startReceiver } from "../support/receivers.ts";
import { type CallOptions, type Reply, startWorld, type World } from "../support/world.ts";

type Json = Reply["json"];

const ROOM = /^\/api\/v4(\/projects\/\{id\}\/(?:alert_|issues|labels|incident_templates).*)$/;
const ALERTS = "/projects/{id}/alert_management_alerts";
const ISSUES = "/projects/{id}/issues";
const RECEIPTS = "/projects/{id}/alert_receipts";
const INTEGRATIONS = "/projects/{id}/alert_integrations";
const SILENCES = "/projects/{id}/alert_silences";
const CHANNELS = "/projects/{id}/alert_channels";
const HEARTBEATS = "/projects/{id}/alert_heartbeats";
const TEMPLATES = "/projects/{id}/incident_templates";

let world: World;
let document: Json;
let source: Source;
let hook: string;
before(async () => {
  const receiver = await startReceiver();
  hook = receiver.url;
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
  document = (await world.call("/openapi.json")).json;
  source = await aSource(world);
});

/** The operations of the room: `get /projects/{id}/labels`, with what the document says of each. */
function operationsOfRoom(): Map<string, Json> {
  return new Map(
    Object.entries<Json>(document.paths).flatMap(([path, methods]) => {
      const address = ROOM.exec(path)?.[1];
      if (address === undefined) return [];
      return Object.entries<Json>(methods).map(([method, told]) => [`${method} ${address}`, told] as const);
    }),
  );
}

/** Its success: the status and what the document says of it. */
function successOf({ responses }: Json): [status: string, said: Json] {
  const found = Object.entries<Json>(responses).filter(([status]) => status.startsWith("2"));
  assert.equal(found.length, 1);
  return found[0] as [string, Json];
}

test("every operation on alerts says its success by status and record, and its refusals (contract-alerts; house §2.7)", () => {
  const operations = operationsOfRoom();
  assert.ok(operations.size >= 52);
  for (const [name, told] of operations) {
    const statuses = Object.keys(told.responses);
    for (const status of statuses) assert.match(status, /^[24]\d\d$/, name);
    for (const status of ["400", "401", "403", "404"])
      assert.ok(statuses.includes(status), `${name} ${status}`);
    const [status, { content, headers }] = successOf(told);
    const schema = content?.["application/json"]?.schema;
    assert.equal(schema === undefined, status === "204", name);
    for (const one of objectsIn(whole(schema ?? {}, document.components.schemas))) {
      if (one.properties) assert.equal(one.additionalProperties, false, name);
    }
    const isInPages = told.parameters.some((one: Json) => one.name === "page") && schema.type === "array";
    assert.equal("X-Total-Pages" in (headers ?? {}), isInPages, name);
  }
});

/** All objects of a schema. */
function objectsIn(schema: Json): Json[] {
  if (Array.isArray(schema)) return schema.flatMap(objectsIn);
  if (schema === null || typeof schema !== "object") return [];
  return [...(schema.type === "object" ? [schema] : []), ...Object.values(schema).flatMap(objectsIn)];
}

/** The members that a schema names, each with the values that stand there in these records. */
function membersOf(schema: Json, values: Json[], at = ""): [name: string, values: Json[]][] {
  const kinds: Json[] = schema.anyOf ?? [schema];
  return kinds.flatMap(({ items, properties = {} }) => {
    const listed = items ? membersOf(items, values.filter(Array.isArray).flat(), `${at}[]`) : [];
    const named = Object.entries<Json>(properties).flatMap(([name, inner]): [string, Json[]][] => {
      const records = values.filter((one) => one !== null && typeof one === "object" && !Array.isArray(one));
      const found = records.map((one) => one[name]).filter((one) => one !== undefined);
      return [[`${at}.${name}`, found], ...membersOf(inner, found, `${at}.${name}`)];
    });
    return [...listed, ...named];
  });
}

test("each operation on alerts answers what the document says, and every member that it names really comes (contract §3; contract-alerts)", async () => {
  const operations = operationsOfRoom();
  const shapes = document.components.schemas;
  /** By name of a shape or of an operation: what was answered. */
  const seen = new Map<string, Json[]>();
  const asked = new Set<string>();
  const ask = async (
    operation: string,
    places: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
    query = "",
  ): Promise<Reply> => {
    const [method = "", path = ""] = operation.split(" ");
    const address = path.replace(/\{(\w+)\}/g, (_all, name) =>
      name === "id" ? "acme%2Frocket" : String(places[name]),
    );
    const reply = await world.call(`/api/v4${address}${query}`, {
      as: "max",
      method: method.toUpperCase(),
      ...options,
    });
    const [status, said] = successOf(operations.get(operation));
    assert.equal(String(reply.status), status, `${operation}: ${reply.text}`);
    for (const header of Object.keys(said.headers ?? {})) assert.ok(reply.headers.has(header), operation);
    asked.add(operation);
    const schema = said.content?.["application/json"]?.schema;
    if (schema === undefined) return reply;
    const named: string = schema.$ref ?? schema.items?.$ref ?? operation;
    const records = schema.items?.$ref ? reply.json : [reply.json];
    seen.set(named, [...(seen.get(named) ?? []), ...records]);
    return reply;
  };

  await world.call("/api/v4/projects/acme%2Frocket/environments", {
    as: "max",
    json: { name: "production" },
  });
  const template = await ask(`post ${TEMPLATES}`, {}, { json: { name: "Runbook", content: "1. Look" } });
  const ofTemplate = { template_id: template.json.id };
  await ask(`get ${TEMPLATES}`);
  await ask(`get ${TEMPLATES}/{template_id}`, ofTemplate);
  await ask(`put ${TEMPLATES}/{template_id}`, ofTemplate, { json: { content: "1. Look closely" } });
  await ask("put /projects/{id}/alert_settings", {}, { json: { incident_template: "Runbook" } });
  await ask("get /projects/{id}/alert_settings");

  const made = await ask(
    `post ${INTEGRATIONS}`,
    {},
    {
      json: {
        type: "http",
        name: "Depot",
        mapping: { title: "event.name" },
        value_tables: { severity: { p1: "critical" } },
        payload_example: { event: { name: "Fan" } },
      },
    },
  );
  const ofIntegration = { integration_id: made.json.id };
  await ask(`get ${INTEGRATIONS}`);
  await ask(`get ${INTEGRATIONS}/{integration_id}`, ofIntegration);
  await ask(`put ${INTEGRATIONS}/{integration_id}`, ofIntegration, { json: { group_by: ["event.name"] } });
  await ask(`post ${INTEGRATIONS}/{integration_id}/rotate_key`, ofIntegration);
  const payload = { event: { name: "Fan" }, hosts: ["a"], severity: "p1" };
  await ask(`post ${INTEGRATIONS}/{integration_id}/test`, ofIntegration, { json: { payload } });
  const refused = await world.call(`/api/v4/projects/acme%2Frocket/alert_integrations/${made.json.id}/test`, {
    as: "max",
    json: { payload: "{" },
  });
  assert.deepEqual([refused.status, refused.json.status], [422, "error"]);
  await ask(`delete ${INTEGRATIONS}/{integration_id}`, ofIntegration);

  const alert = { title: "Pump stands still", environment: "production", hosts: ["pump-1"] };
  const fired = await source.send({ ...alert, start_time: "2026-05-01T10:00:00Z" });
  const ofAlert = { iid: fired.json[0].iid };
  await ask(`get ${ALERTS}`);
  await ask(`get ${ALERTS}/export`);
  const csv = await world.call("/api/v4/projects/acme%2Frocket/alert_management_alerts/export?format=csv", {
    as: "max",
  });
  const { content } = operations.get(`get ${ALERTS}/export`).responses[200];
  assert.ok(Object.keys(content).includes(csv.headers.get("content-type")?.split(";")[0] ?? ""));
  await ask(`get ${ALERTS}/counts`);
  await ask(`put ${ALERTS}/{iid}`, ofAlert, { json: { assignee_ids: [world.ids.dev] } });
  await ask(`get ${ALERTS}/{iid}`, ofAlert);
  await ask(`post ${ALERTS}/{iid}/notes`, ofAlert, { json: { body: "Looking" } });
  await ask(`get ${ALERTS}/{iid}/notes`, ofAlert);

  const receipts = await ask(`get ${RECEIPTS}`);
  const ofReceipt = { receipt_id: receipts.json[0].id };
  await ask(`get ${RECEIPTS}/{receipt_id}`, ofReceipt);
  await ask(`post ${RECEIPTS}/{receipt_id}/replay`, ofReceipt, { json: { dry_run: true } });
  await ask(`post ${RECEIPTS}/{receipt_id}/replay`, ofReceipt);

  await ask("put /projects/{id}/alert_settings", {}, { json: { create_incident: false } });
  const other = await source.send({ title: "Fan is loud" });
  await ask(`post ${ALERTS}/{iid}/incident`, { iid: other.json[0].iid });
  const opened = await ask(`post ${ISSUES}`, {}, { json: { title: "Depot is dark" } });
  const ofIssue = { iid: opened.json.iid };
  await ask(`put ${ISSUES}/{iid}`, ofIssue, { json: { state_event: "close" } });
  await ask(`get ${ISSUES}`);
  await ask(`get ${ISSUES}/{iid}`, ofIssue);
  await ask(`post ${ISSUES}/{iid}/notes`, ofIssue, { json: { body: "Lit" } });
  await ask(`get ${ISSUES}/{iid}/notes`, ofIssue);
  await ask("get /projects/{id}/labels");

  const matchers = [{ field: "payload", path: "title", operator: "contains", value: "Fan" }];
  const recurrence = { days: [1], from: "22:00", to: "06:00", zone: "Europe/Berlin" };
  const silence = await ask(`post ${SILENCES}`, {}, { json: { comment: "Nights", matchers, recurrence } });
  const ofSilence = { silence_id: silence.json.id };
  await ask(`post ${SILENCES}/preview`, {}, { json: { matchers } });
  await ask(`get ${SILENCES}`);
  await ask(`get ${SILENCES}/{silence_id}`, ofSilence);
  await ask(`put ${SILENCES}/{silence_id}`, ofSilence, { json: { comment: "Mondays" } });
  await ask(`delete ${SILENCES}/{silence_id}`, ofSilence);

  const channel = await ask(`post ${CHANNELS}`, {}, { json: { kind: "webhook", name: "Ops", url: hook } });
  const ofChannel = { channel_id: channel.json.id };
  await ask(`get ${CHANNELS}`);
  await ask(`get ${CHANNELS}/{channel_id}`, ofChannel);
  await ask(`put ${CHANNELS}/{channel_id}`, ofChannel, { json: { active: false } });
  await ask(`post ${CHANNELS}/{channel_id}/test`, ofChannel);
  await deliverDue(world.platform);
  const deliveries = await ask(`get ${CHANNELS}/{channel_id}/deliveries`, ofChannel);
  const ofDelivery = { ...ofChannel, delivery_id: deliveries.json[0].id };
  await ask(`post ${CHANNELS}/{channel_id}/deliveries/{delivery_id}/resend`, ofDelivery);
  await ask(`delete ${CHANNELS}/{channel_id}`, ofChannel);

  const beat = await ask(`post ${HEARTBEATS}`, {}, { json: { name: "Backup" } });
  const ofBeat = { heartbeat_id: beat.json.id };
  await ask(`get ${HEARTBEATS}`);
  await ask(`get ${HEARTBEATS}/{heartbeat_id}`, ofBeat);
  await ask(`put ${HEARTBEATS}/{heartbeat_id}`, ofBeat, { json: { active: false } });
  await ask(`post ${HEARTBEATS}/{heartbeat_id}/rotate_key`, ofBeat);
  await ask(`delete ${HEARTBEATS}/{heartbeat_id}`, ofBeat);
  await ask(`delete ${TEMPLATES}/{template_id}`, ofTemplate);

  assert.deepEqual(
    [...operations.keys()].filter((operation) => !asked.has(operation)),
    [],
  );
  for (const [name, records] of seen) {
    const said = name.startsWith("#")
      ? { $ref: name }
      : successOf(operations.get(name))[1].content["application/json"].schema;
    for (const [member, values] of membersOf(whole(said, shapes), records)) {
      assert.ok(values.length > 0, `no answer of ${name} has ${member}`);
    }
  }
});

test("a body that may be left out is described so, and no other (house §2.7)", async () => {
  const keyOf = `${INTEGRATIONS}/{integration_id}/rotate_key`;
  const optional = [...operationsOfRoom()].filter(([, { requestBody }]) => requestBody?.required === false);
  assert.deepEqual(optional.map(([operation]) => operation).sort(), [
    `post ${keyOf}`,
    `post ${RECEIPTS}/{receipt_id}/replay`,
  ]);
  const rotated = await world.call(
    `/api/v4/projects/acme%2Frocket/alert_integrations/${source.id}/rotate_key`,
    { as: "max", method: "POST" },
  );
  assert.equal(rotated.status, 200);
  for (const path of ["/projects/{id}", "/groups/{id}"]) {
    assert.equal(document.paths[`/api/v4${path}`].delete.requestBody.required, false, path);
  }
  assert.equal(document.paths["/oauth/token"].post.requestBody.required, true);
});

test("a note of an alert that is longer than the OpenAPI document allows is refused by the name that it bears there (contract §4)", async () => {
  const { maxLength } = operationsOfRoom().get(`post ${ALERTS}/{iid}/notes`).requestBody.content[
    "application/json"
  ].schema.properties.body;
  const { json } = await source.send({ title: "Talked about" });
  const path = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${json[0].iid}/notes`;
  const noteOf = (length: number) => world.call(path, { as: "max", json: { body: "x".repeat(length) } });
  assert.equal((await noteOf(maxLength)).status, 201);
  const refused = await noteOf(maxLength + 1);
  assert.deepEqual(
    [refused.status, refused.json],
    [400, { error: "body is too long (maximum is 10000 characters)" }],
  );
});

test("what alerts refuse for what there is already is refused as the OpenAPI document says (contract-alerts; decisions 0096, 0097, 0117)", async () => {
  const api = "/api/v4/projects/acme%2Fopen";
  const { id } = await aSource(world, "generic", {}, "acme/open");
  const post = (path: string, json: unknown = {}) => world.call(`${api}/${path}`, { as: "olga", json });
  const tested = await post(`alert_integrations/${id}/test`, { payload: { title: "Trial" } });
  const receipts = await world.call(`${api}/alert_receipts`, { as: "olga" });
  const mail = await post("alert_channels", { kind: "mail", name: "Duty" });
  const beyond = async (most: number, path: string, bodyOf: (n: number) => unknown) => {
    for (let n = 0; n < most; n++) assert.equal((await post(path, bodyOf(n))).status, 201, path);
    return post(path, bodyOf(most));
  };
  const matchers = [{ field: "title", value: "x" }];
  const refusals: Readonly<Record<string, Reply>> = {
    [`post ${ALERTS}/{iid}/incident`]: await post(
      `alert_management_alerts/${tested.json.alert_iid}/incident`,
    ),
    [`post ${RECEIPTS}/{receipt_id}/replay`]: await post(`alert_receipts/${receipts.json[0].id}/replay`),
    [`post ${CHANNELS}/{channel_id}/test`]: await post(`alert_channels/${mail.json.id}/test`),
    [`post ${CHANNELS}`]: await beyond(19, "alert_channels", (n) => ({ kind: "mail", name: `Duty ${n}` })),
    [`post ${TEMPLATES}`]: await beyond(50, "incident_templates", (n) => ({
      name: `${n}`,
      content: "1. Look",
    })),
    [`post ${SILENCES}`]: await beyond(100, "alert_silences", () => ({
      comment: "Quiet",
      matchers,
      ends_at: "2999-01-01T00:00:00Z",
    })),
  };
  for (const [operation, { status, text }] of Object.entries(refusals)) {
    assert.equal(status, 422, `${operation}: ${text}`);
    assert.ok(operationsOfRoom().get(operation).responses[422], operation);
  }
});
