/** The page of an alert: assignees, comments, payloads, the command that resolves it, and opening its incident. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "/acme/rocket/-/alerts";
const API = "/api/v4/projects/acme%2Frocket";
const run = promisify(execFile);

let world: World;
let source: Source;
let dev: Visitor;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  dev = await signedIn(world, "dev");
});

async function opened(payload: object): Promise<number> {
  return (await source.send(payload)).json[0].iid;
}

async function alert(iid: number) {
  return (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
}

function plain(text: string): string {
  return text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

for (const payload of [
  { title: "It's $HOME & `full`", fingerprint: ["disk", "it's"], service: "s" },
  { title: "No name of its own", nested: { a: ["'", '"', "$x", "\\"] } },
]) {
  test(`the command on the page resolves the alert ${payload.title} when it is run (spec: Alert payload end_time)`, async () => {
    const iid = await opened(payload);
    const { text } = await dev.get(`${PAGE}/${iid}`);
    const shown = /<pre[^>]*id="resolve"[^>]*>([\s\S]*?)<\/pre>/.exec(text)?.[1] ?? "";
    const entities: Record<string, string> = {
      "&amp;": "&",
      "&lt;": "<",
      "&gt;": ">",
      "&quot;": '"',
      "&#39;": "'",
    };
    const command = shown.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? "");
    await run("sh", ["-c", command.replace("curl ", "curl -sSf ")], {
      env: { ...process.env, ALERT_KEY: source.key },
    });
    assert.equal((await alert(iid)).status, "resolved");
  });
}

test("an alert whose command would be too long shows how to resolve it instead (spec: Alert payload end_time)", async () => {
  const { text } = await dev.get(`${PAGE}/${await opened({ title: "Long", more: "x".repeat(4000) })}`);
  assert.match(plain(text), /Send the same payload again with end_time/);
  assert.doesNotMatch(text, /id="resolve"|sends the end by itself/);
});

test('"Last seen" is shown as a relative time with the exact time in its tooltip (ux §5, dates)', async () => {
  const iid = await opened({ title: "Seen" });
  await world.platform.db.run(
    sql`update alerts set last_seen_at = now() - interval '210 seconds' where iid = ${iid}`,
  );
  const { text } = await dev.get(`${PAGE}/${iid}`);
  assert.match(
    text,
    /<dt>Last seen<\/dt><dd><time datetime="[^"]+Z" title="[^"]+ UTC">3 <small>min ago<\/small><\/time><\/dd>/,
  );
});

test("times of occurrences name their time zone, below the chart and in the table (ux §5, dates)", async () => {
  const iid = await opened({ title: "Early", fingerprint: "early" });
  const page = () => dev.get(`${PAGE}/${iid}`);
  const axis = /<div class="axis"[^>]*>(.*?)<\/div>/;
  const { text } = await page();
  assert.match(axis.exec(text)?.[1] ?? "", /^<span>\d\d:\d\d UTC<\/span>$/);
  assert.match(text, /aria-label="1 occurrence at \d\d:\d\d UTC\."/);
  assert.match(text, /<th[^>]*>Received<\/th>.*?<time[^>]*>\d+ \w{3} \d{4}, \d\d:\d\d:\d\d UTC<\/time>/s);
  await opened({ title: "Early", fingerprint: "early" });
  await world.platform.db.run(
    sql`update alert_occurrences set received_at = received_at - interval '2 days' where id = (
      select min(id) from alert_occurrences where alert_id = (select id from alerts where iid = ${iid}))`,
  );
  const [first, last] = [...(axis.exec((await page()).text)?.[1] ?? "").matchAll(/<span>(.*?)<\/span>/g)];
  assert.match(first?.[1] ?? "", /^\d+ [A-Z][a-z]{2}, \d\d:\d\d UTC$/);
  assert.match(last?.[1] ?? "", /^\d+ [A-Z][a-z]{2}, \d\d:\d\d UTC$/);
});

test("of many hosts the first few are shown and the others on expanding (spec: Alert payload hosts)", async () => {
  const hosts = Array.from({ length: 40 }, (_one, at) => `edge-${at}.example.org`);
  const { text } = await dev.get(`${PAGE}/${await opened({ title: "Fleet", hosts })}`);
  const card = /<section[^>]*id="details"[\s\S]*?<\/section>/.exec(text)?.[0] ?? "";
  assert.match(card, /edge-5\.example\.org<\/code><br><details class="more"><summary>34 more<\/summary>/);
  for (const host of hosts) assert.ok(card.includes(`>${host}<`), host);
});

test("the page of an alert from Alertmanager shows no command to resolve it, as the tool sends the end itself (reference alerts A11)", async () => {
  const group = {
    ...{ version: "4", groupKey: "g", status: "firing", receiver: "us", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://am.example" },
    alerts: [
      {
        ...{
          status: "firing",
          labels: { alertname: "Load" },
          annotations: {},
          generatorURL: "",
          fingerprint: "f1",
        },
        ...{ startsAt: "2026-01-01T00:00:00Z", endsAt: "0001-01-01T00:00:00Z" },
      },
    ],
  };
  assert.equal((await source.send(group)).status, 201);
  const [{ iid }] = (await world.call(`${API}/alert_management_alerts?search=Load`, { as: "dev" })).json;
  const { text } = await dev.get(`${PAGE}/${iid}`);
  assert.doesNotMatch(text, /id="resolve"/);
  assert.match(text, /which sends the end by itself/);
});

test("the page of an alert without a known title says what to do, with a link to the reading rules for Maintainers (reference ux; contract §4, missing title)", async () => {
  const iid = await opened({ headline: "Somebody else's words" });
  assert.match(
    plain((await dev.get(`${PAGE}/${iid}`)).text),
    /no title that is known here\..+a Maintainer can/,
  );
  const max = await signedIn(world, "max");
  const { text } = await max.get(`${PAGE}/${iid}`);
  const [, rules = ""] = /<a href="([^"]+)">Reading rules<\/a>/.exec(text) ?? [];
  assert.equal((await max.get(rules)).status, 200);
  assert.doesNotMatch((await dev.get(`${PAGE}/${await opened({ title: "Own" })}`)).text, /Reading rules/);
});

test("the page of a resolved alert no longer says how to resolve it (reference ux)", async () => {
  const iid = await opened({ title: "Over soon", fingerprint: "over-soon" });
  await opened({ fingerprint: "over-soon", end_time: new Date().toISOString() });
  const text = plain((await dev.get(`${PAGE}/${iid}`)).text);
  assert.match(text, /What comes with this fingerprint from now on is another one/);
  assert.doesNotMatch(text, /Resolve it from the tool|to resolve this alert/);
});

test("an alert can be assigned to several people, and each can be removed (contract-alerts, assignees)", async () => {
  const iid = await opened({ title: "Belt slips", fingerprint: "belt" });
  const page = `${PAGE}/${iid}`;
  const people = async () =>
    (await alert(iid)).assignees.map(({ username }: { username: string }) => username);
  const taken = await dev.follow(await dev.submit(page, { action: "take" }));
  assert.match(taken.text, /Alert #\d+ is assigned to Dev Developer\./);
  await dev.submit(page, { action: "assign", assignee: String(world.ids.max) });
  assert.deepEqual(
    await people(),
    ["max", "dev"].sort((a, b) => world.ids[a as "max"] - world.ids[b as "dev"]),
  );
  const left = await dev.follow(await dev.submit(page, { unassign: String(world.ids.dev) }));
  assert.match(left.text, /Alert #\d+ is assigned to Max Maintainer\./);
  assert.deepEqual(await people(), ["max"]);
  const refused = await dev.submit(page, { action: "assign", assignee: String(world.ids.stan) });
  assert.match((await dev.follow(refused)).text, /may not see the alerts/);
  assert.deepEqual(await people(), ["max"]);
});

test("an occurrence's payload is shown with its differences from the previous one (reference alerts A7)", async () => {
  await opened({ title: "Drift", fingerprint: "drift", kg: 340, gone: true, same: [1, 2] });
  const iid = await opened({ title: "Drift", fingerprint: "drift", kg: 355, same: [1, 2] });
  const { text } = await dev.get(`${PAGE}/${iid}`);
  const [newest, oldest] = [...text.matchAll(/\?occurrence=(\d+)#payload/g)].map((found) => found[1]);
  const words = plain((await dev.get(`${PAGE}/${iid}?occurrence=${newest}`)).text);
  assert.match(
    words,
    /Changed since the occurrence before Place Before Now kg 340 355 gone true Nothing All of it/,
  );
  assert.doesNotMatch(plain((await dev.get(`${PAGE}/${iid}?occurrence=${oldest}`)).text), /Changed since/);
});

test("comments are notes in the API, with status changes among them as system notes; without permission 403 or 404 is returned (contract-alerts)", async () => {
  const iid = await opened({ title: "Gate", fingerprint: "gate" });
  const notes = `${API}/alert_management_alerts/${iid}/notes`;
  const made = await world.call(notes, { as: "dev", json: { body: " Looked at it. " } });
  assert.equal(made.status, 201);
  const { body, system, author, noteable_type, noteable_iid } = made.json;
  assert.deepEqual([body, system, author.username, noteable_iid], ["Looked at it.", false, "dev", iid]);
  assert.equal(noteable_type, "AlertManagement::Alert");
  await world.call(`${API}/alert_management_alerts/${iid}`, {
    as: "max",
    method: "PUT",
    json: { status: "ignored" },
  });
  const listed = await world.call(`${notes}?sort=asc`, { as: "dev" });
  assert.deepEqual(
    listed.json.map((note: { body: string; system: boolean }) => [note.body, note.system]),
    [
      ["Looked at it.", false],
      ["changed the status to **Ignored**", true],
    ],
  );
  assert.equal(listed.headers.get("x-total"), "2");
  for (const [filter, systems] of [
    ["only_comments", [false]],
    ["only_activity", [true]],
  ] as const) {
    const { json, headers } = await world.call(`${notes}?activity_filter=${filter}`, { as: "dev" });
    const found = json.map((note: { system: boolean }) => note.system);
    assert.deepEqual([found, headers.get("x-total")], [systems, "1"], filter);
  }
  assert.equal((await world.call(notes, { as: "dev", json: { body: "  " } })).status, 400);
  assert.equal((await world.call(notes, { as: "rep" })).status, 403);
  assert.equal((await world.call(notes, { as: "stan" })).status, 404);
  assert.equal((await world.call(notes)).status, 404);
  assert.match((await dev.get(`${PAGE}/${iid}`)).text, /Looked at it\./);
});

test("an incident is opened by hand for an alert that has none, only once under concurrent requests (reference alerts A8)", async () => {
  await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json: { create_incident: false } });
  const iid = await opened({ title: "By hand", fingerprint: "hand", severity: "low", service: "yard" });
  assert.equal((await alert(iid)).issue_iid, null);
  assert.match((await dev.get(`${PAGE}/${iid}`)).text, /Open an incident/);
  const path = `${API}/alert_management_alerts/${iid}/incident`;
  const tries = await Promise.all(
    Array.from({ length: 8 }, () => world.call(path, { as: "dev", method: "POST" })),
  );
  assert.deepEqual(tries.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)]);
  const made = tries.find(({ status }) => status === 201)?.json;
  assert.deepEqual([made.title, made.severity, made.author.username], ["By hand", "LOW", "dev"]);
  assert.equal((await alert(iid)).issue_iid, made.iid);
  assert.match((await dev.get(`/acme/rocket/-/incidents/${made.iid}`)).text, /By hand/);
  assert.equal((await world.call(path, { as: "rep", method: "POST" })).status, 403);
  const page = await opened({ title: "From the page", fingerprint: "page" });
  const sent = await dev.submit(`${PAGE}/${page}`, { action: "incident" });
  assert.match(sent.location ?? "", /\/-\/incidents\/\d+$/);
  assert.doesNotMatch((await dev.get(`${PAGE}/${page}`)).text, /Open an incident/);
  await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json: { create_incident: true } });
});

test("an alert and its incident close and reopen together (contract-alerts, project settings)", async () => {
  const iid = await opened({ title: "Both ways", fingerprint: "both" });
  const { issue_iid } = await alert(iid);
  const state = async () => {
    const incident = await world.call(`${API}/issues/${issue_iid}`, { as: "dev" });
    return [(await alert(iid)).status, incident.json.state];
  };
  await dev.submit(`${PAGE}/${iid}`, { action: "resolve" });
  assert.deepEqual(await state(), ["resolved", "closed"]);
  await dev.submit(`${PAGE}/${iid}`, { action: "reopen" });
  assert.deepEqual(await state(), ["triggered", "opened"]);
  await dev.submit(`/acme/rocket/-/incidents/${issue_iid}`, { action: "close" });
  assert.deepEqual(await state(), ["resolved", "closed"]);
  await dev.submit(`/acme/rocket/-/incidents/${issue_iid}`, { action: "reopen" });
  assert.deepEqual(await state(), ["triggered", "opened"]);
});

test("two people who take an alert at the same time are both assigned (contract-alerts, assignees)", async () => {
  const iid = await opened({ title: "Both take it", fingerprint: "both-take" });
  const { id: project } = world.rocket;
  await dev.get(`${PAGE}/${iid}`);
  const byMax = "insert into alert_assignees select id, $1 from alerts where project_id = $2 and iid = $3";
  await meanwhile(
    world,
    [
      ["select pg_advisory_xact_lock(hashtextextended($1, 0))", `alerts of ${project}`],
      [byMax, world.ids.max, project, iid],
    ],
    () => dev.post(`${PAGE}/${iid}`, { action: "take" }),
  );
  const { assignees } = await alert(iid);
  assert.deepEqual(assignees.map(({ username }: { username: string }) => username).sort(), ["dev", "max"]);
});

test("an alert assigned to a former member can be given to others and unassigned, but not assigned to them again (contract-alerts, assignees)", async () => {
  const iid = await opened({ title: "Left behind", fingerprint: "left-behind" });
  const item = `${API}/alert_management_alerts/${iid}`;
  const member = { as: "olga", json: { user_id: world.ids.stan, access_level: 30 } } as const;
  assert.equal((await world.call(`${API}/members`, member)).status, 201);
  const given = { as: "dev", method: "PUT", json: { assignee_ids: [world.ids.stan] } } as const;
  assert.equal((await world.call(item, given)).status, 200);
  await world.call(`${API}/members/${world.ids.stan}`, { as: "olga", method: "DELETE" });
  await dev.submit(`${PAGE}/${iid}`, { action: "take" });
  const people = async () => (await alert(iid)).assignees.map(({ id }: { id: number }) => id);
  assert.deepEqual(
    await people(),
    [world.ids.dev, world.ids.stan].sort((a, b) => a - b),
  );
  await dev.submit(`${PAGE}/${iid}`, { unassign: String(world.ids.stan) });
  assert.deepEqual(await people(), [world.ids.dev]);
  assert.equal((await world.call(item, given)).status, 400, "a former member cannot be assigned");
});

test("acknowledging or ignoring an alert that was resolved meanwhile does not reopen it (decision 0161)", async () => {
  const payload = { title: "Over meanwhile", fingerprint: "over-meanwhile" };
  const iid = await opened(payload);
  const { issue_iid } = await alert(iid);
  await dev.get(`${PAGE}/${iid}`);
  await opened({ ...payload, end_time: new Date().toISOString() });
  for (const action of ["acknowledge", "ignore", "unacknowledge"]) {
    const told = await dev.follow(await dev.post(`${PAGE}/${iid}`, { action }));
    assert.match(plain(told.text), /was resolved meanwhile/, action);
  }
  const ticked = { "iids[]": String(iid), action: "acknowledge" };
  assert.match(plain((await dev.follow(await dev.submit(PAGE, ticked))).text), /0 alerts were acknowledged/);
  assert.equal((await alert(iid)).status, "resolved");
  assert.equal((await world.call(`${API}/issues/${issue_iid}`, { as: "dev" })).json.state, "closed");
  await dev.submit(`${PAGE}/${iid}`, { action: "reopen" });
  await dev.submit(`${PAGE}/${iid}`, { action: "acknowledge" });
  await dev.submit(`${PAGE}/${iid}`, { action: "unacknowledge" });
  assert.equal((await alert(iid)).status, "triggered");
});

test("an unknown action submitted on the page changes nothing, even if it names an object property (reference reliability A18)", async () => {
  const iid = await opened({ title: "No act", fingerprint: "no-act" });
  for (const action of ["constructor", "__proto__", "toString", "explode", ""]) {
    assert.equal((await dev.submit(`${PAGE}/${iid}`, { action })).status, 303, action);
  }
  assert.equal((await alert(iid)).status, "triggered");
});

test("the pages show the newest activity and notes and leave out older ones (reference alerts A8, A9)", async () => {
  const iid = await opened({ title: "Much said", fingerprint: "much-said" });
  const { issue_iid } = await alert(iid);
  const { db } = world.platform;
  await db.run(sql`insert into alert_activity (alert_id, author_id, kind, body)
    select a.id, ${world.ids.max}, 'comment', 'Said before ' || n || '.' from alerts a, generate_series(1, 500) n
    where project_id = ${world.rocket.id} and iid = ${iid}`);
  await db.run(sql`insert into incident_notes (incident_id, author_id, body)
    select i.id, ${world.ids.max}, 'Noted before ' || n || '.' from incidents i, generate_series(1, 500) n
    where project_id = ${world.rocket.id} and iid = ${issue_iid}`);
  const stored = sql`select count(*) as n from alert_activity t join alerts a on a.id = t.alert_id
    where a.project_id = ${world.rocket.id} and a.iid = ${iid}`;
  assert.equal((await db.one(row({ n: integer }), stored)).n, 500);
  assert.doesNotMatch((await dev.get(`${PAGE}/${iid}`)).text, /Older lines are left out/);
  assert.doesNotMatch(
    (await dev.get(`/acme/rocket/-/incidents/${issue_iid}`)).text,
    /Older notes are left out/,
  );
  await dev.submit(`${PAGE}/${iid}`, { action: "comment", comment: "The latest of all." });
  const { text } = await dev.get(`${PAGE}/${iid}`);
  assert.match(
    text,
    /Older lines are left out[\s\S]*Said before 2\.[\s\S]*Said before 500\.[\s\S]*The latest of all\./,
  );
  assert.doesNotMatch(text, /Said before 1\./);
  const incident = `/acme/rocket/-/incidents/${issue_iid}`;
  await dev.submit(incident, { action: "note", note: "The latest note." });
  const notes = (await dev.get(incident)).text;
  assert.match(
    notes,
    /Older notes are left out[\s\S]*Noted before 2\.[\s\S]*Noted before 500\.[\s\S]*The latest note\./,
  );
  assert.doesNotMatch(notes, /Noted before 1\./);
  await dev.submit(incident, { action: "note", note: `${"long ".repeat(20_000)}end of it` });
  const long = (await dev.get(incident)).text;
  assert.ok(
    /long\s+…/.test(long) && !long.includes("end of it"),
    "a note of a megabyte must be truncated on the page",
  );
  const whole = await world.call(`${API}/issues/${issue_iid}/notes?per_page=1`, { as: "rep" });
  assert.match(whole.json[0].body, /end of it$/);
});

test("the incident opened by hand for an alert without a title is named by its number (reference alerts A8)", async () => {
  const settings = (create_incident: boolean) =>
    world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json: { create_incident } });
  await settings(false);
  const iid = await opened({ nothing: "known", fingerprint: "no-title" });
  await settings(true);
  const path = `${API}/alert_management_alerts/${iid}/incident`;
  const made = (await world.call(path, { as: "dev", method: "POST" })).json;
  assert.equal(made.title, `New: Incident ${made.iid}`);
  const events = await world.call(`${API}/events?target_type=issue`, { as: "dev" });
  assert.equal(events.json[0].target_title, made.title);
});

test("addresses in descriptions, comments and notes are links, and bold words are bold (ux §3, Markdown)", async () => {
  const address = "https://grafana.example.org/d/abc?x=1";
  const said = (what: string) => `${what}: see ${address} and **bold**\n- <i>one</i>`;
  const shown = (what: string) =>
    `<p>${what}: see <a href="${address}" rel="noopener noreferrer">${address}</a> and <strong>bold</strong></p>` +
    "<ul><li>&lt;i&gt;one&lt;/i&gt;</li></ul>";
  const iid = await opened({
    title: "Linked",
    description: said("Described"),
    runbook: "https://a.example/",
  });
  await dev.submit(`${PAGE}/${iid}`, { action: "comment", comment: said("Commented") });
  const { text } = await dev.get(`${PAGE}/${iid}`);
  assert.ok(text.includes(`<div class="prose wrap-any">${shown("Described")}</div>`), text);
  assert.ok(
    text.includes(`<div class="quote"><div class="prose wrap-any">${shown("Commented")}</div></div>`),
  );
  assert.match(text, /<p>Runbook: <a href="https:\/\/a\.example\/"/);
  const incident = `/acme/rocket/-/incidents/${(await alert(iid)).issue_iid}`;
  await dev.submit(incident, { action: "note", note: said("Noted") });
  assert.ok((await dev.get(incident)).text.includes(shown("Noted")));
});

test("a link in the description of a sender shows where it leads (reference alerts A8)", async () => {
  const description = "Sign in at [our page](https://theirs.example/in).";
  const iid = await opened({ title: "Disguised", description });
  const { text } = await dev.get(`${PAGE}/${iid}`);
  assert.match(
    text,
    /\[our page\]\u200b\(<a href="https:\/\/theirs\.example\/in"[^>]*>https:\/\/theirs\.example\/in<\/a>\)\./,
  );
  const empty = await opened({ title: "Undescribed", description: " \n" });
  assert.match((await dev.get(`${PAGE}/${empty}`)).text, /The payload has no description\./);
});
