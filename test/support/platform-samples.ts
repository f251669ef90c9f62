/** Bodies that tools send which watch applications and clusters from within, in the shape of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

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

/** Each fires, and where its tool tells an end, ends. */
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
];
