/** Writes to the API as multipart forms, as `curl --form` and clients of GitLab send them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Person, startWorld, type World } from "../support/world.ts";

const API = "/api/v4";
const ROCKET = `${API}/projects/acme%2Frocket`;
const ISSUES = `${ROCKET}/issues`;
let world: World;
before(async () => {
  world = await startWorld();
});

/** The fields of a form, or a body with its own boundary, `b`. */
async function send(path: string, as: Person, fields: FormData | string, method = "POST") {
  const body = typeof fields === "string" ? fields : new Uint8Array(await new Response(fields).arrayBuffer());
  const type = "multipart/form-data; boundary=";
  const boundary = typeof fields === "string" ? "b" : boundaryOf(body as Uint8Array);
  return world.call(path, { as, method, body, headers: { "content-type": `${type}${boundary}` } });
}

function boundaryOf(body: Uint8Array): string {
  return new TextDecoder().decode(body).split("\r\n", 1)[0]?.slice(2) ?? "";
}

function formOf(fields: readonly (readonly [string, string])[], files = 0): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (let n = 0; n < files; n++) form.append(`avatar${n}`, new Blob(["not a picture"]), "me.png");
  return form;
}

test("a multipart form writes what the same JSON writes (decision 0287)", async () => {
  const description = "x".repeat(100_000);
  const fields = formOf([
    ["title", "Pump stops – ärgerlich"],
    ["description", description],
    ["severity", "high"],
  ]);
  const { status, json, text } = await send(ISSUES, "rep", fields);
  assert.equal(status, 201, text);
  assert.deepEqual([json.title, json.severity], ["Pump stops – ärgerlich", "HIGH"]);
  assert.ok(json.description === description);
});

test("values of a multipart form are converted to numbers, booleans and lists (decision 0287)", async () => {
  const kept = await send(ROCKET, "max", formOf([["event_retention_days", "90"]]), "PUT");
  assert.equal(kept.json.event_retention_days, 90, kept.text);
  const hidden = await send(
    `${API}/users/${world.ids.gus}`,
    "ada",
    formOf([["private_profile", "true"]]),
    "PUT",
  );
  assert.equal(hidden.json.private_profile, true, hidden.text);
  const fields = formOf([
    ["name", "form"],
    ["scopes[]", "api"],
    ["scopes[]", "read_user"],
  ]);
  const token = await send(`${API}/users/${world.ids.dev}/personal_access_tokens`, "ada", fields);
  assert.deepEqual(token.json.scopes, ["api", "read_user"], token.text);
});

test("a file in a form of the API is ignored where there is nothing to store it in (decisions 0157, 0287)", async () => {
  const { status, json, text } = await send(
    `${API}/users/${world.ids.gus}`,
    "ada",
    formOf([["bio", "Guest of honour"]], 1),
    "PUT",
  );
  assert.deepEqual([status, json.bio], [200, "Guest of honour"], text);
});

test("a malformed multipart form, and one with too many parts, is refused, and nothing is written (decisions 0006, 0287)", async () => {
  const before = await world.call(ISSUES, { as: "rep" });
  const many = Array.from({ length: 101 }, (_, n) => [`f${n}`, "x"] as const);
  for (const [fields, status] of [
    ["no such thing", 400],
    ['--b\r\nContent-Disposition: form-data; name="title"\r\n\r\ncut', 400],
    [formOf(many), 400],
    [formOf([["title", "x"]], 2), 400],
    [formOf([["title", ""]]), 400],
    [formOf([["description", "x".repeat(2 * 1024 * 1024)]]), 413],
  ] as const) {
    const reply = await send(ISSUES, "rep", fields);
    assert.equal(reply.status, status, reply.text);
  }
  assert.equal((await send(ISSUES, "gus", formOf([["title", "x"]]))).status, 403);
  assert.deepEqual((await world.call(ISSUES, { as: "rep" })).json, before.json);
});

test("a compressed form is refused for its compression, as JSON is (RFC 9110 §15.5.16; decision 0287)", async () => {
  const form = '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--b--\r\n';
  const type = "multipart/form-data; boundary=b";
  for (const [path, method] of [
    [ISSUES, "POST"],
    [`${ROCKET}/alert_management_alerts/1/metric_images`, "POST"],
    [ROCKET, "PUT"],
  ] as const) {
    const headers = { "content-type": type, "content-encoding": "gzip" };
    const reply = await world.call(path, { as: "max", method, headers, body: gzipSync(form) });
    const message = "415 Unsupported Media Type. Send it without Content-Encoding: gzip.";
    assert.deepEqual([reply.status, reply.json], [415, { message }], path);
  }
  const headers = { "content-type": type, "content-encoding": "identity" };
  const broken = await world.call(ISSUES, { as: "max", method: "POST", headers, body: "no form" });
  assert.equal(broken.status, 400, broken.text);
});

test("where events are read from bytes, a multipart form is still refused (decisions 0006, 0287)", async () => {
  const bulk = await send(`${API}/events/bulk`, "ada", formOf([["title", "x"]]));
  assert.equal(bulk.status, 415, bulk.text);
  assert.equal((await send("/oauth/token", "dev", formOf([["grant_type", "password"]]))).status, 415);
});

test("a file of a multipart form is ignored, also for a member that may be anything (decision 0287)", async () => {
  const form = formOf([
    ["type", "http"],
    ["name", "Forms"],
  ]);
  form.append("payload_example", new Blob(['{"a":1}']), "sample.json");
  const made = await send(`${ROCKET}/alert_integrations`, "max", form);
  assert.deepEqual([made.status, made.json.name], [201, "Forms"], made.text);
  assert.equal(made.json.payload_example ?? null, null);
  const test = new FormData();
  test.append("payload", new Blob(['{"title":"Pump"}']), "alert.json");
  const tried = await send(`${ROCKET}/alert_integrations/${made.json.id}/test`, "max", test);
  assert.doesNotMatch(tried.text, /alert\.json|Buffer/);
  const alerts = await world.call(`${ROCKET}/alert_management_alerts`, { as: "max" });
  assert.doesNotMatch(alerts.text, /alert\.json|Buffer/);
});
