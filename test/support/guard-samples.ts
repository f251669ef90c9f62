/** Bodies of scanners, networks, clouds and home programs, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

const gitGuardian = (action: string, status: string) => ({
  ...{
    source: "GitGuardian",
    timestamp: "2026-05-01T10:00:00Z",
    action,
    message: "A new incident was detected.",
  },
  incident: {
    ...{ id: 3759, date: "2026-05-01T09:59:00Z", type: "AWS Keys", severity: "high", status },
    gitguardian_url: "https://dashboard.gitguardian.com/workspace/1/incidents/3759",
  },
});

const sysdig = (state: string) => ({
  ...{ timestamp: 1777629600000000, timespan: 60000000, state, resolved: false, condition: "avg(cpu) > 10" },
  alert: { severity: 4, severityLabel: "Medium", name: "CPU is high", description: "On a node", id: 1520 },
  event: { id: 24, url: "https://app.sysdigcloud.com/#/events/24" },
  entities: [{ entity: "host.mac = '00:0c'", metricValues: [{ metric: "cpu", value: 12.5 }] }],
});

const komodo = (resolved: boolean) => ({
  ...{ _id: { $oid: "66" }, ts: 1777629600000, resolved, level: resolved ? "OK" : "CRITICAL" },
  ...{ target: { type: "Server", id: "s1" }, resolved_ts: resolved ? 1777629700000 : null },
  data: {
    type: "ServerUnreachable",
    data: { id: "s1", name: "nas", region: null, err: { error: "no route" } },
  },
});

const meraki = (alertTypeId: string, alertType: string) => ({
  ...{ version: "0.1", sharedSecret: "", sentAt: "2026-05-01T10:00:05Z", organizationId: "2930418" },
  ...{ networkId: "N_24329156", networkName: "Main Office", deviceSerial: "Q234-ABCD", deviceName: "ap-1" },
  ...{
    deviceUrl: "https://n1.meraki.com/ap-1",
    alertId: "0",
    alertType,
    alertTypeId,
    alertLevel: "critical",
  },
  ...{ occurredAt: "2026-05-01T10:00:00Z", alertData: {} },
});

const ninja = (statusCode: string) => ({
  ...{ id: 12938, activityTime: 1777629600, deviceId: 100, severity: "MAJOR", priority: "HIGH" },
  ...{ seriesUid: "a9", activityType: "CONDITION", statusCode, status: "Triggered", sourceName: "Disk" },
  ...{ subject: "Condition", message: "C: has 3 % left", device: { systemName: "pc-1" } },
});

const auvik = (alertStatusString: string) => ({
  ...{
    entityId: "Mzgw",
    subject: "Auvik Alert",
    alertStatusString,
    alertId: "a1",
    alertName: "Device Offline",
  },
  ...{ entityName: "sw-1", companyName: "acme", entityType: "Device", date: "2026-05-01T10:00:00.000Z" },
  ...{
    link: "https://auvik.example.org/a1",
    alertStatus: 0,
    correlationId: "c1",
    alertSeverityString: "Critical",
  },
  ...{ alertDescription: "Offline for 5 min", alertSeverity: 1, companyId: "7" },
});

const aruba = (state: string) => ({
  ...{
    alert_type: "AP disconnected",
    description: "AP ap-1 disconnected",
    timestamp: 1777629600,
    state,
    nid: 1,
  },
  ...{ severity: "Major", id: "AXC-1", setting_id: "s-4", device_id: "CN1", details: { hostname: "ap-1" } },
});

const duplicati = (ParsedResult: string) => ({
  Data: { EndTime: "2026-05-01T10:00:00Z", ParsedResult, DeletedFiles: 0 },
  Extra: {
    ...{ OperationName: "Backup", "machine-id": "m1", "machine-name": "nas", "backup-name": "Photos" },
    "backup-id": "DB-1",
  },
  LogLines: ["The disk is full", "It gave up"],
});

const sonarr = (eventType: string) => ({
  ...{ level: "warning", message: "No indexer answers", type: "IndexerStatusCheck", eventType },
  ...{ wikiUrl: "https://wiki.example.org/i", instanceName: "Sonarr", applicationUrl: "" },
});

const bigPanda = (status: string) => ({
  ...{ app_key: "123", status, host: "db-1", timestamp: 1777629600, check: "CPU overloaded" },
  ...{ description: "CPU is above 90 %", cluster: "live" },
});

const zenduty = (alert_type: string) => ({
  ...{ alert_type, message: "Queue is long", summary: "12,000 wait", entity_id: 12345, suppressed: false },
  ...{ payload: { project: "mail" }, urls: [{ link_url: "https://m.example.org/1", link_text: "Look" }] },
});

const moogsoft = (severity: number) => ({
  ...{ signature: "db-1::disk", source_id: "db-1", external_id: "7", manager: "Own", source: "db-1" },
  ...{ class: "Disk", agent_location: "", type: "disk", severity, description: "Disk is full" },
  agent_time: "1777629600",
});

const stackRox = (state: string) => ({
  alert: {
    ...{ id: "a5", time: "2026-05-01T10:00:00Z", state },
    policy: { name: "Fixable CVE", severity: "HIGH_SEVERITY", description: "Alerts on CVEs" },
    deployment: { name: "shop", namespace: "live", clusterName: "eu-1" },
  },
});

const alibaba = (alertState: string) => ({
  ...{
    alertName: "Disk",
    alertState,
    curValue: "97",
    dimensions: "{instanceId=i-1}",
    expression: "$Average>95",
  },
  ...{
    instanceName: "web-1",
    metricName: "diskusage",
    metricProject: "acs_ecs",
    namespace: "acs_ecs_dashboard",
  },
  ...{
    preTriggerLevel: "WARN",
    triggerLevel: "CRITICAL",
    ruleId: "r1",
    timestamp: "1777629600000",
    userId: "1",
  },
});

const tencent = (alarmStatus: string) => ({
  ...{ sessionId: "s-7", alarmStatus, alarmType: "metric", durationTime: 500 },
  alarmObjInfo: {
    region: "gz",
    namespace: "qce/cvm",
    dimensions: { unInstanceId: "ins-1", objName: "web-1" },
  },
  alarmPolicyInfo: { policyId: "p", policyName: "CPU", conditions: { metricShowName: "CPU usage" } },
});

const wiz = (status: string) => ({
  trigger: { source: "ISSUE", type: "Created", ruleName: "All" },
  issue: { id: "9e", status, severity: "CRITICAL", created: "2026-05-01T10:00:00Z" },
  resource: { id: "r", name: "bucket-1", type: "BUCKET" },
  control: { id: "c", name: "Bucket is public", description: "Anybody reads it" },
});

const sematext = (backToNormal: string) => ({
  ...{ backToNormal, ruleType: "AF_VALUE", description: "Disk used > 90", title: "Alert: disk", url: "" },
  ...{ applicationId: "1234", createDate: "2026-05-01T10:00:00Z", threshold: "90", filters: {} },
});

const kener = (status: string) => ({
  ...{
    alert_name: "Shop DOWN",
    severity: "critical",
    status,
    source: "Kener",
    description: "Down for 3 min",
  },
  ...{ timestamp: "2026-05-01T10:00:00Z", details: { metric: "shop" } },
});

const uptrace = (state: string) => ({
  ...{ id: "1676471814931265794", eventName: "created", payload: {}, createdAt: "2026-05-01T10:00:00Z" },
  alert: {
    id: "123",
    url: "https://uptrace.example.org/alerts/123",
    name: "Errors grow",
    type: "metric",
    state,
  },
});

const redfish = (Severity: string, Message: string) => ({
  ...{ "@odata.type": "#Event.v1_3_0.Event", Context: "rack-1", Id: "1", Name: "Event Array" },
  Events: [
    {
      ...{
        EventId: "2",
        EventTimestamp: "2026-05-01T10:00:00+0000",
        Message,
        MessageId: "IDRAC.2.8.PSU0001",
      },
      ...{ MessageArgs: ["1"], Severity, OriginOfCondition: { "@odata.id": "/redfish/v1/Chassis/1" } },
    },
  ],
});

const mist = (type: string) => ({
  topic: "device-updowns",
  events: [
    {
      ...{ type, org_id: "o", site_id: "s", site_name: "Yard", mac: "5c5b35", device_name: "ap-1" },
      ...{ device_type: "ap", timestamp: 1777629600 },
    },
  ],
});

const serviceNow = (severity: string, resolution_state: string) => ({
  records: [
    {
      ...{ source: "SCOM", event_class: "own", resource: "C:", node: "db-1", metric_name: "Free space" },
      ...{ type: "Disk", severity, description: "Disk is full", resolution_state, message_key: "k-1" },
    },
  ],
});

export const GUARD_SAMPLES: readonly ToolSample[] = [
  {
    name: "Dependency-Track",
    firing: {
      notification: {
        ...{ level: "INFORMATIONAL", scope: "PORTFOLIO", group: "NEW_VULNERABILITY" },
        ...{
          timestamp: "2026-05-01T10:00:00.000Z",
          title: "New Vulnerability Identified",
          content: "A flaw",
        },
        subject: {
          component: { uuid: "4d", name: "axis", version: "1.4" },
          vulnerability: { uuid: "94", vulnId: "CVE-2012-5784", severity: "MEDIUM" },
          affectedProjects: [{ uuid: "6f", name: "Rocket" }],
        },
      },
    },
    reads: {
      ...{ title: "New Vulnerability Identified: CVE-2012-5784 in axis", severity: "medium" },
      ...{ service: "Rocket", description: "A flaw", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "GitGuardian",
    firing: gitGuardian("incident_triggered", "TRIGGERED"),
    over: gitGuardian("incident_resolved", "RESOLVED"),
    reads: { title: "AWS Keys: A new incident was detected.", severity: "high" },
  },
  {
    name: "Snyk",
    firing: {
      project: { id: "p1", name: "acme/rocket", browseUrl: "https://app.snyk.io/p1" },
      ...{ org: {}, removedIssues: [] },
      newIssues: [{ pkgName: "ms", issueData: { title: "Slow pattern", severity: "low" } }],
    },
    reads: { title: "acme/rocket: Slow pattern", severity: "low", runbook: "https://app.snyk.io/p1" },
  },
  {
    name: "JFrog Xray",
    firing: {
      ...{ created: "2026-05-01T10:00:00Z", top_severity: "High", watch_name: "live", policy_name: "strict" },
      issues: [
        { severity: "High", summary: "Old library", cve: "CVE-1", impacted_artifacts: [{ name: "a.jar" }] },
      ],
    },
    reads: { title: "live: Old library", severity: "high", service: "a.jar" },
  },
  {
    name: "Harbor",
    firing: {
      ...{ type: "SCANNING_FAILED", occur_at: 1777629600, operator: "auto" },
      event_data: {
        resources: [{ tag: "v1" }],
        repository: { repo_full_name: "lib/nginx", namespace: "lib" },
      },
    },
    over: {
      ...{ type: "SCANNING_COMPLETED", occur_at: 1777629700, operator: "auto" },
      event_data: {
        resources: [{ tag: "v1" }],
        repository: { repo_full_name: "lib/nginx", namespace: "lib" },
      },
    },
    reads: { title: "Scan of lib/nginx failed", severity: "medium" },
  },
  {
    name: "Policy Reporter",
    firing: {
      ...{
        message: "runs as root",
        policy: "run-as-non-root",
        rule: "r",
        priority: "warning",
        status: "fail",
      },
      ...{
        severity: "medium",
        category: "Pods",
        source: "Kyverno",
        creationTimestamp: "2026-05-01T10:00:00Z",
      },
      resource: { apiVersion: "v1", kind: "Pod", name: "web", namespace: "shop" },
    },
    over: {
      ...{ message: "ok", policy: "run-as-non-root", rule: "r", status: "pass", severity: "medium" },
      resource: { kind: "Pod", name: "web", namespace: "shop" },
    },
    reads: { title: "run-as-non-root: Pod shop/web", severity: "medium", service: "Kyverno" },
  },
  {
    name: "StackRox",
    firing: stackRox("ACTIVE"),
    over: stackRox("RESOLVED"),
    reads: { title: "Fixable CVE: shop", severity: "high", hosts: ["eu-1"] },
  },
  {
    name: "Lacework",
    firing: {
      ...{ event_title: "New violation", event_link: "https://x.lacework.net/1", lacework_account: "acme" },
      ...{ event_source: "AWSCompliance", event_description: "Open bucket", event_severity: "2" },
      ...{ event_timestamp: "01 May 2026 10:00 GMT", event_type: "NewViolations", event_id: "8" },
    },
    reads: { title: "New violation", severity: "high", service: "AWSCompliance" },
  },
  {
    name: "Wiz",
    firing: wiz("OPEN"),
    over: wiz("RESOLVED"),
    reads: { title: "Bucket is public: bucket-1", severity: "critical", hosts: ["bucket-1"] },
  },
  {
    name: "Sysdig",
    firing: sysdig("ACTIVE"),
    over: sysdig("OK"),
    reads: {
      ...{ title: "CPU is high", severity: "medium", hosts: ["host.mac = '00:0c'"] },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Loggly, whose end is that of its search",
    firing: {
      ...{
        alert_name: "Errors",
        num_hits: 4,
        search_link: "https://acme.loggly.com/s",
        query: "level:error",
      },
      ...{ start_time: "May 01 09:55:00", end_time: "2026-05-01T10:00:00Z", recent_hits: [] },
    },
    reads: { title: "Errors", status: "triggered", runbook: "https://acme.loggly.com/s" },
  },
  {
    name: "LogScale",
    firing: {
      ...{
        repository: "live",
        timestamp: "2026-05-01T10:00:00.000Z",
        numberOfEvents: 3,
        events: [],
        warnings: "",
      },
      alert: { id: "a", name: "Errors", description: "Many", query: {}, linkURL: "https://l.example.org" },
    },
    reads: { title: "Errors", service: "live", runbook: "https://l.example.org" },
  },
  {
    name: "Logz.io",
    firing: {
      ...{ alert_title: "Errors", alert_description: "12 in 5 min", alert_severity: "SEVERE" },
      alert_event_samples: "[]",
    },
    reads: { title: "Errors", severity: "critical", description: "12 in 5 min" },
  },
  {
    name: "Sematext",
    firing: sematext("false"),
    over: sematext("true"),
    reads: { title: "Alert: disk", description: "Disk used > 90" },
  },
  {
    name: "Google Cloud budgets",
    firing: {
      ...{ budgetDisplayName: "Live", alertThresholdExceeded: 0.9, costAmount: 91.5, budgetAmount: 100 },
      ...{
        costIntervalStart: "2026-05-01T00:00:00Z",
        currencyCode: "EUR",
        budgetAmountType: "SPECIFIED_AMOUNT",
      },
    },
    reads: { title: "Budget Live: 91.5 of 100 EUR", severity: "medium" },
  },
  {
    name: "Alibaba Cloud",
    form: true,
    firing: alibaba("ALERT"),
    over: alibaba("OK"),
    reads: { title: "Disk: web-1", severity: "critical", hosts: ["web-1"] },
  },
  {
    name: "Tencent Cloud",
    firing: tencent("1"),
    over: tencent("0"),
    reads: { title: "CPU: CPU usage", hosts: ["web-1"] },
  },
  {
    name: "Meraki, a device that is silent",
    firing: meraki("stopped_reporting", "APs went down"),
    over: meraki("started_reporting", "APs came up"),
    reads: { title: "APs went down: ap-1", severity: "critical", hosts: ["ap-1"], service: "Main Office" },
  },
  {
    name: "Meraki",
    firing: meraki("usage_alert", "Network usage alert"),
    reads: { title: "Network usage alert: ap-1", severity: "critical" },
  },
  {
    name: "Auvik",
    firing: auvik("Triggered"),
    over: auvik("Cleared"),
    reads: { title: "Device Offline: sw-1", severity: "critical", hosts: ["sw-1"] },
  },
  {
    name: "NinjaOne",
    firing: ninja("TRIGGERED"),
    seen: ninja("ACKNOWLEDGED"),
    over: ninja("RESET"),
    reads: { title: "C: has 3 % left", severity: "high", hosts: ["pc-1"], service: "Disk" },
  },
  {
    name: "Aruba Central",
    firing: aruba("Open"),
    over: aruba("Close"),
    reads: { title: "AP disconnected: AP ap-1 disconnected", severity: "high", hosts: ["ap-1"] },
  },
  {
    name: "Komodo",
    firing: komodo(false),
    over: komodo(true),
    reads: { title: "ServerUnreachable: nas", severity: "critical", description: "no route" },
  },
  {
    name: "Duplicati",
    firing: duplicati("Error"),
    over: duplicati("Success"),
    reads: {
      ...{ title: "Backup of Photos: Error", severity: "high", hosts: ["nas"] },
      description: "The disk is full",
    },
  },
  {
    name: "Sonarr and its like",
    firing: sonarr("Health"),
    over: sonarr("HealthRestored"),
    reads: { title: "Sonarr: No indexer answers", severity: "low", runbook: "https://wiki.example.org/i" },
  },
  {
    name: "Authentik",
    firing: { body: "Login failed: dev", severity: "alert", user_email: "a@example.org", user_username: "a" },
    reads: { title: "Login failed: dev", severity: "high", monitoring_tool: "Authentik" },
  },
  {
    name: "senders for BigPanda",
    firing: bigPanda("critical"),
    seen: bigPanda("acknowledged"),
    over: bigPanda("ok"),
    reads: { title: "CPU overloaded on db-1", severity: "critical", hosts: ["db-1"] },
  },
  {
    name: "senders for Zenduty",
    firing: zenduty("error"),
    seen: zenduty("acknowledged"),
    over: zenduty("resolved"),
    reads: { title: "Queue is long", severity: "high", runbook: "https://m.example.org/1" },
  },
  {
    name: "Redfish, as iDRAC and iLO send it",
    firing: redfish("Critical", "Power supply 1 failed"),
    reads: { title: "Power supply 1 failed", severity: "critical", hosts: ["rack-1"] },
  },
  {
    name: "Mist",
    firing: mist("AP_DISCONNECTED"),
    over: mist("AP_CONNECTED"),
    reads: { title: "AP_DISCONNECTED: ap-1", severity: "high", service: "Yard" },
  },
  {
    name: "senders of events to ServiceNow",
    firing: serviceNow("2", "New"),
    over: serviceNow("2", "Closing"),
    reads: { title: "Disk is full", severity: "high", hosts: ["db-1"], service: "C:" },
  },
  {
    name: "senders for Moogsoft",
    firing: moogsoft(5),
    over: moogsoft(0),
    reads: { title: "Disk is full", severity: "critical", hosts: ["db-1"] },
  },
  {
    name: "Kener, which names its alert and nothing of its own",
    firing: kener("TRIGGERED"),
    over: kener("RESOLVED"),
    reads: { title: "Shop DOWN", severity: "critical", description: "Down for 3 min" },
  },
  {
    name: "Uptrace, which names its alert and nothing of its own",
    firing: uptrace("open"),
    over: uptrace("closed"),
    reads: { title: "Errors grow", runbook: "https://uptrace.example.org/alerts/123" },
  },
];
