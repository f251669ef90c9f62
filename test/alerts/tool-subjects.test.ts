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

describe("code forges", () => {
  const run = (conclusion: string, head: string, event: string) => ({
    action: "completed",
    workflow_run: {
      ...{ id: 1, name: "CI", workflow_id: 7, head_branch: "main", event, conclusion, status: "completed" },
      head_repository: { full_name: head, fork: head !== "acme/rocket" },
    },
    repository: { full_name: "acme/rocket" },
    sender: { login: "dev" },
  });

  test("a run on the branch of a fork neither ends nor opens the failure of that branch here (decision 0305)", () => {
    assertEnds(
      run("failure", "acme/rocket", "push"),
      run("success", "acme/rocket", "schedule"),
      run("success", "gus/rocket", "pull_request"),
    );
    assertEnds(
      run("failure", "gus/rocket", "pull_request"),
      run("success", "gus/rocket", "pull_request"),
      run("success", "stan/rocket", "pull_request"),
    );
  });

  const pipeline = (status: string, source: string, merge_request: object | null) => ({
    object_kind: "pipeline",
    object_attributes: { id: 1, ref: "main", tag: false, source, status },
    project: { path_with_namespace: "acme/rocket", web_url: "https://gitlab.example.org/acme/rocket" },
    merge_request,
  });
  const request = (iid: number) => ({ id: iid, iid, source_branch: "main", source_project_id: 99 });

  test("the pipeline of a merge request is identified by it, that of a branch by the branch (decision 0305)", () => {
    const ofRequest = (status: string, iid: number) => pipeline(status, "merge_request_event", request(iid));
    assertEnds(
      pipeline("failed", "push", null),
      pipeline("success", "schedule", null),
      ofRequest("success", 1),
    );
    assertEnds(ofRequest("failed", 1), ofRequest("success", 1), ofRequest("success", 2));
  });
});
