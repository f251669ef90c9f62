/** Changes to alerts and incidents by users and tools, as recorded in timelines, receipts and events. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { runJob } from "../support/jobs.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const fire = async (payload: object): Promise<number> => (await source.send(payload)).json[0].iid;
const alertOf = async (iid: number) =>
  (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
const put = (path: string, json: object, as: "dev" | "max" = "dev") =>
  world.call(`${API}/${path}`, { as, method: "PUT", json });
const become = (iid: number, status: string) => put(`alert_management_alerts/${iid}`, { status });
const said = async (of: string): Promise<string[]> =>
  (await world.call(`${API}/${of}/notes?sort=asc`, { as: "dev" })).json.map(
    ({ body }: { body: string }) => body,
  );
const receiptOf = async (reply: Reply) =>
  (await world.call(`${API}/alert_receipts/${reply.headers.get("x-alert-receipt")}`, { as: "max" })).json;
/** Creates a silence and returns its id. */
const keepQuiet = async (title: string): Promise<number> => {
  const ends_at = new Date(Date.now() + 3_600_000).toISOString();
  const matchers = [{ field: "title", operator: "equals", value: title }];
  const json = { comment: "Work on it", ends_at, matchers };
  return (await world.call(`${API}/alert_silences`, { as: "dev", json })).json.id;
};
const eventsOf = async (iid: number) =>
  (await world.call(`${API}/events?per_page=100&sort=asc`, { as: "dev" })).json
    .filter((event: { target_iid: number }) => event.target_iid === iid)
    .map((event: Record<string, string>) => [event.action_name, event.target_title, event.author_username]);

test("setting the status that an alert already has adds nothing to its timeline (reference alerts A7)", async () => {
  const iid = await fire({ title: "Said twice" });
  for (const status of ["triggered", "acknowledged", "acknowledged"])
    assert.equal((await become(iid, status)).status, 200);
  assert.deepEqual(await said(`alert_management_alerts/${iid}`), ["changed the status to **Acknowledged**"]);
});

test("an incident closed and reopened with its alert records it once in both timelines and in the project's events (spec: What the service does 4; contract-alerts, project settings)", async () => {
  const iid = await fire({ title: "Both ways" });
  const { issue_iid } = await alertOf(iid);
  for (const status of ["resolved", "resolved", "acknowledged", "triggered"]) await become(iid, status);
  assert.deepEqual(await said(`issues/${issue_iid}`), [
    `closed this incident by resolving alert #${iid}`,
    `reopened this incident by reopening alert #${iid}`,
  ]);
  assert.deepEqual(await said(`alert_management_alerts/${iid}`), [
    "changed the status to **Resolved**",
    `closed incident #${issue_iid}`,
    "changed the status to **Acknowledged**",
    `reopened incident #${issue_iid}`,
    "changed the status to **Triggered**",
  ]);
  assert.deepEqual(await eventsOf(issue_iid), [
    ["opened", "Both ways", "alert-bot"],
    ["closed", "Both ways", "dev"],
    ["reopened", "Both ways", "dev"],
  ]);
});

test("with auto_close_incident off, incidents neither close nor reopen with their alerts (contract-alerts, project settings)", async () => {
  const iid = await fire({ title: "Apart" });
  const { issue_iid } = await alertOf(iid);
  const state = async () => (await world.call(`${API}/issues/${issue_iid}`, { as: "dev" })).json.state;
  await put("alert_settings", { auto_close_incident: false }, "max");
  await become(iid, "resolved");
  assert.equal(await state(), "opened");
  await put(`issues/${issue_iid}`, { state_event: "close" });
  await become(iid, "triggered");
  assert.equal(await state(), "closed");
  await put("alert_settings", { auto_close_incident: true }, "max");
});

test("an ungrouped alert can be reopened while another one with its payload is open (contract-alerts, plan; reference alerts A7)", async () => {
  await put("alert_settings", { grouping: false }, "max");
  const first = await fire({ title: "Each by itself" });
  await become(first, "resolved");
  await put("alert_settings", { grouping: true }, "max");
  assert.notEqual(await fire({ title: "Each by itself" }), first);
  const { status, json } = await become(first, "triggered");
  assert.deepEqual([status, json.status], [200, "triggered"]);
});

test("duplicate assignees are stored once, and the timeline names people in one order (contract-alerts, assignees)", async () => {
  const iid = await fire({ title: "Whose" });
  const { dev, max } = world.ids;
  const given = [Math.max(dev, max), Math.min(dev, max), Math.min(dev, max)];
  await put(`alert_management_alerts/${iid}`, { assignee_ids: given.slice(0, 1) });
  const { status, json } = await put(`alert_management_alerts/${iid}`, { assignee_ids: given });
  const people = json.assignees.map(({ id, name }: { id: number; name: string }) => ({ id, name }));
  assert.deepEqual([status, people.map(({ id }: { id: number }) => id)], [200, given.slice(0, 2).reverse()]);
  const names = people.map(({ name }: { name: string }) => `**${name}**`).join(", ");
  assert.equal((await said(`alert_management_alerts/${iid}`)).at(-1), `assigned ${names}`);
});

test("a comment on an alert has at most ten thousand characters (reference alerts A9)", async () => {
  const iid = await fire({ title: "Much to say" });
  const say = (body: string) =>
    world.call(`${API}/alert_management_alerts/${iid}/notes`, { as: "dev", json: { body } });
  assert.equal((await say("😀".repeat(10_000))).status, 201);
  assert.equal((await say("x".repeat(10_001))).status, 400);
});

test("an incident is closed once, with the title of the same request, and keeps fields that are not sent (spec: What the service does 4; decision 0037)", async () => {
  const made = await world.call(`${API}/issues`, {
    as: "dev",
    json: { title: "Working title", description: "What we know" },
  });
  const { iid } = made.json;
  const closed = await put(`issues/${iid}`, { title: "  Name of the cause  ", state_event: "close" });
  assert.deepEqual(
    [closed.json.title, closed.json.description, closed.json.state],
    ["Name of the cause", "What we know", "closed"],
  );
  await put(`issues/${iid}`, { state_event: "close" });
  assert.deepEqual(await said(`issues/${iid}`), ["closed this incident"]);
  assert.deepEqual(
    await eventsOf(iid),
    ["opened", "closed"].map((action) => [action, "Name of the cause", "dev"]),
  );
  for (const [title, status] of [
    ["x".repeat(255), 200],
    ["x".repeat(256), 400],
    ["  ", 400],
  ] as const)
    assert.equal((await put(`issues/${iid}`, { title })).status, status, `${title.length}`);
});

test("closed_by and closed_at of an incident stay when it is renamed or closed again, until it is reopened (spec: What the service does 4; decision 0037)", async () => {
  const { iid } = (await world.call(`${API}/issues`, { as: "dev", json: { title: "Closed once" } })).json;
  const closed = (await put(`issues/${iid}`, { state_event: "close" })).json;
  assert.equal(closed.closed_by.username, "dev");
  for (const change of [{ title: "Renamed" }, { state_event: "close" }])
    assert.equal((await put(`issues/${iid}`, change, "max")).status, 200);
  const { closed_by, closed_at } = (await world.call(`${API}/issues/${iid}`, { as: "dev" })).json;
  assert.deepEqual([closed_by.username, closed_at], ["dev", closed.closed_at]);
  assert.equal((await put(`issues/${iid}`, { state_event: "reopen" }, "max")).json.closed_by, null);
  assert.equal((await put(`issues/${iid}`, { state_event: "close" }, "max")).json.closed_by.username, "max");
});

test("closed_by of an incident says whether that person is blocked, as author does (spec: What the service does 4; decision 0037)", async () => {
  const { iid } = (await world.call(`${API}/issues`, { as: "dev", json: { title: "Closed by Dev" } })).json;
  await put(`issues/${iid}`, { state_event: "close" });
  const state = (word: "active" | "blocked") =>
    world.platform.db.run(sql`update users set state = ${word} where username = 'dev'`);
  await state("blocked");
  const one = (await world.call(`${API}/issues/${iid}`, { as: "max" })).json;
  const all = (await world.call("/api/v4/issues?scope=all", { as: "max" })).json;
  await state("active");
  assert.deepEqual([one.closed_by.state, one.author.state], ["blocked", "blocked"]);
  const listed = all.find((issue: { id: number }) => issue.id === one.id);
  assert.equal(listed.closed_by.state, "blocked");
});

test("a recovery is recorded in the timelines of the alert and of the incident that it closes (spec: What the service does 3; reference alerts D4)", async () => {
  const pump = { title: "Pump", fingerprint: "pump", monitoring_tool: "SCADA" };
  const iid = await fire({ ...pump, start_time: "2026-05-01T10:00:00Z" });
  const { issue_iid } = await alertOf(iid);
  const end = (time: string) => source.send({ ...pump, end_time: time });
  const late = await end("2026-05-01T09:00:00Z");
  assert.match(
    (await receiptOf(late)).warnings.join(),
    /A recovery is older than the newest occurrence of its alert; nothing was resolved\./,
  );
  await end("2026-05-01T11:00:00Z");
  assert.deepEqual(await said(`alert_management_alerts/${iid}`), [
    "logged a recovery alert from **SCADA** that is older than the newest occurrence",
    "logged a recovery alert from **SCADA**",
    "changed the status to **Resolved**",
    `closed incident #${issue_iid}`,
  ]);
  assert.deepEqual(await said(`issues/${issue_iid}`), [`closed this incident: alert #${iid} recovered`]);
  assert.deepEqual(await eventsOf(issue_iid), [
    ["opened", "Pump", "alert-bot"],
    ["closed", "Pump", "alert-bot"],
  ]);
});

test("a recovery or acknowledgement without an open alert is noted in the receipt (contract §4, resolve; decision 0086)", async () => {
  const over = { title: "Never seen", fingerprint: "never-seen", end_time: "2026-05-01T11:00:00Z" };
  const both = await receiptOf(await source.send([{ title: "Seen now" }, over]));
  assert.match(both.warnings.join(), /A recovery matched no open alert; nothing was opened\./);
  const seen = { "X-S4-ExternalID": "never-seen", "X-S4-Status": "acknowledged" };
  const response = await receiptOf(await source.send(seen));
  assert.match(
    response.warnings.join(),
    /What was said of an alert matched no open alert; nothing was opened\./,
  );
});

test("silencing is recorded once per alert, and the incident opened after the silence is an event (decision 0096; spec: What the service does 4)", async () => {
  const id = await keepQuiet("Quiet");
  const iid = await fire({ title: "Quiet" });
  await fire({ title: "Quiet" });
  const quiet = `applied silence **${id}**: no incident was opened, nobody was notified`;
  assert.deepEqual(await said(`alert_management_alerts/${iid}`), [quiet]);
  await world.call(`${API}/alert_silences/${id}`, { as: "dev", method: "DELETE" });
  await runJob(world, "silences");
  const { issue_iid } = await alertOf(iid);
  assert.deepEqual(await said(`alert_management_alerts/${iid}`), [
    quiet,
    `silence **${id}** is over, and the alert is still open`,
  ]);
  assert.deepEqual(await eventsOf(issue_iid), [["opened", "Quiet", "alert-bot"]]);
});

test("the end of a silence opens no incident if the project creates none (decision 0096; contract-alerts, project settings)", async () => {
  const id = await keepQuiet("Without one");
  const iid = await fire({ title: "Without one" });
  await put("alert_settings", { create_incident: false }, "max");
  await world.call(`${API}/alert_silences/${id}`, { as: "dev", method: "DELETE" });
  await runJob(world, "silences");
  const { silence_id, issue_iid } = await alertOf(iid);
  assert.deepEqual([silence_id, issue_iid], [null, null]);
  await put("alert_settings", { create_incident: true }, "max");
});

test("the end of a silence opens no second incident for an alert whose incident was opened by hand (decision 0096; reference alerts A8)", async () => {
  const id = await keepQuiet("Worth one now");
  const iid = await fire({ title: "Worth one now" });
  const made = await world.call(`${API}/alert_management_alerts/${iid}/incident`, {
    as: "dev",
    method: "POST",
  });
  assert.equal(made.status, 201);
  await world.call(`${API}/alert_silences/${id}`, { as: "dev", method: "DELETE" });
  await runJob(world, "silences");
  const { silence_id, issue_iid } = await alertOf(iid);
  assert.deepEqual([silence_id, issue_iid], [null, made.json.iid]);
});

test("alert_count of a silence counts open alerts, and a pending silence that is ended expires (decision 0096)", async () => {
  const id = await keepQuiet("Counted");
  const look = async () => (await world.call(`${API}/alert_silences/${id}`, { as: "dev" })).json;
  await fire({ title: "Counted", fingerprint: "counted 1" });
  await fire({ title: "Counted", fingerprint: "counted 2" });
  await fire({ title: "Counted", fingerprint: "counted 2", end_time: new Date().toISOString() });
  assert.equal((await look()).alert_count, 1);
  const starts_at = new Date(Date.now() + 1_800_000).toISOString();
  await put(`alert_silences/${id}`, { starts_at });
  assert.equal((await look()).state, "pending");
  await world.call(`${API}/alert_silences/${id}`, { as: "dev", method: "DELETE" });
  const over = await look();
  assert.deepEqual([over.state, over.starts_at <= over.ends_at], ["expired", true]);
});

test("a legacy time zone name is also replaced when a silence is changed (decision 0096)", async () => {
  const id = await keepQuiet("Zoned");
  const recurrence = { days: [1], from: "22:00", to: "06:00", zone: "CET" };
  const { json } = await put(`alert_silences/${id}`, { recurrence });
  assert.equal(json.recurrence.zone, "Europe/Brussels");
});

test("a missed heartbeat opens no incident if the project creates none (decision 0098; contract-alerts, project settings)", async () => {
  await put("alert_settings", { create_incident: false }, "max");
  const made = await world.call(`${API}/alert_heartbeats`, { as: "max", json: { name: "Backup" } });
  const { id, url, key } = made.json;
  await world.call(new URL(url).pathname, { headers: { authorization: `Bearer ${key}` } });
  await world.platform.db.run(
    sql`update alert_heartbeats set due_at = now() - interval '1 day' where id = ${id}`,
  );
  await runJob(world, "heartbeats");
  const found = await world.call(`${API}/alert_management_alerts?search=Heartbeat+missed`, { as: "dev" });
  assert.deepEqual(
    found.json.map((alert: { issue_iid: number | null }) => alert.issue_iid),
    [null],
  );
  await put("alert_settings", { create_incident: true }, "max");
});
