/** Bodies of clouds, platforms and other alert services, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

const azure = (monitorCondition: string, more: object = {}) => ({
  schemaId: "azureMonitorCommonAlertSchema",
  data: {
    essentials: {
      alertId: "/subscriptions/11/providers/Microsoft.AlertsManagement/alerts/b9569717",
      ...{ alertRule: "WCUS-R2-Gen2", severity: "Sev3", signalType: "Metric", monitorCondition },
      ...{ monitoringService: "Platform", configurationItems: ["wcus-r2-gen2"], originAlertId: "3f2d" },
      ...{ firedDateTime: "2026-05-01T10:00:00.3615006Z", description: "CPU is high", ...more },
    },
    alertContext: { properties: null },
  },
});

const google = (state: string, ended_at: number | null) => ({
  version: "1.2",
  incident: {
    ...{ incident_id: "0.opqiw61fsv7p", scoping_project_id: "internal", state, ended_at, severity: "ERROR" },
    ...{ started_at: 1777629600, url: "https://console.cloud.google.com/x", policy_name: "Latency" },
    ...{ condition_name: "p99 above 2 s", summary: "CPU utilisation is above the threshold of 0.8" },
    resource: { type: "gce_instance", labels: { instance_id: "11223344", zone: "us-central1-c" } },
    resource_name: "internal-project gke-cluster-1",
  },
});

const eventBridge = (value: string, timestamp: string) => ({
  ...{ version: "0", id: `c4c1c1c9-${value}`, "detail-type": "CloudWatch Alarm State Change" },
  ...{ source: "aws.cloudwatch", account: "123456789012", time: timestamp, region: "us-east-1" },
  resources: ["arn:aws:cloudwatch:us-east-1:123456789012:alarm:ServerCpuTooHigh"],
  detail: { alarmName: "ServerCpuTooHigh", state: { value, reason: "Threshold crossed", timestamp } },
});

const newRelic = (state: string, updatedAt: number) => ({
  ...{ id: "2d6f", issueUrl: "https://radar-api.service.newrelic.com/2d6f", title: "High CPU on api-1" },
  ...{ priority: "HIGH", impactedEntities: ["api-1"], totalIncidents: 1, state, trigger: "STATE_CHANGE" },
  ...{ isCorrelated: false, createdAt: 1777629600000, updatedAt, sources: ["newrelic"] },
  ...{ alertPolicyNames: ["Golden signals"], alertConditionNames: ["High CPU"], workflowName: "Gatehouse" },
});

const dynatrace = (State: string) => ({
  ...{
    State,
    PID: "99999",
    ProblemID: "P-999",
    ProblemTitle: "Failure rate increase",
    // Several entities are counted here and named below.
    ImpactedEntity: "Failure rate increase on Web service myapp",
    ImpactedEntities: [{ type: "SERVICE", name: "myapp", entity: "SERVICE-1" }],
  },
  ...{ ProblemImpact: "SERVICE", ProblemSeverity: "ERROR", ProblemURL: "https://example.org/problem" },
  ...{ ProblemDetailsText: "It fails", Tags: "t1" },
});

const kibana = (actionGroup: string, date: string) => ({
  rule: { id: "r-1", name: "CPU above 90", tags: ["infra"] },
  ...{ alert: { id: "host-a", actionGroup }, context: { reason: "cpu is 94 %" }, date },
});

const honeycomb = (status: string) => ({
  ...{ version: "v0.1.0", shared_secret: "", name: "Slow checkouts", status, id: "abc123" },
  ...{ trigger_url: "https://ui.honeycomb.io/t/1", result_url: "https://ui.honeycomb.io/r/1" },
  ...{ summary: "Triggered: Slow checkouts", result_groups: [], description: "p99" },
});

const grafana = (state: string, word: string) => ({
  ...{
    dashboardId: 1,
    evalMatches: [{ value: 1, metric: "Count", tags: {} }],
    imageUrl: "",
    message: "Slow",
  },
  ...{ orgId: 1, panelId: 2, ruleId: 8, ruleName: "Panel title alert", ruleUrl: "http://localhost:3000/d/1" },
  ...{ state, tags: { severity: "warning", service: "web" }, title: `[${word}] Panel title alert` },
});

const kapacitor = (level: string, time: string) => ({
  ...{ id: "cpu:host=a", message: `cpu:host=a is ${level}`, details: "above 90", time, duration: 5000000 },
  ...{ level, previousLevel: "OK", recoverable: true },
  data: { series: [{ name: "cpu", tags: { host: "a" }, columns: ["time"], values: [["x"]] }] },
});

const influx = (_level: string, _message: string) => ({
  ...{ _check_id: "0a1", _check_name: "CPU check", _level, _message, _type: "threshold", host: "a" },
  ...{ _measurement: "notifications", _source_measurement: "cpu", _time: "2026-05-01T10:00:00Z" },
});

const betterStack = (resolved_at: string | null, status: string) => ({
  data: {
    ...{ id: "25", type: "incident" },
    attributes: {
      ...{ name: "uptime homepage", url: "https://example.org", cause: "Status 404", resolved_at, status },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
});

const opsgenie = (action: string) => ({
  action,
  alert: { alertId: "052652ac", message: "Queue stands", alias: "queue/9", tags: [], priority: "P2" },
  source: { name: "", type: "web" },
});

const pagerDuty = (change: string, occurred_at: string) => ({
  event: {
    ...{ id: "5ac64822", event_type: `incident.${change}`, resource_type: "incident", occurred_at },
    data: {
      ...{ id: "PGR0VU2", type: "incident", title: "A little bump in the road", urgency: "high" },
      service: { id: "PF9KMXH", summary: "API Service" },
    },
  },
});

const victorOps = (message_type: string) => ({
  ...{ message_type, entity_id: "disk/db-1", entity_display_name: "Disk of db-1", state_message: "8 % free" },
  monitoring_tool: "Home-made",
});

const rollbar = (event_name: string) => ({
  event_name,
  data: { item: { id: 8, title: "TypeError: x is undefined", last_occurrence: { level: "error" } } },
});

/** Clouds, platforms, and services that forward alerts. */
export const CLOUD_SAMPLES: readonly ToolSample[] = [
  {
    name: "Azure Monitor",
    firing: azure("Fired"),
    over: azure("Resolved", { resolvedDateTime: "2026-05-01T10:05:00Z" }),
    reads: {
      ...{ title: "WCUS-R2-Gen2", severity: "low", hosts: ["wcus-r2-gen2"], service: "Platform" },
      ...{ description: "CPU is high", started_at: "2026-05-01T10:00:00.361Z" },
    },
  },
  {
    name: "Google Cloud Monitoring",
    firing: google("open", null),
    over: google("closed", 1777629900),
    reads: {
      ...{ title: "Latency: p99 above 2 s", severity: "medium", monitoring_tool: "Google Cloud" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Amazon EventBridge",
    firing: eventBridge("ALARM", "2026-05-01T10:00:00.000+0000"),
    over: eventBridge("OK", "2026-05-01T10:06:00.000+0000"),
    reads: { title: "ServerCpuTooHigh", description: "Threshold crossed", service: "aws.cloudwatch" },
  },
  {
    name: "New Relic",
    firing: newRelic("ACTIVATED", 1777629600000),
    seen: newRelic("ACKNOWLEDGED", 1777629700000),
    over: newRelic("CLOSED", 1777629900000),
    reads: {
      ...{ title: "High CPU on api-1", severity: "high", hosts: ["api-1"], service: "Golden signals" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "New Relic, the older webhook",
    firing: {
      incident_id: 5,
      condition_name: "CPU",
      policy_name: "P",
      current_state: "open",
      severity: "WARNING",
    },
    over: {
      incident_id: 5,
      condition_name: "CPU",
      policy_name: "P",
      current_state: "closed",
      severity: "WARNING",
    },
    reads: { title: "CPU", severity: "low", service: "P" },
  },
  {
    name: "Dynatrace",
    firing: dynatrace("OPEN"),
    over: dynatrace("RESOLVED"),
    reads: { title: "Failure rate increase", severity: "high", service: "myapp", hosts: ["myapp"] },
  },
  {
    name: "Splunk",
    firing: {
      ...{ sid: "scheduler_admin_search_W2_at_14232356_132", search_name: "Failed logins", app: "search" },
      ...{ owner: "admin", results_link: "http://web.example.local:8000/app/search/@go?sid=1" },
      result: { sourcetype: "mongod", count: "8", host: "auth-2" },
    },
    reads: { title: "Failed logins", hosts: ["auth-2"], monitoring_tool: "Splunk" },
  },
  {
    name: "Elastic Watcher",
    firing: {
      ...{ id: `errors_${Math.random()}`, watch_id: "errors", execution_time: "2026-05-01T10:00:00.100Z" },
      metadata: { name: "Errors in the log", severity: "P2" },
      trigger: { triggered_time: "2026-05-01T10:00:00Z", scheduled_time: "2026-05-01T10:00:00Z" },
      ...{ payload: { hits: { total: 5 } }, vars: {} },
    },
    reads: { title: "Errors in the log", severity: "high", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Kibana",
    firing: kibana("metrics.inventory_threshold.fired", "2026-05-01T10:00:00Z"),
    over: kibana("recovered", "2026-05-01T10:05:00Z"),
    reads: { title: "CPU above 90", description: "cpu is 94 %" },
  },
  {
    name: "Honeycomb",
    firing: honeycomb("TRIGGERED"),
    over: honeycomb("OK"),
    reads: { title: "Slow checkouts", monitoring_tool: "Honeycomb" },
  },
  {
    name: "Grafana before unified alerting",
    firing: grafana("alerting", "Alerting"),
    over: grafana("ok", "OK"),
    reads: { title: "Panel title alert", severity: "low", service: "web", description: "Slow" },
  },
  {
    name: "Kapacitor",
    firing: kapacitor("WARNING", "2026-05-01T10:00:00Z"),
    over: kapacitor("OK", "2026-05-01T10:05:00Z"),
    reads: { title: "cpu:host=a is WARNING", severity: "low", hosts: ["a"] },
  },
  {
    name: "InfluxDB",
    firing: influx("crit", "CPU is high"),
    over: influx("ok", "CPU is fine"),
    reads: { title: "CPU check", severity: "critical", description: "CPU is high", hosts: ["a"] },
  },
  {
    name: "Apprise",
    firing: { version: "1.0", title: "Disk", message: "is full", attachments: [], type: "warning" },
    reads: { title: "Disk", severity: "low", description: "is full" },
  },
  {
    name: "Apprise, a body alone",
    firing: { version: "1.0", title: "", message: "Disk is full", attachments: [], type: "failure" },
    reads: { title: "Disk is full", severity: "critical" },
  },
  {
    name: "Rollbar",
    firing: rollbar("new_item"),
    over: rollbar("resolved_item"),
    reads: { title: "TypeError: x is undefined", severity: "medium" },
  },
  {
    name: "Better Stack",
    firing: betterStack(null, "Started"),
    over: betterStack("2026-05-01T10:07:00.000Z", "Resolved"),
    reads: { title: "uptime homepage", description: "Status 404", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Opsgenie's own webhook",
    firing: opsgenie("Create"),
    seen: opsgenie("Acknowledge"),
    over: opsgenie("Close"),
    reads: { title: "Queue stands", severity: "high" },
  },
  {
    name: "PagerDuty's own webhook",
    firing: pagerDuty("triggered", "2026-05-01T10:00:00Z"),
    seen: pagerDuty("acknowledged", "2026-05-01T10:01:00Z"),
    over: pagerDuty("resolved", "2026-05-01T10:05:00Z"),
    reads: { title: "A little bump in the road", severity: "high", service: "API Service" },
  },
  {
    name: "Splunk On-Call's address (VictorOps)",
    firing: victorOps("CRITICAL"),
    seen: victorOps("ACKNOWLEDGEMENT"),
    over: victorOps("RECOVERY"),
    reads: { title: "Disk of db-1", severity: "critical", monitoring_tool: "Home-made" },
  },
];
