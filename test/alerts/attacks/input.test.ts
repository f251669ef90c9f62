/** Attacks by what is sent: names that reach prototypes, numbers, texts that act, and very much at once. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../../support/alerts.ts";
import { signedIn } from "../../support/visitor.ts";
import { startWorld, type World } from "../../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const send = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  world.call(source.path, {
    body,
    headers: { authorization: `Bearer ${source.key}`, "content-type": "application/json", ...headers },
  });
const { receiptOf, alertOf } = readsAlerts(() => world);

test("100 levels are read, one more and 100,000 are refused without being walked (reference alerts D11; reference reliability S97)", async () => {
  const deep = (levels: number) => `{"title":"Deep","d":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  const statuses = await Promise.all(
    [100, 101, 5000, 100_000].map(async (n) => (await send(deep(n))).status),
  );
  assert.deepEqual(statuses, [200, 400, 400, 400]);
  assert.equal((await send("[".repeat(500_000))).status, 400);
});

test("hosts, severities and fingerprints of every kind are read, and what is lost is warned of (reference alerts D20; reference reliability S98)", async () => {
  const odd = [
    {},
    [],
    [[["a"], 5, null, { b: 1 }]],
    5,
    null,
    "CRITICAL ",
    true,
    "x".repeat(100_000),
    ["a", "a"],
  ];
  for (const value of odd) {
    const reply = await source.send({ title: "Odd", hosts: value, severity: value, fingerprint: value });
    assert.equal(reply.status, 200, JSON.stringify(value)?.slice(0, 40));
    const alert = await alertOf(reply.json[0].iid);
    assert.ok(["critical", "high", "medium", "low", "info", "unknown"].includes(alert.severity));
    assert.ok(alert.hosts.every((host: unknown) => typeof host === "string" && host.length <= 255));
  }
  const many = { title: "Many", hosts: Array.from({ length: 10_000 }, (_, n) => `h${n}`) };
  const reply = await source.send(many);
  const alert = await alertOf(reply.json[0].iid);
  assert.deepEqual([alert.hosts.length, alert.payload.hosts.length], [1000, 10_000]);
  assert.match((await receiptOf(reply)).warnings[0], /More than 1000 hosts/);
});

test("names of prototypes, an empty name and a name of 900 KB are data and reach nothing (reference alerts D12; reference reliability S98, S99)", async () => {
  const mapped = await aSource(world, "http", {
    name: "Mapped",
    mapping: { title: ["constructor.name", "__proto__.title", "toString", "real"] },
  });
  const reply = await mapped.send(JSON.parse('{"constructor":{"prototype":{"x":1}},"real":"Taken"}'));
  assert.equal(reply.json[0].title, "Taken");
  const long = "k".repeat(900_000);
  const odd = await send(`{"title":"Odd","":1,"hasOwnProperty":2,"toString":3,"length":4,"${long}":5}`);
  assert.equal(odd.status, 200);
  const { payload } = await alertOf(odd.json[0].iid);
  assert.deepEqual([payload[""], payload.hasOwnProperty, payload.length, payload[long]], [1, 2, 4, 5]);
  assert.equal((await send('{"__proto__":{"title":"no"}}')).json[0].title, "New: Alert");
});

test("a word that only a prototype has is a word that nobody knows, to the readers of other services too (reference alerts D12)", async () => {
  const severities: unknown[] = [];
  const statuses: number[] = [];
  for (const word of ["constructor", "__proto__"]) {
    for (const to of [{ topic: "disk" }, { token: "t", user: "u" }]) {
      const reply = await source.send({ ...to, message: `Full, ${word}`, priority: word });
      severities.push((await alertOf(reply.json[0].iid)).severity);
    }
    const issue = {
      ...{ action: word, installation: { uuid: "24b3b8f2" } },
      data: { issue: { id: "1", title: "Lost" } },
    };
    const told = await source.send(issue);
    assert.match((await receiptOf(told)).warnings[0], new RegExp(`${word} is no alert`));
    const event = {
      routing_key: source.key,
      event_action: word,
      payload: { summary: "Down", source: "db-1" },
    };
    statuses.push((await world.call("/v2/enqueue", { json: event })).status);
    const generic = { service_key: source.key, event_type: word, incident_key: "1", description: "Down" };
    statuses.push((await world.call("/generic/2010-04-15/create_event.json", { json: generic })).status);
  }
  assert.deepEqual(severities, ["critical", "critical", "critical", "critical"]);
  assert.deepEqual(statuses, [400, 400, 400, 400]);
});

test("a state of a megabyte is read as far as words for a state are long, and no further (decisions 0124, 0159)", async () => {
  const sensor = (sensorid: number, status: string) => ({ sensorid, device: "db-1", sensor: "Disk", status });
  const [long] = (await source.send(sensor(1, `${"Down ".repeat(60)}ended`))).json;
  assert.equal((await alertOf(long.iid)).status, "triggered");
  const endless = `${"ended (now: up ".repeat(60_000)}\nand down`;
  assert.equal((await source.send(sensor(2, endless))).status, 200);
});

test("the bytes of a receipt are those that came, whatever JSON makes of its numbers (reference alerts D15; reference reliability S96)", async () => {
  const body = '{"title":"Numbers","a":1e400,"b":12345678901234567890123,"c":-0.0}';
  const reply = await send(body);
  const receipt = await receiptOf(reply);
  assert.equal(Buffer.from(receipt.raw, "base64").toString(), body);
  assert.ok(receipt.warnings.some((line: string) => /too large to be kept/.test(line)));
});

test("of doubled keys the last one counts, for the record and for the identity (reference alerts D15; reference reliability S100)", async () => {
  const first = await send('{"title":"First","title":"Doubled"}');
  const second = await send('{"title":"Doubled"}');
  assert.equal(first.json[0].title, "Doubled");
  assert.deepEqual(second.json, first.json);
});

test("other encodings of the text are refused or read, never a fault of ours (reference alerts D14; reference reliability S95)", async () => {
  const latin = Buffer.from('{"title":"Größe"}', "latin1");
  assert.equal((await send(latin, { "content-type": "application/json; charset=iso-8859-1" })).status, 415);
  assert.equal((await send(latin)).status, 400);
  assert.equal((await send(Buffer.from('{"title":"x"}', "utf16le"))).status, 400);
  assert.equal((await send('{"title":"a\\ud83d"}')).status, 200);
});

test("dates of every kind are read or replaced, and an end before the start is no fault (reference alerts D16)", async () => {
  for (const time of [
    "0001-01-01T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "294277-01-01T00:00:00Z",
    "2026-03-29T02:30:00",
    "2026-10-25T02:30:00+02:00",
    "2026-02-30",
    "2999-01-01T00:00:00Z",
    "",
    " ",
    "tomorrow",
    1e300,
    -1,
    true,
  ]) {
    const reply = await source.send({ title: `At ${time}`, start_time: time });
    assert.equal(reply.status, 200, String(time));
    const { started_at } = await alertOf(reply.json[0].iid);
    assert.ok(!Number.isNaN(Date.parse(started_at)), String(time));
    assert.equal((await source.send({ title: "x", end_time: time })).status, 200, String(time));
  }
});

test("texts that would act in HTML, Markdown or a terminal are shown as text (reference alerts D17)", async () => {
  const title = "<script>alert(1)</script> \u001b[31m @all";
  const description = '/close\n/assign @olga\n<img src=x onerror="alert(1)"> [x](javascript:alert(1))';
  const { json } = await source.send({ title, description, runbook: "javascript:alert(1)" });
  const { iid, issue_iid, status } = await alertOf(json[0].iid);
  assert.equal(status, "triggered");
  const issue = (await world.call(`${api}/issues/${issue_iid}`, { as: "dev" })).json;
  assert.deepEqual([issue.state, issue.assignees ?? []], ["opened", []]);
  const visitor = await signedIn(world, "dev");
  for (const path of [`alerts/${iid}`, "alerts", `incidents/${issue_iid}`, "incidents"]) {
    const { text } = await visitor.get(`/acme/rocket/-/${path}`);
    assert.ok(!text.includes("<script>alert"), path);
    assert.ok(!text.includes("<img src=x"), path);
    assert.ok(!/href="javascript:/i.test(text), path);
  }
});

test("emoji, text from right to left and stacked marks are cut by characters (reference alerts D17; reference reliability S92)", async () => {
  const titles = ["👩‍🚒".repeat(200), "חירום ".repeat(60), "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢".repeat(30), "x".repeat(900_000)];
  for (const title of titles) {
    const reply = await source.send({ title });
    assert.equal(reply.status, 200);
    const shown = reply.json[0].title as string;
    assert.ok([...shown].length <= 200 && shown.isWellFormed() && shown.endsWith("..."));
  }
});

test("10,000 hosts in one group of Alertmanager are 10,000 alerts, in one request (reference alerts D8)", async () => {
  const alerts = Array.from({ length: 10_000 }, (_, n) => ({
    status: "firing",
    labels: { alertname: "Storm", instance: `host-${n}`, job: "node" },
    annotations: { summary: `Host ${n} is down`, description: "x".repeat(400) },
    startsAt: "2026-05-01T10:00:00Z",
    endsAt: "0001-01-01T00:00:00Z",
    generatorURL: "http://prometheus.example.org/graph",
    fingerprint: n.toString(16).padStart(16, "0"),
  }));
  const metrics = await aSource(world, "prometheus", {}, "acme/open");
  const reply = await metrics.send({
    version: "4",
    groupKey: "{}",
    status: "firing",
    receiver: "us",
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: "",
    truncatedAlerts: 0,
    alerts,
  });
  assert.equal(reply.status, 201, reply.text);
  const counts = "/api/v4/projects/acme%2Fopen/alert_management_alerts/counts";
  assert.equal((await world.call(counts, { as: "dev" })).json.open, 10_000);
});
