/** Messages in the formats of chats and push services, sent to an alert endpoint. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { MESSAGE_SAMPLES } from "../support/message-samples.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const alertOf = async (iid: number) =>
  (await world.call(`${api}/alert_management_alerts/${iid}`, { as: "dev" })).json;
const opened = async (payload: unknown) => alertOf((await source.send(payload)).json[0].iid);

describe("messages", () => {
  for (const sample of MESSAGE_SAMPLES) {
    test(`${sample.name}: fields are read from the message, a repeat is counted, and its recovery resolves the alert (decision 0141)`, async () => {
      const send = (body: object) => (sample.form ? source.sendForm(body) : source.send(body));
      const first = await send(sample.firing);
      assert.equal(first.status, 200, first.text);
      const { iid } = first.json[0];
      const alert = await alertOf(iid);
      for (const [member, value] of Object.entries(sample.reads))
        assert.deepEqual(alert[member], value, member);
      assert.equal((await send(sample.firing)).json[0].iid, iid);
      if (!sample.over) return;
      const ended = await send(sample.over);
      assert.equal(ended.json[0]?.iid, iid, ended.text);
      assert.equal((await alertOf(iid)).status, "resolved");
      assert.deepEqual((await send(sample.over)).json, [], "a recovery without an open alert");
    });
  }
});

test("each alert in a TrueNAS message is opened and resolved separately, ignoring its list of current ones (decision 0141)", async () => {
  const pool = "Pool HDD state is DEGRADED: One or more devices are faulted.";
  const space =
    'Space usage for pool "HDD" is 81%. Optimal pool performance requires used\n    space remain below 80%.';
  const told = (...parts: [head: string, ...items: string[]][]) => ({
    text: `TrueNAS @ tank  \n  \n${parts.map(([head, ...items]) => `${head}:\n\n${items.map((item) => `  * ${item}`).join("\n")}`).join("\n\n")}`,
  });
  const send = async (payload: object): Promise<number[]> =>
    (await source.send(payload)).json.map(({ iid }: { iid: number }) => iid);
  const [one = 0, two = 0, ...more] = await send(
    told(["New alerts", pool, space], ["Current alerts", pool, space]),
  );
  assert.deepEqual(more, []);
  const [first, second] = [await alertOf(one), await alertOf(two)];
  assert.deepEqual([first.title, first.hosts, first.severity], [pool, ["tank"], "critical"]);
  assert.match(second.title, /requires used space remain below 80%\.$/);
  const third = await send(
    told(["New alert", "Fan 1 failed"], ["Current alerts", pool, space, "Fan 1 failed"]),
  );
  assert.equal(third.length, 1, "current alerts are listed too, but not counted");
  assert.deepEqual((await alertOf(one)).events, 1);
  assert.deepEqual(
    await send(
      told(["The following alert has been cleared", pool], ["Current alerts", space, "Fan 1 failed"]),
    ),
    [one],
  );
  assert.deepEqual(await send(told(["These alerts have been cleared", space, "Fan 1 failed"])), [
    two,
    ...third,
  ]);
  assert.equal((await alertOf(two)).status, "resolved");
  assert.equal((await opened({ text: "TrueNAS @ tank\n\nThis is a test alert" })).title, "TrueNAS @ tank");
});

test("messages without a state are compared as a whole, so those with different text are separate alerts (decision 0141)", async () => {
  const warn = (text: string) => ({
    username: "cron",
    attachments: [{ title: "Server alert", color: "danger", text }],
  });
  const [one, two] = [await opened(warn("db-1 has no disk")), await opened(warn("db-2 has no disk"))];
  assert.deepEqual([one.title, two.title], ["Server alert", "Server alert"]);
  assert.notEqual(one.iid, two.iid);
});

test('a word such as "up" or "OK" after the first statement of a message is not taken as its state (decision 0141)', async () => {
  const about = (title: string, footer: string) => ({
    attachments: [{ title, text: "Disk of db-1 is nearly full", footer }],
  });
  for (const footer of ["Everything else is up", "The previous state was OK"]) {
    const alert = await opened(about("New alert", footer));
    assert.deepEqual([alert.title, alert.status], ["New alert", "triggered"]);
  }
  const both = await opened({
    attachments: [{ title: "Alerts", text: "Shop-7 is up" }, { text: "Shop-8 is down" }],
  });
  assert.deepEqual([both.title, both.status], ["Alerts", "triggered"]);
});

test("in a message with too many parts no part sets title and state (decisions 0141, 0159)", async () => {
  const parts = (many: number) =>
    Array.from({ length: many }, () => ({ text: "PROBLEM db-31 is DOWN", title: "Digest" }));
  assert.equal((await opened({ attachments: parts(20) })).title, "db-31 is DOWN");
  const blocks = parts(40).map(({ text }) => ({ type: "section", text: { text } }));
  assert.equal((await opened({ attachments: [{ title: "Digest", blocks }, ...parts(20)] })).title, "Digest");
});

test("Nagios mails about flapping and downtime are counted on the open alert, and an OK state resolves it (decision 0141)", async () => {
  const letter = (kind: string, state: string) =>
    source.send({
      subject: `** ${kind} Host Alert: db-41 is ${state} **`,
      body: `Host: db-41\nState: ${state}`,
    });
  const [{ iid }] = (await letter("PROBLEM", "DOWN")).json;
  for (const kind of ["DOWNTIMESTART", "FLAPPINGSTART"])
    assert.equal((await letter(kind, "DOWN")).json[0]?.iid, iid, kind);
  assert.equal((await letter("FLAPPINGSTOP", "UP")).json[0]?.iid, iid);
  assert.deepEqual((await letter("DOWNTIMEEND", "UP")).json, []);
});

test("repeated messages of an OpenSearch trigger count on one alert, and each trigger has its own (decision 0141)", async () => {
  const at = (minute: number, trigger: string, severity = 2) => ({
    text: `Monitor Orders just entered alert status. Please investigate the issue. - Trigger: ${trigger} - Severity: ${severity} - Period start: 2026-05-01T10:0${minute}:00Z - Period end: 2026-05-01T10:0${minute + 1}:00Z`,
  });
  const first = await opened(at(0, "Too slow"));
  const { title, severity, service } = first;
  assert.deepEqual(
    [title, severity, service],
    ["Monitor Orders just entered alert status", "high", "Orders"],
  );
  assert.equal((await opened(at(1, "Too slow"))).iid, first.iid);
  const other = await opened(at(1, "Too many", 3));
  assert.notEqual(other.iid, first.iid);
  assert.equal(other.severity, "medium");
});

test("[RESOLVED] in front of a message resolves the alert that the message without it opened (decision 0141)", async () => {
  const { iid } = await opened({ text: "Alert for device sw-9 - Port down" });
  const ended = await source.send({ text: "[RESOLVED] Alert for device sw-9 - Port down" });
  assert.deepEqual([ended.json[0]?.iid, (await alertOf(iid)).status], [iid, "resolved"]);
});

test('a generic heading such as "Uptime alert" does not identify an alert; the name after the state does (decision 0141)', async () => {
  const said = (text: string) => ({ text, username: "probe" });
  const one = await opened(said("Uptime alert: [Down] Cellar"));
  const two = await opened(said("Uptime alert: [Down] Attic"));
  assert.notEqual(one.iid, two.iid);
  await source.send(said("Uptime alert: [Up] Cellar"));
  assert.deepEqual(
    [(await alertOf(one.iid)).status, (await alertOf(two.iid)).status],
    ["resolved", "triggered"],
  );
});

test("alerts of Uptime Kuma, Netdata and Monika that share a title stay separate, and a recovery resolves its own only (decision 0141)", async () => {
  const chat = (name: string, state: string, said: string) => ({
    text: `${said}\n*${name}*\n[${name}] [${state}] 503`,
  });
  const disk = (status: string, chart: string) => ({
    ...{ title: `${status}, disk_space_usage = 97.2%, on db-52`, priority: 10 },
    message: `Fri May 1 10:00:00 UTC 2026: disk_space.${chart} 97.2%`,
  });
  const asked = (word: string, query: string) => ({
    content: `New *\`${word}\`* event from Monika\nMessage: ${word === "Incident" ? "The request failed because the response did not pass the query" : "The request is back to normal and passed the assertion"}: ${query}\nURL: https://inn.example.org`,
  });
  for (const [one, two, ended] of [
    [
      chat("Inn", "🔴 Down", "🔴 Application went down"),
      chat("Pub", "🔴 Down", "🔴 Application went down"),
      chat("Inn", "✅ Up", "✅ Application is back online"),
    ],
    [disk("CRITICAL", "_"), disk("CRITICAL", "_home"), disk("CLEAR", "_")],
    [asked("Incident", "status != 200"), asked("Incident", "time > 9"), asked("Recovery", "status != 200")],
  ] as const) {
    const [first, second] = [await opened(one), await opened(two)];
    assert.notEqual(first.iid, second.iid);
    assert.equal((await source.send(ended)).json[0]?.iid, first.iid);
    assert.equal((await alertOf(second.iid)).status, "triggered");
  }
});

test("the same problem on two hosts is two alerts, and a recovery resolves its own only (decision 0141)", async () => {
  const on = (host: string, title: string) => ({
    embeds: [{ title, fields: [{ name: "Host", value: host }] }],
  });
  const [one, two] = [
    await opened(on("a-1", "PROBLEM: Clock is off")),
    await opened(on("a-2", "PROBLEM: Clock is off")),
  ];
  assert.notEqual(one.iid, two.iid);
  await source.send(on("a-1", "OK: Clock is off"));
  assert.deepEqual(
    [(await alertOf(one.iid)).status, (await alertOf(two.iid)).status],
    ["resolved", "triggered"],
  );
});

test("an Argo CD sync does not resolve a degraded application, and Nagios hosts named only in a link are separate alerts (decision 0141)", async () => {
  const argo = (text: string) => ({ text, attachments: [{ title: "wiki", color: "#18be52" }] });
  const degraded = await opened(argo(":exclamation: Application wiki has degraded."));
  const synced = argo(":white_check_mark: Application wiki has been successfully synced at 2026-05-01.");
  assert.deepEqual((await source.send(synced)).json, []);
  assert.equal((await alertOf(degraded.iid)).status, "triggered");
  const nagios = (host: string) => ({
    text: `:exclamation: HOST: nagios SERVICE: SSH MESSAGE: no <https://n.example.org/x?type=1&host=${host}|See Nagios>`,
  });
  const [one, two] = [await opened(nagios("a-3")), await opened(nagios("a-4"))];
  assert.notEqual(one.iid, two.iid);
});

test("a message with several headlines is identified by all of them (decision 0141)", async () => {
  const of = (...titles: string[]) => ({ attachments: titles.map((title) => ({ title, color: "danger" })) });
  const [one, two] = [
    await opened(of("PROBLEM: A", "PROBLEM: B")),
    await opened(of("PROBLEM: A", "PROBLEM: C")),
  ];
  assert.deepEqual([one.title, one.status], ["A · PROBLEM: B", "triggered"]);
  assert.notEqual(one.iid, two.iid);
  assert.equal((await opened({ summary: "Queue stands", text: "for an hour" })).title, "Queue stands");
});

test("neither a green colour alone nor a list that still has firing alerts resolves anything (decision 0141)", async () => {
  const green = await opened({ attachments: [{ title: "Backup done", color: "good" }] });
  assert.deepEqual([green.status, green.severity], ["triggered", "info"]);
  const both = await opened({ text: "Two disks\nAlerts Firing:\n- a = 1\nAlerts Resolved:\n- b = 2" });
  assert.equal(both.status, "triggered");
});

test("the colour of a message sets the severity if no word does (decision 0141)", async () => {
  for (const [color, severity] of [
    ["#d00000", "critical"],
    ["#ffa500", "low"],
    ["#36a64f", "info"],
    ["#008ab1", "critical"],
    ["#cccccc", "critical"],
    ["nonsense", "critical"],
  ]) {
    assert.equal(
      (await opened({ attachments: [{ title: `Colour ${color}`, color }] })).severity,
      severity,
      color,
    );
  }
  const said = await opened({
    attachments: [{ title: "Said", color: "danger", fields: [{ title: "Priority", value: "P4" }] }],
  });
  assert.equal(said.severity, "low");
});

test("a payload with members that no chat message has, or with a title of its own, is not read as a message (spec: Alert payload)", async () => {
  for (const payload of [
    { text: "a", severity: "low" },
    { text: "a", host: "db-1" },
    { content: "a", fingerprint: "mine" },
    { subject: "a", message: "b", service: "c" },
    { topic: "a", message: "b", hosts: ["x"] },
    { text: "" },
    { attachments: [] },
  ]) {
    assert.equal((await opened(payload)).title, "New: Alert", JSON.stringify(payload));
  }
  const titled = await opened({
    title: "Mine",
    text: "RESOLVED: b",
    attachments: [{ title: "c", color: "good" }],
  });
  assert.deepEqual([titled.title, titled.severity, titled.description], ["Mine", "critical", null]);
  const pushed = await opened({ title: "OK: mine", message: "b" });
  assert.deepEqual([pushed.title, pushed.status, pushed.description], ["OK: mine", "triggered", null]);
});

test("markup is removed from title and description and kept in the payload (decision 0141)", async () => {
  const alert = await opened({
    text: ":fire: *<https://x.example.org/1|Queue &lt;mail&gt;>* stands _still_\n`depth`: 9",
  });
  assert.equal(alert.title, "Queue <mail> stands still");
  assert.equal(alert.description, "depth: 9");
  assert.match(alert.payload.text, /^:fire: \*<https/);
});

test("an integration's mapping takes precedence over reading the payload as a message (decision 0089)", async () => {
  const mapped = await aSource(world, "http", { mapping: { title: ["channel"] } });
  const [{ title }] = (await mapped.send({ channel: "#a", text: "PROBLEM: b" })).json;
  assert.equal(title, "#a");
});

test("a strict integration accepts a headline as title but not a first line; others accept both, with a warning (contract §4, missing title)", async () => {
  const strict = await aSource(world, "http", { strict: true });
  assert.equal((await strict.send({ text: "PROBLEM: b" })).status, 422);
  assert.equal((await strict.send({ embeds: [{ title: "PROBLEM: b" }] })).status, 200);
  const reply = await source.send({ text: "no headline" });
  const receipt = await world.call(
    `/api/v4/projects/acme%2Frocket/alert_receipts/${reply.headers.get("x-alert-receipt")}`,
    { as: "max" },
  );
  assert.deepEqual(receipt.json.warnings, ["title is missing; the first line of the message stands for it."]);
});

test("a form without a message in its payload field gets 415, and invalid JSON in it 400 with its position (contract-alerts, limits)", async () => {
  for (const fields of [
    { payload: "hello" },
    { payload: '{"a":1}' },
    { payload: "{}", more: "x" },
    { title: "a", message: "b" },
  ]) {
    assert.equal((await source.sendForm(fields)).status, 415, JSON.stringify(fields));
  }
  const broken = await source.sendForm({ payload: '{"text": "a"' });
  assert.equal(broken.status, 400);
  assert.match(broken.text, /line 1, column/);
});

test("messages with malformed members are accepted and read as far as possible (decision 0141)", async () => {
  const odd: object[] = [
    { text: 5, attachments: [null, 7, { title: {}, fields: "x", color: [] }] },
    { blocks: [{ type: "header" }, { type: "section", fields: [{}, { text: 4 }] }] },
    { embeds: [{ fields: [{ name: 1, value: null }], footer: "x", color: {} }] },
    { "@type": "MessageCard", sections: "x", potentialAction: [{ targets: {} }] },
    { type: "AdaptiveCard", body: [{ type: "TextBlock", text: {} }], actions: 3 },
    { cards: [{ sections: [{ widgets: [{ keyValue: [] }] }] }] },
    { topic: {}, message: [] },
  ];
  for (const payload of odd) {
    assert.equal((await opened(payload)).status, "triggered", JSON.stringify(payload));
  }
});
