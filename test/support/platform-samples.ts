/** Bodies of tools that monitor applications and clusters from within, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

/** As Sensu Core 1.x passes an event to its handlers (docs.sensu.io/sensu-core/1.8/reference/events). */
const sensuCore = (action: string, status: number, output: string) => ({
  ...{ id: "ef6b87d2-1f89-439f-8bea-33881436ab90", action, timestamp: 1777629600 + (status === 0 ? 60 : 0) },
  occurrences: 2,
  check: {
    ...{ type: "standard", total_state_change: 11, history: ["0", "2", "2"], status, output },
    ...{ executed: 1777629600, issued: 1777629600, name: "keepalive" },
    thresholds: { critical: 180, warning: 120 },
  },
  client: {
    ...{ timestamp: 1777629590, version: "1.0.0", subscriptions: ["production"], address: "127.0.0.1" },
    name: "client-01",
  },
});

/** As its webhook handler writes it (pkg/handlers/webhook/webhook.go, pkg/event/event.go). */
const kubewatch = (kind: string, name: string, namespace: string, reason: string, text: string) => ({
  ...{ eventmeta: { kind, name, namespace, reason }, text, time: "2026-05-01T10:00:00.123456789Z" },
});

/** The body recommended by Keep's guide (keep/providers/solarwinds_provider), with its addition for resets. */
const orion = (more: object = {}) => ({
  ...{ AlertName: "Node is down", AlertMessage: "core-sw1 is Down", AlertDescription: "A node is down." },
  ...{ AlertDetailsUrl: "https://orion.example.org/Orion/View.aspx?NetObject=AAT:7", AlertObjectID: "7" },
  ...{ AlertActiveID: "71", Severity: "Serious", Acknowledged: "False", TimeOfAlert: "5/1/2026 10:00 AM" },
  ...{ NodeName: "core-sw1", NodeCaption: "core-sw1", IP_Address: "192.0.2.9", ...more },
});

/** The body recommended by Datadog's guide (docs.datadoghq.com/integrations/solarwinds); its id is the rule's. */
const orionDatadog = (host: string, more: object = {}) => ({
  ...{ acknowledged: "No", acknowledged_by: "", alert_description: "High load", alert_id: "42" },
  ...{ alert_details_url: "https://orion.example.org/a/8", alert_message: `${host} is busy` },
  ...{ alert_name: "High CPU", alert_severity: "Warning", application: "", device_type: "Server", host },
  ...{ host_url: "https://orion.example.org/n/3", ip: "192.0.2.10", location: "Bremen", object: host },
  ...{ object_type: "Node", timestamp: "5/1/2026 10:00:00 AM", ...more },
});

const flux = (severity: string, reason: string, message: string) => ({
  involvedObject: {
    ...{ apiVersion: "kustomize.toolkit.fluxcd.io/v1", kind: "Kustomization", name: "webapp" },
    ...{ namespace: "apps", uid: "7d0cdc51-ddcf-4743-b223-83ca5c699632" },
  },
  metadata: { "kustomize.toolkit.fluxcd.io/revision": "main/731f7ead" },
  ...{ severity, reason, message, reportingController: "kustomize-controller" },
  timestamp: severity === "error" ? "2026-05-01T10:00:00Z" : "2026-05-01T10:20:00Z",
});

const instana = (state: string, more: object = {}) => ({
  issue: {
    ...{ id: "53650436-8e35-49a3-a610-56b442ae7620", type: "issue", state, start: 1777629600000 },
    ...{ severity: 10, text: "Garbage Collection Activity High (11%)", suggestion: "Tune it", zone: "prod" },
    ...{ link: "https://instana.example.org/#/x", fqdn: "host1.demo.example.org", entity: "jvm" },
    ...{ entityLabel: "Test jvm", tags: "production", container: "test-container", ...more },
  },
});

const mackerel = (alert: object) => ({
  ...{ orgName: "Dockyard", event: "alert", memo: "", type: "host", message: "loadavg5 2.26 > 1.96" },
  host: {
    id: "22D4",
    name: "app01",
    url: "https://mackerel.example.org/h",
    roles: [{ serviceName: "Shop" }],
  },
  alert: {
    ...{ openedAt: 1777629600, closedAt: null, createdAt: 1777629600693, duration: 5, isOpen: true },
    ...{ metricLabel: "loadavg5", metricValue: 2.26, monitorName: "Load", monitorOperator: ">" },
    ...{ status: "warning", trigger: "monitor", id: "2bj", url: "https://mackerel.example.org/a", ...alert },
  },
});

const alerta = (more: object) => ({
  ...{ id: "17d8e7ea", resource: "web01", event: "HttpError", environment: "Production", severity: "major" },
  ...{ correlate: [], status: "open", service: ["example.com"], group: "Web", value: "Bad Gateway (501)" },
  ...{ text: "Site is down.", tags: [], attributes: {}, origin: "curl", type: "exceptionAlert" },
  ...{ createTime: "2026-05-01T10:00:00.000Z", duplicateCount: 0, repeat: false, ...more },
});

const hyperping = (event: string, down: boolean, date: number) => ({
  event,
  check: { monitorUuid: "mon_e17f0a7a4A6EwF", url: "https://api.example.org/v1/", status: 502, down, date },
  pings: [{ original: true, location: "london", status: 502, statusMessage: "Bad Gateway" }],
});

const libreNms = (state: number, title: string) => ({
  ...{ title, hostname: "sw1.example.org", device_id: "7", sysName: "sw1", os: "ios", elapsed: "2m" },
  ...{
    alert_id: "55",
    uid: "2049",
    severity: "warning",
    rule: "ports.ifOperStatus = down",
    name: "Port down",
  },
  ...{ msg: "Port Gi0/1 is down", state, timestamp: "2026-05-01 10:00:00", faults: {} },
});

const splunkObservability = (status: string, timestamp: string) => ({
  ...{ severity: "Major", originatingMetric: "cpu.utilization", detectOnCondition: "when(A > 90)" },
  ...{ messageTitle: "Major Alert: CPU is high (Hosts)", messageBody: "Rule CPU is high", sf_schema: 2 },
  ...{ detector: "Hosts", detectorId: "D1", detectorUrl: "https://app.example.org/#/detector/v2/D1" },
  ...{ incidentId: "E9aZ", rule: "CPU is high", description: "The value of cpu is above 90", timestamp },
  ...{ status, statusExtended: status, runbookUrl: "https://runbooks.example.org/cpu", tip: "", inputs: {} },
  dimensions: { host: "web-1" },
});

const oracle = (type: string, status: string, timestampEpochMillis: number) => ({
  ...{ dedupeKey: "d1f6", title: "High CPU", body: "Follow the runbook", type, severity: "CRITICAL" },
  ...{ timestampEpochMillis, timestamp: new Date(timestampEpochMillis).toISOString(), version: 1.5 },
  alarmMetaData: [
    {
      ...{ id: "ocid1.alarm.oc1", status, severity: "CRITICAL", namespace: "oci_computeagent" },
      ...{ query: "CpuUtilization[1m].mean() > 90", totalMetricsFiring: 1 },
      dimensions: [{ resourceDisplayName: "vm-1" }],
      alarmUrl: "https://cloud.example.org/monitoring/alarms/ocid1",
    },
  ],
});

const thousandEyes = (eventType: string, active: number) => ({
  ...{ eventId: `2783-${active}`, eventType },
  alert: {
    ...{ alertId: 2783, ruleId: 11, ruleName: "Default HTTP", testId: 9, testName: "Shop", active },
    ...{ ruleExpression: "Error type is any", type: "HTTP Server", severity: "MAJOR", agents: [] },
    ...{ permalink: "https://app.example.org/alerts/list/?alertId=2783", dateStart: "2026-05-01 10:00:00" },
  },
});

/** Each fires, and is resolved if its tool reports that. */
export const PLATFORM_SAMPLES: readonly ToolSample[] = [
  {
    name: "Flux",
    firing: flux("error", "ValidationFailed", "service/apps/webapp validation error"),
    over: flux("info", "ReconciliationSucceeded", "Reconciliation finished in 1.2s"),
    reads: {
      ...{ title: "Kustomization apps/webapp: ValidationFailed", severity: "high" },
      ...{ description: "service/apps/webapp validation error", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Instana",
    firing: instana("OPEN"),
    over: { issue: { id: "53650436-8e35-49a3-a610-56b442ae7620", state: "CLOSED", end: 1777630200000 } },
    reads: {
      ...{ title: "Garbage Collection Activity High (11%)", severity: "critical", service: "Test jvm" },
      ...{ hosts: ["host1.demo.example.org"], started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Mackerel",
    firing: mackerel({}),
    over: mackerel({ isOpen: false, status: "ok", closedAt: 1777630200 }),
    reads: {
      ...{ title: "Load on app01", severity: "low", service: "Shop", hosts: ["app01"] },
      ...{ description: "loadavg5 2.26 > 1.96", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Alerta",
    firing: alerta({}),
    seen: alerta({ status: "ack" }),
    over: alerta({ status: "closed", severity: "normal", createTime: "2026-05-01T10:20:00.000Z" }),
    reads: { title: "HttpError on web01", severity: "high", hosts: ["web01"], service: "example.com" },
  },
  {
    name: "Hyperping",
    firing: hyperping("check.down", true, 1777629600000),
    over: hyperping("check.up", false, 1777630200000),
    reads: {
      ...{ title: "https://api.example.org/v1/ is down", severity: "critical" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Wazuh, as for other programs",
    firing: {
      ...{ severity: 3, pretext: "WAZUH Alert", title: "sshd: brute force", text: "Failed password" },
      ...{ rule_id: "5712", timestamp: "2026-05-01T10:00:00.000+0000", id: "1777629600.1" },
      all_fields: { agent: { id: "007", name: "web-1" }, rule: { level: 10 } },
    },
    reads: { title: "sshd: brute force", severity: "high", hosts: ["web-1"], description: "Failed password" },
  },
  {
    name: "Site24x7, as a form with few fields",
    form: true,
    firing: { MONITORNAME: "shop", MONITORTYPE: "URL", STATUS: "DOWN", MONITOR_ID: "5" },
    over: { MONITORNAME: "shop", MONITORTYPE: "URL", STATUS: "UP", MONITOR_ID: "5" },
    reads: { title: "shop is DOWN", severity: "critical" },
  },
  {
    name: "LibreNMS",
    firing: libreNms(1, "Alert for device sw1 - Port down"),
    seen: libreNms(2, "Alert for device sw1 - Port down"),
    over: libreNms(0, "Device sw1 recovered from Port down"),
    reads: {
      ...{ title: "Alert for device sw1 - Port down", severity: "low", hosts: ["sw1.example.org"] },
      ...{ description: "Port Gi0/1 is down", monitoring_tool: "LibreNMS" },
    },
  },
  {
    name: "Splunk Observability",
    firing: splunkObservability("anomalous", "2026-05-01T10:00:00Z"),
    over: splunkObservability("ok", "2026-05-01T10:05:00Z"),
    reads: {
      ...{ title: "CPU is high", severity: "high", hosts: ["web-1"], service: "Hosts" },
      ...{ runbook: "https://runbooks.example.org/cpu", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Oracle Cloud",
    firing: oracle("OK_TO_FIRING", "FIRING", Date.UTC(2026, 4, 1, 10)),
    over: oracle("FIRING_TO_OK", "OK", Date.UTC(2026, 4, 1, 10, 5)),
    reads: {
      ...{ title: "High CPU", severity: "critical", hosts: ["vm-1"], description: "Follow the runbook" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "ThousandEyes",
    firing: thousandEyes("ALERT_NOTIFICATION_TRIGGER", 1),
    over: thousandEyes("ALERT_NOTIFICATION_CLEAR", 0),
    reads: { title: "Default HTTP: Shop", severity: "high", service: "HTTP Server" },
  },
  {
    name: "Sensu Core",
    firing: sensuCore("create", 2, "No keepalive sent from client for 230 seconds (>=180)"),
    over: sensuCore("resolve", 0, "Keepalive sent from client 2 seconds ago"),
    reads: {
      ...{ title: "keepalive on client-01", severity: "critical", hosts: ["client-01"] },
      ...{ service: "keepalive", monitoring_tool: "Sensu", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    // docs.hetrixtools.com/server-monitoring-resource-usage-webhook-notifications
    name: "HetrixTools, the use of a resource",
    firing: {
      ...{ monitor_id: "m7", monitor_name: "VPS", timestamp: 1777629600 },
      resource_usage: {
        ...{ resource_type: "cpu", current_usage: "24.60", average_usage: "25.29", average_minutes: "3" },
      },
    },
    reads: { title: "VPS: cpu 25.29 % for 3 min", service: "VPS", monitoring_tool: "HetrixTools" },
  },
  {
    name: "HetrixTools, an agent that is silent",
    firing: {
      ...{ monitor_id: "m7", monitor_name: "VPS", timestamp: 1777629600 },
      resource_usage: { resource_type: "agent", error: "no data" },
    },
    reads: { title: "VPS: agent, no data" },
  },
  {
    name: "kubewatch",
    firing: kubewatch(
      "pod",
      "web-1",
      "shop",
      "deleted",
      "A `pod` in namespace `shop` has been `deleted`:\n`web-1`",
    ),
    reads: { title: "pod shop/web-1: deleted", severity: "critical", monitoring_tool: "kubewatch" },
  },
  {
    name: "kubewatch, a node",
    firing: kubewatch(
      "NodeNotReady",
      "node-1",
      "",
      "NodeNotReady",
      "Node `node-1` is Not Ready : \nNodeNotReady",
    ),
    over: kubewatch("NodeReady", "node-1", "", "NodeReady", "Node `node-1` is Ready : \nNodeReady"),
    reads: { title: "NodeNotReady node-1: NodeNotReady", hosts: ["node-1"] },
  },
  {
    name: "SolarWinds Orion",
    ...{ firing: orion(), over: orion({ AlertStatus: "reset" }) },
    reads: {
      ...{ title: "Node is down: core-sw1", severity: "high", hosts: ["core-sw1"] },
      ...{ description: "core-sw1 is Down", monitoring_tool: "SolarWinds" },
    },
  },
  {
    name: "SolarWinds Orion, in the body written for Datadog",
    ...{ firing: orionDatadog("app-1"), over: orionDatadog("app-1", { reset: "true" }) },
    reads: { title: "High CPU: app-1", severity: "low", hosts: ["app-1"], service: "Node" },
  },
];
