/** Audit log entries for alerting: who created, changed and deleted what, in which project, without secrets. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { exactWords } from "../../src/ui/time.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const OPERATIONS = "/acme/rocket/-/settings/operations";

let world: World;
let ada: Visitor;
before(async () => {
  world = await startWorld();
  ada = await signedIn(world, "ada");
});

async function api(method: string, path: string, json?: unknown, as: Person = "max") {
  const reply = await world.call(API + path, { as, method, ...(json === undefined ? {} : { json }) });
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
  return reply.json;
}

/** Returns the detail lines of the logged entries with this action, newest first. */
async function told(action: string, name = "max"): Promise<string[]> {
  const { text } = await ada.get(`/admin/audit?name=${name}&action=${action}`);
  return [
    ...text.matchAll(/<span class="title">[^<]*<\/span><br><span class="sub wrap-any">([^<]*)<\/span>/g),
  ].map(([, line]) => line ?? "");
}

test("the audit log records channels created, changed and deleted, without addresses and secrets (decision 0097)", async () => {
  const url = "https://chat.example.org/hooks/s3cret";
  const { id, secret } = await api("POST", "/alert_channels", { kind: "webhook", name: "On call", url });
  await api("PUT", `/alert_channels/${id}`, { severities: ["critical"], url: `${url}2` });
  await api("PUT", `/alert_channels/${id}`, { severities: ["critical"] });
  await api("DELETE", `/alert_channels/${id}`);
  const named = "“On call”, project acme/rocket";
  assert.deepEqual(await told("alert_channel_created"), ["kind webhook, “On call”, project acme/rocket"]);
  assert.deepEqual(await told("alert_channel_changed"), [
    "kind webhook, “On call”, changed severities, url, project acme/rocket",
  ]);
  assert.deepEqual(await told("alert_channel_removed"), [`kind webhook, ${named}`]);
  const { text } = await ada.get("/admin/audit");
  assert.ok(!text.includes("s3cret") && !text.includes(secret));
});

test("the audit log records heartbeats created, changed, given a new key and deleted (decision 0098)", async () => {
  const { id } = await api("POST", "/alert_heartbeats", { name: "Backup" });
  await api("PUT", `/alert_heartbeats/${id}`, { interval_seconds: 600, name: "Backups" });
  await api("PUT", `/alert_heartbeats/${id}`, {});
  await api("POST", `/alert_heartbeats/${id}/rotate_key`);
  await api("DELETE", `/alert_heartbeats/${id}`);
  assert.deepEqual(await told("heartbeat_created"), ["“Backup”, project acme/rocket"]);
  assert.deepEqual(await told("heartbeat_changed"), [
    "“Backups”, changed name, interval_seconds, project acme/rocket",
  ]);
  for (const action of ["heartbeat_key_renewed", "heartbeat_removed"]) {
    assert.deepEqual(await told(action), ["“Backups”, project acme/rocket"]);
  }
});

test("the audit log records silences created, changed and ended, each once (decision 0096)", async () => {
  const ends_at = new Date(Date.now() + 3_600_000).toISOString();
  const matchers = [{ field: "title", operator: "contains", value: "disk" }];
  const { id } = await api("POST", "/alert_silences", { comment: "Disks", ends_at, matchers }, "dev");
  await api("PUT", `/alert_silences/${id}`, { comment: "New disks" }, "dev");
  await api("PUT", `/alert_silences/${id}`, { comment: "New disks" }, "dev");
  await api("DELETE", `/alert_silences/${id}`, undefined, "dev");
  await api("DELETE", `/alert_silences/${id}`, undefined, "dev");
  assert.deepEqual(await told("silence_created", "dev"), [
    `until ${exactWords(new Date(ends_at))}, comment Disks, project acme/rocket, silence ${id}`,
  ]);
  assert.deepEqual(await told("silence_changed", "dev"), [
    `changed comment, comment New disks, project acme/rocket, silence ${id}`,
  ]);
  assert.deepEqual(await told("silence_ended", "dev"), [
    `comment New disks, project acme/rocket, silence ${id}`,
  ]);
});

test("the audit log records integrations and reading rules created, changed, given a new key and deleted, without keys and secrets (decision 0101)", async () => {
  const { id, authorization_key } = await api("POST", "/alert_integrations", { type: "http", name: "Grid" });
  const at = `/alert_integrations/${id}`;
  const secret = "0123456789abcdef0123456789abcdef";
  await api("PUT", at, {
    group_by: ["site"],
    mapping: { title: "a" },
    signature: "hmac_sha256",
    signature_secret: secret,
  });
  await api("PUT", at, { group_by: ["site"], mapping: { title: "a" } });
  await api("POST", `${at}/rotate_key`, { grace_seconds: 60 });
  await api("DELETE", at);
  assert.deepEqual(await told("integration_created"), ["“Grid”, type http, project acme/rocket"]);
  assert.deepEqual(await told("integration_changed"), [
    "“Grid”, changed signature, signature_secret, project acme/rocket",
  ]);
  assert.deepEqual(await told("reading_rules_changed"), [
    "“Grid”, changed mapping, group_by, project acme/rocket",
  ]);
  assert.deepEqual(await told("integration_key_renewed"), ["“Grid”, project acme/rocket, grace_seconds 60"]);
  assert.deepEqual(await told("integration_removed"), ["“Grid”, type http, project acme/rocket"]);
  const { text } = await ada.get("/admin/audit");
  assert.ok(!text.includes(secret) && !text.includes(authorization_key));
});

test("changes made on the pages are logged too, refused ones are not (decisions 0096, 0097, 0098)", async () => {
  const max = await signedIn(world, "max");
  await max.get(`${OPERATIONS}/heartbeats/new`);
  const wrong = await max.post(`${OPERATIONS}/heartbeats`, { name: "" });
  assert.equal(wrong.status, 422);
  const beat = { name: "Paged", interval_seconds: "60", grace_seconds: "0", severity: "low" };
  const made = await max.post(`${OPERATIONS}/heartbeats`, beat);
  await max.post(`${made.location}/delete`, {});
  const slack = { kind: "slack", name: "Chat", url: "https://chat.example.org/x", active: "true" };
  const channel = await max.post(`${OPERATIONS}/channels`, [
    ...Object.entries(slack),
    ["severities", "high"],
    ["events", "opened"],
  ]);
  assert.equal(channel.status, 303, channel.text);
  await max.post(`${channel.location}/delete`, {});
  const rules = await max.post(`${OPERATIONS}/alerts`, { storm_threshold: "7", storm_seconds: "60" });
  assert.equal(rules.status, 303);
  assert.deepEqual((await told("heartbeat_created"))[0], "“Paged”, project acme/rocket");
  assert.deepEqual((await told("heartbeat_removed"))[0], "“Paged”, project acme/rocket");
  assert.deepEqual((await told("alert_channel_created"))[0], "kind slack, “Chat”, project acme/rocket");
  assert.deepEqual((await told("alert_channel_removed"))[0], "kind slack, “Chat”, project acme/rocket");
  assert.deepEqual(await told("alert_settings_changed"), [
    "project acme/rocket, grouping no, create_incident no, storm_threshold 7, auto_close_incident no",
  ]);
});
