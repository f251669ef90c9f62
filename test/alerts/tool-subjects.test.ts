/** What the payloads of tools are about: each subject with a state of its own is an alert of its own (decision 0305). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDelivery } from "../../src/alerts/read-delivery.ts";
import type { AlertReport } from "../../src/alerts/report.ts";
import { PLAIN_RULES } from "../support/plain-rules.ts";

const reportsOf = (payload: unknown): readonly AlertReport[] => {
  const headers = { "content-type": "application/json" };
  const receivedAt = new Date("2026-05-01T10:00:00Z");
  return readDelivery(Buffer.from(JSON.stringify(payload)), PLAIN_RULES, { headers, receivedAt }).reports;
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

  test("a deleted alarm is resolved, and other changes of its configuration are no alert (decision 0305)", () => {
    const changed = (operation: string) =>
      alarm("Configuration Change", { operation, ...state("INSUFFICIENT_DATA"), configuration: {} });
    assertEnds(alarm("State Change", state("ALARM")), changed("delete"));
    for (const operation of ["create", "update"]) assert.deepEqual(reportsOf(changed(operation)), []);
  });

  test("an alarm without data has the severity unknown, as through a topic (decision 0089)", () => {
    assert.equal(reportOf(alarm("State Change", state("INSUFFICIENT_DATA"))).severity, "unknown");
    assert.equal(reportOf(alarm("State Change", state("ALARM"))).severity, "critical");
  });

  test("a build, pipeline or job that has not ended or was stopped is no alert (decision 0124)", () => {
    for (const [source, detail] of [
      ["aws.codebuild", { "build-status": "IN_PROGRESS", "project-name": "shop" }],
      ["aws.codebuild", { "build-status": "STOPPED", "project-name": "shop" }],
      ["aws.codepipeline", { pipeline: "shop", state: "STARTED" }],
      ["aws.codepipeline", { pipeline: "shop", state: "SUPERSEDED" }],
      ["aws.batch", { jobName: "shop", status: "RUNNING" }],
      ["aws.glue", { jobName: "shop", state: "STOPPED" }],
      ["aws.backup", { backupJobId: "1", state: "CREATED" }],
    ] as const)
      assert.deepEqual(reportsOf(event("Change", source, detail)), [], source);
    const failed = event("Change", "aws.codebuild", { "build-status": "FAILED", "project-name": "shop" });
    assert.equal(reportOf(failed).action, "firing");
    // Sent for a job that runs longer than expected.
    const late = event("Glue Job Run Status", "aws.glue", { jobName: "shop", state: "RUNNING" });
    assert.equal(reportOf(late).action, "firing");
    // The same word has a meaning of its own elsewhere.
    const other = event("Change", "acme.shop", { "alarm-name": "x", state: "STOPPED" });
    assert.equal(reportOf(other).action, "firing");
  });

  test("an instance that runs again ends its alert, and one that is about to opens none (decision 0124)", () => {
    const instance = (id: string, state: string) =>
      event("EC2 Instance State-change Notification", "aws.ec2", { "instance-id": id, state }, [`arn:${id}`]);
    assertEnds(instance("i-1", "stopped"), instance("i-1", "running"), instance("i-2", "running"));
    assert.deepEqual(reportsOf(instance("i-1", "pending")), []);
  });

  test("a finding of GuardDuty has the severity of its level, which is a number with a fraction (decision 0124)", () => {
    const finding = (severity: number) =>
      reportOf(event("GuardDuty Finding", "aws.guardduty", { id: "f1", title: "A port scan", severity }));
    const levels = [1, 3.9, 4, 5.3, 6.9, 7, 8.9, 9, 10].map((level) => finding(level).severity);
    assert.deepEqual(levels, [
      ...["low", "low", "medium", "medium", "medium", "high", "high", "critical", "critical"],
    ]);
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

test("each host in a message of Fleet is an alert, whoever is the first in the list (decision 0305)", () => {
  const host = (id: number) => ({ id, hostname: `mac-${id}`, display_name: `Mac ${id}` });
  const about = (...ids: number[]) => ({
    timestamp: "2026-05-01T10:00:00Z",
    policy: { id: 1, name: "Gatekeeper", description: "Is on", critical: true, query: "select 1" },
    hosts: ids.map(host),
  });
  const several = reportsOf(about(1, 2, 3));
  assert.deepEqual(
    several.map(({ title, hosts, severity, description }) => [title, hosts, severity, description]),
    [1, 2, 3].map((id) => [`Gatekeeper: Mac ${id}`, [`mac-${id}`], "high", "Is on"]),
  );
  const hex = several.map(({ fingerprint }) => fingerprint.hash.toString("hex"));
  assert.deepEqual(
    hex,
    [1, 2, 3].map((id) => nameOf(about(id))),
  );
  const affected = reportsOf({
    timestamp: "2026-05-01T10:00:00Z",
    vulnerability: {
      cve: "CVE-2014-9471",
      details_link: "https://x.example",
      hosts_affected: [host(1), host(2)],
    },
  });
  assert.deepEqual(
    affected.map(({ title, hosts }) => [title, hosts]),
    [1, 2].map((id) => [`CVE-2014-9471: mac-${id}`, [`mac-${id}`]]),
  );
  // More than a list may hold payloads are one alert instead of being refused.
  assert.equal(reportsOf(about(...Array.from({ length: 1001 }, (_, at) => at + 1))).length, 1);
});

test("each alert in a list of BigPanda is read as if sent alone (decision 0305)", () => {
  const alert = (host: string, status: string) => ({ host, status, check: "CPU", timestamp: 1777629600 });
  const list = [alert("db-1", "critical"), alert("db-2", "ok")];
  const [one, two] = reportsOf({ app_key: "1", alerts: list });
  assert.deepEqual(
    [one?.title, one?.action, one?.severity, two?.action],
    ["CPU on db-1", "firing", "critical", "recovery"],
  );
  const alone = list.map((one) => nameOf({ app_key: "1", ...one }));
  assert.deepEqual(
    [one, two].map((report) => report?.fingerprint.hash.toString("hex")),
    alone,
  );
  // Without the key of the application it is no list of BigPanda.
  assert.equal(reportOf({ alerts: list }).title, "New: Alert");
});

test("a job of GitLab that may fail has a low severity, any other a high one (decision 0124)", () => {
  const job = (more: object) => ({
    ...{ object_kind: "build", ref: "main", build_id: 1, build_name: "lint", build_status: "failed" },
    ...{ project_id: 1, project_name: "acme / rocket", ...more },
  });
  const severities = [{ build_allow_failure: true }, { build_allow_failure: false }, {}].map(
    (more) => reportOf(job(more)).severity,
  );
  assert.deepEqual(severities, ["low", "high", "high"]);
});

test("a job of Databricks that exceeds a threshold is an alert that its success resolves (decision 0124)", () => {
  const job = (event: string) => ({
    ...{ event_type: `jobs.on_${event}`, workspace_id: "1" },
    ...{ job: { job_id: "2", name: "nightly" }, run: { run_id: "3" } },
  });
  for (const event of ["duration_warning_threshold_exceeded", "streaming_backlog_exceeded"]) {
    assertEnds(job(event), job("success"));
    assert.equal(reportOf(job(event)).severity, "medium");
  }
  assert.deepEqual(reportsOf(job("start")), []);
});

test("a download that Servarr cannot import is an alert of its own (decision 0124)", () => {
  const download = (downloadId: string) => ({
    ...{ eventType: "ManualInteractionRequired", instanceName: "Sonarr", downloadId, downloadClient: "sab" },
    ...{ series: { id: 1, title: "Boats" }, downloadInfo: { quality: "HDTV-720p", title: "Boats.S01E01" } },
  });
  const { title, severity, service } = reportOf(download("1"));
  assert.deepEqual(
    [title, severity, service],
    ["Sonarr: Boats.S01E01 has to be imported by hand", "low", "Sonarr"],
  );
  assert.notEqual(nameOf(download("1")), nameOf(download("2")));
});

test("a payload for Splunk On-Call without a tool's name is not named after Nagios on its receipt (decision 0124)", () => {
  const sent = { message_type: "CRITICAL", entity_id: "db-1/disk", state_message: "8% free" };
  assert.equal(reportOf(sent).readAs, "Splunk On-Call");
  assert.equal(reportOf(sent).monitoringTool, null);
  const nagios = { NOTIFICATIONTYPE: "PROBLEM", HOSTNAME: "db-1", HOSTSTATE: "DOWN" };
  assert.equal(reportOf(nagios).readAs, "Nagios and its like");
});

test("a token of GitLab that expires is an alert for each token, repeated for the same one (decision 0124)", () => {
  const token = (id: number, owner: object) => ({
    ...{ object_kind: "access_token", event_name: "expiring_access_token", ...owner },
    object_attributes: {
      user_id: 90,
      created_at: "2024-01-24 16:27:40 UTC",
      id,
      name: "ci",
      expires_at: "2024-01-26",
    },
  });
  const project = { project: { id: 7, path_with_namespace: "acme/rocket" } };
  const group = { group: { group_name: "Acme", group_path: "acme", group_id: 35 } };
  const { title, severity, description } = reportOf(token(25, project));
  assert.deepEqual(
    [title, severity, description],
    ["Access token ci of acme/rocket expires", "medium", "2024-01-26"],
  );
  assert.equal(reportOf(token(25, group)).title, "Access token ci of acme expires");
  assert.equal(nameOf(token(25, project)), nameOf(token(25, project)));
  assert.notEqual(nameOf(token(25, project)), nameOf(token(26, project)));
});

test("an action of NinjaOne that failed is an alert, one that succeeded is none (decision 0124)", () => {
  const action = (activityResult: string) => ({
    ...{ id: 1, activityTime: 1777629600, deviceId: 3, activityType: "ACTION", statusCode: "COMPLETED" },
    ...{ activityResult, message: "Action Clean up failed", sourceName: "Clean up", type: "Script" },
  });
  const { title, severity, service } = reportOf(action("FAILURE"));
  assert.deepEqual([title, severity, service], ["Action Clean up failed", "medium", "Clean up"]);
  assert.deepEqual(reportsOf(action("SUCCESS")), []);
});

test("an event for Moogsoft's API in the cloud is read, and its severity Clear resolves it (decision 0124)", () => {
  const event = (severity: string, check = "cpu") => ({
    ...{ check, class: "server", description: `${check} is at 75 %`, source: "web-1", severity },
    ...{
      service: ["retail", "support"],
      time: 1777629600,
      alias: "a",
      manager: "CW",
      type: "Capacity",
      tags: {},
    },
  });
  assertEnds(event("Major"), event("Clear"), event("Clear", "disk"));
  const { title, severity, hosts, service, monitoringTool } = reportOf(event("Major"));
  assert.deepEqual(
    [title, severity, hosts, service, monitoringTool],
    ["cpu is at 75 %", "high", ["web-1"], "retail", "Moogsoft"],
  );
});
