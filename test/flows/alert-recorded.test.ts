/** Payloads recorded from real programs, from the first firing to the recovery. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { RECORDED_SAMPLES, type RecordedSample, type Word } from "../support/recorded-samples.ts";
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

/** Sends the sample; returns the iid of its alert, 0 if there is none, or undefined if the tool never sends this. */
async function tell(sample: RecordedSample, host: string, word: Word): Promise<number | undefined> {
  const body = sample.say(host, word);
  if (!body) return undefined;
  const reply = await (sample.form ? source.sendForm(body) : source.send(body));
  assert.equal(reply.status, 200, reply.text);
  return reply.json[0]?.iid ?? 0;
}

describe("recorded bodies", () => {
  for (const sample of RECORDED_SAMPLES) {
    test(`${sample.name}: fields are read, two hosts are two alerts, and later messages concern the right one (decisions 0124, 0141)`, async () => {
      const iid = await tell(sample, "web-1", "begins");
      assert.ok(iid);
      const alert = await alertOf(iid);
      for (const [member, value] of Object.entries(sample.reads))
        assert.deepEqual(alert[member], value, member);
      const other = await tell(sample, "web-2", "begins");
      assert.ok(other && other !== iid);
      assert.equal(await tell(sample, "web-1", "begins"), iid, "a repeat is counted");
      assert.ok(
        [undefined, iid].includes(await tell(sample, "web-1", "worse")),
        "a higher severity concerns the same alert",
      );
      if (sample.worse) assert.equal((await alertOf(iid)).severity, sample.worse);
      if ((await tell(sample, "web-1", "seen")) !== undefined)
        assert.equal((await alertOf(iid)).status, "acknowledged");
      if ((await tell(sample, "web-1", "over")) === undefined) return;
      assert.deepEqual(
        [(await alertOf(iid)).status, (await alertOf(other)).status],
        ["resolved", "triggered"],
      );
      assert.ok(
        [undefined, 0].includes(await tell(sample, "web-1", "seen")),
        "an acknowledgement opens nothing",
      );
      assert.equal(await tell(sample, "web-1", "over"), 0, "a recovery without an open alert");
    });
  }
});

test("a Zabbix update without host, or about a resolved problem, opens no alert (decision 0141)", async () => {
  const updated = {
    ...{ token: "t", user: "u", title: "Updated problem in 5m: Clock is off", priority: "0" },
    message: "Ann commented problem at 21:05.\nwhy\n\nCurrent problem status is RESOLVED, acknowledged: No.",
  };
  const reply = await source.sendForm(updated);
  assert.deepEqual([reply.status, reply.json], [200, []]);
  const card = RECORDED_SAMPLES.find(({ name }) => name.includes("to Teams") && name.startsWith("zabbix"));
  assert.ok(card);
  assert.equal(await tell(card, "web-77", "seen"), 0);
});

test('"UPDATE:" in a headline without a problem number is part of the title (decision 0141)', async () => {
  const said = (title: string) => ({ embeds: [{ title, fields: [{ name: "Host", value: "web-5" }] }] });
  const reply = await source.send(said("UPDATE: the cake is ready"));
  assert.equal(reply.json[0]?.title, "UPDATE: the cake is ready");
});

test("two problems of one Monit service are separate alerts and resolve separately (decision 0124)", async () => {
  const said = async (MONIT_EVENT: string) =>
    (
      await source.sendForm({
        MONIT_HOST: "web-3",
        MONIT_SERVICE: "flag",
        MONIT_EVENT,
        MONIT_DESCRIPTION: "x",
      })
    ).json[0]?.iid;
  const gone = await said("Does not exist");
  assert.equal(await said("Exists"), gone);
  const large = await said("Size failed");
  const old = await said("Timestamp failed");
  assert.notEqual(large, old);
  assert.equal(await said("Size succeeded"), large);
  assert.equal((await alertOf(old)).status, "triggered");
});
