/** Bodies of services that monitor sites and jobs or forward alerts, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

const page = {
  meta: { generated_at: "2026-05-01T10:00:00Z" },
  page: { id: "pg1", status_indicator: "major" },
};
const incident = (status: string) => ({
  ...page,
  incident: {
    ...{
      id: "in1",
      name: "Mail is late",
      impact: "major",
      status,
      shortlink: "https://stspg.example.org/in1",
    },
    ...{ created_at: "2026-05-01T10:00:00.000Z", updated_at: "2026-05-01T11:00:00Z", resolved_at: null },
    incident_updates: [{ body: "We look into it.", status }],
  },
});
const component = (new_status: string) => ({
  ...page,
  component: { id: "c1", name: "API", status: new_status },
  component_update: { id: "u", component_id: "c1", new_status, created_at: "2026-05-01T10:00:00Z" },
});

/** ohdear.app/docs/integrations/webhooks. */
const ohDear = (type: string) => ({
  ...{ type, date_time: "20260501100000" },
  site: { id: 4, url: "https://quay.example.org", sort_url: "quay.example.org", label: "Quay", checks: [] },
  run: { result: "failed", started_at: "2026-05-01 10:00:00", ended_at: "2026-05-01 10:00:01" },
});

const cloudflare = (alert_event: string) => ({
  ...{
    name: "Origin errors",
    text: "Errors at shop.example.org",
    data: { severity: "SEV1" },
    ts: 1777629600,
  },
  ...{
    account_id: "9035",
    policy_id: "p1",
    policy_name: "Origin errors",
    alert_type: "http_alert_origin_error",
  },
  ...{ alert_correlation_id: "000eaa90", alert_event },
});

const openstatus = (status: string) => ({
  monitor: { id: 1, name: "Shop", url: "https://shop.example.org" },
  ...{ cronTimestamp: 1777629600000, status, statusCode: 500, errorMessage: "timeout" },
});

const cronitor = (type: string) => ({
  ...{
    id: "d3x0c1",
    monitor: "Nightly backup",
    description: "has not completed",
    type,
    rule: "not_completed_in",
  },
  ...{
    environment: "production",
    group: null,
    issue_url: "https://cronitor.io/i/1",
    monitor_url: "https://cronitor.io/m",
  },
});

const snitch = (type: string, status: string) => ({
  ...{ type, timestamp: "2026-05-01T10:00:00Z" },
  data: { snitch: { token: "c2354d53d2", name: "Mail out", notes: "Runs hourly", tags: [], status } },
});

const prtg = (status: string) => ({
  ...{
    sensorid: "2003",
    sensor: "Ping",
    device: "core-1",
    host: "192.0.2.9",
    status,
    message: "Request timed out",
  },
  linksensor: "https://prtg.example.org/sensor.htm?id=2003",
});

const healthchecks = (status: string) => ({
  ...{ name: "Nightly backup", slug: "nightly-backup", tags: "", desc: "of db-1", grace: 3600, n_pings: 7 },
  ...{ status, started: false, last_ping: "2026-05-01T02:00:00+00:00", next_ping: null, unique_key: "a6c7" },
});

const atlas = (status: string, more: object = {}) => ({
  ...{ id: "533dc40ae4b00835ff81eaee", groupId: "5356", alertConfigId: "57b7", status },
  ...{ eventTypeName: "OUTSIDE_METRIC_THRESHOLD", metricName: "CONNECTIONS_PERCENT" },
  ...{ clusterName: "orders", hostnameAndPort: "orders-00-01.example.net:27017" },
  ...{ created: "2026-05-01T10:00:00Z", updated: "2026-05-01T10:00:00Z", ...more },
});

const azure = (status: string) => ({
  schemaId: "AzureMonitorMetricAlert",
  data: {
    ...{ version: "2.0", status },
    context: {
      ...{
        timestamp: "2026-05-01T10:00:00.000Z",
        id: "/subscriptions/s/alerts/cpu",
        name: "CPU",
        severity: "1",
      },
      ...{ description: "CPU above 90", resourceName: "vm-1", portalLink: "https://portal.azure.com/#1" },
    },
  },
});

const keep = (status: string) => ({
  ...{
    id: "a1",
    name: "Queue is long",
    status,
    severity: "warning",
    lastReceived: "2026-05-01T10:00:00.000Z",
  },
  ...{ source: ["prometheus"], service: "mail", fingerprint: "keep-7", url: "https://keep.example.org/a1" },
});

const oncall = (type: string) => ({
  event: { type, time: "2026-05-01T10:00:00Z" },
  alert_group_id: "IABC",
  alert_group: {
    id: "IABC",
    title: "Disk of db-1",
    state: type,
    permalinks: { web: "https://oncall.example.org/IABC" },
  },
  ...{ integration: { id: "C1", name: "Grafana" }, alert_payload: { message: "91 %" } },
});

const tree = (event_type: string) => ({
  event_type,
  Id: "t-1",
  Title: "Mail is stuck",
  Description: "since noon",
});

/** As Uptime Kuma sends it. */
const squadcast = (status: string, message: string, description: string) => ({
  ...{ message, description, tags: { AlertAddress: "https://cellar.example.org" }, source: "uptime-kuma" },
  ...{ heartbeat: { monitorID: 31, msg: description, important: true }, event_id: 31, status },
});

const checkly = (alert_type: string, says: string) => ({
  ...{ event: `Checkout ${says}`, alert_type, check_name: "Checkout", group_name: "Shop", check_id: "c-1" },
  ...{ check_type: "API", check_result_id: `r-${alert_type}`, check_error_message: "timeout" },
  ...{ response_time: 1200, run_location: "Frankfurt", ssl_days_remaining: "" },
  ...{ link: "https://app.checklyhq.com/checks/c-1", started_at: "2026-05-01T10:00:00.000Z" },
});

const incidentIo = (status: string) => ({
  ...{ title: "Queue is long", description: "900 wait", deduplication_key: "queue-1", status },
  ...{ metadata: { team: "mail", severity: "P2" }, source_url: "https://watch.example.org/queue-1" },
});

const formatted = (state: string, raw_state: number) => ({
  ...{ alert_uid: "41", title: "Yard gate", image_url: null, state, raw_state, message: "It is open" },
  link_to_upstream_details: "https://watch.example.org/41",
});

const ilert = (eventType: string) => ({
  ...{ eventType, alertKey: "lift-2", summary: "Lift is stuck", details: "between floors" },
  ...{ priority: "HIGH", links: [{ href: "https://watch.example.org/lift-2" }] },
});

/** As Uptime Kuma sends it. */
const kumaTree = (event_type: string, title: string | null, status: number) => ({
  ...{ event_type, id: 31, title, urgency: "high" },
  heartbeat: { monitorID: 31, status, msg: "timeout", important: true },
  monitor: { id: 31, name: "Cellar", url: "https://cellar.example.org" },
});

/** As Uptime Kuma sends it. */
const flashduty = (event_status: string, said: string) => ({
  ...{ description: `[Cellar] ${said}`, event_status, alert_key: "31", labels: { name: "Cellar" } },
  title: event_status === "Ok" ? "Uptime Kuma Monitor ✅ Up" : "Uptime Kuma Monitor 🔴 Down",
});

const instatus = (what: string, status: string, impact: string) => ({
  ...{ meta: { unsubscribe: "", documentation: "" }, page: { id: "ck1", status_indicator: "HASISSUES" } },
  [what]: {
    ...{ backfilled: false, created_at: "2026-05-01T10:00:00.000Z", impact, name: "Mail is late", status },
    ...{ id: `${what}-1`, url: "https://status.example.org/i/1", updated_at: "2026-05-01T10:20:00.000Z" },
    [`${what}_updates`]: [{ id: "u1", body: "We look at it", status }],
  },
});

/** Each fires, and is resolved if its service reports that. */
export const SERVICE_SAMPLES: readonly ToolSample[] = [
  {
    name: "Statuspage, an incident",
    ...{ firing: incident("investigating"), over: incident("resolved") },
    reads: { title: "Mail is late", severity: "high", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Statuspage, a component",
    ...{ firing: component("partial_outage"), over: component("operational") },
    reads: { title: "API: partial_outage", severity: "high", service: "API" },
  },
  {
    name: "Instatus, an incident",
    firing: instatus("incident", "INVESTIGATING", "DEGRADEDPERFORMANCE"),
    over: instatus("incident", "RESOLVED", "OPERATIONAL"),
    reads: { title: "Mail is late", severity: "low", runbook: "https://status.example.org/i/1" },
  },
  {
    name: "Instatus, a maintenance",
    firing: instatus("maintenance", "INPROGRESS", "UNDERMAINTENANCE"),
    over: instatus("maintenance", "COMPLETED", "OPERATIONAL"),
    reads: { title: "Mail is late", severity: "info", description: "We look at it" },
  },
  {
    name: "Cloudflare",
    ...{ firing: cloudflare("ALERT_STATE_EVENT_START"), over: cloudflare("ALERT_STATE_EVENT_END") },
    reads: { title: "Origin errors", description: "Errors at shop.example.org" },
  },
  {
    name: "OpenStatus",
    ...{ firing: openstatus("error"), over: openstatus("recovered") },
    reads: { title: "Shop: error", severity: "critical", hosts: ["https://shop.example.org"] },
  },
  {
    name: "Cronitor",
    ...{ firing: cronitor("ALERT"), over: cronitor("RECOVERY") },
    reads: { title: "Nightly backup", description: "has not completed" },
  },
  {
    name: "Dead Man's Snitch",
    ...{ firing: snitch("snitch.missing", "missing"), over: snitch("snitch.reporting", "healthy") },
    reads: { title: "Mail out is missing" },
  },
  {
    name: "Healthchecks.io, by its $JSON",
    ...{ firing: healthchecks("down"), over: healthchecks("up") },
    reads: { title: "Nightly backup is down", description: "of db-1", monitoring_tool: "Healthchecks.io" },
  },
  {
    name: "OnlineOrNot",
    firing: { event: "uptime.down", trigger: "down", name: "Some Page", url: "https://page.example.org" },
    over: { event: "uptime.up", trigger: "up", name: "Some Page", url: "https://page.example.org" },
    reads: { title: "Some Page is down", hosts: ["https://page.example.org"] },
  },
  {
    name: "MongoDB Atlas",
    firing: atlas("OPEN"),
    over: atlas("CLOSED", { resolved: "2026-05-01T10:10:00Z" }),
    reads: {
      title: "OUTSIDE_METRIC_THRESHOLD CONNECTIONS_PERCENT: orders-00-01.example.net:27017",
      ...{ service: "orders", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "PRTG",
    ...{ form: true, firing: prtg("Down"), seen: prtg("Down (Acknowledged)"), over: prtg("Up") },
    reads: { title: "Ping on core-1 is Down", severity: "critical", hosts: ["192.0.2.9"] },
  },
  {
    name: "PRTG, in the words of its state triggers",
    ...{ form: true, firing: prtg("Warning ESCALATION"), over: prtg("Warning ended (now: Up)") },
    reads: { title: "Ping on core-1 is Warning ESCALATION", severity: "low" },
  },
  {
    name: "PRTG, a sensor that is paused meanwhile",
    firing: prtg("Warning ended (now: Down)"),
    over: prtg("Down ended (now: Paused)"),
    reads: { severity: "critical" },
  },
  {
    name: "PRTG, a trigger on the good state, which ends",
    firing: prtg("Up ended (now: Warning)"),
    over: prtg("Warning ended (now: Up)"),
    reads: { severity: "low" },
  },
  {
    name: "Azure Monitor, a metric without the common schema",
    ...{ firing: azure("Activated"), over: azure("Deactivated") },
    reads: { title: "CPU", severity: "high", hosts: ["vm-1"] },
  },
  {
    name: "Keep",
    ...{ firing: keep("firing"), seen: keep("acknowledged"), over: keep("resolved") },
    reads: { title: "Queue is long", severity: "low", service: "mail" },
  },
  {
    name: "Grafana OnCall",
    ...{ firing: oncall("firing"), seen: oncall("acknowledge"), over: oncall("resolve") },
    reads: { title: "Disk of db-1", description: "91 %" },
  },
  {
    name: "PagerTree",
    ...{ firing: tree("create"), seen: tree("acknowledge"), over: tree("resolve") },
    reads: { title: "Mail is stuck", description: "since noon" },
  },
  {
    name: "a sender for Squadcast",
    firing: squadcast("trigger", "Cellar is DOWN", "timeout"),
    seen: squadcast("acknowledge", "Cellar is DOWN", "timeout"),
    over: squadcast("resolve", "Cellar is UP", "200 - OK"),
    reads: { title: "Cellar is DOWN", severity: "critical", description: "timeout" },
  },
  {
    name: "Checkly",
    ...{ firing: checkly("ALERT_FAILURE", "has failed"), over: checkly("ALERT_RECOVERY", "has recovered") },
    reads: {
      title: "Checkout has failed",
      severity: "critical",
      service: "Checkout",
      description: "timeout",
    },
  },
  {
    name: "Checkly, what is slow, in the template for FireHydrant",
    firing: { ...checkly("ALERT_DEGRADED", "is slow"), check_id: "c-2", check_name: undefined },
    over: { ...checkly("ALERT_DEGRADED_RECOVERY", "is fast"), check_id: "c-2", check_name: undefined },
    reads: { title: "Checkout is slow", severity: "low" },
  },
  {
    name: "Checkly, a certificate, which is no outage",
    firing: checkly("ALERT_SSL", "has a certificate that ends in 7 days"),
    reads: { severity: "medium", title: "Checkout has a certificate that ends in 7 days" },
  },
  {
    name: "a sender for incident.io",
    ...{ firing: incidentIo("firing"), over: incidentIo("resolved") },
    reads: { title: "Queue is long", severity: "high", description: "900 wait" },
  },
  {
    name: "a sender for Grafana OnCall",
    ...{ firing: formatted("alerting", 1), seen: formatted("ok", 2), over: formatted("ok", 0) },
    reads: { title: "Yard gate", description: "It is open", severity: "critical" },
  },
  {
    name: "Oh Dear",
    ...{ firing: ohDear("uptimeCheckFailed"), over: ohDear("uptimeCheckRecovered") },
    reads: { title: "Quay: uptimeCheckFailed", severity: "critical", hosts: ["https://quay.example.org"] },
  },
  {
    name: "Oh Dear, another check",
    firing: ohDear("brokenLinksFound"),
    reads: { title: "Quay: brokenLinksFound", severity: "medium", service: "Quay" },
  },
  {
    name: "a sender for GoAlert",
    firing: { summary: "Pump stands still", details: "since noon", dedup: "pump-1" },
    over: { summary: "Pump runs", dedup: "pump-1", action: "close" },
    reads: { title: "Pump stands still", description: "since noon" },
  },
  {
    name: "a sender for ilert",
    ...{ firing: ilert("ALERT"), seen: ilert("ACCEPT"), over: ilert("RESOLVE") },
    reads: { title: "Lift is stuck", severity: "high", description: "between floors" },
  },
  {
    name: "a sender for Flashduty",
    ...{ firing: flashduty("Warning", "timeout"), over: flashduty("Ok", "200 - OK") },
    reads: { title: "[Cellar] timeout", severity: "low", service: "Cellar" },
  },
  {
    name: "Uptime Kuma, to PagerTree",
    firing: kumaTree("create", 'Uptime Kuma Monitor "Cellar" is DOWN', 0),
    over: kumaTree("resolve", null, 1),
    reads: { title: 'Uptime Kuma Monitor "Cellar" is DOWN', severity: "critical" },
  },
];
