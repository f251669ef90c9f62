/** Notification channels: who is notified of which alerts and incidents, when, and what is never sent. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { type Receiver, startMailServer, startReceiver } from "../support/receivers.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const CHANNELS = `${API}/alert_channels`;

let world: World;
let source: Source;
let receiver: Receiver;
let office: Awaited<ReturnType<typeof startMailServer>>;
before(async () => {
  receiver = await startReceiver();
  office = await startMailServer();
  world = await startWorld({
    GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host,
    GATEHOUSE_SMTP_URL: office.url,
    GATEHOUSE_MAIL_FROM: "Gatehouse <gatehouse@example.org>",
  });
  source = await aSource(world);
});

async function channel(fields: Record<string, unknown>, status = 201) {
  const reply = await world.call(CHANNELS, { as: "max", json: { name: "Ops", ...fields } });
  assert.equal(reply.status, status, reply.text);
  return reply.json;
}
const remove = (id: number) => world.call(`${CHANNELS}/${id}`, { as: "max", method: "DELETE" });
/** Delivers until nothing is due: each run takes a limited number per target. */
const deliver = async () => {
  while ((await deliverDue(world.platform)) > 0);
};

async function fire(payload: Record<string, unknown>): Promise<number> {
  const { json } = await source.send({ fingerprint: payload.title, ...payload });
  return json[0].iid;
}

test("a webhook receives signed notifications when an alert is opened, acknowledged, resolved and reopened (decision 0097)", async () => {
  receiver.reset();
  const made = await channel({
    kind: "webhook",
    url: `${receiver.url}/hook?token=s3cret`,
    events: ["opened", "reopened", "acknowledged", "resolved"],
  });
  assert.equal(made.url_host, new URL(receiver.url).host);
  assert.ok(!JSON.stringify(await world.call(CHANNELS, { as: "max" })).includes("s3cret"));
  const iid = await fire({ title: "Disk is full", severity: "high", service: "archive", hosts: ["db-1"] });
  await fire({ title: "Disk is full" });
  const put = (status: string) =>
    world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev", method: "PUT", json: { status } });
  await put("acknowledged");
  // Going back from acknowledged to triggered does not count as reopening.
  await put("triggered");
  await fire({ title: "Disk is full", end_time: new Date().toISOString() });
  await put("triggered");
  await put("ignored");
  const incident = (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json.issue_iid;
  await world.call(`${API}/issues/${incident}`, {
    as: "dev",
    method: "PUT",
    json: { state_event: "reopen" },
  });
  await world.call(`${API}/issues/${incident}`, { as: "dev", method: "PUT", json: { state_event: "close" } });
  await deliver();
  const bodies = receiver.requests.map(({ body, headers, path }) => {
    assert.equal(path, "/hook?token=s3cret");
    new Webhook(made.secret).verify(body, headers as Record<string, string>);
    return JSON.parse(body);
  });
  assert.deepEqual(
    bodies.map(({ event, by }) => [event, by]).sort(),
    [
      ["alert.acknowledged", "Dev Developer"],
      ["alert.opened", null],
      ["alert.reopened", "Dev Developer"],
      ["alert.resolved", "Dev Developer"],
      ["alert.resolved", null],
    ].sort(),
  );
  const opened = bodies.find(({ event }) => event === "alert.opened");
  assert.deepEqual(
    [opened.alert.title, opened.alert.severity, opened.alert.hosts, opened.alert.incident_iid],
    ["Disk is full", "high", ["db-1"], incident],
  );
  assert.equal(opened.alert.web_url, `${world.url}/acme/rocket/-/alerts/${iid}`);
  await remove(made.id);
});

test("a channel receives only its chosen severities and integrations, and no test or silenced alerts (decision 0097)", async () => {
  receiver.reset();
  const other = await aSource(world, "http", { name: "Other" });
  const made = await channel({
    kind: "slack",
    url: `${receiver.url}/slack`,
    severities: ["high"],
    integration_ids: [source.id],
  });
  const silence = await world.call(`${API}/alert_silences`, {
    as: "dev",
    json: {
      comment: "quiet",
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      matchers: [{ field: "title", operator: "contains", value: "silenced" }],
    },
  });
  assert.equal(silence.status, 201);
  await fire({ title: "Low", severity: "low" });
  await fire({ title: "High <!channel> & co", severity: "high" });
  await fire({ title: "Silenced", severity: "high" });
  await other.send({ title: "Elsewhere", severity: "high" });
  const tried = await world.call(`${API}/alert_integrations/${source.id}/test`, {
    as: "dev",
    json: { payload: { title: "Only a test", severity: "high" } },
  });
  const resolved = await world.call(`${API}/alert_management_alerts/${tried.json.alert_iid}`, {
    as: "dev",
    method: "PUT",
    json: { status: "resolved" },
  });
  assert.equal(resolved.status, 200, resolved.text);
  await deliver();
  assert.equal(receiver.requests.length, 1);
  const { text, blocks } = JSON.parse(receiver.requests[0]?.body ?? "");
  assert.match(text, /was opened: High &lt;!channel&gt; &amp; co \(high\)/);
  assert.ok(!JSON.stringify(blocks).includes("<!channel>"));
  await remove(made.id);
});

test("an inactive channel receives nothing until it is active again, and integrations of another project are refused (decision 0097)", async () => {
  receiver.reset();
  const elsewhere = await aSource(world, "http", { name: "Elsewhere" }, "acme/open");
  const fields = { kind: "webhook", url: `${receiver.url}/off` };
  const refused = await channel({ ...fields, integration_ids: [elsewhere.id] }, 400);
  assert.match(JSON.stringify(refused), /must be integrations of this project/);
  const made = await channel({ ...fields, active: false });
  // Without an active channel, notifications would not be prepared at all.
  const other = await channel({ kind: "webhook", url: `${receiver.url}/on` });
  const put = (active: boolean) =>
    world.call(`${CHANNELS}/${made.id}`, { as: "max", method: "PUT", json: { active } });
  await fire({ title: "Before it is on" });
  assert.equal((await put(true)).json.active, true);
  await fire({ title: "While it is on" });
  assert.equal((await put(false)).json.active, false);
  await fire({ title: "Once it is off" });
  await deliver();
  const heard = (at: string) =>
    receiver.requests
      .filter(({ path }) => path === at)
      .map(({ body }) => JSON.parse(body).alert.title)
      .sort();
  assert.deepEqual(heard("/off"), ["While it is on"]);
  assert.deepEqual(heard("/on"), ["Before it is on", "Once it is off", "While it is on"]);
  for (const { id } of [made, other]) await remove(id);
});

test("a repeat with a higher severity raises the alert's and notifies channels that the lower one did not concern (decision 0097)", async () => {
  receiver.reset();
  const worst = await channel({ kind: "webhook", url: `${receiver.url}/worst`, severities: ["critical"] });
  const severities = ["critical", "high", "medium", "low"];
  const all = await channel({ kind: "webhook", url: `${receiver.url}/all`, severities });
  const check = { NOTIFICATIONTYPE: "PROBLEM", HOSTNAME: "web-1", SERVICEDESC: "HTTP" };
  const says = async (SERVICESTATE: string) => (await source.send({ ...check, SERVICESTATE })).json[0].iid;
  const severityOf = async (iid: number) => {
    const alert = (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
    const incident = await world.call(`${API}/issues/${alert.issue_iid}`, { as: "dev" });
    return [alert.severity, incident.json.severity, alert.events];
  };
  const iid = await says("WARNING");
  assert.deepEqual(await severityOf(iid), ["low", "LOW", 1]);
  assert.equal(await says("CRITICAL"), iid);
  assert.deepEqual(await severityOf(iid), ["critical", "CRITICAL", 2]);
  for (const state of ["WARNING", "CRITICAL"]) await says(state);
  assert.deepEqual(
    await severityOf(iid),
    ["critical", "CRITICAL", 4],
    "a lower severity does not lower the alert's",
  );
  const notes = (await world.call(`${API}/alert_management_alerts/${iid}/notes`, { as: "dev" })).json;
  assert.ok(
    notes.some(({ body }: { body: string }) => body === "raised the severity from **low** to **critical**"),
  );

  const ignored = await fire({ title: "Known noise", severity: "low" });
  const put = { as: "dev", method: "PUT", json: { status: "ignored" } } as const;
  await world.call(`${API}/alert_management_alerts/${ignored}`, put);
  await fire({ title: "Known noise", severity: "critical" });
  assert.deepEqual(await severityOf(ignored), ["critical", "CRITICAL", 2]);
  const silent = await fire({ title: "Says it once", severity: "low" });
  await fire({ title: "Says it once" });
  assert.deepEqual(
    await severityOf(silent),
    ["low", "LOW", 2],
    "a repeat without severity leaves the alert's as it is",
  );

  await deliver();
  const told = receiver.requests.map(({ path, body }) => [path, JSON.parse(body).alert.iid]);
  const openings = [iid, ignored, silent].map((opened) => ["/all", opened]);
  assert.deepEqual(told.sort(), [...openings, ["/worst", iid]].sort());
  for (const { id } of [worst, all]) await remove(id);
});

test("channels are notified of incidents opened, closed and reopened by a person, and of an alert's incident opened by hand (decision 0129)", async () => {
  receiver.reset();
  const made = await channel({ kind: "webhook", url: `${receiver.url}/hook`, severities: ["critical"] });
  const chat = await channel({ kind: "slack", url: `${receiver.url}/slack`, severities: ["critical"] });
  const elsewhere = { kind: "webhook", url: `${receiver.url}/other`, integration_ids: [source.id] };
  const ofSource = await channel({ ...elsewhere, severities: ["critical"] });
  const open = async (json: object) =>
    (await world.call(`${API}/issues`, { as: "rep", json: { issue_type: "incident", ...json } })).json.iid;
  const said = async (path: string) => {
    await deliver();
    const bodies = receiver.requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body));
    return bodies;
  };
  await open({ title: "Only a question", severity: "low" });
  const iid = await open({ title: "Customers <!channel> cannot pay", description: "Since noon" });
  for (const state_event of ["close", "close", "reopen"])
    await world.call(`${API}/issues/${iid}`, { as: "dev", method: "PUT", json: { state_event } });
  const bodies = await said("/hook");
  assert.deepEqual(
    bodies.map(({ event, by }) => [event, by]).sort(),
    [
      ["incident.closed", "Dev Developer"],
      ["incident.opened", "Rep Reporter"],
      ["incident.reopened", "Dev Developer"],
    ].sort(),
  );
  const { incident, project } = bodies.find(({ event }) => event === "incident.opened");
  assert.deepEqual(
    [incident.iid, incident.title, incident.description, incident.state, incident.alert_iid],
    [iid, "Customers <!channel> cannot pay", "Since noon", "opened", null],
  );
  assert.equal(incident.web_url, `${project.web_url}/-/incidents/${iid}`);
  assert.ok(!JSON.stringify(await said("/slack")).includes("<!channel>"));
  assert.deepEqual(await said("/other"), []);

  receiver.reset();
  await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json: { create_incident: false } });
  const alert = await fire({ title: "Worth an incident", severity: "critical" });
  await world.call(`${API}/alert_management_alerts/${alert}/incident`, { as: "dev", method: "POST" });
  await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json: { create_incident: true } });
  await fire({ title: "Worth an incident", end_time: new Date().toISOString() });
  const heard = await said("/other");
  assert.deepEqual(heard.map(({ event }) => event).sort(), [
    "alert.opened",
    "alert.resolved",
    "incident.opened",
  ]);
  assert.equal(heard.find(({ event }) => event === "incident.opened").incident.alert_iid, alert);
  for (const { id } of [made, chat, ofSource]) await remove(id);
});

test("raising an open incident's severity notifies channels that the old one did not concern; lowering it notifies none (decision 0277)", async () => {
  receiver.reset();
  const hook = { kind: "webhook", severities: ["critical"] };
  const worst = await channel({ ...hook, url: `${receiver.url}/worst` });
  const all = await channel({ ...hook, url: `${receiver.url}/all`, severities: ["critical", "low"] });
  const ofSource = await channel({ ...hook, url: `${receiver.url}/source`, integration_ids: [source.id] });
  const said = async () => {
    await deliver();
    const told = receiver.requests.map(({ path, body }) => ({ path, ...JSON.parse(body) }));
    receiver.reset();
    return told;
  };
  const change = async (iid: number, json: object) => {
    const changed = await world.call(`${API}/issues/${iid}`, { as: "dev", method: "PUT", json });
    assert.equal(changed.status, 200);
    return changed.json.severity;
  };
  const json = { title: "Slow", severity: "low", issue_type: "incident" };
  const { iid } = (await world.call(`${API}/issues`, { as: "rep", json })).json;
  assert.deepEqual(
    (await said()).map(({ path }) => path),
    ["/all"],
  );

  assert.equal(await change(iid, { severity: "CRITICAL" }), "CRITICAL");
  const raised = await said();
  assert.deepEqual(
    raised.map(({ path, event, by, incident }) => [path, event, by, incident.iid, incident.severity]),
    [["/worst", "incident.opened", "Dev Developer", iid, "critical"]],
  );
  for (const severity of ["critical", "low"]) await change(iid, { severity });
  await change(iid, { state_event: "close" });
  await said();
  await change(iid, { severity: "critical" });
  assert.deepEqual(await said(), [], "a closed incident notifies nobody");

  const alert = await fire({ title: "Slow query", severity: "low" });
  const [{ iid: ofAlert }] = (await world.call(`${API}/issues?search=Slow+query`, { as: "rep" })).json;
  await said();
  await change(ofAlert, { severity: "critical" });
  const heard = await said();
  assert.deepEqual(heard.map(({ path, incident }) => [path, incident.alert_iid]).sort(), [
    ["/source", alert],
    ["/worst", alert],
  ]);
  await fire({ title: "Slow query", severity: "low", end_time: new Date().toISOString() });
  for (const { id } of [worst, all, ofSource]) await remove(id);
});

test("mail goes to Owners and Maintainers, to assignees, and to chosen users who may see alerts (decision 0097)", async () => {
  const ids = world.ids;
  const made = await channel({ kind: "mail", recipients: ["maintainers", "assignees"], user_ids: [ids.dev] });
  await channel({ kind: "mail", recipients: [], user_ids: [ids.gus] }, 400);
  const iid = await fire({ title: "Mail me", severity: "critical", description: "Line one" });
  const path = `${API}/alert_management_alerts/${iid}`;
  await deliver();
  const first = office.mails.splice(0);
  assert.deepEqual(first.flatMap(({ to }) => to).sort(), [
    "dev@example.org",
    "max@example.org",
    "olga@example.org",
  ]);
  assert.match(first[0]?.raw ?? "", /Subject: \[critical\] Mail me \(acme\/rocket\)/);
  await world.call(`${API}/alert_channels/${made.id}`, {
    as: "max",
    method: "PUT",
    json: { recipients: ["assignees"], user_ids: [] },
  });
  await world.call(path, { as: "dev", method: "PUT", json: { assignee_ids: [ids.dev] } });
  await world.call(path, { as: "dev", method: "PUT", json: { status: "resolved" } });
  await deliver();
  const second = office.mails.splice(0);
  assert.deepEqual(
    second.flatMap(({ to }) => to),
    ["dev@example.org"],
  );
  // The subjects differ; mail clients group the mails by these headers.
  const thread = `<acme/rocket/-/alerts/${iid}@localhost>`;
  for (const { raw } of [...first, ...second]) {
    const head = raw.replace(/\r?\n[ \t]+/g, " ");
    assert.ok(head.includes(`In-Reply-To: ${thread}`) && head.includes(`References: ${thread}`), head);
  }
  await remove(made.id);
});

test("a user chosen in one mail channel gets no mail from another one for Owners and Maintainers only (decision 0097)", async () => {
  const all = await channel({ kind: "mail", recipients: ["maintainers"], severities: ["medium"] });
  const named = await channel({ kind: "mail", user_ids: [world.ids.dev], severities: ["info"] });
  await fire({ title: "For those who maintain", severity: "medium" });
  await deliver();
  assert.deepEqual(
    office.mails
      .splice(0)
      .flatMap(({ to }) => to)
      .sort(),
    ["max@example.org", "olga@example.org"],
  );
  for (const { id } of [all, named]) await remove(id);
});

test("line breaks in a sender's text cannot forge lines of a notification mail (decision 0097)", async () => {
  const made = await channel({ kind: "mail", recipients: ["maintainers"] });
  const forged = "\r\nSeverity: info\nRunbook: https://evil.example.org/";
  await fire({
    title: `Disk full${forged}`,
    service: `db${forged}`,
    hosts: [`db-1\u2028Began: never`],
    description: `It is full.${forged}`,
  });
  await deliver();
  const [{ raw = "" } = {}] = office.mails.splice(0);
  const text = raw.replace(/=\r?\n/g, "");
  assert.match(text, /^Disk full Severity: info Runbook: https:/m);
  const ours = [...text.matchAll(/^(Severity|Runbook|Began): (?!\d)(.*?)\r?$/gm)].map(([line]) =>
    line.trim(),
  );
  assert.deepEqual(ours, ["Severity: critical"], text);
  await remove(made.id);
});

test("line breaks in a sender's text cannot forge lines of a chat message (decision 0097)", async () => {
  receiver.reset();
  const made = await channel({ kind: "slack", url: `${receiver.url}/slack` });
  const forged = "\n*Severity*: info\n*Runbook*: https://evil.example.org/";
  await fire({ title: `Disk full${forged}`, service: `db${forged}`, description: `It is full.${forged}` });
  await deliver();
  const { blocks } = JSON.parse(receiver.requests[0]?.body ?? "");
  const said = blocks.map((block: { text: { text: string } }) => block.text.text).join("\n");
  assert.deepEqual(said.match(/^\*(Severity|Runbook)\*: .*$/gm), ["*Severity*: critical"], said);
  await remove(made.id);
});

test("users who are blocked or may no longer see alerts get no more mail (decision 0097)", async () => {
  const { dev, max } = world.ids;
  const fields = {
    kind: "mail",
    recipients: ["maintainers", "assignees"],
    user_ids: [dev],
    severities: ["low"],
  };
  const made = await channel(fields);
  const member = (accessLevel: number) =>
    world.call(`${API}/members/${dev}`, { as: "olga", method: "PUT", json: { access_level: accessLevel } });
  const written = async (title: string) => {
    await fire({ title, severity: "low" });
    await deliver();
    return office.mails
      .splice(0)
      .flatMap(({ to }) => to)
      .sort();
  };
  assert.deepEqual(await written("To all"), ["dev@example.org", "max@example.org", "olga@example.org"]);
  assert.equal((await member(20)).status, 200);
  await world.call(`/api/v4/users/${max}/block`, { as: "ada", method: "POST" });
  assert.deepEqual(await written("To few"), ["olga@example.org"]);
  await world.call(`/api/v4/users/${max}/unblock`, { as: "ada", method: "POST" });
  await member(30);
  assert.deepEqual(await written("To all again"), ["dev@example.org", "max@example.org", "olga@example.org"]);
  await remove(made.id);
});

test("private and invalid URLs, a missing URL, no recipients and unknown integrations are refused (decision 0049)", async () => {
  for (const url of [
    "http://127.0.0.1:1/x",
    "http://[::1]/",
    "http://db.internal/",
    "ftp://example.org/",
    "x",
  ]) {
    const refused = await channel({ kind: "webhook", url }, 400);
    assert.deepEqual(Object.keys(refused.message), ["url"], url);
  }
  await channel({ kind: "webhook" }, 400);
  await channel({ kind: "mail", recipients: [] }, 400);
  await channel({ kind: "slack", url: receiver.url, integration_ids: [987654] }, 400);
});

test("an alert and its notifications are recorded together: if the notifications cannot be stored, neither is (decision 0049)", async () => {
  receiver.reset();
  const made = await channel({ kind: "webhook", url: `${receiver.url}/together` });
  const payload = { title: "Both or none", fingerprint: "both or none" };
  const found = async () =>
    (await world.call(`${API}/alert_management_alerts?search=Both+or+none`, { as: "dev" })).json.length;
  await world.owner.run(
    sql`alter table outbox_deliveries add constraint stores_nothing check (false) not valid`,
  );
  const refused = await source.send(payload);
  await world.owner.run(sql`alter table outbox_deliveries drop constraint stores_nothing`);
  assert.ok(refused.status >= 500, refused.text);
  assert.equal(await found(), 0);
  assert.equal((await source.send(payload)).status, 200);
  assert.equal(await found(), 1);
  await deliver();
  assert.deepEqual(
    receiver.requests.map(({ body }) => JSON.parse(body).event),
    ["alert.opened"],
  );
  await remove(made.id);
});

test("channels are for Maintainers only; a failed delivery can be resent, and two requests before the next attempt send it once (contract-alerts, roles)", async () => {
  receiver.reset();
  const made = await channel({ kind: "webhook", url: `${receiver.url}/hook` });
  for (const [as, status] of [
    ["dev", 403],
    ["stan", 404],
  ] as const) {
    assert.equal((await world.call(CHANNELS, { as })).status, status);
    assert.equal((await world.call(`${CHANNELS}/${made.id}/test`, { as, method: "POST" })).status, status);
  }
  receiver.answers(500);
  assert.equal((await world.call(`${CHANNELS}/${made.id}/test`, { as: "max", method: "POST" })).status, 202);
  await deliver();
  const list = async () => (await world.call(`${CHANNELS}/${made.id}/deliveries`, { as: "max" })).json;
  const [failed] = await list();
  assert.deepEqual([failed.state, failed.attempts, failed.last_status], ["waiting", 1, 500]);
  const again = `${CHANNELS}/${made.id}/deliveries/${failed.id}/resend`;
  for (const _ of ["once", "once more, before it was taken"]) {
    assert.equal((await world.call(again, { as: "max", method: "POST" })).status, 202);
  }
  await deliver();
  assert.deepEqual(
    (await list()).map((one: { state: string; attempts: number }) => [one.state, one.attempts]),
    [["sent", 2]],
  );
  assert.equal(
    (await world.call(`${CHANNELS}/${made.id}/deliveries/99999999/resend`, { as: "max", method: "POST" }))
      .status,
    404,
  );
  const elsewhere = `/api/v4/projects/acme%2Fopen/alert_channels/${made.id}`;
  assert.equal((await world.call(elsewhere, { as: "olga" })).status, 404);
  await remove(made.id);
});

test("deliveries of mails name their receivers by username, and of an address that no longer belongs to anybody only the domain (decision 0097)", async () => {
  const made = await channel({ kind: "mail", recipients: [], user_ids: [world.ids.dev] });
  assert.equal((await world.call(`${CHANNELS}/${made.id}/test`, { as: "max", method: "POST" })).status, 202);
  await deliver();
  office.mails.splice(0);
  const path = `${CHANNELS}/${made.id}/deliveries`;
  const max = await signedIn(world, "max");
  const shown = async () => {
    const [api, page] = await Promise.all([
      world.call(path, { as: "max" }),
      max.get(`/acme/rocket/-/settings/operations/channels/${made.id}`),
    ]);
    for (const { text } of [api, page]) assert.doesNotMatch(text, /dev@example\.org/i);
    const [target] = api.json.map((one: { target: string }) => one.target);
    assert.ok(page.text.includes(`>${target}<`), target);
    return target;
  };
  assert.equal(await shown(), "dev");
  const email = (to: string) =>
    world.platform.db.run(sql`update users set email = ${to} where username = 'dev'`);
  await email("elsewhere@example.com");
  assert.equal(await shown(), "***@example.org");
  await email("dev@example.org");
  await remove(made.id);
});

test("a Maintainer creates, tests and deletes a channel on its pages and sees its secret once (reference ux)", async () => {
  receiver.reset();
  const max = await signedIn(world, "max");
  const at = "/acme/rocket/-/settings/operations/channels";
  const fields: [string, string][] = [
    ["kind", "webhook"],
    ["name", "Pager"],
    ["url", `${receiver.url}/page`],
    ["active", "true"],
    ["severities", "critical"],
    ["severities", "high"],
    ["events", "opened"],
  ];
  const slack = await max.get(`${at}/new?kind=slack`);
  assert.match(slack.text, /<h1[^>]*>New Slack-compatible channel<\/h1>/);
  await max.get(`${at}/new?kind=webhook`);
  const wrong = await max.post(at, [
    ...fields.filter(([name]) => name !== "url"),
    ["url", "http://10.0.0.1/"],
  ]);
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /must not lead into a private network/);
  const saved = await max.post(at, fields);
  const page = await max.follow(saved);
  assert.match(page.text, /Secret <span class="badge brass">Shown once<[\s\S]*whsec_/);
  assert.doesNotMatch((await max.get(saved.location ?? "")).text, /whsec_/);
  await max.post(`${saved.location}/test`, {});
  await deliver();
  const shown = await max.get(saved.location ?? "");
  assert.match(shown.text, /alert\.test[\s\S]*Sent[\s\S]*Send again/);
  const id = /name="delivery_id" value="(\d+)"/.exec(shown.text)?.[1] ?? "";
  await max.post(`${saved.location}/resend`, { delivery_id: id });
  await deliver();
  assert.equal(receiver.requests.length, 2);
  await max.post(`${saved.location}/delete`, {});
  assert.equal((await max.get(saved.location ?? "")).status, 404);
});

test("a channel's people can be typed as pages write them, with an @ (ux §7; decision 0097)", async () => {
  const max = await signedIn(world, "max");
  const list = "/acme/rocket/-/settings/operations/channels";
  const fields = {
    kind: "mail",
    name: "With an @",
    user_ids: "@dev, max",
    severities: "high",
    events: "opened",
  };
  const made = await max.submit(list, fields, `${list}/new?kind=mail`);
  assert.equal(made.status, 303, made.text);
  assert.match((await max.follow(made)).text, /name="user_ids"[^>]* value="dev, max"/);
  await remove(Number(/\d+$/.exec(made.location ?? "")?.[0]));
});

test("a mail channel is tested at most once a minute, by the API or on its page, so that tests flood no mailbox (decision 0299)", async () => {
  office.mails.length = 0;
  const made = await channel({ kind: "mail", recipients: ["maintainers"] });
  const other = await channel({ kind: "mail", recipients: ["maintainers"] });
  const test = (id: number) => world.call(`${CHANNELS}/${id}/test`, { as: "max", method: "POST" });
  const [first, second, third] = [await test(made.id), await test(made.id), await test(made.id)];
  assert.deepEqual([first.status, first.json], [202, { messages: 2 }]);
  // The minute may end once between two of these calls.
  const refused = [second, third].filter(({ status }) => status === 429);
  assert.ok(refused.length >= 1, `${second.status} ${third.status}`);
  const seconds = Number(refused[0]?.headers.get("retry-after"));
  assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
  assert.equal((await test(other.id)).status, 202);
  const max = await signedIn(world, "max");
  const at = `/acme/rocket/-/settings/operations/channels/${made.id}`;
  await max.get(at);
  const pages = [await max.follow(await max.post(`${at}/test`, {}))];
  pages.push(await max.follow(await max.post(`${at}/test`, {})));
  assert.ok(pages.some((page) => /It was tested a moment ago/.test(page.text)));
  await deliver();
  for (const { id } of [made, other]) await remove(id);
});

test("duplicate recipients, users, severities and events of a channel are stored once (decision 0097)", async () => {
  const made = await world.call(CHANNELS, {
    as: "max",
    json: {
      kind: "mail",
      name: "Twice",
      recipients: ["maintainers", "maintainers"],
      user_ids: [world.ids.dev, world.ids.dev],
      severities: Array.from({ length: 1000 }, () => "critical"),
      events: ["opened", "resolved", "opened"],
    },
  });
  assert.equal(made.status, 201, made.text);
  const { recipients, user_ids, severities, events } = made.json;
  assert.deepEqual(
    [recipients, user_ids, severities, events],
    [["maintainers"], [world.ids.dev], ["critical"], ["opened", "resolved"]],
  );
});

test("updating a channel that is deleted at the same time returns 404 (decision 0151)", async () => {
  const made = await channel({ kind: "webhook", url: `${receiver.url}/gone` });
  const changed = await meanwhile(world, [["delete from alert_channels where id = $1", made.id]], () =>
    world.call(`${CHANNELS}/${made.id}`, { as: "max", method: "PUT", json: { name: "Other" } }),
  );
  assert.equal(changed.status, 404, changed.text);
});

test("a channel whose integration was removed says so, and a change of its name does not make it tell of all (decision 0246)", async () => {
  const added = await world.call(`${API}/alert_integrations`, {
    as: "max",
    json: { type: "http", name: "Going" },
  });
  const { id: integration } = added.json;
  const made = await channel({
    name: "Of one",
    kind: "mail",
    recipients: ["maintainers"],
    integration_ids: [integration],
  });
  const max = await signedIn(world, "max");
  const list = "/acme/rocket/-/settings/operations/channels";
  const own = `${list}/${made.id}`;
  assert.doesNotMatch((await max.get(own)).text, /Removed since|tells nobody/);
  assert.doesNotMatch((await max.get(list)).text, /Its integrations were removed/);
  await world.call(`${API}/alert_integrations/${integration}`, { as: "max", method: "DELETE" });
  const page = await max.get(own);
  assert.match(page.text, /This channel tells nobody/);
  assert.match((await max.get(list)).text, /Its integrations were removed/);
  // What a browser sends of the page, and another name.
  const ticked = [...page.text.matchAll(/<input type="checkbox" name="([a-z_]+)" value="([^"]+)" checked>/g)];
  const sent = ticked.map(([, name = "", value = ""]): [string, string] => [name, value]);
  const shown = /name="shown" value="([^"]*)"/.exec(page.text)?.[1]?.replaceAll("&quot;", '"') ?? "";
  assert.match(page.text, new RegExp(`value="${integration}" checked><b>Removed since`));
  const saved = await max.post(own, [...sent, ["shown", shown], ["name", "Renamed"], ["active", "true"]]);
  assert.equal(saved.status, 303, saved.text);
  const { json } = await world.call(`${CHANNELS}/${made.id}`, { as: "max" });
  assert.deepEqual([json.name, json.integration_ids, json.active], ["Renamed", [integration], true]);
  // Unticked it tells of all, since somebody chose so.
  const rest = sent.filter(([name]) => name !== "integration_ids");
  await max.submit(own, [...rest, ["shown", shown], ["name", "Renamed"], ["active", "true"]]);
  assert.deepEqual((await world.call(`${CHANNELS}/${made.id}`, { as: "max" })).json.integration_ids, []);
  await remove(made.id);
});
