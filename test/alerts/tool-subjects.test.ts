/** What the payloads of tools are about: each subject with a state of its own is an alert of its own (decision 0305). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDelivery } from "../../src/alerts/read-delivery.ts";
import type { ReadingRules } from "../../src/alerts/reading-rules.ts";
import type { AlertReport } from "../../src/alerts/report.ts";

const RULES = {
  strict: false,
  mapping: null,
  valueTables: null,
  groupBy: [],
  ignore: [],
} as unknown as ReadingRules;

const reportsOf = (payload: unknown): readonly AlertReport[] => {
  const headers = { "content-type": "application/json" };
  const receivedAt = new Date("2026-05-01T10:00:00Z");
  return readDelivery(Buffer.from(JSON.stringify(payload)), RULES, { headers, receivedAt }).reports;
};
const reportOf = (payload: unknown): AlertReport => {
  const [one, ...more] = reportsOf(payload);
  assert.ok(one && more.length === 0, "one alert");
  return one;
};
const nameOf = (payload: unknown) => reportOf(payload).fingerprint.hash.toString("hex");

/** That the second resolves the first, and nothing else that is given. */
function assertEnds(firing: unknown, over: unknown, ...others: unknown[]) {
  assert.deepEqual([reportOf(firing).action, reportOf(over).action], ["firing", "recovery"]);
  assert.equal(nameOf(firing), nameOf(over));
  for (const other of others) assert.notEqual(nameOf(other), nameOf(firing));
}

describe("Amazon EventBridge", () => {
  const event = (kind: string, source: string, detail: object, resources: string[] = []) => ({
    ...{ version: "0", id: "c4c1c1c9", "detail-type": kind, source, account: "123456789012" },
    ...{ time: "2026-05-01T10:00:00Z", region: "us-east-1", resources, detail },
  });
  const alarm = (kind: string, detail: object) =>
    event(`CloudWatch Alarm ${kind}`, "aws.cloudwatch", { alarmName: "Throttles", ...detail }, [
      "arn:alarm:x",
    ]);
  const state = (value: string) => ({ state: { value, timestamp: "2026-05-01T10:00:00.000+0000" } });
  const contributor = (id: string, value: string) =>
    alarm("Contributor State Change", {
      ...{ alarmContributor: { id, attributes: { TableName: id } }, ...state(value) },
    });

  test("each contributor of an alarm is an alert beside that of the alarm (decision 0305)", () => {
    const whole = alarm("State Change", state("ALARM"));
    assertEnds(
      ...([contributor("a", "ALARM"), contributor("a", "OK"), contributor("b", "OK"), whole] as const),
    );
    assertEnds(whole, alarm("State Change", state("OK")));
  });
});

test("a payload like Netlify's is read by its title and a further member of the specification (decisions 0219, 0305)", () => {
  const deploy = (state: string, more: object) => ({
    ...{ site_id: "s1", build_id: "b1", state, name: "shop", deploy_url: "https://x.netlify.app", ...more },
  });
  assert.equal(reportOf(deploy("error", { title: "Fix header" })).readAs, "Netlify");
  assert.deepEqual(reportsOf(deploy("building", { title: "Fix header" })), []);
  for (const more of [{ service: "shop" }, { fingerprint: "f" }, { monitoring_tool: "cron" }])
    for (const state of ["error", "building", "ready"]) {
      const { title, action } = reportOf(deploy(state, { title: "Fix header", ...more }));
      assert.deepEqual([title, action], ["Fix header", "firing"]);
    }
});
