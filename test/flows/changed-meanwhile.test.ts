/** Two people change different fields of one record at the same time: both changes are kept. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { offeredBy } from "../support/page-forms.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Creates a record and updates it while another transaction changes it; returns the record as read afterwards. */
async function changed(things: string, made: object, other: (id: number) => Sql, change: object) {
  const { json, status, text } = await world.call(`${API}/${things}`, { as: "max", json: made });
  assert.equal(status, 201, text);
  const path = `${API}/${things}/${json.id}`;
  const reply = await whileDoing(
    world,
    (tx) => tx.run(other(json.id)),
    () => world.call(path, { as: "max", method: "PUT", json: change }),
  );
  assert.equal(reply.worked.status, 200, reply.worked.text);
  const after = (await world.call(path, { as: "max" })).json;
  assert.deepEqual(reply.worked.json, after);
  return after;
}

test("a channel that is disabled while it is being renamed stays disabled (decision 0097)", async () => {
  const made = { name: "Desk", kind: "webhook", url: "https://hooks.example.org/in" };
  const other = (id: number) => sql`update alert_channels set active = false where id = ${id}`;
  const { name, active } = await changed("alert_channels", made, other, { name: "Night desk" });
  assert.deepEqual({ name, active }, { name: "Night desk", active: false });
});

test("a silence whose end is moved while its comment is being changed keeps the new end (decision 0096)", async () => {
  const matchers = [{ field: "service", operator: "equals", value: "archive" }];
  const made = { comment: "Work", ends_at: "2999-01-01T00:00:00Z", matchers };
  // Takes the lock that every change of a silence takes first.
  const other = (id: number) =>
    sql`with held as (update alert_settings set reaches = true where project_id = ${world.rocket.id})
      update alert_silences set ends_at = '2998-01-01T00:00:00Z' where id = ${id}`;
  const { comment, ends_at } = await changed("alert_silences", made, other, { comment: "More work" });
  assert.deepEqual({ comment, ends_at }, { comment: "More work", ends_at: "2998-01-01T00:00:00.000Z" });
});

test("a template whose content is changed while it is being renamed keeps the new content (decision 0117)", async () => {
  const other = (id: number) => sql`update incident_templates set content = 'Who leads?' where id = ${id}`;
  const made = { name: "Outage", content: "Who looks?" };
  const { name, content } = await changed("incident_templates", made, other, { name: "Night" });
  assert.deepEqual({ name, content }, { name: "Night", content: "Who leads?" });
});

test("an environment whose URL changes while it is being renamed keeps both changes (decision 0040)", async () => {
  const other = (id: number) =>
    sql`update environments set external_url = 'https://b.example.org' where id = ${id}`;
  const made = { name: "staging", external_url: "https://a.example.org" };
  const { name, slug, external_url } = await changed("environments", made, other, { name: "preview" });
  const both = { name: "preview", slug: "preview", external_url: "https://b.example.org" };
  assert.deepEqual({ name, slug, external_url }, both);
});

test("an invitation whose end of membership is set while its role is being changed keeps both changes (decision 0111)", async () => {
  const json = { email: "new@example.org", access_level: 30 };
  const invited = await world.call(`${API}/invitations`, { as: "max", json });
  assert.equal(invited.status, 201, invited.text);
  const { worked } = await whileDoing(
    world,
    (tx) =>
      tx.run(sql`update invitations set member_until = '2999-01-01T00:00:00Z' where email = ${json.email}`),
    () =>
      world.call(`${API}/invitations/new%40example.org`, {
        as: "max",
        method: "PUT",
        json: { access_level: 20 },
      }),
  );
  assert.equal(worked.status, 200, worked.text);
  const [{ access_level, expires_at }] = (await world.call(`${API}/invitations`, { as: "max" })).json;
  assert.deepEqual(
    { access_level, expires_at },
    { access_level: 20, expires_at: "2999-01-01T00:00:00.000Z" },
  );
});

test("a member whose expiry is set while their role is being changed keeps both changes (reference events B3)", async () => {
  const member = sql`user_id = ${world.ids.dev} and project_id = ${world.rocket.id}`;
  const path = `${API}/members/${world.ids.dev}`;
  const { worked } = await whileDoing(
    world,
    (tx) => tx.run(sql`update members set expires_at = '2999-01-01T00:00:00Z' where ${member}`),
    () => world.call(path, { as: "max", method: "PUT", json: { access_level: 20 } }),
  );
  assert.equal(worked.status, 200, worked.text);
  const { access_level, expires_at } = (await world.call(path, { as: "max" })).json;
  assert.deepEqual([access_level, expires_at], [20, "2999-01-01"]);
  const json = { access_level: 30, expires_at: null };
  assert.equal((await world.call(path, { as: "max", method: "PUT", json })).status, 200);
});

type Fields = Readonly<Record<string, string>>;

/** Opens a form twice, changes another field in each, and submits both one after the other. */
async function twoForms(
  person: "ada" | "max" | "olga",
  page: string,
  stands: Fields,
  changes: readonly [Fields, Fields],
  stood = page,
) {
  const opened = [];
  for (const change of changes) {
    const visitor = await signedIn(world, person);
    const form = offeredBy((await visitor.get(stood)).text).find(
      ({ action, fields }) => action === page && "shown" in fields,
    );
    opened.push({ visitor, fields: { ...form?.fields, ...stands, ...change } });
  }
  for (const { visitor, fields } of opened) assert.equal((await visitor.post(page, fields)).status, 303);
}

test("a stale settings form of a project or group overwrites only the fields that its user changed (decision 0246)", async () => {
  const { id: namespace_id } = (await world.call("/api/v4/groups/acme", { as: "olga" })).json;
  const about = "What it is for.\nIn two lines.";
  for (const [things, page] of [
    ["projects", "/acme/door/-/settings/general"],
    ["groups", "/groups/door/-/settings"],
  ] as const) {
    const json = { name: "Door", path: "door", visibility: "public", description: "A door.\n" };
    const more = things === "projects" ? { namespace_id } : {};
    const { id } = (await world.call(`/api/v4/${things}`, { as: "olga", json: { ...json, ...more } })).json;
    const stands = { ...json, default_branch: "main" };
    await twoForms("olga", page, stands, [{ visibility: "private" }, { description: about }]);
    const now = (await world.call(`/api/v4/${things}/${id}`, { as: "olga" })).json;
    assert.deepEqual([now.visibility, now.description], ["private", about], things);
    await twoForms("olga", page, { ...stands, visibility: "private", description: about }, [
      { visibility: "public" },
      { name: "Gate" },
    ]);
    const again = (await world.call(`/api/v4/${things}/${id}`, { as: "olga" })).json;
    assert.deepEqual([again.visibility, again.name], ["public", "Gate"], things);
  }
});

test("stale instance settings do not enable a grant type again that another administrator has disabled (decisions 0082, 0246)", async () => {
  const page = "/admin/settings";
  const flows = async () =>
    (await world.call("/.well-known/oauth-authorization-server")).json.grant_types_supported as string[];
  await twoForms("ada", page, {}, [{ allowPassword: "off" }, { codeSeconds: "90" }]);
  assert.equal((await flows()).includes("password"), false);
  const ada = await signedIn(world, "ada");
  assert.match((await ada.get(page)).text, /name="codeSeconds"[^>]*value="90"/);
  const stands = { allowPassword: "off", codeSeconds: "90" };
  await twoForms("ada", page, stands, [{ allowImplicit: "off" }, { allowPassword: "" }]);
  assert.deepEqual(
    [(await flows()).includes("implicit"), (await flows()).includes("password")],
    [false, true],
  );
});

test("a stale registration form does not turn registration on again that another administrator has turned off (decisions 0121, 0246)", async () => {
  const page = "/admin/settings/registration";
  const now = async () => {
    const { text } = await (await signedIn(world, "ada")).get("/admin/settings");
    const mode = /name="registration" value="(\w+)"[^>]* checked/.exec(text)?.[1];
    return [mode, /name="registration_domains"[^>]*value="([^"]*)"/.exec(text)?.[1]];
  };
  const stands = { registration: "invited", registration_domains: "" };
  const domains = { registration_domains: "example.org" };
  await twoForms("ada", page, stands, [{ registration: "off" }, domains], "/admin/settings");
  assert.deepEqual(await now(), ["off", "example.org"]);
  const closed = { ...domains, registration: "off" };
  await twoForms(
    "ada",
    page,
    closed,
    [{ registration_domains: "" }, { registration: "invited" }],
    "/admin/settings",
  );
  assert.deepEqual(await now(), ["invited", ""]);
});

test("a form that is rejected keeps the values that it showed first, so that others' changes survive its next submission (decision 0246)", async () => {
  const page = "/admin/settings";
  const ada = await signedIn(world, "ada");
  const formOf = (text: string) => offeredBy(text).find(({ action }) => action === page)?.fields ?? {};
  const opened = (await ada.get(page)).text;
  const stands = { allowImplicit: "off", codeSeconds: "90" };
  const other = await signedIn(world, "ada");
  const saved = { ...formOf((await other.get(page)).text), ...stands, requirePkce: "on" };
  assert.equal((await other.post(page, saved)).status, 303);
  const refused = await ada.post(page, { ...formOf(opened), ...stands, codeSeconds: "9" });
  assert.equal(refused.status, 422);
  const mended = await ada.post(page, { ...formOf(refused.text), ...stands, codeSeconds: "120" });
  assert.equal(mended.status, 303);
  assert.match((await ada.get(page)).text, /name="requirePkce"[\s\S]*?<option value="on" selected/);
});

test("a stale form of an integration or channel does not enable it again, not even after a validation error (decision 0246)", async () => {
  const max = await signedIn(world, "max");
  const stands = { name: "Open", active: "true", kind: "slack", severities: "critical", events: "opened" };
  const made = {
    alert_integrations: { name: "Open", type: "http" },
    alert_channels: {
      name: "Open",
      kind: "slack",
      url: "https://hooks.example.org/in",
      severities: ["critical"],
      events: ["opened"],
    },
  };
  for (const [things, json] of Object.entries(made)) {
    const { id } = (await world.call(`${API}/${things}`, { as: "max", json })).json;
    const place = things === "alert_channels" ? "channels" : "integrations";
    const page = `/acme/rocket/-/settings/operations/${place}/${id}`;
    const unseen = (text: string) => offeredBy(text).find(({ action }) => action === page)?.fields;
    const opened = (await max.get(page)).text;
    await world.call(`${API}/${things}/${id}`, { as: "max", method: "PUT", json: { active: false } });
    const refused = await max.post(page, { ...unseen(opened), ...stands, name: "x".repeat(300) });
    assert.equal(refused.status, 422, things);
    assert.equal((await max.post(page, { ...unseen(refused.text), ...stands, name: "Night" })).status, 303);
    const now = async () => (await world.call(`${API}/${things}/${id}`, { as: "max" })).json;
    const { name, active } = await now();
    assert.deepEqual([name, active], ["Night", false], things);
    const again = (await max.get(page)).text;
    assert.equal((await max.post(page, { ...unseen(again), ...stands, name: "Night" })).status, 303);
    assert.equal((await now()).active, true, things);
  }
});

/** Creates a record of the project, submits two forms of it that were opened together, and returns the record as it is then. */
async function twoFormsOf(
  things: string,
  page: string,
  made: object,
  stands: Fields,
  changes: [Fields, Fields],
) {
  const { json, status, text } = await world.call(`${API}/${things}`, { as: "max", json: made });
  assert.equal(status, 201, text);
  const read = async () => (await world.call(`${API}/${things}/${json.id}`, { as: "max" })).json;
  const at = `/acme/rocket/-/${page.replace(":id", json.id)}`;
  await twoForms("max", at, stands, changes);
  return { at, read, now: await read() };
}

test("a stale form of a heartbeat, template or webhook overwrites only the fields that its user changed (decision 0246)", async () => {
  const beat = await twoFormsOf(
    "alert_heartbeats",
    "settings/operations/heartbeats/:id",
    { name: "Backup", interval_seconds: 300, grace_seconds: 60, severity: "low" },
    { name: "Backup", interval_seconds: "300", grace_seconds: "60", severity: "low", active: "true" },
    [{ active: "" }, { severity: "high" }],
  );
  assert.deepEqual([beat.now.active, beat.now.severity], [false, "high"]);
  const template = await twoFormsOf(
    "incident_templates",
    "settings/operations/templates/:id",
    { name: "Leak", content: "Who looks?\nWho tells?\n" },
    { name: "Leak", content: "Who looks?\r\nWho tells?\r\n" },
    [{ content: "Who leads?" }, { name: "Flood" }],
  );
  assert.deepEqual([template.now.name, template.now.content], ["Flood", "Who leads?"]);
  const url = "https://hooks.example.org/in";
  const hook = await twoFormsOf(
    "hooks",
    "settings/hooks/:id",
    { url, name: "Builds", actions: ["merged", "pushed"] },
    { url, name: "Builds", actions: "pushed", active: "true" },
    [{ active: "" }, { name: "Night builds" }],
  );
  assert.deepEqual([hook.now.active, hook.now.name], [false, "Night builds"]);
});

test("changing another field of a silence keeps the milliseconds of its start and end, though the form shows whole seconds (decision 0246)", async () => {
  const matchers = [{ field: "service", operator: "equals", value: "cellar" }];
  const times = { starts_at: "2030-01-01T00:00:00.123Z", ends_at: "2031-01-01T00:00:00.456Z" };
  const shown = { starts_at: "2030-01-01 00:00:00", ends_at: "2031-01-01 00:00:00" };
  const { now } = await twoFormsOf(
    "alert_silences",
    "silences/:id",
    { matchers, comment: "Work", ...times },
    { matchers: "service = cellar", comment: "Work", ...shown },
    [{ comment: "More work" }, { ends_at: "2032-01-01 00:00" }],
  );
  assert.deepEqual(
    [now.comment, now.starts_at, now.ends_at],
    ["More work", times.starts_at, "2032-01-01T00:00:00.000Z"],
  );
});

test("a stale form that changes the comment or the conditions of a silence does not undo a new end (decision 0246)", async () => {
  const matchers = [{ field: "service", operator: "equals", value: "attic" }];
  const stands = {
    matchers: "service = attic",
    comment: "Work",
    starts_at: "2030-01-01 00:00:00",
    ends_at: "2031-01-01 00:00:00",
  };
  const made = {
    matchers,
    comment: "Work",
    starts_at: "2030-01-01T00:00:00Z",
    ends_at: "2031-01-01T00:00:00Z",
  };
  const { at, read, now } = await twoFormsOf("alert_silences", "silences/:id", made, stands, [
    { ends_at: "2032-01-01 00:00" },
    { comment: "More work" },
  ]);
  assert.deepEqual([now.ends_at, now.comment], ["2032-01-01T00:00:00.000Z", "More work"]);
  // The values that the form showed first survive a preview.
  const max = await signedIn(world, "max");
  const fieldsOf = (text: string) => offeredBy(text).find(({ fields }) => "shown" in fields)?.fields ?? {};
  const later = { ...stands, comment: "More work", ends_at: "2032-01-01 00:00:00" };
  const opened = fieldsOf((await max.get(at)).text);
  await twoForms("max", at, later, [
    { comment: "Done" },
    { days: "1", from: "22:00", to: "23:00", zone: "Etc/UTC" },
  ]);
  const typed = { ...later, matchers: "service = cellar" };
  const preview = await max.post(at, { ...opened, ...typed, action: "preview" });
  assert.equal(preview.status, 200);
  assert.equal((await max.post(at, { ...fieldsOf(preview.text), ...typed })).status, 303);
  const { comment, recurrence, ends_at, matchers: conditions } = await read();
  assert.deepEqual(
    [comment, recurrence?.days, ends_at, conditions[0].value],
    ["Done", [1], "2032-01-01T00:00:00.000Z", "cellar"],
  );
});

test("stale forms of an integration, its reading rules and the alert settings overwrite only the fields that their user changed (decision 0246)", async () => {
  const payload_example = { title: "Disk", hosts: ["a", "b"] };
  const sample = JSON.stringify(payload_example, null, 2);
  const page = "settings/operations/integrations/:id";
  const made = { name: "Racks", type: "http", payload_example };
  const stands = { name: "Racks", active: "true", payload_example: sample };
  const edited = await twoFormsOf("alert_integrations", page, made, stands, [
    { payload_example: '{"title":"Fan"}' },
    { name: "Cellar racks" },
  ]);
  assert.deepEqual([edited.now.name, edited.now.payload_example], ["Cellar racks", { title: "Fan" }]);
  const rules = { action: "save", path_title: "what", payload_example: '{"title": "Fan"}' };
  const other = { payload_example: JSON.stringify({ title: "Fan" }, null, 2), path_title: "" };
  await twoForms("max", `${edited.at}/rules`, { ...rules, ...other }, [
    { path_title: "what" },
    { ignore: "seen" },
  ]);
  const ruled = await edited.read();
  assert.deepEqual([ruled.mapping, ruled.ignore], [{ title: ["what"] }, ["seen"]]);
  await twoForms("max", `${edited.at}/rules`, { ...rules, ...other, path_title: "what", ignore: "seen" }, [
    { path_title: "", path_service: "where, at", table_service: "a = attic" },
    { path_hosts: "on", table_severity: "p1 = critical" },
  ]);
  const both = await edited.read();
  assert.deepEqual(both.mapping, { service: ["where", "at"], hosts: ["on"] });
  assert.deepEqual(both.value_tables, { service: { a: "attic" }, severity: { p1: "critical" } });
  const settings = { create_incident: "true", auto_close_incident: "true", grouping: "true" };
  const more = { storm_threshold: "30", storm_seconds: "60", resolve_after_hours: "0" };
  const operations = "/acme/rocket/-/settings/operations";
  const changes = [{ create_incident: "" }, { storm_threshold: "40" }] as const;
  await twoForms("max", `${operations}/alerts`, { ...settings, ...more }, changes, operations);
  const now = (await world.call(`${API}/alert_settings`, { as: "max" })).json;
  assert.deepEqual([now.create_incident, now.storm_threshold], [false, 40]);
});

test("a stale profile form overwrites only the fields that its user changed (decision 0246)", async () => {
  const stands = { name: "Olga Owner", time_zone: "Etc/UTC" };
  const olga = async () => (await world.call("/api/v4/user", { as: "olga" })).json;
  const { name } = await olga();
  await twoForms("olga", "/profile", { ...stands, name }, [{ private_profile: "yes" }, { name: "Olga O." }]);
  const now = await olga();
  assert.deepEqual([now.private_profile, now.name], [true, "Olga O."]);
  await twoForms(
    "olga",
    "/profile/about",
    { bio: "", location: "" },
    [{ bio: "Bakes." }, { location: "Ghent" }],
    "/profile",
  );
  const after = await olga();
  assert.deepEqual([after.bio, after.location], ["Bakes.", "Ghent"]);
});

test("a malformed `shown` field of a form is ignored, and the form is saved (decision 0246)", async () => {
  const max = await signedIn(world, "max");
  await max.get("/profile");
  const nested = "[".repeat(100_000) + "]".repeat(100_000);
  for (const [shown, name] of [
    [`{"name":${nested}}`, "Max Deep"],
    ['["Max List"]', "Max List"],
    ["{", "Max"],
  ] as const) {
    const saved = await max.post("/profile", { name, time_zone: "Etc/UTC", shown });
    assert.equal(saved.status, 303, name);
    assert.equal((await world.call("/api/v4/user", { as: "max" })).json.name, name);
  }
});
