/** Objects that hold several alerts: none of them is lost in the others. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
const { receiptOf, alertOf } = readsAlerts(() => world);
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const titlesOf = (reply: { json: { title: string }[] }) => reply.json.map(({ title }) => title);

test("a group like Alertmanager's that lacks something of it is as many alerts, which end by its word or their own (decisions 0089, 0124)", async () => {
  const alert = (name: string, more: object = {}) => ({
    ...{ labels: { alertname: name, instance: "db-1", severity: "warning" }, annotations: {} },
    ...{ startsAt: "2026-05-01T10:00:00Z", ...more },
  });
  const group = (status: string, ...alerts: object[]) => ({ receiver: "own", status, alerts });
  const opened = await source.send(group("firing", alert("Lag"), alert("Loss"), alert("Jam")));
  assert.equal(opened.status, 200, opened.text);
  assert.deepEqual(titlesOf(opened), ["Lag", "Loss", "Jam"]);
  assert.match(
    (await receiptOf(opened)).warnings.join(),
    /not what Alertmanager or Grafana send, but like it/,
  );
  const [lag, loss, jam] = opened.json.map(({ iid }: { iid: number }) => iid);
  const { severity, hosts, events, started_at } = await alertOf(lag);
  assert.deepEqual([severity, hosts, events, started_at], ["low", ["db-1"], 1, "2026-05-01T10:00:00.000Z"]);
  await source.send(group("firing", alert("Lag"), alert("Loss", { status: "resolved" })));
  assert.deepEqual(
    [(await alertOf(lag)).status, (await alertOf(lag)).events, (await alertOf(loss)).status],
    ["triggered", 1, "resolved"],
  );
  await source.send(group("resolved", alert("Lag"), alert("Jam", { status: "firing" })));
  assert.deepEqual([(await alertOf(lag)).status, (await alertOf(jam)).status], ["resolved", "triggered"]);
});

test("each event that a controller of servers tells together is an alert, and what is well is none (decision 0124)", async () => {
  const event = (MessageId: string, Severity: string, Message: string) => ({
    ...{ EventId: "1", MessageId, Severity, Message, MessageArgs: [] },
  });
  const reply = await source.send({
    Context: "rack-7",
    Events: [
      event("FAN0001", "Critical", "Fan 1 failed"),
      event("USR0030", "OK", "Somebody signed in"),
      event("TMP0118", "Warning", "It is warm"),
    ],
  });
  assert.deepEqual(titlesOf(reply), ["Fan 1 failed", "It is warm"]);
  const { warnings } = await receiptOf(reply);
  assert.deepEqual(warnings, ["Payload 2: Redfish tells of something that is no alert: Somebody signed in."]);
});

test("lists in what somebody writes for this service stay what they are (spec: Alert payload title)", async () => {
  const alerts = [{ labels: { alertname: "A" } }, { labels: { alertname: "B" } }];
  const titled = await source.send({ title: "Mine", alerts, Events: [{ MessageId: "1" }] });
  assert.deepEqual(titlesOf(titled), ["Mine"]);
  const plain = await source.send({ alerts: [{ name: "a" }], note: 1 });
  assert.deepEqual(titlesOf(plain), ["New: Alert"]);
  const mapped = await aSource(world, "http", { name: "Mapped", mapping: { title: ["receiver"] } });
  assert.deepEqual(titlesOf(await mapped.send({ receiver: "Whole", alerts })), ["Whole"]);
});
