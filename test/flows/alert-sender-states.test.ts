/** The states that senders report with their own words, and texts that only look like one. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { alertOf } = readsAlerts(() => world);

const apprise = (title: string, type: string) => ({ version: "1.0", title, message: `It is ${type}`, type });
const alertNow = (summary: string, status: string, event_id = "") => ({
  ...{ summary, status, event_type: "ERROR", event_id },
});
const onCall = (title: string, state: string) => ({ title, message: `It is ${state}`, state });

describe("a sender's own end", () => {
  for (const [name, begun, ended] of [
    ["Apprise", apprise("buoy-1 is down", "failure"), apprise("buoy-1 is down", "success")],
    ["Apprise", apprise("CRITICAL: buoy-2", "failure"), apprise("CRITICAL: buoy-2", "success")],
    ["Apprise", apprise("buoy-3 is critical", "failure"), apprise("buoy-3 is critical", "success")],
    ["Apprise", apprise("Problem: buoy-4", "failure"), apprise("Problem: buoy-4", "success")],
    ["AlertNow", alertNow("buoy-5 is down", "open", "e5"), alertNow("buoy-5 is down", "close", "e5")],
    ["AlertNow", alertNow("[DOWN] buoy-6", "open"), alertNow("[DOWN] buoy-6", "close")],
    ["Grafana OnCall", onCall("buoy-7 is down", "alerting"), onCall("buoy-7 is down", "ok")],
    ["Grafana OnCall", onCall("[FIRING] buoy-8", "alerting"), onCall("[RESOLVED] buoy-8", "ok")],
  ] as const) {
    test(`${name}: ${JSON.stringify(ended)} ends its alert, whatever state the headline names (decision 0283)`, async () => {
      const [{ iid }] = (await source.send(begun)).json;
      const reply = await source.send(ended);
      assert.deepEqual([reply.json[0]?.iid, (await alertOf(iid)).status], [iid, "resolved"]);
      assert.deepEqual((await source.send(ended)).json, [], "a recovery without an open alert");
    });
  }
});

test("a begin that Apprise, AlertNow or Grafana OnCall reports opens an alert, although the headline says that something is up (decision 0283)", async () => {
  for (const payload of [
    apprise("Check: buoy-9 is up", "failure"),
    alertNow("Check: buoy-10 is up", "open", "e10"),
    onCall("Check: buoy-11 is up", "alerting"),
  ]) {
    const [{ iid }] = (await source.send(payload)).json;
    assert.equal((await alertOf(iid)).status, "triggered", JSON.stringify(payload));
  }
});

test("failures of Apprise under a headline that names nothing stay separate alerts (decisions 0141, 0283)", async () => {
  const said = (message: string, type: string) => ({
    ...{ version: "1.0", title: "Service PROBLEM notification", message, type },
  });
  const iidOf = async (payload: object) => (await source.send(payload)).json[0]?.iid;
  const one = await iidOf(said("Lamp 1", "failure"));
  assert.notEqual(await iidOf(said("Lamp 2", "failure")), one);
  assert.equal(await iidOf(said("Lamp 3", "success")), undefined, "a success opens nothing");
  assert.equal(await iidOf(said("Lamp 1", "success")), one);
});

test("members of Apprise's names with another type, or without a title, are not a message of Apprise (decisions 0219, 0283)", async () => {
  const payload = { title: "Replica of db-1 is now online, primary lost", message: "since noon", type: "db" };
  const [{ iid }] = (await source.send({ ...payload, version: "2" })).json;
  const alert = await alertOf(iid);
  assert.deepEqual([alert.title, alert.status, alert.monitoring_tool], [payload.title, "triggered", null]);
  const untitled = { version: "2", message: "Resolved: all", type: "failure" };
  assert.equal((await source.send(untitled)).json[0]?.title, "New: Alert");
});

test("a message that speaks of a problem at some place or time is not what somebody did in Zabbix (decision 0141)", async () => {
  for (const [at, message] of [
    "There is a problem at station 7.",
    "There is a problem at 2026-05-01 10:00:00.",
    "The valve was closed after a problem at 2026.05.01 10:00:00.",
    "Ada acknowledged problem at station 7.",
  ].entries()) {
    const alert = { alert_uid: `pump-${at}`, title: `Pump ${at}`, state: "alerting", message };
    const [{ iid } = { iid: undefined }] = (await source.send(alert)).json;
    assert.ok(iid, message);
    assert.equal((await alertOf(iid)).status, "triggered", message);
  }
});

test("each action on a problem in Zabbix acknowledges its alert in Grafana OnCall's format (decision 0141)", async () => {
  const problem = {
    alert_uid: "4801",
    title: "Sluice stands",
    state: "alerting",
    message: "Problem started",
  };
  for (const [at, action] of [
    "acknowledged",
    "acknowledged and commented",
    "commented",
    "closed",
    "suppressed until 2026.05.02 10:00:00",
    "suppressed indefinitely",
    "unsuppressed",
  ].entries()) {
    const begun = { ...problem, alert_uid: `480${at}` };
    const [{ iid }] = (await source.send(begun)).json;
    await source.send({ ...begun, message: `Ada Lovelace ${action} problem at 2026.05.01 10:00:00.\nOn it` });
    assert.equal((await alertOf(iid)).status, "acknowledged", action);
  }
});

test("an alarm of Kentik that requires an acknowledgement is not acknowledged (decision 0124)", async () => {
  const alarm = (AlarmID: string, CurrentState: string) => ({
    ...{ AlarmID, AlarmPolicyName: "Transit", AlarmSeverity: "major", CurrentState },
  });
  for (const state of ["ackRequired", "ackReq", "ACK_REQ"]) {
    const [{ iid }] = (await source.send(alarm(state, "alarm"))).json;
    await source.send(alarm(state, state));
    assert.equal((await alertOf(iid)).status, "triggered", state);
  }
  for (const state of ["ack", "acked", "acknowledged"]) {
    const [{ iid }] = (await source.send(alarm(state, "alarm"))).json;
    await source.send(alarm(state, state));
    assert.equal((await alertOf(iid)).status, "acknowledged", state);
  }
});

test("an error of Twilio's debugger is read whatever the parameters of its media type, and one that cannot be read is an alert of its own (decision 0124)", async () => {
  const error = (Sid: string, PayloadType: string, Payload: string) => ({
    ...{ Sid, AccountSid: "AC9", ParentAccountSid: "", Timestamp: "2026-05-01T10:00:00Z" },
    ...{ Level: "ERROR", PayloadType, Payload },
  });
  const payload = (code: string) => JSON.stringify({ resource_sid: "CA1", error_code: code });
  const sent = async (body: object) => (await source.send(body)).json[0];
  const plain = await sent(error("NO1", "application/json", payload("11200")));
  for (const type of ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
    assert.deepEqual(await sent(error("NO2", type, payload("11200"))), plain, type);
  }
  const broken = await sent(error("NO3", "application/json", '{"error_code":'));
  const other = await sent(error("NO4", "application/json", '{"error_code":'));
  assert.equal(broken.title, "ERROR of AC9");
  assert.equal(new Set([plain.iid, broken.iid, other.iid]).size, 3);
  assert.deepEqual(await sent(error("NO3", "application/json", '{"error_code":')), broken);
});
