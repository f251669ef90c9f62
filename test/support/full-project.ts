/** A project with one of everything in it, made over HTTP: what its pages offer is offered somewhere there. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { World } from "./world.ts";

const API = "/api/v4/projects/ship%2Fhull";

/** Olga's project ship/hull, in a group, with one of everything in it. */
export async function fullProject(world: World): Promise<void> {
  const ask = async (path: string, json?: unknown, method = "POST") => {
    const reply = await world.call(path, { as: "olga", method, ...(json ? { json } : {}) });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
  const group = await ask("/api/v4/groups", { name: "Ship", path: "ship" });
  await ask("/api/v4/projects", { name: "Hull", path: "hull", namespace_id: group.id });
  const source = await ask(`${API}/alert_integrations`, { type: "http", name: "Sensors", active: true });
  await ask(`${API}/alert_integrations`, { type: "generic", name: "Others", active: false });
  const send = async (payload: object) => {
    const path = new URL(source.url).pathname;
    const reply = await world.call(path, { token: source.authorization_key, json: payload });
    assert.equal(reply.status, 200, reply.text);
  };
  await send({ title: "Bilge is full", severity: "high" });
  await send({ title: "Pump is dry", severity: "low" });
  await send({ title: "Over", fingerprint: "over" });
  await send({ title: "Over", fingerprint: "over", end_time: new Date().toISOString() });
  const dev = { user_id: world.ids.dev, access_level: 30 };
  await ask(`${API}/members`, dev);
  await ask("/api/v4/groups/ship/members", dev);
  const alerts = `${API}/alert_management_alerts`;
  await ask(`${alerts}/1`, { assignee_ids: [world.ids.dev], status: "acknowledged" }, "PUT");
  await ask(`${alerts}/1/notes`, { body: "Seen." });
  const matchers = [{ field: "service", operator: "equals", value: "archive" }];
  await ask(`${API}/alert_silences`, { comment: "Work", ends_at: "2999-01-01T00:00:00Z", matchers });
  const address = { url: "https://hooks.example.org/in" };
  const channel = await ask(`${API}/alert_channels`, { name: "Desk", kind: "webhook", ...address });
  await ask(`${API}/alert_channels/${channel.id}/test`);
  await ask(`${API}/alert_heartbeats`, { name: "Nightly" });
  await ask(`${API}/incident_templates`, { name: "Outage", content: "Who looks?" });
  await ask(`${API}/environments`, { name: "production" });
  const hook = await ask(`${API}/hooks`, { ...address, name: "Other service" });
  await ask(`${API}/hooks/${hook.id}/test`);
  for (const place of [API, "/api/v4/groups/ship"])
    await ask(`${place}/invitations`, { email: "new@example.org", access_level: 30 });
  const forge = await ask(`${API}/event_sources`, { name: "Forge" });
  for (const event of ["issues", "star"]) await deliver(world, forge, event);
  const claim = { host: "github.com", username: "heron" };
  assert.equal((await world.call("/api/v4/user/outside_identities", { as: "dev", json: claim })).status, 201);
}

async function deliver(world: World, forge: { url: string; secret: string }, event: string): Promise<void> {
  const body = JSON.stringify({
    action: "opened",
    issue: { id: 1, number: 1, title: "T" },
    sender: { login: "heron", html_url: "https://github.com/heron" },
  });
  const headers = {
    "content-type": "application/json",
    "x-github-event": event,
    "x-github-delivery": event,
    "x-hub-signature-256": `sha256=${createHmac("sha256", forge.secret).update(body).digest("hex")}`,
  };
  const reply = await world.call(new URL(forge.url).pathname, { method: "POST", headers, body });
  assert.ok(reply.status < 300, reply.text);
}
