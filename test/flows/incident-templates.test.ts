/** Incident templates: who manages them, which incidents get them, and incidents created by hand. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sweepHeartbeats } from "../../src/alerts/record-heartbeat.ts";
import { releaseSilenced } from "../../src/alerts/release-silenced.ts";
import { buildApp } from "../../src/app.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const TEMPLATES = `${API}/incident_templates`;
const SETTINGS = `${API}/alert_settings`;
const OPERATIONS = "/acme/rocket/-/settings/operations";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const post = (json: unknown, as: Person = "max") => world.call(TEMPLATES, { as, json });
const settings = (json: unknown, as: Person = "max") => world.call(SETTINGS, { as, method: "PUT", json });
let count = 0;
async function template(content: string): Promise<{ id: number; name: string }> {
  const made = await post({ name: `Template ${++count}`, content });
  assert.equal(made.status, 201, made.text);
  return made.json;
}
async function descriptionOf(alertIid: number): Promise<string> {
  const alert = (await world.call(`${API}/alert_management_alerts/${alertIid}`, { as: "dev" })).json;
  assert.notEqual(alert.issue_iid, null);
  return (await world.call(`${API}/issues/${alert.issue_iid}`, { as: "rep" })).json.description;
}
async function fire(payload: Record<string, unknown>): Promise<number> {
  return (await source.send(payload)).json[0].iid;
}

/** Sends an alert that a silence holds back, then ends the silence. */
async function fireSilenced(payload: { title: string; annotations?: object }): Promise<number> {
  const silence = await world.call(`${API}/alert_silences`, {
    as: "dev",
    json: {
      comment: "quiet",
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      matchers: [{ field: "title", operator: "equals", value: payload.title }],
    },
  });
  const iid = await fire(payload);
  await world.call(`${API}/alert_silences/${silence.json.id}`, { as: "dev", method: "DELETE" });
  await releaseSilenced(world.platform);
  return iid;
}

test("Maintainers create, change and remove templates, Reporters read them, and other people get 403 or 404 (decision 0117)", async () => {
  const made = await post({ name: " Outage ", content: "## Who looks\r\n- [ ] Tell the customers" });
  assert.equal(made.status, 201);
  const { id, created_at, updated_at } = made.json;
  const record = {
    id,
    name: "Outage",
    content: "## Who looks\n- [ ] Tell the customers",
    created_at,
    updated_at,
  };
  assert.deepEqual(made.json, record);
  const at = `${TEMPLATES}/${id}`;
  assert.deepEqual((await world.call(at, { as: "rep" })).json, record);
  const list = await world.call(TEMPLATES, { as: "rep" });
  assert.deepEqual(list.json, [record]);
  assert.equal(list.headers.get("x-total"), "1");
  for (const [as, read, write] of [
    ["rep", 200, 403],
    ["dev", 200, 403],
    ["gus", 403, 403],
    ["stan", 404, 404],
  ] as const) {
    assert.equal((await world.call(TEMPLATES, { as })).status, read, as);
    assert.equal((await world.call(at, { as })).status, read, as);
    assert.equal((await post({ name: "x", content: "x" }, as)).status, write, as);
    assert.equal((await world.call(at, { as, method: "PUT", json: { name: "x" } })).status, write, as);
    assert.equal((await world.call(at, { as, method: "DELETE" })).status, write, as);
  }
  const changed = await world.call(at, { as: "max", method: "PUT", json: { content: "New" } });
  assert.deepEqual([changed.json.name, changed.json.content], ["Outage", "New"]);
  assert.equal((await world.call(at, { as: "max", method: "DELETE" })).status, 204);
  assert.equal((await world.call(at, { as: "max" })).status, 404);
  assert.equal((await world.call(`${TEMPLATES}/none`, { as: "max" })).status, 404);
});

test("a template needs a unique name and at most 64 KiB of text, and templates of another project are not found (decision 0117)", async () => {
  const { id, name } = await template("é".repeat(32 * 1024));
  for (const [json, field, words] of [
    [{ name: " ", content: "x" }, "name", "can't be blank"],
    [{ name: "x".repeat(256), content: "x" }, "name", "is too long (maximum is 255 characters)"],
    [{ name: name.toUpperCase(), content: "x" }, "name", "has already been taken"],
    [{ name: "Empty", content: " \n" }, "content", "can't be blank"],
    [{ name: "Long", content: `${"é".repeat(32 * 1024)}x` }, "content", "is too long (maximum is 64 KiB)"],
  ] as const) {
    const refused = await post(json);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json, { message: { [field]: [words] } });
  }
  assert.equal((await post({ name: "No content" })).status, 400);
  const open = "/api/v4/projects/acme%2Fopen";
  assert.equal((await world.call(`${open}/incident_templates/${id}`, { as: "olga" })).status, 404);
  const put = { as: "olga", method: "PUT", json: { incident_template: name } } as const;
  const refused = await world.call(`${open}/alert_settings`, put);
  assert.deepEqual([refused.status, Object.keys(refused.json.message)], [400, ["incident_template"]]);
});

test("the description of an alert's incident ends with the chosen template, after the details of the alert; later changes of the template do not affect it (decision 0117)", async () => {
  const { id, name } = await template("### Checklist\n- [ ] Look at the graphs");
  const chosen = await settings({ incident_template: name });
  assert.equal(chosen.json.incident_template, name);
  assert.equal(chosen.json.create_incident, true);
  assert.equal((await settings({ grouping: true })).json.incident_template, name);
  const first = await fire({ title: "First", severity: "high", description: "It is\nfull" });
  const alertUrl = `${world.url}/acme/rocket/-/alerts/${first}`;
  const description = await descriptionOf(first);
  const { started_at } = (await world.call(`${API}/alert_management_alerts/${first}`, { as: "dev" })).json;
  assert.ok(description.startsWith(`**Start time:** ${started_at}  \n**Severity:** high`), description);
  assert.ok(
    description.endsWith(
      `**Description:** It is full  \n**Alert:** ${alertUrl}\n\n---\n\n### Checklist\n- [ ] Look at the graphs`,
    ),
    description,
  );
  await world.call(`${TEMPLATES}/${id}`, { as: "max", method: "PUT", json: { content: "Another" } });
  assert.equal(await descriptionOf(first), description);
  const many = await source.send([{ title: "Second" }, { title: "Third" }]);
  for (const { iid } of many.json)
    assert.ok((await descriptionOf(iid)).endsWith(`/${iid}\n\n---\n\nAnother`));
  await world.call(`${TEMPLATES}/${id}`, { as: "max", method: "DELETE" });
  assert.equal((await world.call(SETTINGS, { as: "max" })).json.incident_template, null);
  const bare = await fire({ title: "Without" });
  assert.ok((await descriptionOf(bare)).endsWith(`/alerts/${bare}`));
});

test("opening incidents for 20 alerts takes as many database statements with a template as without (decision 0117)", async () => {
  let n = 0;
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === "pooled") return counted(value as object);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          n++;
          if (name !== "transaction") return value.apply(target, given);
          const [work] = given as [(tx: object) => unknown];
          return value.call(target, (tx: object) => work(counted(tx)));
        };
      },
    });
  const app = await buildApp({ ...world.platform, db: counted(world.platform.db) });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  whenDone(() => app.close());
  const statementsFor = async (round: string): Promise<number> => {
    const payload = Array.from({ length: 20 }, (_, at) => ({ title: `Counted ${round} ${at}` }));
    n = 0;
    const headers = { authorization: `Bearer ${source.key}`, "content-type": "application/json" };
    const reply = await fetch(url + source.path, { method: "POST", headers, body: JSON.stringify(payload) });
    assert.equal(((await reply.json()) as unknown[]).length, 20);
    return n;
  };
  await statementsFor("first");
  const without = await statementsFor("without");
  const { name } = await template("Counted");
  await settings({ incident_template: name });
  const withOne = await statementsFor("with");
  await settings({ incident_template: null });
  assert.ok(without > 5);
  assert.equal(withOne, without);
});

test("incidents from silenced alerts, replays, heartbeats and alerts escalated by hand end with the template too (decision 0117)", async () => {
  const { name } = await template("Told later");
  await settings({ incident_template: name });
  const endsLater = async (iid: number) =>
    assert.ok((await descriptionOf(iid)).endsWith(`/alerts/${iid}\n\n---\n\nTold later`));
  const quiet = await fireSilenced({ title: "Quiet" });
  await endsLater(quiet);
  await settings({ create_incident: false });
  const hand = await fire({ title: "By hand" });
  const opened = await world.call(`${API}/alert_management_alerts/${hand}/incident`, {
    as: "dev",
    method: "POST",
  });
  assert.equal(opened.status, 201, opened.text);
  await endsLater(hand);
  await settings({ create_incident: true });
  const [receipt] = (await world.call(`${API}/alert_receipts?alert_iid=${hand}`, { as: "max" })).json;
  await world.call(`${API}/alert_management_alerts/${hand}`, {
    as: "dev",
    method: "PUT",
    json: { status: "resolved" },
  });
  const replayed = await world.call(`${API}/alert_receipts/${receipt.id}/replay`, { as: "max", json: {} });
  await endsLater(replayed.json.alerts[0].iid);
  // The first sweep of a service counts as one after a pause, so it reports nothing as missed.
  await sweepHeartbeats(world.platform);
  const beat = await world.call(`${API}/alert_heartbeats`, { as: "max", json: { name: "Backup" } });
  const ping = { method: "POST", headers: { authorization: `Bearer ${beat.json.key}` } };
  assert.equal((await world.call(new URL(beat.json.url).pathname, ping)).status, 200);
  await world.platform.db.run(sql`update alert_heartbeats set due_at = now() - interval '1 second'`);
  await sweepHeartbeats(world.platform);
  const [missed] = (await world.call(`${API}/alert_management_alerts?search=Backup`, { as: "dev" })).json;
  await endsLater(missed.iid);
  await settings({ incident_template: null });
});

test("Markdown that an alert rule adds comes between the URL of the alert and the template, in whichever way the incident is opened (reference alerts A8)", async () => {
  const { name } = await template("The template");
  await settings({ incident_template: name });
  const annotations = { gitlab_incident_markdown: "## First\n- call @olga" };
  const saysAll = async (iid: number) => {
    const end = `/alerts/${iid}\n\n---\n\n## First\n- call @\u200bolga\n\n---\n\nThe template`;
    const description = await descriptionOf(iid);
    assert.ok(description.endsWith(end), description);
  };
  await saysAll(await fire({ title: "At once", annotations }));
  const later = await fireSilenced({ title: "Later", annotations });
  await saysAll(later);
  await settings({ create_incident: false });
  const hand = await fire({ title: "With a hand", annotations });
  const open = `${API}/alert_management_alerts/${hand}/incident`;
  assert.equal((await world.call(open, { as: "dev", method: "POST" })).status, 201);
  await saysAll(hand);
  await settings({ create_incident: true, incident_template: null });
});

test("Markdown links and mentions in a payload have no effect in the description of the incident (reference alerts A8)", async () => {
  const iid = await fire({ title: "Link", description: "[bank](https://evil.example/) @max" });
  assert.match(await descriptionOf(iid), /\[bank\]\u200b\(https:\/\/evil\.example\/\) @\u200bmax/);
  const rep = await signedIn(world, "rep");
  const alert = (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
  const page = await rep.get(`/acme/rocket/-/incidents/${alert.issue_iid}`);
  assert.doesNotMatch(page.text, />bank<\/a>/);
});

test("a Reporter sees the alerts of an incident, but no links to alert pages that Reporters cannot open (decision 0102)", async () => {
  const iid = await fire({ title: "Closed to Reporters" });
  const alert = (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
  const path = `/acme/rocket/-/incidents/${alert.issue_iid}`;
  const cell = (words: string) => new RegExp(`<${words}>Closed to Reporters</(a|span)><br>`);
  assert.match((await (await signedIn(world, "rep")).get(path)).text, cell('span class="title wrap-any"'));
  const link = `a class="title wrap-any" href="/acme/rocket/-/alerts/${iid}"`;
  assert.match((await (await signedIn(world, "dev")).get(path)).text, cell(link));
});

test("Reporters create incidents with the issues API (decision 0117)", async () => {
  const json = {
    title: " Somebody called ",
    description: "It **burns**",
    issue_type: "incident",
    severity: "high",
  };
  const made = await world.call(`${API}/issues`, { as: "rep", json });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    [made.json.title, made.json.description, made.json.severity, made.json.author.username, made.json.state],
    ["Somebody called", "It **burns**", "HIGH", "rep", "opened"],
  );
  assert.deepEqual((await world.call(`${API}/issues/${made.json.iid}`, { as: "rep" })).json, made.json);
  const events = await world.call(`/api/v4/projects/acme%2Frocket/events`, { as: "dev" });
  assert.ok(events.json.some((one: { target_id: number }) => one.target_id === made.json.id));
  assert.equal((await world.call(`${API}/issues`, { as: "rep", json: { title: " " } })).status, 400);
  assert.equal((await world.call(`${API}/issues`, { as: "rep", json: {} })).status, 400);
  assert.equal(
    (await world.call(`${API}/issues`, { as: "rep", json: { ...json, issue_type: "task" } })).status,
    400,
  );
  assert.equal((await world.call(`${API}/issues`, { as: "gus", json })).status, 403);
  assert.equal((await world.call(`${API}/issues`, { as: "stan", json })).status, 404);
  const close = { as: "dev", method: "PUT", json: { state_event: "close" } } as const;
  assert.equal((await world.call(`${API}/issues/${made.json.iid}`, close)).json.state, "closed");
});

test("alert tools that create GitLab issues create incidents, also if they send issue_type=issue (decision 0262)", async () => {
  const token = await world.tokenOf("rep", "api");
  const opened = async (path: string, options: Parameters<World["call"]>[1]) => {
    const made = await world.call(path, { method: "POST", ...options });
    assert.equal(made.status, 201, made.text);
    return made.json;
  };
  // Keep sends everything in the query, empty parameters too, and no body.
  const asked = new URLSearchParams({ title: "Keep it", description: "", labels: "", issue_type: "issue" });
  const kept = await opened(`${API}/issues?${asked}`, { token });
  assert.deepEqual([kept.title, kept.issue_type, kept.labels], ["Keep it", "incident", ["incident"]]);
  // Alerta sends only the title, with the token in PRIVATE-TOKEN.
  const headers = { "private-token": token };
  assert.equal((await opened(`${API}/issues?title=Alerta%20says`, { headers })).title, "Alerta says");
  // alertmanager2gitlab sends JSON, after checking that no open issue has the title.
  const json = { title: "[FIRING] HighCPU server1", description: "**x**" };
  const found = `${API}/issues?state=opened&search=${encodeURIComponent(json.title).replaceAll("%20", "+")}`;
  assert.deepEqual((await world.call(found, { headers })).json, []);
  await opened(`${API}/issues`, { headers, json });
  const titles = (await world.call(found, { headers })).json.map(({ title }: { title: string }) => title);
  assert.deepEqual(titles, [json.title]);
});

test("incidents created by hand and by alerts in parallel are numbered without gaps (decision 0117)", async () => {
  const before = (await world.call(`${API}/issues?per_page=1`, { as: "rep" })).json[0].iid;
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      at % 2 === 0
        ? world.call(`${API}/issues`, { as: "rep", json: { title: `Hand ${at}` } })
        : source.send({ title: `Tool ${at}` }),
    ),
  );
  const all = await world.call(`${API}/issues?per_page=20`, { as: "rep" });
  const iids = all.json.map((one: { iid: number }) => one.iid).sort((a: number, b: number) => a - b);
  assert.deepEqual(
    iids,
    Array.from({ length: 20 }, (_, at) => before + 1 + at),
  );
});

test("templates are created on their pages, chosen for alerts and used for a new incident, all without script (decision 0117)", async () => {
  const max = await signedIn(world, "max");
  const made = await max.submit(
    `${OPERATIONS}/templates`,
    { name: "By page", content: "## Steps\n- [ ] One" },
    `${OPERATIONS}/templates/new`,
  );
  assert.equal(made.status, 303);
  const page = await max.follow(made);
  assert.match(page.text, /By page was added\./);
  assert.match(page.text, /<h3>Steps<\/h3>/);
  const refused = await max.submit(
    `${OPERATIONS}/templates`,
    { name: "By page", content: "kept <b>" },
    `${OPERATIONS}/templates/new`,
  );
  assert.equal(refused.status, 422);
  assert.match(refused.text, /has already been taken/);
  assert.match(refused.text, /kept &lt;b&gt;/);
  const id = Number(/templates\/(\d+)$/.exec(made.headers.get("location") ?? "")?.[1]);
  assert.match((await max.get(OPERATIONS)).text, /<option value="By page">By page<\/option>/);
  const saved = await max.submit(
    `${OPERATIONS}/alerts`,
    { incident_template: "By page", create_incident: "true", storm_threshold: "30", storm_seconds: "60" },
    OPERATIONS,
  );
  assert.equal(saved.status, 303);
  assert.match((await max.get(OPERATIONS)).text, /For every alert/);
  assert.equal((await world.call(SETTINGS, { as: "max" })).json.incident_template, "By page");
  const rep = await signedIn(world, "rep");
  assert.match((await rep.get("/acme/rocket/-/incidents")).text, /href="\/acme\/rocket\/-\/incidents\/new"/);
  const blank = await rep.get(`/acme/rocket/-/incidents/new?template=${id}`);
  assert.match(blank.text, /## Steps\n- \[ \] One<\/textarea>/);
  assert.match(blank.text, /aria-current="true"[^>]*>By page/);
  const empty = await rep.post("/acme/rocket/-/incidents/new", {
    template: `${id}`,
    title: "",
    severity: "high",
    description: "kept",
  });
  assert.equal(empty.status, 422);
  assert.match(empty.text, /kept<\/textarea>/);
  assert.match(empty.text, /aria-current="true"[^>]*>By page/);
  assert.match(empty.text, new RegExp(`<input type="hidden" name="template" value="${id}">`));
  const opened = await rep.post("/acme/rocket/-/incidents/new", {
    title: "Found by hand",
    severity: "high",
    description: "## Steps\r\n- [x] One",
  });
  const incident = await rep.follow(opened);
  assert.match(incident.text, /is open\./);
  assert.match(incident.text, /<input type="checkbox" disabled checked>/);
  assert.equal((await rep.get(`${OPERATIONS}/templates/${id}`)).status, 403);
  const gone = await max.submit(`${OPERATIONS}/templates/${id}/delete`, {}, `${OPERATIONS}/templates/${id}`);
  assert.equal(gone.status, 303);
  assert.equal((await max.get(`${OPERATIONS}/templates/${id}`)).status, 404);
  const gus = await signedIn(world, "gus");
  assert.equal((await gus.get("/acme/rocket/-/incidents/new")).status, 403);
});

test("the form of alert settings stays as typed if the chosen template was removed meanwhile (ux §7; decision 0117)", async () => {
  const max = await signedIn(world, "max");
  const typed = { incident_template: "Outage", storm_threshold: "77", storm_seconds: "120" };
  const refused = await max.submit(`${OPERATIONS}/alerts`, typed, OPERATIONS);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /needs fixing: <a href="#incident_template">Incident template<\/a>/);
  assert.match(refused.text, /<select class="input" name="incident_template"[^>]* aria-invalid="true"/);
  assert.match(refused.text, /name="storm_threshold"[^>]* value="77"/);
  assert.match(refused.text, /<option value="120" selected>/);
  assert.notEqual((await world.call(SETTINGS, { as: "max" })).json.storm_threshold, 77);
});

test("the audit log shows who created, changed, chose and removed templates (decision 0117)", async () => {
  const { id, name } = await template("secret text");
  await world.call(`${TEMPLATES}/${id}`, { as: "max", method: "PUT", json: { name: `${name}b` } });
  await settings({ incident_template: `${name}b` });
  await settings({ incident_template: `${name}b` });
  await world.call(`${TEMPLATES}/${id}`, { as: "max", method: "DELETE" });
  const ada = await signedIn(world, "ada");
  for (const [action, words] of [
    ["incident_template_created", `“${name}”, project acme/rocket`],
    ["incident_template_changed", `“${name}b”, changed name, project acme/rocket`],
    ["alert_settings_changed", `project acme/rocket, incident_template ${name}b`],
    ["incident_template_removed", `“${name}b”, project acme/rocket`],
  ] as const) {
    const page = await ada.get(`/admin/audit?name=max&action=${action}`);
    assert.equal(page.text.split(words).length, 2, action);
    assert.doesNotMatch(page.text, /secret text/);
  }
});

test("Developers edit title, severity and description of an incident; a form opened earlier does not overwrite newer changes, and fields not sent stay as they are (ux §7, incident; decisions 0246, 0277)", async () => {
  const content = "## First\n- [ ] Tell the customers";
  const json = { title: "Gate 3 is stuck", description: content, issue_type: "incident" };
  const { iid } = (await world.call(`${API}/issues`, { as: "dev", json })).json;
  const page = `/acme/rocket/-/incidents/${iid}`;
  const read = async () => (await world.call(`${API}/issues/${iid}`, { as: "rep" })).json;
  const [dev, rep] = [await signedIn(world, "dev"), await signedIn(world, "rep")];
  assert.doesNotMatch((await rep.get(page)).text, /Edit title, severity and description/);
  const { text } = await dev.get(page);
  const shown = unescaped(/name="shown" value="([^"]*)"/.exec(text)?.[1] ?? "");
  const fields = { action: "edit", title: json.title, shown };
  const put = {
    as: "dev",
    method: "PUT",
    json: { title: "Gates 3 and 4 are stuck", severity: "low" },
  } as const;
  assert.equal((await world.call(`${API}/issues/${iid}`, put)).status, 200);
  const done = "## First\r\n- [x] Tell the customers";
  const saved = await dev.follow(await dev.post(page, { ...fields, severity: "unknown", description: done }));
  assert.match(saved.text, /The incident is saved\./);
  const { title, severity, description } = await read();
  assert.deepEqual(
    { title, severity, description },
    { title: put.json.title, severity: "LOW", description: content.replace("[ ]", "[x]") },
  );
  const raised = await dev.follow(await dev.post(page, { ...fields, severity: "high" }));
  assert.match(raised.text, /changed the severity from <strong>low<\/strong> to <strong>high<\/strong>/);
  await dev.post(page, { action: "edit", title: put.json.title, description });
  assert.equal((await read()).severity, "HIGH", "a request without the severity field keeps it");

  const refused = await dev.post(page, { ...fields, title: " ", severity: "info", description: "kept" });
  assert.equal(refused.status, 422);
  assert.match(
    refused.text,
    /<details class="more mt" open>.*Title can&#39;t be blank.*value="info" selected.*>\s*kept<\/textarea>/s,
  );
  assert.equal((await rep.submit(page, { ...fields, title: "Mine" }, page)).status, 403);
  assert.equal((await read()).title, put.json.title);
});

const unescaped = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
