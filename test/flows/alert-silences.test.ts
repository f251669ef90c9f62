/** Silences: which alerts they silence, when, and what follows once they end. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { runJob } from "../support/jobs.ts";
import { meanwhile } from "../support/meanwhile.ts";
import "../support/no-proto.ts";
import { startReceiver } from "../support/receivers.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const SILENCES = `${API}/alert_silences`;

let world: World;
let source: Source;
let dev: Visitor;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  dev = await signedIn(world, "dev");
});

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const titled = (value: string) => [{ field: "title", operator: "equals", value }];

async function silence(fields: Record<string, unknown>, status = 201) {
  const reply = await world.call(SILENCES, {
    as: "dev",
    json: { comment: "Work on it", ends_at: inHours(1), ...fields },
  });
  assert.equal(reply.status, status, reply.text);
  return reply.json;
}

async function fired(payload: Record<string, unknown>) {
  const reply = await source.send({ fingerprint: JSON.stringify(payload), ...payload });
  assert.equal(reply.status, 200, reply.text);
  const iid = reply.json[0]?.iid;
  const alert = await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" });
  return { alert: alert.json, receipt: reply.headers.get("x-alert-receipt") };
}

test("a silenced alert is stored and counted, opens no incident, and names its silence (decision 0096)", async () => {
  const made = await silence({ matchers: titled("Disk is full") });
  assert.equal(made.state, "active");
  await fired({ title: "Disk is full" });
  const { alert, receipt } = await fired({ title: "Disk is full" });
  assert.deepEqual([alert.events, alert.issue_iid, alert.silence_id], [2, null, made.id]);
  const kept = await world.call(`${API}/alert_receipts/${receipt}`, { as: "max" });
  assert.match(kept.json.warnings.join(), /Silence \d+ \(Work on it\) applies/);
  const page = await dev.get(`/acme/rocket/-/alerts/${alert.iid}`);
  assert.match(page.text, /Silence \d+<\/a> applies to this alert: no incident, no notification/);
  assert.match((await dev.get("/acme/rocket/-/alerts")).text, /Silenced/);
  const other = await fired({ title: "Disk is slow" });
  assert.ok(other.alert.issue_iid > 0);
  assert.equal((await world.call(`${SILENCES}/${made.id}`, { as: "dev" })).json.alert_count, 1);
});

test("a silence that has not started silences nothing (decision 0096)", async () => {
  const made = await silence({ matchers: titled("Planned"), starts_at: inHours(1), ends_at: inHours(2) });
  assert.equal(made.state, "pending");
  const { alert } = await fired({ title: "Planned" });
  assert.deepEqual([alert.silence_id, alert.issue_iid > 0], [null, true]);
});

test("a silence has no effect in other projects (decision 0096)", async () => {
  const json = { comment: "Work elsewhere", ends_at: inHours(1), matchers: titled("Of ours") };
  const made = await world.call("/api/v4/projects/acme%2Fopen/alert_silences", { as: "max", json });
  assert.deepEqual([made.status, made.json.state], [201, "active"]);
  await silence({ matchers: titled("Something else") });
  const { alert } = await fired({ title: "Of ours" });
  assert.deepEqual([alert.silence_id, alert.issue_iid > 0], [null, true]);
});

test("conditions can test every part of an alert, and all of them must hold (decision 0096)", async () => {
  const payload = {
    title: "Queue 17 stands still",
    service: "mail",
    severity: "high",
    platform_environment_name: "lab",
    hosts: ["mq-1", "mq-2"],
    labels: { team: ["ops", "db"], "a.b": 7 },
  };
  const cases: [Record<string, string>, boolean][] = [
    [{ field: "title", operator: "matches", value: "^Queue \\d+" }, true],
    [{ field: "title", operator: "contains", value: "STANDS" }, true],
    [{ field: "service", operator: "not_equals", value: "mail" }, false],
    [{ field: "severity", operator: "equals", value: "high" }, true],
    [{ field: "environment", operator: "equals", value: "lab" }, true],
    [{ field: "host", operator: "equals", value: "mq-2" }, true],
    [{ field: "host", operator: "not_equals", value: "mq-2" }, false],
    [{ field: "integration", operator: "equals", value: "Test generic" }, true],
    [{ field: "integration", operator: "equals", value: String(source.id) }, true],
    [{ field: "payload", path: "labels.team", operator: "equals", value: "db" }, true],
    [{ field: "payload", path: "/labels/a.b", operator: "equals", value: "7" }, true],
    [{ field: "payload", path: "labels.none", operator: "not_equals", value: "x" }, true],
    [{ field: "payload", path: "labels.none", operator: "matches", value: "x" }, false],
  ];
  let n = 0;
  for (const [matcher, covers] of cases) {
    const made = await silence({
      matchers: [matcher, { field: "payload", path: "n", operator: "equals", value: `${++n}` }],
    });
    const { alert } = await fired({ ...payload, n });
    assert.equal(alert.silence_id, covers ? made.id : null, JSON.stringify(matcher));
    await world.call(`${SILENCES}/${made.id}`, { as: "dev", method: "DELETE" });
  }
});

test("renaming an integration updates the silences that name it, unless the name is ambiguous (decision 0234)", async () => {
  const at = `${API}/alert_integrations`;
  const rename = (id: number, name: string) =>
    world.call(`${at}/${id}`, { as: "max", method: "PUT", json: { name } });
  const named = (value: string) => [
    { field: "integration", operator: "equals", value },
    { field: "title", operator: "equals", value: "Named" },
  ];
  // An integration of the same name in another project has no effect.
  await aSource(world, "http", { name: "Test generic" }, "acme/open");
  const made = await silence({ matchers: named("Test generic") });
  const numbered = await silence({ matchers: named(String(source.id)) });
  const matching = { ...named("Test generic")[0], operator: "matches" };
  const other = await silence({
    matchers: [...named("Test generic").slice(1), matching],
    starts_at: inHours(0.5),
  });
  const over = await silence({ matchers: named("Test generic") });
  await world.call(`${SILENCES}/${over.id}`, { as: "dev", method: "DELETE" });
  const look = async ({ id }: { id: number }) => (await world.call(`${SILENCES}/${id}`, { as: "dev" })).json;
  assert.equal((await rename(source.id, 'Prober "new"')).status, 200);
  assert.deepEqual((await look(made)).matchers, named('Prober "new"'));
  assert.deepEqual(
    [(await look(other)).matchers, (await look(over)).matchers],
    [other.matchers, over.matchers],
  );
  assert.equal((await fired({ title: "Named" })).alert.silence_id, made.id);
  const audit = await (await signedIn(world, "ada")).get("/admin/audit?action=silence_changed");
  assert.match(audit.text, new RegExp(`Changed a silence[\\s\\S]{0,400}matchers[\\s\\S]{0,200}${made.id}`));
  // While two integrations have this name, it is unknown which one is meant.
  const json = { type: "http", name: 'Prober "new"' };
  const second = await world.call(at, { as: "max", json });
  await rename(source.id, "Test generic");
  assert.deepEqual((await look(made)).matchers, named('Prober "new"'));
  await rename(second.json.id, "Second");
  assert.deepEqual((await look(made)).matchers, named("Second"));
  // A number is the id of an integration, even if another one has it as its name.
  await rename(second.json.id, String(source.id));
  await rename(second.json.id, "Third");
  assert.deepEqual((await look(numbered)).matchers, named(String(source.id)));
  for (const { id } of [made, numbered])
    await world.call(`${SILENCES}/${id}`, { as: "dev", method: "DELETE" });
});

test("when a silence ends, alerts still open get their incidents and resolved ones do not (decision 0096; reference alerts D33)", async () => {
  const made = await silence({ matchers: [{ field: "title", operator: "contains", value: "pump" }] });
  const { alert: stays } = await fired({ title: "Pump 1" });
  const { alert: goes } = await fired({ title: "Pump 2" });
  await source.send({
    title: "Pump 2",
    fingerprint: JSON.stringify({ title: "Pump 2" }),
    end_time: new Date().toISOString(),
  });
  await runJob(world, "silences");
  const look = async (iid: number) =>
    (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
  assert.equal((await look(stays.iid)).silence_id, made.id);
  const ended = await world.call(`${SILENCES}/${made.id}`, { as: "dev", method: "DELETE" });
  assert.equal(ended.status, 204);
  // Several processes run the job at the same time.
  await Promise.all([runJob(world, "silences"), runJob(world, "silences"), runJob(world, "silences")]);
  const released = await look(stays.iid);
  assert.equal(released.silence_id, null);
  assert.ok(released.issue_iid > 0);
  assert.equal((await look(goes.iid)).issue_iid, null);
  const issue = await world.call(`${API}/issues/${released.issue_iid}`, { as: "dev" });
  assert.match(issue.json.description, new RegExp(`/-/alerts/${stays.iid}$`));
  const issues = await world.call(`${API}/issues?search=Pump`, { as: "dev" });
  assert.equal(issues.json.length, 1);
  assert.equal((await world.call(`${SILENCES}/${made.id}`, { as: "dev" })).json.state, "expired");
});

test("after a change of conditions, alerts no longer covered get their incidents and the others stay silenced, however many there are (decision 0234)", async () => {
  const made = await silence({ matchers: [{ field: "title", operator: "contains", value: "valve" }] });
  const many = Array.from({ length: 105 }, (_, n) => ({ title: "Valve west", fingerprint: `west ${n}` }));
  await source.send(many);
  const { alert: goes } = await fired({ title: "Valve east" });
  const { alert: stays } = await fired({ title: "Valve west" });
  const look = async (iid: number) =>
    (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
  const change = async (json: object) => {
    const reply = await world.call(`${SILENCES}/${made.id}`, { as: "dev", method: "PUT", json });
    assert.equal(reply.status, 200, reply.text);
    await Promise.all([runJob(world, "silences"), runJob(world, "silences")]);
  };
  await change({ comment: "Other words" });
  assert.equal((await look(goes.iid)).silence_id, made.id);
  await change({ matchers: titled("Valve west") });
  const told = await look(goes.iid);
  assert.deepEqual([told.silence_id, told.issue_iid > 0], [null, true]);
  assert.equal((await look(stays.iid)).silence_id, made.id);
  assert.equal((await world.call(`${SILENCES}/${made.id}`, { as: "dev" })).json.alert_count, 106);
  const page = await dev.get(`/acme/rocket/-/alerts/${goes.iid}`);
  assert.match(page.text, /does not cover it any more/);
  await change({ matchers: titled("Nothing") });
  assert.equal((await world.call(`${SILENCES}/${made.id}`, { as: "dev" })).json.alert_count, 0);
});

test("legacy time zone names of a recurring silence are replaced with current ones, which have summer time in the database where their zone has (decision 0096)", async () => {
  for (const [said, kept, winter, summer] of [
    ["CET", "Europe/Brussels", 13, 14],
    ["EET", "Europe/Athens", 14, 15],
    ["MET", "Europe/Brussels", 13, 14],
    ["WET", "Europe/Lisbon", 12, 13],
    ["Asia/Calcutta", "Asia/Kolkata", 17, 17],
    ["Etc/UTC", "Etc/UTC", 12, 12],
    ["Europe/Berlin", "Europe/Berlin", 13, 14],
  ] as const) {
    const recurrence = { days: [1], from: "22:00", to: "06:00", zone: said };
    const made = await silence({ matchers: titled("summer"), recurrence });
    assert.equal(made.recurrence.zone, kept);
    const hours = await world.platform.db.one(
      row({ winter: integer, summer: integer }),
      sql`select extract(hour from timestamptz '2026-01-15 12:00Z' at time zone zone)::integer as winter,
          extract(hour from timestamptz '2026-07-15 12:00Z' at time zone zone)::integer as summer
        from alert_silences where id = ${made.id}`,
    );
    assert.deepEqual(hours, { winter, summer }, said);
  }
});

test("a recurring silence is active during its windows, in its own time zone (decision 0096)", async () => {
  const zone = "Asia/Kathmandu";
  const parts = (hours: number) => {
    const at = new Date(Date.now() + hours * 3_600_000);
    const [weekday = "", time = ""] = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    })
      .format(at)
      .split(/[ ,]+/);
    return { day: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(weekday) + 1, time };
  };
  const from = parts(-1);
  const to = parts(1);
  const later = parts(2);
  const recurrence = { days: [from.day], from: from.time, to: to.time, zone };
  const now = await silence({ matchers: titled("Recurring"), ends_at: null, recurrence });
  assert.equal(now.state, "active");
  assert.deepEqual(now.recurrence, recurrence);
  const other = { ...recurrence, days: [(from.day % 7) + 1, ((from.day + 1) % 7) + 1] };
  const elsewhere = { days: [to.day], from: to.time, to: later.time, zone };
  for (const waits of [other, elsewhere])
    assert.equal(
      (await silence({ matchers: titled("Other"), ends_at: null, recurrence: waits })).state,
      "pending",
    );
  const { alert } = await fired({ title: "Recurring" });
  assert.equal(alert.silence_id, now.id);
});

test("an invalid silence is refused with the field at fault (decision 0096)", async () => {
  for (const [fields, wrong] of [
    [{ matchers: [] }, "matchers"],
    [{ matchers: [{ field: "title", operator: "matches", value: "(" }] }, "matchers"],
    [{ matchers: [{ field: "payload", operator: "equals", value: "x" }] }, "matchers"],
    [{ matchers: titled("x"), comment: " " }, "comment"],
    [{ matchers: titled("x"), ends_at: null }, "ends_at"],
    [{ matchers: titled("x"), ends_at: inHours(-1) }, "ends_at"],
    [{ matchers: titled("x"), ends_at: "soon" }, "ends_at"],
    ...["Mars/Base", "__proto__", "constructor"].map(
      (zone) =>
        [
          { matchers: titled("x"), recurrence: { days: [1], from: "22:00", to: "06:00", zone } },
          "zone",
        ] as const,
    ),
    [
      { matchers: titled("x"), recurrence: { days: [1], from: "25:00", to: "06:00", zone: "Etc/UTC" } },
      "from",
    ],
  ] as const) {
    const { message } = await silence(fields, 400);
    assert.deepEqual(Object.keys(message), [wrong]);
  }
});

test("a severity condition whose value matches no severity is refused (decision 0234)", async () => {
  const matchers = (operator: string, value: string) => [
    { field: "severity", operator, value },
    ...titled("x"),
  ];
  for (const [operator, value] of [
    ["equals", "bogus"],
    ["equals", "Critical"],
    ["not_equals", "warning"],
    ["contains", "urgent"],
    ["matches", "^(p1|p2)$"],
  ] as const) {
    const { message } = await silence({ matchers: matchers(operator, value) }, 400);
    assert.match(message.matchers.join(), /contain a severity that is none of critical, high/, value);
  }
  await dev.get("/acme/rocket/-/silences/new");
  const page = await dev.post("/acme/rocket/-/silences", {
    ...{ matchers: "severity = bogus", comment: "x", lasts: "2", action: "save" },
  });
  assert.match(page.text, /severity that is none of critical/);
  for (const [operator, value] of [
    ["not_equals", "critical"],
    ["contains", "CRIT"],
    ["matches", "^(low|info)$"],
  ] as const)
    await silence({ matchers: matchers(operator, value) });
});

test("malformed conditions and recurrences are reported by their path (reference events A2; decision 0096)", async () => {
  const recurrence = { days: [1], from: "22:00", to: "06:00", zone: "Etc/UTC" };
  for (const [fields, error] of [
    [{ matchers: [{ field: "colour", value: "x" }] }, "matchers[0][field] does not have a valid value"],
    [
      { matchers: [...titled("x"), { field: "title", operator: "is", value: "x" }] },
      "matchers[1][operator] does not have a valid value",
    ],
    [{ matchers: [{ field: "title", value: 5 }] }, "matchers[0][value] is invalid"],
    [{ matchers: [{ field: "title" }] }, "matchers[0][value] is missing"],
    [{ matchers: [{}] }, "matchers[0][field] is missing, matchers[0][value] is missing"],
    [{ matchers: titled("x"), recurrence: { ...recurrence, days: "1" } }, "recurrence[days] is invalid"],
    [{ matchers: titled("x"), recurrence: { days: [1] } }, /^recurrence\[from\] is missing/],
    [{ matchers: titled("x"), recurrence: { ...recurrence, zone: 5 } }, "recurrence[zone] is invalid"],
  ] as const) {
    const refused = await silence(fields, 400);
    if (typeof error === "string") assert.equal(refused.error, error);
    else assert.match(refused.error, error);
  }
  const preview = await world.call(`${SILENCES}/preview`, { as: "dev", json: { matchers: [{}] } });
  assert.equal(preview.status, 400, preview.text);
});

test("silences are for Developers and above, and found in their own project only (contract-alerts, roles)", async () => {
  const made = await silence({ matchers: titled("Private") });
  for (const [as, status] of [
    ["rep", 403],
    ["stan", 404],
  ] as const) {
    assert.equal((await world.call(SILENCES, { as })).status, status);
    assert.equal((await world.call(`${SILENCES}/${made.id}`, { as, method: "DELETE" })).status, status);
  }
  const elsewhere = `/api/v4/projects/acme%2Fopen/alert_silences/${made.id}`;
  assert.equal((await world.call(elsewhere, { as: "olga" })).status, 404);
  assert.equal(
    (await world.call(elsewhere, { as: "olga", method: "PUT", json: { comment: "x" } })).status,
    404,
  );
  const changed = await world.call(`${SILENCES}/${made.id}`, {
    as: "dev",
    method: "PUT",
    json: { comment: "Other words" },
  });
  assert.deepEqual([changed.status, changed.json.comment], [200, "Other words"]);
  assert.deepEqual(changed.json.matchers, made.matchers);
});

test("an end typed into the form of a new silence takes precedence over the chosen length (decision 0096)", async () => {
  const fields = { matchers: "service = pumps", comment: "Typed end", lasts: "2", action: "save" };
  await dev.follow(await dev.post("/acme/rocket/-/silences", { ...fields, ends_at: "2099-01-31 22:00" }));
  const found = (await world.call(SILENCES, { as: "dev" })).json;
  const made = found.find(({ comment }: { comment: string }) => comment === "Typed end");
  assert.equal(made?.ends_at, "2099-01-31T22:00:00.000Z");
  // The form of an existing silence contains its end already, so there a chosen length takes precedence.
  const page = await dev.get(`/acme/rocket/-/silences/${made.id}`);
  assert.match(page.text, /value="2099-01-31 22:00:00"/);
  await dev.post(`/acme/rocket/-/silences/${made.id}`, { ...fields, ends_at: "2099-01-31 22:00:00" });
  const changed = (await world.call(`${SILENCES}/${made.id}`, { as: "dev" })).json;
  assert.ok(Date.parse(changed.ends_at) < Date.parse(inHours(3)), changed.ends_at);
});

test("a Developer creates, previews and ends a silence on its pages without scripts (reference ux)", async () => {
  const { alert } = await fired({ title: "Boiler <b>cold</b>", service: "heat" });
  const form = await dev.get(`/acme/rocket/-/silences/new?alert=${alert.iid}`);
  assert.match(form.text, /title = Boiler &lt;b&gt;cold/);
  const times = /<details class="more full"( open)?><summary>Only at certain times/;
  assert.deepEqual([times.test(form.text), times.exec(form.text)?.[1]], [true, undefined]);
  const fields = { matchers: "service = heat\ntitle ~ ^Boiler", comment: "Summer", lasts: "2" };
  const preview = await dev.post("/acme/rocket/-/silences", { ...fields, action: "preview" });
  assert.equal(preview.status, 200);
  assert.match(preview.text, /1 of the \d+ newest open alerts matches\./);
  const wrong = await dev.post("/acme/rocket/-/silences", { ...fields, matchers: "heat", action: "save" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /contain a line that cannot be parsed: heat/);
  const early = { ...fields, lasts: "", from: "25:00", action: "save" };
  const refused = (await dev.post("/acme/rocket/-/silences", early)).text;
  assert.equal(times.exec(refused)?.[1], " open", "fields with errors must not be folded away");
  const saved = await dev.post("/acme/rocket/-/silences", { ...fields, action: "save" });
  assert.equal(saved.location, "/acme/rocket/-/silences");
  const list = await dev.follow(saved);
  assert.match(list.text, /Summer[\s\S]*service is &quot;heat&quot;|Summer[\s\S]*service is "heat"/);
  const id = /silences\/(\d+)">Summer/.exec(list.text)?.[1];
  const page = await dev.get(`/acme/rocket/-/silences/${id}`);
  assert.match(page.text, /service = heat/);
  await dev.post(`/acme/rocket/-/silences/${id}`, { action: "end" });
  assert.equal((await world.call(`${SILENCES}/${id}`, { as: "dev" })).json.state, "expired");
});

const NEW = "/acme/rocket/-/silences/new";

test("all errors of the form of a silence are shown at once, and what was typed stays (ux §7, error summary)", async () => {
  const dev = await signedIn(world, "dev");
  const typed = { matchers: "heat", comment: " ", starts_at: "tomorrow", lasts: "", ends_at: "2001-01-01" };
  const more = { from: "22:00", to: "6", zone: "Atlantis/Harbour", action: "save" };
  const { status, text } = await dev.submit("/acme/rocket/-/silences", { ...typed, ...more }, NEW);
  assert.equal(status, 422);
  const summary = /role="alert"[^>]*>.*?<p>(.*?)<\/p>/.exec(text)?.[1] ?? "";
  assert.deepEqual(
    [...summary.matchAll(/href="#(\w+)"/g)].map(([, id]) => id),
    ["matchers", "comment", "starts_at", "ends_at", "to", "zone"],
  );
  for (const kept of ["heat", "tomorrow", "2001-01-01", "Atlantis/Harbour"])
    assert.ok(text.includes(kept), kept);
});

test("a silence that is over is shown without a form, which could only be refused (decision 0096)", async () => {
  const { id } = await silence({ matchers: titled("Over"), comment: "Over soon" });
  const own = `/acme/rocket/-/silences/${id}`;
  assert.match((await dev.get(own)).text, /Save changes/);
  assert.equal((await dev.submit(own, { action: "end" })).status, 303);
  const { text } = await dev.get(own);
  assert.match(text, /<fieldset class="form two" disabled>/);
  assert.doesNotMatch(text, /Save changes|End now/);
  const late = await dev.post(own, { matchers: "title = Over", comment: "Over soon", lasts: "2" });
  assert.equal(late.status, 422);
  assert.match(late.text, /This silence has ended; create a new one\./);
});

test("an end before the start is refused, also if the update does not contain the start (decision 0096)", async () => {
  const made = await silence({ starts_at: inHours(10), ends_at: inHours(20), matchers: titled("Later") });
  for (const json of [{ ends_at: inHours(5) }, { ends_at: inHours(5), starts_at: null }]) {
    const reply = await world.call(`${SILENCES}/${made.id}`, { as: "dev", method: "PUT", json });
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(reply.json.message, { ends_at: ["must be after the start"] });
  }
  const json = { starts_at: null, ends_at: inHours(15) };
  const changed = await world.call(`${SILENCES}/${made.id}`, { as: "dev", method: "PUT", json });
  assert.equal(changed.json.starts_at, made.starts_at);
});

test("when a silence ends, only unacknowledged open alerts are notified as opened, and ignored ones get no incident (decision 0096)", async () => {
  const receiver = await startReceiver();
  const alone = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
  const sender = await aSource(alone);
  const severities = ["critical"];
  const channel = { name: "ops", kind: "webhook", url: `${receiver.url}/ops`, severities };
  assert.equal((await alone.call(`${API}/alert_channels`, { as: "max", json: channel })).status, 201);
  const matchers = [{ field: "service", operator: "equals", value: "quiet" }];
  const json = { comment: "Work", ends_at: inHours(1), matchers };
  const { id } = (await alone.call(SILENCES, { as: "dev", json })).json;
  const at = `${API}/alert_management_alerts`;
  const iids: Record<string, number> = {};
  for (const title of ["Open", "Acknowledged", "Ignored", "Recovered"])
    iids[title] = (await sender.send({ title, fingerprint: title, service: "quiet" })).json[0].iid;
  for (const [title, status] of [
    ["Acknowledged", "acknowledged"],
    ["Ignored", "ignored"],
  ] as const)
    await alone.call(`${at}/${iids[title]}`, { as: "dev", method: "PUT", json: { status } });
  await alone.call(`${SILENCES}/${id}`, { as: "dev", method: "DELETE" });
  // Its opening was not notified, so its recovery is not either, although the silence has ended.
  await sender.send({ title: "Recovered", fingerprint: "Recovered", end_time: new Date().toISOString() });
  await runJob(alone, "silences");
  while ((await deliverDue(alone.platform)) > 0);
  const told = receiver.requests.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    told.map(({ event, alert }) => [event, alert.title]),
    [["alert.opened", "Open"]],
  );
  const incidents: unknown[] = [];
  for (const title of ["Open", "Acknowledged", "Ignored", "Recovered"]) {
    const { json: alert } = await alone.call(`${at}/${iids[title]}`, { as: "dev" });
    incidents.push(alert.issue_iid);
  }
  assert.deepEqual(incidents, [1, 2, null, null]);
});

test("the end of a silence opens the incidents of all its alerts in one run of the job (decision 0096; reference alerts A8)", async () => {
  const alone = await startWorld();
  const sender = await aSource(alone);
  const matchers = [{ field: "service", operator: "equals", value: "quiet" }];
  const json = { comment: "Work", ends_at: inHours(1), matchers };
  const { id } = (await alone.call(SILENCES, { as: "dev", json })).json;
  const payloads = Array.from({ length: 250 }, (_, n) => ({ fingerprint: `f${n}`, service: "quiet" }));
  for (let at = 0; at < payloads.length; at += 50) await sender.send(payloads.slice(at, at + 50));
  await alone.call(`${SILENCES}/${id}`, { as: "dev", method: "DELETE" });
  await runJob(alone, "silences");
  const incidents = await alone.call(`${API}/issues?sort=asc&per_page=100`, { as: "dev" });
  assert.equal(incidents.headers.get("x-total"), "250");
  assert.equal(incidents.json[0].title, "New: Incident 1");
  const held = await alone.call(`${API}/alert_management_alerts?silenced=true`, { as: "dev" });
  assert.deepEqual(held.json, []);
});

test("extending a silence that was ended at the same time is refused (decision 0096)", async () => {
  const made = await silence({ matchers: titled("Ended meanwhile") });
  const changed = await meanwhile(
    world,
    [["update alert_silences set ends_at = clock_timestamp() where id = $1", made.id]],
    () => world.call(`${SILENCES}/${made.id}`, { as: "dev", method: "PUT", json: { ends_at: inHours(5) } }),
  );
  assert.equal(changed.status, 422, changed.text);
  assert.equal((await world.call(`${SILENCES}/${made.id}`, { as: "dev" })).json.state, "expired");
});

test("a form with more than seven days is refused and stores nothing (decision 0096)", async () => {
  const fields: [string, string][] = [
    ["matchers", "title = x"],
    ["comment", "Every day and more"],
    ["from", "10:00"],
    ["to", "11:00"],
    ["zone", "Etc/UTC"],
  ];
  const days = Array.from({ length: 8 }, (): [string, string] => ["days", "1"]);
  const refused = await dev.submit(
    "/acme/rocket/-/silences",
    [...fields, ...days],
    "/acme/rocket/-/silences/new",
  );
  assert.equal(refused.status, 422);
  const { all } = await world.platform.db.one(
    row({ all: integer }),
    sql`select count(*) as "all" from alert_silences
    where comment = 'Every day and more'`,
  );
  assert.equal(all, 0);
});

test("a form with times of day and no weekday makes a silence of every day, as it says (decision 0096)", async () => {
  const list = "/acme/rocket/-/silences";
  const typed = (fields: Record<string, string>) => ({
    matchers: "title = Nightly",
    comment: "The nightly backup",
    lasts: "168",
    from: "22:00",
    to: "06:00",
    zone: "Etc/UTC",
    ...fields,
  });
  const stored = async (comment: string) => {
    const { json } = await world.call(`${SILENCES}?per_page=100`, { as: "dev" });
    return json.filter((one: { comment: string }) => one.comment === comment);
  };
  assert.equal((await dev.submit(list, typed({}), `${list}/new`)).status, 303);
  const everyDay = { days: [1, 2, 3, 4, 5, 6, 7], from: "22:00", to: "06:00", zone: "Etc/UTC" };
  const [made] = await stored("The nightly backup");
  assert.deepEqual(made.recurrence, everyDay);
  // Also when the weekdays of one that recurs are unticked.
  const { id } = await silence({
    matchers: titled("Weekly"),
    comment: "Weekly",
    recurrence: { ...everyDay, days: [1] },
  });
  const own = `${list}/${id}`;
  const saved = await dev.submit(
    own,
    typed({ matchers: "title = Weekly", comment: "Weekly", lasts: "" }),
    own,
  );
  assert.equal(saved.status, 303, saved.text);
  assert.deepEqual((await stored("Weekly"))[0].recurrence, everyDay);
  // A half of it is no silence without end of day: it is refused at what is missing.
  const half = await dev.submit(list, typed({ comment: "Half", from: "", to: "" }), `${list}/new`);
  assert.equal(half.status, 422);
  assert.match(half.text, /<details class="more full" open>/);
  assert.deepEqual(await stored("Half"), []);
});
