/** Bodies of services that monitor code, clusters and logs, in the format of their documentation. */
import examples from "@octokit/webhooks-examples" with { type: "json" };
import type { ToolSample } from "./tool-samples.ts";

/** One of GitHub's published example deliveries with changes in one part. */
function github(event: string, part: "alert" | "workflow_run", change: object, more: object = {}): object {
  const published = examples as unknown as { name: string; examples: object[] }[];
  const deliveries = published.find(({ name }) => name === event)?.examples ?? [];
  const one = deliveries.find((delivery) => part in delivery) as Record<string, object>;
  return { ...one, ...more, [part]: { ...one[part], ...change } };
}
const dependabot = (state: string) => github("dependabot_alert", "alert", { state });
const scan = (state: string) => github("code_scanning_alert", "alert", { state });
/** By GitHub's schema of the webhook a secret has no state; older examples have one. */
const secret = (more: object) =>
  github("code_scanning_alert", "alert", {
    ...{
      state: undefined,
      ...more,
      rule: undefined,
      secret_type: "aws_access_key_id",
      secret_type_display_name: "AWS access key",
    },
    html_url: "https://github.com/Codertocat/Hello-World/security/secret-scanning/3",
  });
const run = (conclusion: string) =>
  github("workflow_run", "workflow_run", { conclusion, name: "CI", workflow_id: 7, head_branch: "main" });

const jenkins = (status: string, number: number) => ({
  ...{ name: "ship", display_name: "Ship it", url: "job/ship/" },
  build: { number, phase: "FINALIZED", status, full_url: `https://ci.example.org/job/ship/${number}/` },
});

const fault = (event: string) => ({
  ...{ event, message: `[Shop/production] RuntimeError ${event}` },
  fault: {
    ...{ id: 3151009, project_id: 1, project_name: "Shop", klass: "RuntimeError", message: "no stock" },
    ...{ environment: "production", url: "https://app.honeybadger.io/projects/1/faults/3151009" },
  },
});

/** Version 2 of its payloads, docs.honeybadger.io/guides/integrations/payloads/v2. */
const alarm = (event: string, state: string) => ({
  ...{ event, message: `[Shop] ${state}: Checkout errors` },
  alarm: { id: "qa8Rdg", name: "Checkout errors", state, url: "https://app.honeybadger.io/alarms/qa8Rdg" },
});

/** Based on the example in its repository, github.com/ccfos/nightingale. */
const nightingale = (is_recovered: boolean) => ({
  ...{ id: is_recovered ? 1000001 : 1000000, cate: "prometheus", group_id: 1, group_name: "Quay" },
  ...{ hash: "2cb966f9ba1cdc7af94c3796e855955a", rule_id: 23, rule_name: "Disk is full", rule_note: "" },
  ...{ severity: 2, target_ident: "host01", trigger_value: "2273533952", tags: ["device=vda1"] },
  ...{ trigger_time: 1777629600, first_trigger_time: 1777629600, last_eval_time: 1777629900 },
  ...{ is_recovered, annotations: { summary: "2 GB are left" } },
});

/** github.com/apache/skywalking, docs/en/setup/backend/backend-alarm.md. */
const skywalking = (recoveryTime: number | null) => [
  {
    ...{ scopeId: 1, scope: "SERVICE", name: "orders", id0: "12", id1: "", startTime: 1777629600000 },
    ...{ ruleName: "service_resp_time_rule", alarmMessage: "orders answers in 3 s", recoveryTime },
    tags: [{ key: "level", value: "WARNING" }],
  },
];

const bugsnag = (status: string) => ({
  account: { id: "a", name: "Acme" },
  project: { id: "p", name: "Shop", url: "https://app.bugsnag.com/acme/shop" },
  trigger: { type: status === "fixed" ? "errorStateManualChange" : "firstException", message: "New error" },
  error: {
    ...{
      id: "e1",
      errorId: "err7",
      exceptionClass: "TypeError",
      message: "x is no function",
      severity: "error",
    },
    ...{
      status,
      url: "https://app.bugsnag.com/acme/shop/errors/err7",
      receivedAt: "2026-05-01T10:00:00.000Z",
    },
  },
});

const netdata = (Status: string) => ({
  ...{
    Node: "web-1",
    Chart: "test.chart",
    OldValue: 90,
    Value: 100,
    Units: "units",
    OldStatus: "WARNING",
    Status,
  },
  ...{ Alarm: "test_alarm", Date: 1777629600, Description: "is critical, a test", ID: 1 },
});

const alerta = (severity: string) => ({
  ...{
    resource: "web-9",
    severity,
    timeout: 86400,
    createTime: "2026-05-01T10:00:00.000Z",
    type: "elastalert",
  },
  ...{
    environment: "Production",
    origin: "elastalert",
    group: "",
    event: "TooMany",
    text: "12 hits",
    service: ["shop"],
  },
  ...{ tags: [], correlate: [], attributes: {}, rawData: "…" },
});

const observium = (ALERT_STATE: string) => ({
  ...{ TITLE: `${ALERT_STATE}: [sw-1]`, ALERT_STATE, ALERT_ID: "44", ALERT_MESSAGE: "Port is down" },
  ...{
    ENTITY_NAME: "eth0",
    DEVICE_HOSTNAME: "sw-1",
    SEVERITY: "Warning",
    ALERT_URL: "https://obs.example.org/44",
  },
});

const sumo = (TriggerType: string) => ({
  ...{
    Name: "Errors rise",
    Description: "More than ten",
    TriggerType,
    TriggerTime: "05/01/2026",
    Id: "0000A",
  },
  AlertResponseURL: "https://service.sumologic.com/alert/1",
});

/** Each fires, and is resolved if its service reports that. */
const pipeline = (status: string) => ({
  object_kind: "pipeline",
  object_attributes: {
    ...{ id: 31, iid: 3, ref: "main", tag: false, sha: "bcbb5ec3", source: "push", status },
    ...{ finished_at: "2026-05-01 10:00:00 UTC", url: "https://git.example.org/acme/rocket/-/pipelines/31" },
  },
  project: { id: 1, path_with_namespace: "acme/rocket", web_url: "https://git.example.org/acme/rocket" },
  commit: { id: "bcbb5ec3", title: "Fix the pump", message: "Fix the pump\n" },
  builds: [{ id: 380, stage: "deploy", name: "production", status }],
});

export const CODE_SAMPLES: readonly ToolSample[] = [
  {
    name: "GitHub, a vulnerable dependency",
    ...{ firing: dependabot("open"), over: dependabot("fixed") },
    reads: {
      title: "octocat/hello-world: Insertion of Sensitive Information into Log File in ansible",
      severity: "medium",
    },
  },
  {
    name: "GitHub, a finding in code",
    ...{ firing: scan("open"), over: scan("dismissed") },
    reads: {
      title:
        "Codertocat/Hello-World: Add the frozen_string_literal comment to the top of files to help transition to frozen string literals by default.",
      severity: "info",
    },
  },
  {
    name: "GitHub, a secret",
    firing: secret({ resolution: null, resolved_at: null }),
    over: secret({ resolution: "revoked", resolved_at: "2026-05-02T10:00:00Z" }),
    reads: { title: "Codertocat/Hello-World: AWS access key", severity: "critical" },
  },
  {
    name: "GitHub, a secret with a state",
    ...{ firing: secret({ state: "open" }), over: secret({ state: "resolved" }) },
    reads: { title: "Codertocat/Hello-World: AWS access key", severity: "critical" },
  },
  {
    name: "GitHub, a failed run",
    ...{ firing: run("failure"), over: run("success") },
    reads: { severity: "high", monitoring_tool: "GitHub" },
  },
  {
    name: "Jenkins",
    ...{ firing: jenkins("FAILURE", 5), over: jenkins("SUCCESS", 6) },
    reads: { title: "Build of Ship it: FAILURE", severity: "high", service: "ship" },
  },
  {
    name: "Honeybadger",
    ...{ firing: fault("occurred"), over: fault("resolved") },
    reads: { title: "RuntimeError: no stock", service: "Shop" },
  },
  {
    name: "Nightingale",
    ...{ firing: nightingale(false), over: nightingale(true) },
    reads: {
      ...{ title: "Disk is full: host01", description: "2 GB are left", severity: "low", service: "Quay" },
      ...{ hosts: ["host01"], started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "SkyWalking",
    ...{ firing: skywalking(null), over: skywalking(1777629900000) },
    reads: {
      ...{ title: "service_resp_time_rule: orders", description: "orders answers in 3 s" },
      ...{ service: "orders", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Honeybadger, an alarm",
    ...{ firing: alarm("alarm_alert", "alarm"), over: alarm("alarm_ok", "ok") },
    reads: {
      title: "[Shop] alarm: Checkout errors",
      service: "Checkout errors",
      monitoring_tool: "Honeybadger",
    },
  },
  {
    name: "Bugsnag",
    ...{ firing: bugsnag("open"), over: bugsnag("fixed") },
    reads: { title: "TypeError: x is no function", severity: "medium" },
  },
  {
    name: "Kubernetes, an event",
    firing: {
      ...{
        metadata: { name: "web.17", namespace: "shop" },
        reason: "BackOff",
        message: "restarting",
        type: "Warning",
      },
      ...{
        involvedObject: { kind: "Pod", namespace: "shop", name: "web-1" },
        source: { component: "kubelet", host: "n1" },
      },
      ...{ lastTimestamp: "2026-05-01T10:00:00Z", count: 3 },
    },
    reads: { title: "Pod shop/web-1: BackOff", severity: "low", hosts: ["n1"], service: "kubelet" },
  },
  {
    name: "CrowdSec",
    firing: {
      ...{
        scenario: "crowdsecurity/ssh-bf",
        message: "ssh-bf by 192.0.2.66",
        events_count: 6,
        machine_id: "m",
      },
      ...{ source: { scope: "Ip", value: "192.0.2.66", ip: "192.0.2.66" }, start_at: "2026-05-01T10:00:00Z" },
    },
    reads: { title: "crowdsecurity/ssh-bf by 192.0.2.66", severity: "medium" },
  },
  {
    name: "Netdata's agent, plain",
    ...{ firing: netdata("CRITICAL"), over: netdata("CLEAR") },
    reads: { title: "test_alarm on web-1", severity: "critical", hosts: ["web-1"] },
  },
  {
    name: "a sender for Alerta",
    ...{ firing: alerta("warning"), over: alerta("ok") },
    reads: { title: "TooMany on web-9", severity: "low", service: "shop" },
  },
  {
    name: "Observium",
    ...{ firing: observium("ALERT"), over: observium("RECOVER") },
    reads: { title: "Port is down", severity: "low", hosts: ["sw-1"] },
  },
  {
    name: "Sumo Logic",
    ...{ firing: sumo("Critical"), over: sumo("ResolvedCritical") },
    reads: { title: "Errors rise", severity: "critical" },
  },
  {
    name: "GitLab, a pipeline",
    ...{ firing: pipeline("failed"), over: pipeline("success") },
    reads: {
      ...{ title: "Pipeline of main failed in acme/rocket", severity: "high", service: "acme/rocket" },
      ...{ description: "Fix the pump", started_at: "2026-05-01T10:00:00.000Z", monitoring_tool: "GitLab" },
    },
  },
  {
    name: "Sentry's plugin of webhooks",
    firing: {
      ...{ id: "4311163364", project: "shop", project_name: "Shop", project_slug: "shop", logger: null },
      ...{ level: "error", culprit: "cart in total", message: "ZeroDivisionError: division by zero" },
      ...{ url: "https://sentry.example.org/issues/4311163364/", triggering_rules: ["Any error"] },
      event: { event_id: "b465c7ca", level: "error", timestamp: 1777629600, culprit: "cart in total" },
    },
    reads: {
      ...{ title: "ZeroDivisionError: division by zero", severity: "medium", service: "Shop" },
      ...{ started_at: "2026-05-01T10:00:00.000Z", monitoring_tool: "Sentry" },
    },
  },
  {
    name: "Papertrail",
    form: true,
    firing: {
      payload: JSON.stringify({
        events: [
          {
            hostname: "web-1",
            program: "nginx",
            message: "upstream timed out",
            received_at: "2026-05-01T10:00:00Z",
          },
        ],
        saved_search: {
          id: 42,
          name: "Time-outs",
          query: "timed out",
          html_search_url: "https://papertrailapp.com/42",
        },
      }),
    },
    reads: { title: "Time-outs", description: "upstream timed out", hosts: ["web-1"], service: "nginx" },
  },
];
