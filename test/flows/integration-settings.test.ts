/** How Maintainers configure integrations with the API, and what the other roles may do. */
import assert from "node:assert/strict";
import { before, mock, test } from "node:test";
import { clientSite } from "../support/client-site.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const of = (project: string) => `/api/v4/projects/${encodeURIComponent(project)}/alert_integrations`;
const rocket = of("acme/rocket");
const post = (path: string, json: unknown, as: Person = "max") => world.call(path, { as, json });
const put = (path: string, json: unknown, as: Person = "max") =>
  world.call(path, { as, json, method: "PUT" });
const send = (record: { url: string; authorization_key: string }, payload: unknown = { title: "x" }) =>
  world.call(new URL(record.url).pathname, {
    json: payload,
    headers: { authorization: `Bearer ${record.authorization_key}` },
  });

test("a Maintainer creates the generic endpoint and reads its URL and key, which is null while the endpoint is off (spec: Configuration 2; spec: Alert integration 2; spec: States 4)", async () => {
  const { status, json } = await post(rocket, { type: "generic", active: false });
  assert.equal(status, 201);
  assert.deepEqual(
    [json.type, json.active, json.name, json.authorization_key, json.strict, json.group_by, json.ignore],
    ["generic", false, "Default endpoint", null, false, [], []],
  );
  assert.equal(json.url, `${world.url}/acme/rocket/alerts/notify.json`);
  const on = (await put(`${rocket}/${json.id}`, { active: true })).json;
  assert.match(on.authorization_key, /^gak_/);
  assert.equal((await send(on)).status, 200);
  const off = (await put(`${rocket}/${json.id}`, { active: false })).json;
  assert.equal(off.authorization_key, null);
  assert.equal((await send(on)).status, 403);
  assert.equal(
    (await put(`${rocket}/${json.id}`, { active: true })).json.authorization_key,
    on.authorization_key,
  );
  const again = await world.call(`${rocket}/${json.id}`, { as: "max" });
  assert.ok(again.json.last_received_at);
});

test("a second generic endpoint is refused, HTTP endpoints are not, and the list shows name, type and whether each is active (spec: Configuration 3; spec: Alert integration 1)", async () => {
  assert.equal((await post(rocket, { type: "generic" })).status, 422);
  const made = [];
  for (const name of ["A b", "Ünï"]) made.push(await post(rocket, { type: "http", name }));
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201],
  );
  assert.match(made[0]?.json.url, /\/acme\/rocket\/alerts\/notify\/a-b\/[0-9a-f]{16}\.json$/);
  const renamed = await put(`${rocket}/${made[0]?.json.id}`, { name: "Renamed" });
  assert.match(renamed.json.url, /\/notify\/renamed\//);
  // The old address still works.
  assert.equal((await send(made[0]?.json)).status, 200);
  const list = await world.call(rocket, { as: "max" });
  assert.deepEqual(
    list.json.map((one: { name: string; type: string; active: boolean }) => [one.name, one.type, one.active]),
    [
      ["Default endpoint", "generic", true],
      ["Renamed", "http", true],
      ["Ünï", "http", true],
    ],
  );
  assert.equal(list.headers.get("x-total"), "3");
});

test("Prometheus endpoints are a type of their own (spec: Configuration 4; spec: Versioning 4)", async () => {
  const { json } = await post(rocket, { type: "prometheus", api_url: "https://prometheus.example.org" });
  assert.equal(json.url, `${world.url}/acme/rocket/prometheus/alerts/notify.json`);
  assert.equal(json.api_url, "https://prometheus.example.org");
  assert.equal((await send(json)).status, 200);
});

test("the link to an external tool and the other integrations cannot be active together, not even with concurrent requests (reference alerts D29; spec: Configuration 5; spec: What the service does 5)", async () => {
  const open = of("acme/open");
  const tool = { type: "external_tool", api_url: "https://tool.example.org/api" };
  assert.equal((await post(open, { type: "external_tool" })).status, 400);
  const generic = (await post(open, { type: "generic" })).json;
  assert.equal((await post(open, tool)).status, 422);
  await put(`${open}/${generic.id}`, { active: false });
  const linked = (await post(open, tool)).json;
  assert.deepEqual([linked.url, linked.authorization_key, linked.active], [null, null, true]);
  const rotated = await post(`${open}/${linked.id}/rotate_key`, {});
  assert.deepEqual(
    [rotated.status, rotated.json.message],
    [422, "The link to an external alerting tool has no key."],
  );
  const refused = await put(`${open}/${generic.id}`, { active: true });
  assert.equal(refused.status, 422);
  assert.match(refused.json.message, /external alerting tool is linked.+switch it off first/);
  for (let round = 0; round < 5; round++) {
    await Promise.all([
      put(`${open}/${linked.id}`, { active: false }),
      put(`${open}/${generic.id}`, { active: false }),
    ]);
    const both = await Promise.all([
      put(`${open}/${linked.id}`, { active: true }),
      put(`${open}/${generic.id}`, { active: true }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422]);
  }
});

test("the free plan has only the generic endpoint and Prometheus endpoints (spec: Authentication 11; reference reliability S88)", async () => {
  const free = of("free/plan");
  assert.equal((await post(free, { type: "generic" }, "olga")).status, 201);
  for (const body of [
    { type: "http", name: "More" },
    { type: "external_tool", api_url: "https://t.example.org" },
  ]) {
    const reply = await post(free, body, "olga");
    assert.equal(reply.status, 422);
    assert.match(reply.json.message, /free plan/);
  }
  // The form preselects a type that the plan includes and that is not yet in use.
  const olga = await signedIn(world, "olga");
  const offered = async (page: string) => {
    const [, list = ""] =
      /<select[^>]*name="type"[^>]*>(.*?)<\/select>/s.exec((await olga.get(page)).text) ?? [];
    const types = [...list.matchAll(/value="(\w+)"( selected)?>([^<]*)/g)];
    return types.map(([, type, chosen = "", label = ""]) => `${type}${chosen}${/not on/.exec(label) ?? ""}`);
  };
  assert.deepEqual(await offered("/free/plan/-/settings/operations"), [
    ...["generic", "prometheus selected", "httpnot on", "external_toolnot on"],
  ]);
  assert.deepEqual(
    (await offered("/acme/open/-/settings/operations")).map((type) => type.split(" ")[0]),
    [...["generic", "http", "prometheus", "external_tool"]],
  );
});

test("the free plan refuses grouping of identical payloads, and a stored choice takes effect again with a higher plan (contract §4, tiers; contract-alerts, plan; reference reliability S88)", async () => {
  const path = "/api/v4/projects/free%2Fplan/alert_settings";
  const plan = async (name: "free" | "premium") =>
    assert.equal((await put("/api/v4/namespaces/free", { plan: name }, "ada")).status, 200);
  const reply = await put(path, { grouping: true, create_incident: false }, "olga");
  assert.equal(reply.status, 422);
  assert.match(reply.json.message, /free plan/);
  const { json } = await world.call(path, { as: "olga" });
  assert.deepEqual([json.grouping, json.create_incident], [false, true]);
  // The settings can be sent back as they were read.
  const changed = await put(path, { ...json, create_incident: false }, "olga");
  assert.deepEqual([changed.status, changed.json], [200, { ...json, create_incident: false }]);
  const olga = await signedIn(world, "olga");
  const page = "/free/plan/-/settings/operations";
  assert.match((await olga.get(page)).text, /name="grouping" value="true" disabled>/);
  await olga.submit(`${page}/alerts`, { storm_threshold: "12" }, page);
  const shown = await world.call(path, { as: "olga" });
  assert.deepEqual([shown.json.storm_threshold, shown.json.grouping], [12, false]);
  await plan("premium");
  assert.equal((await world.call(path, { as: "olga" })).json.grouping, true);
  assert.equal((await put(path, { grouping: false }, "olga")).json.grouping, false);
  assert.equal((await put(path, { grouping: true }, "olga")).json.grouping, true);
  await plan("free");
});

test("a new key works at once, and the old one until the end of its grace period (reference alerts D23, D24; reference reliability S91; contract-alerts, rotation)", async () => {
  const made = (await post(rocket, { type: "http", name: "Rotating" })).json;
  const rotated = (await post(`${rocket}/${made.id}/rotate_key`, { grace_seconds: 60 })).json;
  assert.notEqual(rotated.authorization_key, made.authorization_key);
  assert.ok(rotated.old_key_expires_at);
  assert.deepEqual([(await send(made)).status, (await send(rotated)).status], [200, 200]);
  const again = (await post(`${rocket}/${made.id}/rotate_key`, { grace_seconds: 0 })).json;
  assert.deepEqual(
    [(await send(made)).status, (await send(rotated)).status, (await send(again)).status],
    [401, 401, 200],
  );
  assert.equal((await post(`${rocket}/${made.id}/rotate_key`, { grace_seconds: 604_801 })).status, 400);
  await put(`${rocket}/${made.id}`, { active: false });
  const whileOff = (await post(`${rocket}/${made.id}/rotate_key`, {})).json;
  assert.deepEqual([whileOff.active, typeof whileOff.authorization_key], [false, "string"]);
  await put(`${rocket}/${made.id}`, { active: true });
  assert.equal((await send(whileOff)).status, 200);
  assert.equal((await world.call(`${rocket}/${made.id}`, { as: "max", method: "DELETE" })).status, 204);
  assert.equal((await send(again)).status, 403);
});

test("the service shows the configured URLs of tools as links and never requests them; a URL that is not HTTP or HTTPS is refused (reference reliability S124)", async () => {
  let asked = 0;
  const site = await clientSite((_request, response) => {
    asked++;
    response.end();
  });
  const plan = of("olga/tools");
  const json = { name: "Tools", path: "tools" };
  assert.equal((await world.call("/api/v4/projects", { as: "olga", json })).status, 201);
  for (const api_url of [
    "javascript:alert(1)",
    "ftp://t.example",
    "file:///etc/passwd",
    "//t.example",
    "data:,x",
  ])
    assert.equal((await post(plan, { type: "external_tool", api_url }, "olga")).status, 400, api_url);
  const prometheus = {
    type: "prometheus",
    name: "P",
    api_url: `${site.origin}/p`,
    alertmanager_url: `${site.origin}/a`,
  };
  const metrics = await post(plan, prometheus, "olga");
  assert.equal(metrics.status, 201, metrics.text);
  const { key, url } = { key: metrics.json.authorization_key, url: new URL(metrics.json.url).pathname };
  const authorization = `Bearer ${key}`;
  const sent = await world.call(url, {
    json: { title: "x", generatorURL: `${site.origin}/g`, runbook: `${site.origin}/r` },
    headers: { authorization },
  });
  assert.ok(sent.status < 300, sent.text);
  assert.ok((await put(`${plan}/${metrics.json.id}`, { active: false }, "olga")).status < 300);
  const tool = await post(plan, { type: "external_tool", api_url: `${site.origin}/tool` }, "olga");
  assert.equal(tool.status, 201, tool.text);
  const olga = await signedIn(world, "olga");
  const home = "/olga/tools/-";
  const shown = [
    `${home}/alerts`,
    `${home}/alerts/1`,
    `${home}/incidents/1`,
    `${home}/settings/operations`,
    "/olga/tools",
  ];
  const texts = await Promise.all(shown.map(async (path) => (await olga.get(path)).text));
  assert.ok(
    texts.some((text) => text.includes(`href="${site.origin}/tool"`)),
    "a page shows the link",
  );
  assert.equal(asked, 0);
});

test("invalid fields are refused, with their names in the error (contract §4, API errors)", async () => {
  for (const [body, fault] of [
    [{}, { error: "type is missing" }],
    [{ type: "pigeon" }, { error: "type does not have a valid value" }],
    [{ type: "http" }, { error: "name is missing" }],
    [{ type: "http", name: 5 }, { error: "name is invalid" }],
    [{ type: "http", name: "x", active: "yes" }, { error: "active is invalid" }],
    [
      { type: "prometheus", api_url: "javascript:alert(1)" },
      { message: { api_url: ["must be an http or https URL"] } },
    ],
  ] as const) {
    const reply = await post(rocket, body);
    assert.deepEqual([reply.status, reply.json], [400, fault]);
  }
  const sample = await post(rocket, { type: "http", name: "x", payload_example: '{"a":\n1,}' });
  assert.equal(sample.status, 400);
  assert.match(sample.json.message, /^The sample payload is not valid JSON: line 2, column 3/);
});

test("only Maintainers may manage integrations; Developers may send test alerts and read alerts (reference alerts D28; reference reliability S83, S106; spec: Authentication 11; spec: Configuration 1)", async () => {
  const [{ id }] = (await world.call(rocket, { as: "max" })).json;
  const statuses = async (path: string, json?: unknown) => {
    const all: number[] = [];
    for (const as of ["stan", "gus", "rep", "dev", "max", "olga"] as const) {
      all.push((await world.call(path, { as, ...(json === undefined ? {} : { json }) })).status);
    }
    return all;
  };
  assert.deepEqual(await statuses(rocket), [404, 403, 403, 403, 200, 200]);
  assert.deepEqual(await statuses(`${rocket}/${id}`), [404, 403, 403, 403, 200, 200]);
  assert.deepEqual(
    await statuses("/api/v4/projects/acme%2Frocket/alert_receipts"),
    [404, 403, 403, 403, 200, 200],
  );
  assert.deepEqual(
    await statuses("/api/v4/projects/acme%2Frocket/alert_settings"),
    [404, 403, 403, 403, 200, 200],
  );
  assert.deepEqual(
    await statuses(`${rocket}/${id}/test`, { payload: { title: "t" } }),
    [404, 403, 403, 200, 200, 200],
  );
  const alerts = "/api/v4/projects/acme%2Frocket/alert_management_alerts";
  assert.deepEqual(await statuses(alerts), [404, 403, 403, 200, 200, 200]);
  assert.deepEqual(await statuses(`${alerts}/1`), [404, 403, 403, 200, 200, 200]);
  assert.equal((await world.call(alerts)).status, 404);
  assert.equal((await world.call(alerts.replace("rocket", "open"))).status, 403);
  assert.equal((await world.call(`${of("acme/open")}/${id}`, { as: "max" })).status, 404);
  assert.equal((await world.call(`${rocket}/x`, { as: "max" })).status, 404);
});

test("a test alert is marked as one, opens no incident and is not counted (reference alerts D34; spec: POST alert endpoint 5, 6)", async () => {
  const [{ id }] = (await world.call(rocket, { as: "max" })).json;
  const alerts = "/api/v4/projects/acme%2Frocket/alert_management_alerts";
  const before = (await world.call(`${alerts}/counts`, { as: "dev" })).json;
  const sent = await post(`${rocket}/${id}/test`, { payload: { title: "Tried", drift: 3 } }, "dev");
  assert.deepEqual([sent.status, sent.json.status], [200, "success"]);
  assert.deepEqual(sent.json.reading.alerts[0].custom, ["drift"]);
  const alert = (await world.call(`${alerts}/${sent.json.alert_iid}`, { as: "dev" })).json;
  assert.deepEqual([alert.test, alert.issue_iid, alert.title], [true, null, "Tried"]);
  assert.deepEqual((await world.call(`${alerts}/counts`, { as: "dev" })).json, before);
  const listed = async (query: string) =>
    (await world.call(`${alerts}?search=Tried${query}`, { as: "dev" })).json.length;
  assert.deepEqual([await listed(""), await listed("&include_test=true")], [0, 1]);
  // A real alert with the same payload is not deduplicated into it.
  const real = (await world.call(rocket, { as: "max" })).json[0];
  assert.notEqual((await send(real, { title: "Tried", drift: 3 })).json[0].iid, sent.json.alert_iid);
});

test("a test alert with invalid JSON is refused with line and column (reference reliability S106; spec: Errors 3)", async () => {
  const [{ id }] = (await world.call(rocket, { as: "max" })).json;
  const reply = await post(`${rocket}/${id}/test`, { payload: '{"title": "x"\n"y": 1}' }, "dev");
  assert.deepEqual([reply.status, reply.json.status], [422, "error"]);
  assert.match(reply.json.message, /line 2, column 1: a comma is missing/);
});

test("a test alert whose payload holds no alert is refused (spec: Errors 3)", async () => {
  const made = await post(rocket, { type: "http", name: "Asked by SNS" });
  assert.equal(made.status, 201, made.text);
  const payload = { Type: "SubscriptionConfirmation", TopicArn: "arn", MessageId: "2" };
  const reply = await post(`${rocket}/${made.json.id}/test`, { payload });
  assert.deepEqual(
    [reply.status, reply.json],
    [422, { status: "error", message: "The payload holds no alert." }],
  );
});

test("a project sends thirty test alerts a minute, by API and on the page together (decision 0070; reference reliability S106)", async () => {
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  const { id } = (await limited.call(rocket, { as: "max", json: { type: "generic" } })).json;
  const other = (await limited.call(of("acme/open"), { as: "max", json: { type: "generic" } })).json;
  const tried = (path: string) => limited.call(path, { as: "max", json: { payload: { title: "Tried" } } });
  stopsMeasuring();
  for (let sent = 1; sent <= 30; sent++) {
    const reply = await tried(`${rocket}/${id}/test`);
    assert.equal(reply.status, 200, `${sent}: ${reply.text}`);
  }
  const last = await tried(`${rocket}/${id}/test`);
  assert.equal(last.status, 429, last.text);
  assert.match(last.json.message, /^A project sends at most 30 test alerts a minute\. Try again in \d+ s\.$/);
  assert.ok(Number(last.headers.get("retry-after")) > 0);
  assert.equal((await tried(`${of("acme/open")}/${other.id}/test`)).status, 200, "other projects go on");
  const max = await signedIn(limited, "max");
  const page = "/acme/rocket/-/settings/operations";
  const payload = '{"title":"From the page"}';
  const form = await max.submit(`${page}/test`, { integration_id: `${id}`, payload }, page);
  mock.restoreAll();
  assert.equal(form.status, 422);
  assert.match(form.text, /A project sends at most 30 test alerts a minute/);
  assert.match(form.text, /From the page/);
});

test("the list of alerts can be filtered and sorted, and invalid values are refused (contract-alerts, list)", async () => {
  const source = (await post(of("acme/rocket"), { type: "http", name: "For lists" })).json;
  for (const [title, severity] of [
    ["List b", "low"],
    ["List a", "critical"],
    ["List c", "unknown"],
  ]) {
    await send(source, { title, severity });
  }
  await send(source, { title: "List a", severity: "critical" });
  const titles = async (query: string) =>
    (
      await world.call(
        `/api/v4/projects/acme%2Frocket/alert_management_alerts?integration_id=${source.id}&${query}`,
        {
          as: "dev",
        },
      )
    ).json.map?.((one: { title: string }) => one.title.slice(5));
  assert.deepEqual(await titles("sort=severity_desc"), ["a", "b", "c"]);
  assert.deepEqual(await titles("sort=severity_asc"), ["c", "b", "a"]);
  assert.deepEqual(await titles("sort=event_count_desc&per_page=1"), ["a"]);
  assert.deepEqual(await titles("severity=low,unknown&sort=created_at_asc"), ["b", "c"]);
  assert.deepEqual(await titles("search=IST%20A"), ["a"]);
  assert.deepEqual(await titles("search=%25"), []);
  assert.deepEqual(await titles("status=resolved"), []);
  assert.deepEqual(await titles("environment=nowhere"), []);
  for (const [query, error] of [
    ["status=open", "status does not have a valid value"],
    ["severity=low,bad", "severity does not have a valid value"],
    ["sort=title_asc", "sort does not have a valid value"],
    ["integration_id=x", "integration_id is invalid"],
  ]) {
    const reply = await world.call(`/api/v4/projects/acme%2Frocket/alert_management_alerts?${query}`, {
      as: "dev",
    });
    assert.deepEqual([reply.status, reply.json], [400, { error }]);
  }
});
