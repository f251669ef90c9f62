/**
 * Integrations, alerts and incidents on the pages of a project, without script: who may do what there, and what the pages say.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

const of = (project: string) => `/api/v4/projects/${encodeURIComponent(project)}/alert_integrations`;
const rocket = of("acme/rocket");
const put = (path: string, json: unknown) => world.call(path, { as: "max", json, method: "PUT" });
const send = (record: { url: string; authorization_key: string }, payload: unknown) =>
  world.call(new URL(record.url).pathname, {
    json: payload,
    headers: { authorization: `Bearer ${record.authorization_key}` },
  });

before(async () => {
  world = await startWorld();
  const tool = { type: "external_tool", api_url: "https://tool.example.org/api" };
  for (const [path, json] of [
    [rocket, { type: "generic" }],
    [of("acme/open"), tool],
  ] as const) {
    assert.equal((await world.call(path, { as: "max", json })).status, 201);
  }
});

const page = "/acme/rocket/-/settings/operations";

test("a Maintainer adds an HTTP endpoint, sees its URL and key, and switches it off and on (spec: Configuration 3; spec: States 4, 5)", async () => {
  const max = await signedIn(world, "max");
  const made = await max.submit(
    `${page}/integrations`,
    { type: "http", name: "From a page", active: "true" },
    page,
  );
  assert.equal(made.status, 303);
  const shown = await max.follow(made);
  assert.match(shown.text, /alerts\/notify\/from-a-page\/[0-9a-f]{16}\.json/);
  const key = /gak_[A-Za-z0-9]{36}/.exec(shown.text)?.[0] ?? "";
  const path = /\/acme\/rocket\/alerts\/notify\/from-a-page\/[0-9a-f]{16}\.json/.exec(shown.text)?.[0] ?? "";
  const works = async () =>
    (await world.call(path, { json: { title: "p" }, headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await works(), 200);
  const own = made.location ?? "";
  const off = await max.follow(await max.submit(`${own}/active`, { active: "false" }, page));
  assert.match(off.text, /From a page is disabled/);
  assert.equal(await works(), 403);
  assert.doesNotMatch((await max.get(own)).text, /gak_/);
  const on = await max.follow(await max.submit(`${own}/active`, { active: "true" }, page));
  assert.ok(on.text.includes(key));
  assert.equal(await works(), 200);
});

test("a sample payload that is not JSON is refused with line and column, and the form keeps what was typed (spec: POST alert endpoint 7; spec: Errors 3)", async () => {
  const max = await signedIn(world, "max");
  const fields = {
    type: "http",
    name: "Kept name",
    active: "true",
    payload_example: '{"a": 1,\n}',
    next: "test",
  };
  const refused = await max.submit(`${page}/integrations`, fields, page);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /The sample payload is not valid JSON: line 2, column 1/);
  assert.match(refused.text, /value="Kept name"/);
  const saved = await max.submit(
    `${page}/integrations`,
    { ...fields, payload_example: '{"title":"Sample"}' },
    page,
  );
  const shown = await max.follow(saved);
  assert.match(shown.text, /Test alert #\d+ was opened by it/);
});

test("fields that the form hides for the chosen type neither refuse it nor are stored (spec: Configuration 3; reference ux 7)", async () => {
  const max = await signedIn(world, "max");
  const added = async (fields: Record<string, string>) => {
    const { status, location, text } = await max.submit(`${page}/integrations`, fields, page);
    assert.equal(status, 303, text);
    const id = /\d+$/.exec(location ?? "")?.[0];
    return (await world.call(`${rocket}/${id}`, { as: "max" })).json;
  };
  for (const api_url of ["metrics.example.org", "https://metrics.example.org"]) {
    const { api_url: kept } = await added({ type: "http", name: "Retyped", active: "true", api_url });
    assert.equal(kept, null);
  }
  const tool = await added({
    type: "external_tool",
    name: "Tool",
    api_url: "https://tool.example.org/api",
    strict: "true",
    key_in_address: "true",
    payload_example: "{",
  });
  assert.deepEqual([tool.strict, tool.key_in_address, tool.payload_example], [false, false, null]);
  // A browser would refuse it without a word while the field is hidden, so only the service judges it.
  const { text } = await max.get(page);
  assert.match(text, /<input class="input" name="api_url" type="text"[^>]* inputmode="url"/);
  const wrong = { type: "prometheus", name: "Metrics", api_url: "metrics.example.org" };
  assert.match((await max.submit(`${page}/integrations`, wrong, page)).text, /id="api_url-err"/);
  await world.call(`${rocket}/${tool.id}`, { as: "max", method: "DELETE" });
});

test("a form with the type “constructor” does not get a default name from the object prototype (spec: Configuration 3; reference alerts D12)", async () => {
  const max = await signedIn(world, "max");
  const made = await max.submit(`${page}/integrations`, { type: "constructor", name: "" }, page);
  assert.equal(made.status, 422);
  const [one] = (await world.call(rocket, { as: "max" })).json;
  const own = `${page}/integrations/${one.id}`;
  const saved = await max.submit(own, { type: "constructor", name: "", active: "true" });
  assert.equal(saved.status, 303, saved.text.slice(0, 500));
  const after = (await world.call(`${rocket}/${one.id}`, { as: "max" })).json;
  assert.equal(after.name, one.name);
});

test("a Developer sends a test alert and sees how it was read; a Reporter gets 403 (spec: POST alert endpoint 5, 6; spec: Errors 3)", async () => {
  const [{ id }] = (await world.call(rocket, { as: "max" })).json;
  const dev = await signedIn(world, "dev");
  const home = await dev.get(page);
  assert.equal(home.status, 200);
  assert.doesNotMatch(home.text, /New integration|gak_/);
  const fields = { integration_id: String(id), payload: '{"title":"Page test","drift":1}' };
  const shown = await dev.follow(await dev.submit(`${page}/test`, fields, page));
  assert.match(shown.text, /Test alert accepted/);
  assert.match(shown.text, /How it is read/);
  assert.match(
    shown.text,
    /curl [^<]*-d &#39;\{\s*&quot;title&quot;: &quot;Page test&quot;,\s*&quot;drift&quot;: 1\s*\}&#39;/,
  );
  const [alone = ""] = /\/acme\/rocket\/-\/alerts\/\d+/.exec(shown.text) ?? [];
  assert.match((await dev.get(alone)).text, /A test alert stands alone: nothing joins it\./);
  const refused = await dev.post(`${page}/test`, { ...fields, payload: "{" });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /line 1, column 2/);
  assert.equal((await (await signedIn(world, "rep")).get(page)).status, 403);
  assert.equal((await (await signedIn(world, "stan")).get(page)).status, 404);
  assert.equal((await dev.post(`${page}/integrations`, { type: "http", name: "x" })).status, 403);
});

test("a test alert by an integration that was switched off meanwhile is refused at the choice, and the payload is kept (ux §5 3.3.1, §7, input kept)", async () => {
  const off = await world.call(rocket, { as: "max", json: { type: "http", name: "Off", active: false } });
  const dev = await signedIn(world, "dev");
  for (const id of [off.json.id, 999_999]) {
    const fields = { integration_id: String(id), payload: '{"title":"Kept as typed"}' };
    const { status, text } = await dev.submit(`${page}/test`, fields, page);
    assert.equal(status, 422);
    assert.match(text, /<title>Error: /);
    assert.match(text, /One thing needs fixing: <a href="#integration_id">Integration<\/a>/);
    assert.match(
      text,
      /<select[^>]* id="integration_id" aria-invalid="true" aria-describedby="integration_id-err/,
    );
    assert.match(text, /id="integration_id-err">.*Choose an active integration\./);
    assert.doesNotMatch(text, /id="payload-err"/);
    assert.match(text, /Kept as typed/);
  }
  await world.call(`${rocket}/${off.json.id}`, { as: "max", method: "DELETE" });
});

test("the list of integrations flags those that received nothing for 30 days (reference ux §6, integrations)", async () => {
  const made = await world.call(rocket, { as: "max", json: { type: "http", name: "Quiet" } });
  const max = await signedIn(world, "max");
  assert.doesNotMatch((await max.get(page)).text, /Silent for/);
  await world.platform.db.run(
    sql`update alert_integrations set created_at = now() - interval '45 days', last_received_at = now() - interval '31 days'
      where id = ${made.json.id}`,
  );
  assert.match((await max.get(page)).text, />Quiet<.*Silent for 31 days.*Disable/s);
  await put(`${rocket}/${made.json.id}`, { active: false });
  assert.doesNotMatch((await max.get(page)).text, /Silent for/);
  await world.call(`${rocket}/${made.json.id}`, { as: "max", method: "DELETE" });
});

test("the alert list shows the number of occurrences and, while an external tool is linked, the link to it (spec: Versioning 3; spec: States 3)", async () => {
  const max = await signedIn(world, "max");
  const source = (await world.call(rocket, { as: "max" })).json[0];
  for (let i = 0; i < 3; i++) await send(source, { title: "Thrice <b>on</b> the page", hosts: `h${i}` });
  const list = await max.get("/acme/rocket/-/alerts?search=Thrice");
  assert.match(list.text, /Thrice &lt;b&gt;on&lt;\/b&gt; the page/);
  assert.match(list.text, /<span class="count">3<\/span>/);
  assert.doesNotMatch(list.text, /View alerts in the external tool/);
  const alert = await max.get(/\/acme\/rocket\/-\/alerts\/\d+/.exec(list.text)?.[0] ?? "");
  assert.match(alert.text, /<dt>Occurrences<\/dt><dd>3<\/dd>/);
  assert.match(alert.text, /<code class="wrap-any">h2<\/code>/);
  const linked = (await world.call(of("acme/open"), { as: "max" })).json.find(
    (one: { type: string }) => one.type === "external_tool",
  );
  for (const one of (await world.call(of("acme/open"), { as: "max" })).json) {
    if (one.type !== "external_tool") await put(`${of("acme/open")}/${one.id}`, { active: false });
  }
  await put(`${of("acme/open")}/${linked.id}`, { active: true });
  const open = await max.get("/acme/open/-/alerts");
  assert.match(open.text, /href="https:\/\/tool\.example\.org\/api"[^>]*>.*View alerts in the external tool/);
  assert.match((await max.get("/acme/open/-/settings/operations")).text, /Deprecated/);
});

test("a Developer resolves, reopens and comments on an alert, and resolves several selected alerts at once (reference ux 7)", async () => {
  const dev = await signedIn(world, "dev");
  const source = (await world.call(rocket, { as: "max" })).json[0];
  const iids = await Promise.all(
    ["Page one", "Page two"].map(async (title) => (await send(source, { title })).json[0].iid as number),
  );
  const own = `/acme/rocket/-/alerts/${iids[0]}`;
  const resolved = await dev.follow(await dev.submit(own, { action: "resolve" }));
  assert.match(resolved.text, /is resolved/);
  assert.match((await dev.follow(await dev.post(own, { action: "reopen" }))).text, /is triggered/);
  const blank = await dev.post(own, { action: "comment", comment: " " });
  assert.equal(blank.status, 422);
  const done = await dev.post(own, { action: "comment_resolve", comment: "Done <i>" });
  assert.equal(done.location, own, "back to the alert with the new comment");
  const said = await dev.follow(done);
  assert.match(said.text, /Done &lt;i&gt;/);
  await dev.post(own, { action: "reopen" });
  const many = await dev.post("/acme/rocket/-/alerts?tab=all", [
    ["action", "resolve"],
    ...iids.map((iid): [string, string] => ["iids[]", String(iid)]),
    ["csrf_token", dev.csrfToken],
  ]);
  assert.equal(many.location, "/acme/rocket/-/alerts?tab=all");
  assert.match((await dev.follow(many)).text, /2 alerts were resolved/);
  assert.equal((await dev.get("/acme/rocket/-/alerts/999999")).status, 404);
  assert.equal((await dev.get("/acme/rocket/-/alerts/x")).status, 404);
  assert.equal((await dev.post(own, { action: "resolve", csrf_token: "stale" })).status, 403);
});

test("an empty comment or note is refused with a sentence, and the summary above it takes the focus (WCAG 3.3.1)", async () => {
  const [one] = (await world.call(rocket, { as: "max" })).json;
  const [{ iid }] = (await send(one, { title: "Says nothing" })).json;
  const { issue_iid } = (
    await world.call(`/api/v4/projects/acme%2Frocket/alert_management_alerts/${iid}`, { as: "dev" })
  ).json;
  const dev = await signedIn(world, "dev");
  for (const [own, name, label] of [
    [`/acme/rocket/-/alerts/${iid}`, "comment", "Comment"],
    [`/acme/rocket/-/incidents/${issue_iid}`, "note", "Note"],
  ] as const) {
    const { status, text } = await dev.submit(own, { action: name, [name]: " " });
    assert.equal(status, 422);
    assert.match(text, new RegExp(`autofocus>.*One thing needs fixing: <a href="#${name}">${label}</a>`));
    assert.match(text, new RegExp(`id="${name}-err">.*${label} can&#39;t be blank\\.`));
  }
});

test("a Reporter reads incidents and adds notes; a Developer closes and reopens them (reference ux 7)", async () => {
  const source = (await world.call(rocket, { as: "max" })).json[0];
  const [{ iid }] = (await send(source, { title: "Incident on a page" })).json;
  const { issue_iid } = (
    await world.call(`/api/v4/projects/acme%2Frocket/alert_management_alerts/${iid}`, { as: "dev" })
  ).json;
  const own = `/acme/rocket/-/incidents/${issue_iid}`;
  const rep = await signedIn(world, "rep");
  assert.match((await rep.get("/acme/rocket/-/incidents?search=on+a+page")).text, /Incident on a page/);
  const noted = await rep.follow(await rep.submit(own, { action: "note", note: "Looking" }));
  assert.match(noted.text, /Looking/);
  assert.equal((await rep.post(own, { action: "close" })).status, 403);
  const dev = await signedIn(world, "dev");
  assert.match((await dev.follow(await dev.submit(own, { action: "close" }))).text, /is closed/);
  assert.match((await dev.follow(await dev.post(own, { action: "reopen" }))).text, /is open again/);
});
