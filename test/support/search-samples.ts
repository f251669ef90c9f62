/** Bodies of services that search logs periodically, move data, or monitor sites, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

const kibana = (alertActionGroup: string) => ({
  ...{ alertId: "r1", alertName: "CPU is busy", alertInstanceId: "web-1", alertActionGroup },
  ...{ alertActionGroupName: "x", spaceId: "default", date: "2026-05-01T10:00:00.000Z" },
  context: { message: "CPU is at 91 %", group: "web-1" },
});

const openSearch = (periodEnd: string) => ({
  monitor: { _id: "m1", _version: 3, name: "Errors", enabled: true },
  trigger: { id: "t1", name: "Too many 503", severity: "2", actions: [{ name: "Tell" }] },
  results: [{ hits: { total: { value: 9 } } }],
  ...{ periodStart: "2026-05-01T09:59:00Z", periodEnd, alert: null, error: null },
});

const graylog = (triggered_at: string, result_description: string) => ({
  check_result: {
    ...{ result_description, triggered_at, triggered: true },
    triggered_condition: { id: "5e7a", type: "MESSAGE_COUNT", title: "Too many", parameters: { time: 1 } },
    matching_messages: [{ message: "no", source: "web-1", index: "graylog_7", fields: {} }],
  },
  stream: { id: "55f1", title: "Logins", description: "Those that fail", matching_type: "AND" },
});

const coralogix = (alert_action: string) => ({
  ...{ alert_id: "a1", name: "Errors rise", description: "Too many", threshold: "10", timewindow: "5" },
  ...{ group_by_labels: "", alert_action, alert_url: "https://cx.example.org/a1", service: "", duration: "" },
  fields: [
    { key: "team", value: "Ops" },
    { key: "application", value: "shop" },
    { key: "subsystem", value: "till" },
    { key: "severity", value: "Error" },
  ],
});

const dbt = (runStatus: string, eventType = "job.run.completed") => ({
  ...{
    accountId: 1,
    webhookId: "w1",
    eventId: `e${runStatus}`,
    timestamp: "2026-05-01T10:00:00Z",
    eventType,
  },
  data: {
    ...{ jobId: "123", jobName: "Nightly", runId: "9", environmentName: "Production", projectName: "Sales" },
    ...{ runStatus, runStatusMessage: runStatus === "Errored" ? "A model failed" : "", runReason: "By hand" },
  },
});

const fivetran = (status: string) => ({
  ...{ event: "sync_end", created: "2026-05-01T10:00:00Z", connector_type: "postgres", sync_id: status },
  ...{ connector_id: "c1", connector_name: "shop.public", destination_group_id: "g1", data: { status } },
});

const databricks = (event_type: string) => ({
  ...{ event_type, workspace_id: "w1", run: { run_id: event_type } },
  job: { job_id: "j1", name: "Load" },
});

const heroku = (resource: string, data: object) => ({
  ...{ action: "update", actor: { email: "max@example.org", id: "u1" }, id: "e1", resource },
  ...{ created_at: "2026-05-01T10:00:00Z", updated_at: "2026-05-01T10:00:00Z", published_at: null },
  ...{ data: { app: { id: "a1", name: "shop" }, ...data }, previous_data: {}, sequence: null },
  ...{ version: "application/vnd.heroku+json; version=3" },
  webhook_metadata: { event: { id: "e1", include: `api:${resource}` }, delivery: { id: "d1" } },
});

const coolify = (kind: "deployment" | "backup", success: boolean) => ({
  ...{ success, event: `${kind}_${success ? "success" : "failed"}`, message: `It ended: ${success}` },
  ...(kind === "deployment"
    ? { application_name: "shop", application_uuid: "a1", deployment_uuid: `d${success}`, project: "Sales" }
    : { database_name: "orders", database_uuid: "b1", database_type: "postgresql", frequency: "daily" }),
});

/** The types of render.com/docs/webhooks; only those that end with `_ended` have a status. */
export const render = (type: string, status?: string) => ({
  ...{ type, timestamp: "2026-05-01T10:00:00Z" },
  data: { id: `evt-${type}`, serviceId: "srv-1", serviceName: "shop", ...(status && { status }) },
});
const renders = (over: string | undefined, type: string, severity: string): ToolSample => ({
  name: `Render, ${type}`,
  firing: render(type),
  ...(over && { over: render(over) }),
  reads: { title: `shop: ${type}`, severity, service: "shop", started_at: "2026-05-01T10:00:00.000Z" },
});

const opManager = (severity: string, message: string) => ({
  ...{ alarm_id: "77", severity, device_name: "sw-1", ip_address: "192.0.2.7", message, category: "Switch" },
  ...{ event_type: "Threshold", entity: "sw-1_if3", device_type: "Cisco" },
});

const sensu = (status: number) => ({
  ...{ timestamp: 1777629600, metadata: { namespace: "default" } },
  entity: { metadata: { name: "web-1", namespace: "default" } },
  check: { metadata: { name: "odd", namespace: "default" }, output: "no such command", status },
});

export const SEARCH_SAMPLES: readonly ToolSample[] = [
  {
    name: "Kibana, by the names of before",
    ...{ firing: kibana("threshold met"), over: kibana("recovered") },
    reads: {
      title: "CPU is busy",
      description: "CPU is at 91 %",
      hosts: ["web-1"],
      monitoring_tool: "Kibana",
    },
  },
  {
    name: "OpenSearch, its whole context",
    firing: openSearch("2026-05-01T10:00:00Z"),
    reads: { title: "Errors: Too many 503", severity: "high", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "OpenSearch, its context in a member",
    firing: { ctx: { ...openSearch("2026-05-01T10:00:00Z"), monitor: { _id: "m2", name: "Disk" } } },
    reads: { title: "Disk: Too many 503", severity: "high", monitoring_tool: "OpenSearch" },
  },
  {
    name: "Graylog, its callback of before",
    firing: graylog("2026-05-01T10:00:00.000Z", "Stream had 2 messages"),
    reads: { title: "Logins: Too many", description: "Stream had 2 messages", hosts: ["web-1"] },
  },
  {
    name: "Coralogix",
    ...{ firing: coralogix("trigger"), over: coralogix("resolve") },
    reads: {
      title: "Errors rise",
      severity: "medium",
      service: "shop",
      runbook: "https://cx.example.org/a1",
    },
  },
  {
    name: "dbt",
    ...{ firing: dbt("Errored"), over: dbt("Success") },
    reads: {
      title: "Run of Nightly failed",
      severity: "high",
      service: "Sales",
      description: "A model failed",
    },
  },
  {
    name: "Fivetran",
    ...{ firing: fivetran("FAILURE_WITH_TASK"), over: fivetran("SUCCESSFUL") },
    reads: { title: "Sync of shop.public failed", severity: "high", service: "postgres" },
  },
  {
    name: "Databricks",
    ...{ firing: databricks("jobs.on_failure"), over: databricks("jobs.on_success") },
    reads: { title: "Job Load failed", severity: "high", monitoring_tool: "Databricks" },
  },
  {
    name: "Heroku, a release",
    firing: heroku("release", { id: "r1", status: "failed", version: 12, description: "Deploy 12" }),
    over: heroku("release", { id: "r2", status: "succeeded", version: 13 }),
    reads: { title: "shop: release failed", severity: "high", service: "shop", description: "Deploy 12" },
  },
  {
    name: "Heroku, a dyno",
    firing: heroku("dyno", { id: "d1", name: "web.1", type: "web", state: "crashed" }),
    over: heroku("dyno", { id: "d2", name: "web.1", type: "web", state: "up" }),
    reads: { title: "shop: web.1 crashed", severity: "high", hosts: ["web.1"] },
  },
  {
    name: "Coolify, a deployment",
    ...{ firing: coolify("deployment", false), over: coolify("deployment", true) },
    reads: { title: "It ended: false", severity: "high", service: "shop" },
  },
  {
    name: "Coolify, a backup",
    ...{ firing: coolify("backup", false), over: coolify("backup", true) },
    reads: { title: "It ended: false", severity: "high", service: "orders" },
  },
  {
    name: "Render",
    ...{ firing: render("deploy_ended", "failed"), over: render("deploy_ended", "succeeded") },
    reads: { title: "shop: deploy_ended, failed", severity: "high", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Render, before a deploy",
    ...{ firing: render("pre_deploy_ended", "failed"), over: render("pre_deploy_ended", "succeeded") },
    reads: { title: "shop: pre_deploy_ended, failed", severity: "high" },
  },
  renders("server_available", "server_failed", "critical"),
  renders("postgres_available", "postgres_unavailable", "critical"),
  renders("key_value_available", "key_value_unhealthy", "critical"),
  renders("postgres_backup_completed", "postgres_backup_failed", "high"),
  renders("postgres_upgrade_succeeded", "postgres_upgrade_failed", "high"),
  renders(undefined, "server_hardware_failure", "high"),
  renders(undefined, "image_pull_failed", "high"),
  renders(undefined, "postgres_wal_archive_failed", "high"),
  {
    name: "OpManager",
    ...{ firing: opManager("Trouble", "Port 3 is down"), over: opManager("Clear", "Port 3 is up") },
    reads: { title: "sw-1: Port 3 is down", severity: "high", hosts: ["sw-1"], service: "Switch" },
  },
  {
    name: "Sensu, a code that is a check's own",
    ...{ firing: sensu(127), over: sensu(0) },
    reads: { title: "odd on web-1", severity: "unknown" },
  },
  ...monitors(),
];

/** Several services that report on a monitor, each in its own format. */
function monitors(): ToolSample[] {
  const monitor = { id: 42, name: "Shop", url: "https://shop.example.org" };
  const incident = (status: string) => ({ id: 1, title: "Shop: 503", status, severity: "high" });
  return [
    {
      name: "PulseAPI",
      firing: {
        event: "incident.created",
        incident: incident("open"),
        monitor,
        check: { error: "HTTP 503" },
      },
      over: { event: "incident.resolved", incident: incident("resolved"), monitor },
      reads: { title: "Shop: 503", severity: "high", service: "Shop", description: "HTTP 503" },
    },
    {
      name: "Spectate",
      firing: {
        ...{
          check: "uptime",
          status: "down",
          monitor: { id: 9, label: "Till", url: "https://t.example.org" },
        },
        incident: { id: 2, reason: "Timed out", severity: "medium" },
      },
      over: { check: "uptime", status: "recovered", monitor: { id: 9, label: "Till" }, incident: { id: 2 } },
      reads: { title: "Till is down", severity: "medium", hosts: ["https://t.example.org"] },
    },
    {
      name: "SiteGuard",
      firing: {
        check: { type: "uptime", status: "failed", failure_reason: "No such name" },
        monitor: { id: 1, url: "https://a.example.org" },
      },
      over: {
        check: { type: "uptime", status: "successful" },
        monitor: { id: 1, url: "https://a.example.org" },
      },
      reads: { title: "https://a.example.org is down", description: "No such name" },
    },
    {
      name: "MoniTao",
      firing: { event: "monitor.down", monitor: { ...monitor, id: 5 }, status: { code: 503 } },
      over: { event: "monitor.up", monitor: { ...monitor, id: 5 }, status: { code: 200 } },
      reads: { title: "Shop is down", severity: "critical" },
    },
  ];
}
