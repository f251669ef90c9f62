/** A project with one of everything in it, created over HTTP, so that its pages show every form and link. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { coded, formOf, PICTURE } from "./picture.ts";
import type { Person, World } from "./world.ts";

/** The owner of a full project, its other member, its group, and the member's name on a forge. */
export interface Ownership {
  owner: Person;
  member: Person;
  group: string;
  project: string;
  login: string;
}
const SHIP: Ownership = { owner: "olga", member: "dev", group: "ship", project: "hull", login: "heron" };

const titled = (path: string) => path.replace(/^./, (letter) => letter.toUpperCase());

/** Creates a project in a group, with one of everything in it; by default Olga's ship/hull. */
export async function fullProject(world: World, of: Ownership = SHIP): Promise<void> {
  const API = `/api/v4/projects/${of.group}%2F${of.project}`;
  const ask = async (path: string, json?: unknown, method = "POST") => {
    const reply = await world.call(path, { as: of.owner, method, ...(json ? { json } : {}) });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
  const group = await ask("/api/v4/groups", { name: titled(of.group), path: of.group });
  await ask("/api/v4/projects", { name: titled(of.project), path: of.project, namespace_id: group.id });
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
  const member = { user_id: world.ids[of.member], access_level: 30 };
  await ask(`${API}/members`, member);
  await ask(`/api/v4/groups/${of.group}/members`, member);
  const alerts = `${API}/alert_management_alerts`;
  await ask(`${alerts}/1`, { assignee_ids: [world.ids[of.member]], status: "acknowledged" }, "PUT");
  await ask(`${alerts}/1/notes`, { body: "Seen." });
  const picture = await coded(formOf({}, PICTURE));
  for (const beside of [`${alerts}/3`, `${API}/issues/3`]) {
    const added = await world.call(`${beside}/metric_images`, { as: of.owner, method: "POST", ...picture });
    assert.equal(added.status, 201, added.text);
  }
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
  for (const place of [API, `/api/v4/groups/${of.group}`])
    await ask(`${place}/invitations`, { email: `new@${of.group}.example`, access_level: 30 });
  const forge = await ask(`${API}/event_sources`, { name: "Forge" });
  for (const event of ["issues", "star"]) await deliver(world, forge, event, of.login);
  const claim = { host: "github.com", username: of.login };
  const claimed = await world.call("/api/v4/user/outside_identities", { as: of.member, json: claim });
  assert.equal(claimed.status, 201, claimed.text);
}

async function deliver(
  world: World,
  forge: { url: string; secret: string },
  event: string,
  login: string,
): Promise<void> {
  const body = JSON.stringify({
    action: "opened",
    issue: { id: 1, number: 1, title: "T" },
    sender: { login, html_url: `https://github.com/${login}` },
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
