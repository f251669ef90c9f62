/** The OpenAPI document describes every response of the alert API, and no member that never occurs (contract-alerts). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { type Json, type Operation, operationsOf, successesOf } from "../support/described.ts";
import { Answers, aDescribedWorld } from "../support/described-members.ts";
import { coded, formOf, PICTURE } from "../support/picture.ts";
import type { CallOptions, Reply, World } from "../support/world.ts";

const ROOM =
  /^\w+ \/api\/v4\/(projects\/\{id\}\/(alert_|issues|labels|incident_templates)|(groups\/\{id\}\/)?issues)/;
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
  ({ world, document, hook } = await aDescribedWorld());
  source = await aSource(world);
});

/** The operations of the alert API by name, without `/api/v4`: `GET /projects/{id}/labels`. */
function operationsOfRoom(): Map<string, Operation> {
  const room = operationsOf(document).filter(({ name }) => ROOM.test(name));
  return new Map(room.map((one) => [one.name.replace("/api/v4", ""), one]));
}

const toldOf = (name: string): Json => operationsOfRoom().get(name)?.told;

// What holds for all operations is checked in `api-described.test.ts`.
test("each alert operation documents one success, with a schema unless it is 204, and the errors 400, 401, 403, 404, 429 and 503 (contract-alerts; house §2.7; decision 0074)", () => {
  const operations = operationsOfRoom();
  assert.ok(operations.size >= 59);
  for (const [name, { told }] of operations) {
    const statuses = Object.keys(told.responses);
    for (const status of statuses) assert.match(status, /^([24]\d\d|503)$/, name);
    // What concerns all projects names nothing that could be missing.
    const missing = /^GET \/issues(_statistics)?$/.test(name) ? [] : ["404"];
    for (const status of ["400", "401", "403", ...missing, "429", "503"])
      assert.ok(statuses.includes(status), `${name} ${status}`);
    const [success, ...others] = successesOf(told);
    assert.ok(success && others.length === 0, name);
    const [status, { content }] = success;
    assert.equal(content?.["application/json"]?.schema === undefined, status === "204", name);
  }
});

test("responses of every alert operation match the OpenAPI document, and every documented member occurs (contract §3; contract-alerts)", async () => {
  const operations = operationsOfRoom();
  const answers = new Answers(document);
  const ask = async (
    operation: string,
    places: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<Reply> => {
    const [method = "", path = ""] = operation.split(" ");
    const address = path.replace(/\{(\w+)\}/g, (_all, name) =>
      name === "id" && !("id" in places) ? "acme%2Frocket" : String(places[name]),
    );
    const reply = await world.call(`/api/v4${address}`, { as: "max", method, ...options });
    const asked = operations.get(operation);
    assert.ok(asked, operation);
    answers.add(asked, reply);
    return reply;
  };

  await world.call("/api/v4/projects/acme%2Frocket/environments", {
    as: "max",
    json: { name: "production" },
  });
  const template = await ask(`POST ${TEMPLATES}`, {}, { json: { name: "Runbook", content: "1. Look" } });
  const ofTemplate = { template_id: template.json.id };
  await ask(`GET ${TEMPLATES}`);
  await ask(`GET ${TEMPLATES}/{template_id}`, ofTemplate);
  await ask(`PUT ${TEMPLATES}/{template_id}`, ofTemplate, { json: { content: "1. Look closely" } });
  await ask("PUT /projects/{id}/alert_settings", {}, { json: { incident_template: "Runbook" } });
  await ask("GET /projects/{id}/alert_settings");

  const made = await ask(
    `POST ${INTEGRATIONS}`,
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
  await ask(`GET ${INTEGRATIONS}`);
  await ask(`GET ${INTEGRATIONS}/{integration_id}`, ofIntegration);
  await ask(`PUT ${INTEGRATIONS}/{integration_id}`, ofIntegration, { json: { group_by: ["event.name"] } });
  await ask(`POST ${INTEGRATIONS}/{integration_id}/rotate_key`, ofIntegration);
  const payload = { event: { name: "Fan" }, hosts: ["a"], severity: "p1" };
  await ask(`POST ${INTEGRATIONS}/{integration_id}/test`, ofIntegration, { json: { payload } });
  const refused = await world.call(`/api/v4/projects/acme%2Frocket/alert_integrations/${made.json.id}/test`, {
    as: "max",
    json: { payload: "{" },
  });
  assert.deepEqual([refused.status, refused.json.status], [422, "error"]);
  await ask(`DELETE ${INTEGRATIONS}/{integration_id}`, ofIntegration);

  const alert = { title: "Pump stands still", environment: "production", hosts: ["pump-1"] };
  const fired = await source.send({ ...alert, start_time: "2026-05-01T10:00:00Z" });
  const ofAlert = { iid: fired.json[0].iid };
  await ask(`GET ${ALERTS}`);
  await ask(`GET ${ALERTS}/export`);
  const csv = await world.call("/api/v4/projects/acme%2Frocket/alert_management_alerts/export?format=csv", {
    as: "max",
  });
  const { content } = toldOf(`GET ${ALERTS}/export`).responses[200];
  assert.ok(Object.keys(content).includes(csv.headers.get("content-type")?.split(";")[0] ?? ""));
  await ask(`GET ${ALERTS}/counts`);
  await ask(`PUT ${ALERTS}/{iid}`, ofAlert, { json: { assignee_ids: [world.ids.dev] } });
  await ask(`GET ${ALERTS}/{iid}`, ofAlert);
  await ask(`POST ${ALERTS}/{iid}/notes`, ofAlert, { json: { body: "Looking" } });
  await ask(`GET ${ALERTS}/{iid}/notes`, ofAlert);
  const words = { url: "https://charts.example.org", url_text: "Load" };
  const illustrate = async (pictured: string, place: { iid: number }) => {
    const images = `${pictured}/{iid}/metric_images`;
    const image = await ask(`POST ${images}`, place, await coded(formOf(words, PICTURE)));
    await ask(`GET ${images}`, place);
    const ofImage = { ...place, image_id: image.json.id };
    await ask(`PUT ${images}/{image_id}`, ofImage, { json: { url: "" } });
    await ask(`DELETE ${images}/{image_id}`, ofImage);
  };
  await illustrate(ALERTS, ofAlert);

  const receipts = await ask(`GET ${RECEIPTS}`);
  const ofReceipt = { receipt_id: receipts.json[0].id };
  await ask(`GET ${RECEIPTS}/{receipt_id}`, ofReceipt);
  await ask(`POST ${RECEIPTS}/{receipt_id}/replay`, ofReceipt, { json: { dry_run: true } });
  await ask(`POST ${RECEIPTS}/{receipt_id}/replay`, ofReceipt);

  await ask("PUT /projects/{id}/alert_settings", {}, { json: { create_incident: false } });
  const other = await source.send({ title: "Fan is loud" });
  await ask(`POST ${ALERTS}/{iid}/incident`, { iid: other.json[0].iid });
  const opened = await ask(`POST ${ISSUES}`, {}, { json: { title: "Depot is dark" } });
  const ofIssue = { iid: opened.json.iid };
  await ask(`PUT ${ISSUES}/{iid}`, ofIssue, { json: { state_event: "close" } });
  await ask(`GET ${ISSUES}`);
  await ask(`GET ${ISSUES}/{iid}`, ofIssue);
  await ask("GET /issues");
  await ask("GET /groups/{id}/issues", { id: "acme" });
  await ask("GET /issues_statistics");
  await ask("GET /groups/{id}/issues_statistics", { id: "acme" });
  await ask("GET /projects/{id}/issues_statistics");
  const note = await ask(`POST ${ISSUES}/{iid}/notes`, ofIssue, { json: { body: "Lit" } });
  await ask(`GET ${ISSUES}/{iid}/notes/{note_id}`, { ...ofIssue, note_id: note.json.id });
  await ask(`GET ${ISSUES}/{iid}/notes`, ofIssue);
  const [discussion] = (await ask(`GET ${ISSUES}/{iid}/discussions`, ofIssue)).json;
  await ask(`GET ${ISSUES}/{iid}/discussions/{discussion_id}`, { ...ofIssue, discussion_id: discussion.id });
  await ask("GET /issues/{id}", { id: opened.json.id }, { as: "ada" });
  await ask(`GET ${ISSUES}/{iid}/participants`, ofIssue);
  await illustrate(ISSUES, ofIssue);
  await ask("GET /projects/{id}/labels");
  await ask("GET /projects/{id}/labels/{label_id}", { label_id: "incident" });

  const matchers = [{ field: "payload", path: "title", operator: "contains", value: "Fan" }];
  const recurrence = { days: [1], from: "22:00", to: "06:00", zone: "Europe/Berlin" };
  const silence = await ask(`POST ${SILENCES}`, {}, { json: { comment: "Nights", matchers, recurrence } });
  const ofSilence = { silence_id: silence.json.id };
  await ask(`POST ${SILENCES}/preview`, {}, { json: { matchers } });
  await ask(`GET ${SILENCES}`);
  await ask(`GET ${SILENCES}/{silence_id}`, ofSilence);
  await ask(`PUT ${SILENCES}/{silence_id}`, ofSilence, { json: { comment: "Mondays" } });
  await ask(`DELETE ${SILENCES}/{silence_id}`, ofSilence);

  const channel = await ask(`POST ${CHANNELS}`, {}, { json: { kind: "webhook", name: "Ops", url: hook } });
  const ofChannel = { channel_id: channel.json.id };
  await ask(`GET ${CHANNELS}`);
  await ask(`GET ${CHANNELS}/{channel_id}`, ofChannel);
  await ask(`PUT ${CHANNELS}/{channel_id}`, ofChannel, { json: { active: false } });
  await ask(`POST ${CHANNELS}/{channel_id}/test`, ofChannel);
  await deliverDue(world.platform);
  const deliveries = await ask(`GET ${CHANNELS}/{channel_id}/deliveries`, ofChannel);
  const ofDelivery = { ...ofChannel, delivery_id: deliveries.json[0].id };
  await ask(`POST ${CHANNELS}/{channel_id}/deliveries/{delivery_id}/resend`, ofDelivery);
  await ask(`DELETE ${CHANNELS}/{channel_id}`, ofChannel);

  const beat = await ask(`POST ${HEARTBEATS}`, {}, { json: { name: "Backup" } });
  const ofBeat = { heartbeat_id: beat.json.id };
  await ask(`GET ${HEARTBEATS}`);
  await ask(`GET ${HEARTBEATS}/{heartbeat_id}`, ofBeat);
  await ask(`PUT ${HEARTBEATS}/{heartbeat_id}`, ofBeat, { json: { active: false } });
  await ask(`POST ${HEARTBEATS}/{heartbeat_id}/rotate_key`, ofBeat);
  await ask(`DELETE ${HEARTBEATS}/{heartbeat_id}`, ofBeat);
  await ask(`DELETE ${TEMPLATES}/{template_id}`, ofTemplate);

  answers.assertComplete([...operations.values()]);
});

test("a request body is documented as optional where it may be omitted, and nowhere else (house §2.7)", async () => {
  const keyOf = `${INTEGRATIONS}/{integration_id}/rotate_key`;
  const optional = [...operationsOfRoom()].filter(([, { told }]) => told.requestBody?.required === false);
  assert.deepEqual(optional.map(([operation]) => operation).sort(), [
    `POST ${keyOf}`,
    `POST ${RECEIPTS}/{receipt_id}/replay`,
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

test("a note longer than the documented maxLength is refused, and the error names the documented field (contract §4)", async () => {
  const { maxLength } = toldOf(`POST ${ALERTS}/{iid}/notes`).requestBody.content["application/json"].schema
    .properties.body;
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

test("requests that conflict with existing records or exceed a limit are refused with 422, which the OpenAPI document lists (contract-alerts; decisions 0096, 0097, 0117)", async () => {
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
    [`POST ${ALERTS}/{iid}/incident`]: await post(
      `alert_management_alerts/${tested.json.alert_iid}/incident`,
    ),
    [`POST ${RECEIPTS}/{receipt_id}/replay`]: await post(`alert_receipts/${receipts.json[0].id}/replay`),
    [`POST ${CHANNELS}/{channel_id}/test`]: await post(`alert_channels/${mail.json.id}/test`),
    [`POST ${CHANNELS}`]: await beyond(19, "alert_channels", (n) => ({ kind: "mail", name: `Duty ${n}` })),
    [`POST ${TEMPLATES}`]: await beyond(50, "incident_templates", (n) => ({
      name: `${n}`,
      content: "1. Look",
    })),
    [`POST ${SILENCES}`]: await beyond(100, "alert_silences", () => ({
      comment: "Quiet",
      matchers,
      ends_at: "2999-01-01T00:00:00Z",
    })),
  };
  for (const [operation, { status, text }] of Object.entries(refusals)) {
    assert.equal(status, 422, `${operation}: ${text}`);
    assert.ok(toldOf(operation).responses[422], operation);
  }
});
