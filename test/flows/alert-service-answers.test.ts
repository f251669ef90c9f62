/** Senders that expect the response of the service they are made for, and take any other for a failure. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
const { receiptOf } = readsAlerts(() => world);
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const sendTo = (query: string, json: unknown, headers: Record<string, string> = {}) =>
  world.call(`${source.path}${query}`, {
    json,
    headers: { authorization: `Bearer ${source.key}`, ...headers },
  });

const SLACK = { text: "Problem: Pump stands" };
const DISCORD = { embeds: [{ title: "PROBLEM: Fan stands", fields: [{ name: "Host", value: "web-1" }] }] };

for (const [service, body, status, type, text] of [
  ["slack", SLACK, 200, "text/html", "ok"],
  ["teams", { "@type": "MessageCard", title: "Problem: Tank leaks" }, 200, "text/plain", "1"],
  [
    "teams-workflow",
    { type: "AdaptiveCard", body: [{ type: "TextBlock", text: "Problem: Gate" }] },
    202,
    null,
    "",
  ],
  ["discord", DISCORD, 204, null, ""],
] as const) {
  test(`a sender for ${service} gets the response it expects, and its alert is recorded (decision 0190)`, async () => {
    const reply = await sendTo(`?answer=${service}`, body);
    assert.deepEqual([reply.status, reply.text], [status, text]);
    assert.equal(reply.headers.get("content-type")?.split(";", 1)[0] ?? null, type);
    const receipt = await receiptOf(reply);
    assert.deepEqual([receipt.decision, receipt.alert_iids.length], ["created", 1]);
  });
}

test("Discord clients that wait for the message get an id, whatever path they append to the URL (decision 0190)", async () => {
  for (const query of [
    "?answer=discord&wait=true",
    "?answer=discord&path=?wait=True",
    // Zabbix appends the query like this if the URL has one already.
    "?answer=discord?wait=True",
    "?answer=Discord&wait=1&path=/slack",
  ]) {
    const reply = await sendTo(query, DISCORD);
    assert.equal(reply.status, 200, query);
    assert.equal(reply.json.id, reply.headers.get("x-alert-receipt"));
    assert.equal(reply.json.alerts[0].title, "Fan stands");
  }
  assert.equal((await sendTo("?answer=discord&wait=false", DISCORD)).status, 204);
});

test("Telegram, Pushover and SIGNL4 clients get the members they expect in the response (decision 0190)", async () => {
  const telegram = await sendTo("?answer=telegram&path=/bot123:abc/sendMessage", {
    ...{ chat_id: "7", text: "Problem: Lamp is out" },
  });
  const { iid } = (await sendTo("", { chat_id: "7", text: "Problem: Lamp is out" })).json[0];
  assert.equal(telegram.status, 200);
  const { ok, result } = telegram.json;
  assert.deepEqual([ok, result.message_id, result.chat], [true, iid, { id: 0, type: "private" }]);
  const pushover = await sendTo("?answer=pushover", {
    ...{ token: "t", user: "u", title: "Problem: Door", message: "open", priority: "0" },
  });
  assert.deepEqual(
    [pushover.status, pushover.json],
    [200, { status: 1, request: pushover.headers.get("x-alert-receipt") }],
  );
  const signl4 = await sendTo("?answer=signl4&path=secret", {
    ...{ Subject: "Problem: Roof", "X-S4-ExternalID": "r", "X-S4-Status": "new" },
  });
  assert.deepEqual([signl4.status, signl4.json], [201, { eventId: signl4.headers.get("x-alert-receipt") }]);
});

test("Alerta's client gets an object with status, id and message (decisions 0190, 0270)", async () => {
  const alert = (severity: string) => ({
    ...{ id: null, resource: "pier-1", event: "Flooded", environment: "Production", severity },
    ...{ service: ["Harbour"], correlate: [], tags: [], attributes: {}, timeout: null, rawData: null },
    ...{
      group: null,
      value: null,
      text: "up to the knees",
      origin: "alerta/pier",
      type: null,
      customer: null,
    },
  });
  const send = (severity: string) =>
    sendTo("?answer=alerta&path=/alert", alert(severity), { authorization: `Key ${source.key}` });
  const opened = await send("major");
  const { iid } = (await sendTo("", alert("major"))).json[0];
  const id = opened.headers.get("x-alert-receipt");
  assert.deepEqual([opened.status, opened.json], [201, { status: "ok", id, message: `alert ${iid}` }]);
  assert.equal((await send("cleared")).json.message, `alert ${iid}`);
  assert.equal((await send("cleared")).json.message, "no alert");
});

test("without a valid `answer` parameter, for groups and for errors the response is the usual one (contract-alerts, answer by payload shape; decision 0190)", async () => {
  for (const query of ["", "?answer=", "?answer=constructor", "?answer=smoke", "?path=/x&answers=slack"]) {
    const reply = await sendTo(query, SLACK);
    assert.equal(reply.status, 200, query);
    assert.equal(reply.json[0]?.title, "Pump stands", query);
  }
  const group = {
    ...{ version: "4", groupKey: "{}", status: "firing", receiver: "r", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://am.example.org" },
    alerts: [
      { status: "firing", labels: { alertname: "A" }, annotations: {}, startsAt: "2026-05-01T10:00:00Z" },
    ],
  };
  const grouped = await sendTo("?answer=slack", group);
  assert.deepEqual([grouped.status, grouped.text], [201, ""]);
  const wrong = await sendTo("?answer=telegram", SLACK, { authorization: "Bearer wrong" });
  assert.deepEqual([wrong.status, typeof wrong.json.message], [401, "string"]);
  assert.equal((await sendTo("?answer=telegram", "text")).status, 400);
});

test("a repeat with the same Idempotency-Key gets the same response in the service's format (contract-alerts, counting; decision 0190)", async () => {
  const key = { "idempotency-key": "same" };
  const [one, two] = [await sendTo("?answer=signl4", SLACK, key), await sendTo("?answer=signl4", SLACK, key)];
  assert.deepEqual([two.status, two.json], [201, one.json]);
});
