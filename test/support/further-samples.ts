/** Bodies of tools that move data, test, build and deploy, of status pages, and of senders for other alert services. */
import type { ToolSample } from "./tool-samples.ts";

/** What Buildbot 3.7 sends, without the members that are not read. */
export const BUILDBOT = (results: number | null, state_string: string) => ({
  ...{ buildid: 1, number: 1, builderid: 2, buildrequestid: 1, workerid: 1, masterid: 1 },
  ...{ started_at: 1777629597, complete_at: results === null ? null : 1777629600, state_string, results },
  ...{ complete: results !== null, url: "http://localhost:8010/#/builders/2/builds/1" },
  properties: { branch: [null, "Build"], project: ["", "Build"], buildername: ["docks", "Builder"] },
  builder: { builderid: 2, name: "docks", masterids: [1], tags: [], description: null },
});

const airbyte = (success: boolean) => ({
  ...{ text: "Sync ended", blocks: [] },
  data: {
    ...{ workspace: { id: "w1", name: "Yard" }, source: { name: "ERP" }, destination: { name: "Lake" } },
    connection: { id: "c1", name: "ERP to Lake", url: "https://airbyte.example.org/c1" },
    ...{ jobId: 9988377, success, errorMessage: success ? null : "The source did not answer" },
    ...{ startedAt: "2026-05-01T09:58:00Z", finishedAt: "2026-05-01T10:00:00Z", bytesEmitted: 1000 },
  },
});

const airweave = (outcome: "failed" | "completed", job_id: string) => ({
  ...{ event_type: `sync.${outcome}`, job_id, collection_readable_id: "finance-ab1", status: outcome },
  ...{ collection_name: "Finance", source_connection_id: "660e8400", source_type: "notion" },
  ...{ timestamp: "2026-05-01T10:00:00Z", ...(outcome === "failed" && { error: "Token expired" }) },
});

export const TESTKUBE = (type: string) => ({
  ...{ id: "6d2f", resource: "testworkflowexecution", resourceId: "66e1", type, clusterName: "quay" },
  testWorkflowExecution: {
    ...{ id: "66e1", name: "smoke-12", namespace: "testkube", number: 12, workflow: { name: "smoke" } },
    statusAt: "2026-05-01T10:00:00Z",
  },
});

const dokployBuild = (status: "error" | "success") => ({
  ...{ title: status === "error" ? "Build Error" : "Build Success", message: "Build ended" },
  ...{ projectName: "Yard", applicationName: "gate", applicationType: "application", status, type: "build" },
  ...(status === "error" && { errorMessage: "exit 1" }),
  ...{ buildLink: "https://dokploy.example.org/b", timestamp: "2026-05-01T10:00:00.000Z", date: "5/1/2026" },
});

const dokployBackup = (type: "error" | "success") => ({
  title: `Database Backup ${type === "error" ? "Failed" : "Successful"}`,
  ...{ message: "Database backup ended", projectName: "Yard", applicationName: "orders-db", type },
  ...{ databaseType: "postgres", databaseName: "orders", errorMessage: "", status: type },
  ...{ timestamp: "2026-05-01T10:00:00.000Z", date: "5/1/2026" },
});

const kumaForHalo = (status: "UP" | "DOWN") => ({
  ...{ title: "Uptime Kuma Alert", status, monitor: "Berth", message: `[Berth] [${status}] 503` },
  ...{ timestamp: "2026-05-01T10:00:00.000Z", uptime_kuma_version: "2.0.0" },
});

const betterStackPage = (status_indicator: string) => ({
  ...{ event_type: "incident", meta: { unsubscribe: "https://status.example.org/u" } },
  page: { id: "12345", status_indicator, status_description: "Some services are down" },
  incident: {
    ...{ id: "98765", name: "Database connection issues", created_at: "2026-05-01T10:00:00Z" },
    ...{ updated_at: "2026-05-01T11:45:00Z", shortlink: "https://status.example.org/incidents/98765" },
    incident_updates: [{ id: "11111", status_report_id: "98765", body: "We are working on it" }],
  },
});

export const CACHET = (resource: string, status: number, what = "updated") => ({
  ...{ id: "0d1f", event: `${resource}_${what}`, created_at: "2026-05-01T10:20:00Z" },
  data: {
    ...{ resource, id: 7 },
    attributes: {
      ...{ guid: "b4f1", name: "The gate is shut", message: "We look into it", status },
      ...{ occurred_at: "2026-05-01T10:00:00Z", updated_at: "2026-05-01T10:00:00Z" },
    },
  },
});

const dash0 = (outcome: "ongoing" | "resolved") => ({
  type: `alert.${outcome}`,
  data: {
    issue: {
      ...{ id: "b9a9da0b", issueIdentifier: "68207", dataset: "default", labels: [], annotations: [] },
      ...{ start: "2026-05-01T10:00:00.474101621Z", status: outcome === "resolved" ? outcome : "degraded" },
      ...(outcome === "resolved" && { end: "2026-05-01T10:07:17.474101621Z" }),
      ...{ summary: "Too many logs", description: "More than one in five minutes" },
      ...{ checkrules: [{ id: "97d", name: "Logs of the gate" }], url: "https://app.example.org/b9a9" },
    },
  },
});

const TWILIO_PAYLOAD = JSON.stringify({
  ...{ resource_sid: "CA1", service_sid: null, error_code: "11200" },
  more_info: { Msg: "Attempt to retrieve content failed", LogLevel: "ERROR" },
});
const TWILIO = {
  ...{ Sid: "NO1", AccountSid: "AC1", ParentAccountSid: "", Timestamp: "2026-05-01T10:00:00Z" },
  ...{ Level: "ERROR", PayloadType: "application/json", Payload: TWILIO_PAYLOAD },
};

const consul = (Status: string, Output: string) => [
  {
    ...{ Node: "quay-1", CheckID: "service:redis", Name: "Service 'redis' check", Status, Notes: "", Output },
    ...{ ServiceID: "redis", ServiceName: "redis" },
  },
];

const goAlert = (more: object) => ({ AppName: "GoAlert", AlertID: 7, ...more });

/** What somebody did about a problem, as Zabbix' default message says it. */
const done = (what: string) =>
  `Ada Lovelace ${what} problem at 2026.05.01 10:00:00.\nOn it\n\nCurrent problem status is PROBLEM, acknowledged: Yes.`;

export const ZABBIX_FOR_VICTOROPS = (message_type: string, state_message: string, severity = "High") => ({
  ...{
    entity_display_name: "[PROBLEM] Load",
    entity_id: "4711",
    hostname: "web-4",
    monitoring_tool: "Zabbix",
  },
  ...{ operational_data: "load 9", severity, state_message, message_type },
});

const zabbixForOnCall = (state: "alerting" | "ok", message: string) => ({
  ...{ alert_uid: "4712", title: "Load is high on web-4", state, message },
  link_to_upstream_details: "https://zabbix.example.org/tr_events.php?triggerid=1&eventid=4712",
});

const apprise = (title: string, type: string, message: string) => ({
  ...{ version: "1.0", title, message, attachments: [], type },
});

const kentik = (CurrentState: "alarm" | "clear") => ({
  ...{ ActivateSeverity: "major", AlarmID: "0192d7bf", AlarmPolicyName: "Transit", AlarmSeverity: "major" },
  ...{ AlarmStart: "2026-05-01 10:00:00 UTC", AlarmState: CurrentState, CurrentState, EventType: "alarm" },
  ...{ AlarmEnd: CurrentState === "clear" ? "2026-05-01 10:41:05 UTC" : "ongoing", IsActive: true },
  AlertKey: [{ DimensionName: "IP_dst", DimensionValue: "192.0.2.63" }],
  ...{
    Description: `Alarm for Transit ${CurrentState}`,
    Links: { DetailsAlarmURL: "https://k.example.org/1" },
  },
});

const monteCarlo = (more: object) => ({
  ...{ account: { id: "9a59" }, action: "incident", type: "open_anomaly_incident", version: "v0.1" },
  payload: {
    ...{ incident_id: "f838", group_id: "zeus:ares", url: "https://mc.example.org/f838", ...more },
    event_list: [{ event_details: "Has 42 rows vs. 101 expected", table_name: "orders" }],
  },
});

const apiMetrics = (result_class: "FAIL" | "PASS") => ({
  ...{ response_size: 0, location_id: "europe", result_class, call_id: "agpz", result_id: "agr1" },
  ...{ result_url: "https://client.example.org/agr1", result: result_class === "PASS" ? "OK" : "TIMEOUT" },
  context: {
    _result_streak: 3,
    ...(result_class === "FAIL" && { _notification: { title: "[FAIL]: Create order", category: "FAIL" } }),
  },
});

export const HARNESS = (eventType: string, more: object = {}) => ({
  eventData: {
    ...{ accountIdentifier: "a1", orgIdentifier: "default", projectIdentifier: "quay", eventType },
    ...{ pipelineIdentifier: "deploy_gate", pipelineName: "deploy-gate", planExecutionId: "PyPI" },
    ...{ executionUrl: "https://app.example.org/PyPI", startTs: 1777629600, endTs: 1777629614, ...more },
  },
});

const sonatype = (outcome: "fail" | "none") => ({
  ...{ timestamp: "2026-05-01T10:00:00.673+0000", initiator: "admin", id: "d5cc" },
  applicationEvaluation: {
    application: { id: "0f25", publicId: "gate", name: "Gate", organizationId: "f25a" },
    ...{ policyEvaluationId: "d5cc", stage: "release", evaluationDate: "2026-05-01T10:00:00.404+0000" },
    ...{ affectedComponentCount: 10, criticalComponentCount: 2, outcome, reportId: "36f3" },
  },
});

export const HERTZBEAT_END = "2026-05-01 10:10:00";
export const HERTZBEAT = (status: "firing" | "resolved", ...names: string[]) => ({
  ...{ title: "🔔 HertzBeat Alert Notification", status, commonLabels: { severity: "❤️ Critical" } },
  alerts: names.map((alertname, at) => ({
    ...{ index: at + 1, labels: { alertname, instance: "quay-3", severity: "critical" } },
    ...{ content: "Above 90 %", triggerTimes: 3, startAt: "2026-05-01 10:00:00" },
    ...(status === "resolved" && { endAt: HERTZBEAT_END }),
  })),
  commonAnnotations: {},
});

export const FURTHER_SAMPLES: readonly ToolSample[] = [
  {
    name: "Buildbot",
    firing: BUILDBOT(2, "failed 'make' (failure)"),
    over: BUILDBOT(0, "build successful"),
    reads: {
      ...{ title: "Build of docks failed", severity: "high", description: "failed 'make' (failure)" },
      ...{ service: "docks", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Airbyte",
    ...{ firing: airbyte(false), over: airbyte(true) },
    reads: {
      ...{ title: "Sync of ERP to Lake failed", severity: "high", description: "The source did not answer" },
      runbook: "https://airbyte.example.org/c1",
    },
  },
  {
    name: "Airweave",
    ...{ firing: airweave("failed", "550e"), over: airweave("completed", "551e") },
    reads: { title: "Sync of notion to Finance failed", severity: "high", description: "Token expired" },
  },
  {
    name: "Testkube",
    ...{ firing: TESTKUBE("end-testworkflow-failed"), over: TESTKUBE("end-testworkflow-success") },
    reads: { title: "smoke failed", severity: "high", service: "smoke" },
  },
  {
    name: "Dokploy, a build",
    ...{ firing: dokployBuild("error"), over: dokployBuild("success") },
    reads: {
      title: "Build of gate in Yard failed",
      severity: "high",
      description: "exit 1",
      service: "gate",
    },
  },
  {
    name: "Dokploy, a backup",
    ...{ firing: dokployBackup("error"), over: dokployBackup("success") },
    reads: { title: "Backup of orders in Yard failed", severity: "high", monitoring_tool: "Dokploy" },
  },
  {
    name: "Uptime Kuma for HaloPSA",
    ...{ firing: kumaForHalo("DOWN"), over: kumaForHalo("UP") },
    reads: { title: "[Berth] [DOWN] 503", severity: "critical", service: "Berth" },
  },
  {
    name: "a status page of Better Stack",
    ...{ firing: betterStackPage("downtime"), over: betterStackPage("operational") },
    reads: {
      ...{ title: "Database connection issues", severity: "high", description: "We are working on it" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Cachet",
    ...{ firing: CACHET("incident", 1), over: CACHET("incident", 4) },
    reads: { title: "The gate is shut", severity: "high", description: "We look into it" },
  },
  {
    name: "Cachet, an incident that is deleted",
    ...{ firing: CACHET("incident", 1), over: CACHET("incident", 1, "deleted") },
    reads: { title: "The gate is shut", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Dash0",
    ...{ firing: dash0("ongoing"), over: dash0("resolved") },
    reads: { title: "Logs of the gate", severity: "medium", description: "More than one in five minutes" },
  },
  {
    name: "Superwise",
    firing: {
      ...{ subject: "Drift of the tide model", description: "Input differs", attributes: { model: "tide" } },
      ...{ severity: "Error", timestamp: "2026-05-01T10:00:00", link: "https://superwise.example.org/1" },
    },
    reads: { title: "Drift of the tide model", severity: "high", description: "Input differs" },
  },
  {
    name: "Twilio's debugger",
    firing: TWILIO,
    reads: { title: "Error 11200: Attempt to retrieve content failed", severity: "medium", service: "CA1" },
  },
  {
    name: "Twilio's debugger, as a form",
    form: true,
    firing: { ...TWILIO, AccountSid: "AC2" },
    reads: { title: "Error 11200: Attempt to retrieve content failed", monitoring_tool: "Twilio" },
  },
  {
    name: "kwatch",
    firing: {
      ...{ Cluster: "quay", Name: "gate-7d", Container: "gate", Namespace: "live", Reason: "OOMKilled" },
      ...{ Events: "Back-off", Logs: "No logs captured", Labels: { app: "gate" } },
    },
    reads: { title: "live/gate-7d: OOMKilled", severity: "high", service: "gate", hosts: ["gate-7d"] },
  },
  {
    name: "a watch of Consul",
    ...{ firing: consul("critical", "Connection refused"), over: consul("passing", "OK") },
    reads: { title: "Service 'redis' check on quay-1", severity: "critical", hosts: ["quay-1"] },
  },
  {
    name: "GoAlert's own webhook",
    firing: goAlert({
      Type: "Alert",
      Summary: "Crane 4 stands",
      Details: "No answer",
      ServiceName: "Cranes",
    }),
    seen: goAlert({ Type: "AlertStatus", LogEntry: "Acknowledged by Ada" }),
    over: goAlert({ Type: "AlertStatus", LogEntry: "Closed by Ada" }),
    reads: { title: "Crane 4 stands", description: "No answer", service: "Cranes" },
  },
  {
    name: "several alerts in a message of GoAlert",
    firing: { AppName: "GoAlert", Type: "AlertBundle", ServiceID: "s1", ServiceName: "Cranes", Count: 4 },
    reads: { title: "Cranes has 4 unacknowledged alerts" },
  },
  {
    name: "Zabbix for VictorOps, with INFO for what somebody did",
    firing: ZABBIX_FOR_VICTOROPS("WARNING", "Problem started at 10:00:00 on 2026.05.01"),
    seen: ZABBIX_FOR_VICTOROPS("INFO", done("acknowledged, commented")),
    over: ZABBIX_FOR_VICTOROPS("OK", "Problem has been resolved at 10:05:00 on 2026.05.01"),
    reads: { title: "[PROBLEM] Load", severity: "high", hosts: ["web-4"] },
  },
  {
    name: "Zabbix for Grafana OnCall",
    firing: zabbixForOnCall("alerting", "Problem started at 10:00:00 on 2026.05.01\nSeverity: High"),
    seen: zabbixForOnCall("alerting", done("acknowledged")),
    over: zabbixForOnCall("ok", "Problem has been resolved at 10:05:00 on 2026.05.01"),
    reads: { title: "Load is high on web-4" },
  },
  {
    name: "Apprise, whose success ends a failure of the same title",
    firing: apprise("Backup of db-3", "failure", "disk is full"),
    over: apprise("Backup of db-3", "success", "12 GB in 4 minutes"),
    reads: { title: "Backup of db-3", severity: "critical", monitoring_tool: "Apprise" },
  },
  {
    name: "Uptime Kuma by Apprise",
    firing: apprise("", "info", "[Pier] [🔴 Down] timeout"),
    over: apprise("", "info", "[Pier] [✅ Up] 200 - OK"),
    reads: { title: "[Pier] timeout", service: "Pier" },
  },
  {
    name: "Uptime Kuma for AlertNow, whose ids differ",
    firing: {
      ...{
        summary: "[Mole] 🔴 Application went down - [Mole] [🔴 Down] timeout >> https://kuma.example.org/7",
      },
      ...{ status: "open", event_type: "ERROR", event_id: "20260501" },
    },
    over: {
      ...{
        summary: "[Mole] ✅ Application is back online - [Mole] [✅ Up] 200 >> https://kuma.example.org/7",
      },
      ...{ status: "close", event_type: "INFO", event_id: "20260501_Mole" },
    },
    reads: { title: "[Mole] timeout", service: "Mole", severity: "critical" },
  },
  {
    name: "AlertNow, by its id",
    firing: { summary: "Queue stands", status: "open", event_type: "ERROR", event_id: "q1" },
    over: { summary: "Queue flows", status: "close", event_type: "INFO", event_id: "q1" },
    reads: { title: "Queue stands", severity: "critical" },
  },
  {
    name: "Uptime Kuma for PushDeer",
    firing: {
      ...{ pushkey: "k", text: "## Uptime Kuma: Dyke down", type: "markdown" },
      desp: "[Dyke] [🔴 Down] timeout",
    },
    over: { pushkey: "k", text: "## Uptime Kuma: Dyke up", desp: "[Dyke] [✅ Up] 200", type: "markdown" },
    reads: { title: "[Dyke] timeout", service: "Dyke" },
  },
  {
    name: "Uptime Kuma for Stackfield",
    firing: { Title: "+Uptime Kuma Alert+\n*Weir*\n[Weir] [🔴 Down] timeout\nhttps://kuma.example.org/7" },
    over: { Title: "+Uptime Kuma Alert+\n*Weir*\n[Weir] [✅ Up] 200 - OK\nhttps://kuma.example.org/7" },
    reads: { title: "[Weir] timeout", service: "Weir" },
  },
  {
    name: "Uptime Kuma for Bark",
    firing: {
      ...{ title: "UptimeKuma Monitor Down", body: "[Sluice] [🔴 Down] timeout", group: "UptimeKuma" },
      ...{ icon: "https://kuma.example.org/icon.png", sound: "telegraph" },
    },
    over: {
      ...{ title: "UptimeKuma Monitor Up", body: "[Sluice] [✅ Up] 200 - OK", group: "UptimeKuma" },
      ...{ icon: "https://kuma.example.org/icon.png", sound: "telegraph" },
    },
    reads: { title: "[Sluice] timeout", service: "Sluice" },
  },
  {
    name: "Kentik",
    ...{ firing: kentik("alarm"), over: kentik("clear") },
    reads: {
      ...{ title: "Transit: 192.0.2.63", severity: "high", description: "Alarm for Transit alarm" },
      ...{ started_at: "2026-05-01T10:00:00.000Z", runbook: "https://k.example.org/1" },
    },
  },
  {
    name: "Monte Carlo",
    firing: monteCarlo({}),
    seen: monteCarlo({ alert_feedback: "investigating" }),
    over: monteCarlo({ alert_feedback: "fixed" }),
    reads: { title: "orders: Has 42 rows vs. 101 expected", severity: "high", service: "orders" },
  },
  {
    name: "APImetrics",
    ...{ firing: apiMetrics("FAIL"), over: apiMetrics("PASS") },
    reads: { title: "[FAIL]: Create order", severity: "critical", description: "TIMEOUT" },
  },
  {
    name: "Nobl9",
    firing: {
      ...{ alert_id: "6f1c", severity: "high", alert_policy_name: "fast-burn", slo_name: "checkout" },
      ...{ alert_policy_conditions_text: "Remaining error budget is 10%", service_name: "shop" },
      ...{ project_name: "yard", objective_name: "good", iso_timestamp: "2026-05-01T10:00:00Z" },
    },
    reads: { title: "checkout: Remaining error budget is 10%", severity: "high", service: "shop" },
  },
  {
    name: "Harness, a pipeline",
    firing: HARNESS("PipelineFailed", { errorMessage: "Image pull backoff" }),
    over: HARNESS("PipelineSuccess"),
    reads: { title: "deploy-gate failed", severity: "high", description: "Image pull backoff" },
  },
  {
    name: "Harness, a stage",
    firing: HARNESS("StageFailed", { stageName: "Live", stageIdentifier: "live" }),
    over: HARNESS("StageSuccess", { stageName: "Live", stageIdentifier: "live" }),
    reads: { title: "Live of deploy-gate failed", severity: "high", service: "deploy-gate" },
  },
  {
    name: "Sonatype Lifecycle",
    ...{ firing: sonatype("fail"), over: sonatype("none") },
    reads: { title: "Gate: 2 critical components in release", severity: "high", service: "Gate" },
  },
  {
    name: "HertzBeat",
    ...{ firing: HERTZBEAT("firing", "CPU"), over: HERTZBEAT("resolved", "CPU") },
    reads: {
      ...{ title: "CPU", severity: "critical", hosts: ["quay-3"], description: "Above 90 %" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
];
