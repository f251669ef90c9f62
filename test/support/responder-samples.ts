/** Webhooks of incident response services, builds and queries, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

const incidentIoAlert = (kind: "created" | "resolved") => ({
  event_type: `public_alert.alert_${kind}_v1`,
  [`public_alert.alert_${kind}_v1`]: {
    ...{ id: "01KA7", alert_source_id: "01KS1", deduplication_key: "db-lag", title: "Replica lags" },
    ...{ status: kind === "created" ? "firing" : "resolved", description: "40 s behind" },
    ...{ source_url: "https://watch.example.org/a/7", created_at: "2026-05-01T10:00:00Z" },
    ...{ updated_at: "2026-05-01T10:05:00Z" },
    ...(kind === "created" ? {} : { resolved_at: "2026-05-01T10:05:00Z" }),
  },
});

/** Of private incidents it sends only the id. */
const incidentIoPrivate = (event_type: string) => ({ event_type, [event_type]: { id: "01KP9" } });

/** One message of PagerDuty's older webhooks. */
const pagerDutyMessages = (event: string, status: string, at: string) => ({
  messages: [
    {
      ...{ event: `incident.${event}`, id: "69a7ced0", created_on: at, webhook: { name: "V2" } },
      log_entries: [{ type: `${event}_log_entry`, created_at: at }],
      incident: {
        ...{ incident_number: 33, title: "Quay 4 is dark", description: "Quay 4 is dark", status },
        ...{ created_at: "2026-05-01T10:00:00Z", last_status_change_at: at, urgency: "high", id: "PRORDTY" },
        ...{ service: { name: "Harbour", summary: "Harbour" }, summary: "[#33] Quay 4 is dark" },
        html_url: "https://pd.example.org/incidents/PRORDTY",
      },
    },
  ],
});

const pulsetic = (alert_type: string) => ({
  alert_type,
  monitor: {
    ...{ id: 74710, url: "https://pier.example.org", name: "Pier", response_code: 500 },
    fail_reason: "Connection timeout",
  },
});

const incidentIo = (category: string) => ({
  ...{ id: "01KI7", reference: "INC-7", name: "Checkout is down", visibility: "public" },
  ...{ summary: "Nobody can pay", permalink: "https://app.example.org/incidents/7" },
  ...{ severity: { id: "01KV1", name: "Major", rank: 2 } },
  ...{ incident_status: { id: "01KT1", name: "Live", category } },
  ...{ created_at: "2026-05-01T10:00:00Z", updated_at: "2026-05-01T10:20:00Z" },
});

const rootly = (type: string, data: object) => ({
  event: { id: `e-${type}`, type, issued_at: "2026-05-01T12:00:00.000+02:00" },
  data: { started_at: "2026-05-01T12:00:00.000+02:00", created_at: "2026-05-01T12:00:01.000+02:00", ...data },
});
const rootlyAlert = (type: string, ended_at: string | null) =>
  rootly(type, {
    ...{ id: "13c8", team_id: 1, source: "pagerduty", summary: "Memory of db-2 is full", labels: [] },
    ...{
      external_id: "Q1",
      external_url: "https://watch.example.org/Q1",
      data: { severity: "p2" },
      ended_at,
    },
  });
const rootlyIncident = (type: string, resolved_at: string | null) =>
  rootly(type, {
    ...{ id: "b7ee", sequential_id: 19, title: "Payments fail", slug: "payments-fail", summary: "All cards" },
    ...{ status: resolved_at ? "resolved" : "started", url: "https://app.example.org/19", resolved_at },
    ...{ severity: { id: "s1", name: "SEV0", slug: "sev0", severity: "critical" }, cancelled_at: null },
  });

const fireHydrant = (current_milestone: string) => ({
  data: {
    incident: {
      ...{ id: "04d9", name: "Search is slow", number: 42, severity: "SEV2", priority: "P2" },
      ...{ summary: "Seconds a query", current_milestone, started_at: "2026-05-01T10:00:00Z" },
      incident_url: "https://app.example.org/incidents/42",
    },
  },
  event: { operation: "UPDATED", resource_type: "incident" },
});

const anomaly = (state: string) => ({
  ...{ alert_id: "5bdb", state, site: "shop", environment: "live", tags: { hostname: "web-1" } },
  ...{ metric_name: "cpu", field: "gauge", trigger_label: "CPU is busy", trigger_description: "Over 90 %" },
  ...{ last_value: state === "open" ? 95 : 40, created_at: "2026-05-01T09:58:00Z" },
  ...{ opened_at: "2026-05-01T10:00:00Z", resolved_at: state === "open" ? null : "2026-05-01T10:30:00Z" },
  ...{ closed_at: null, alert_url: "https://app.example.org/alerts/5bdb" },
});

const octopus = (Category: string, deployment: string) => ({
  ...{ Timestamp: "2026-05-01T10:00:05Z", EventType: "SubscriptionPayload" },
  Payload: {
    ...{ ServerUri: "https://octopus.example.org", ServerAuditUri: "https://octopus.example.org/audit" },
    Subscription: { Id: "Subscriptions-3", Name: "Live" },
    Event: {
      ...{ Id: `Events-${deployment}`, Category, SpaceId: "Spaces-1", Occurred: "2026-05-01T10:00:00Z" },
      Message: `Deploy to Live ended for Shop release ${deployment}`,
      RelatedDocumentIds: [
        `Deployments-${deployment}`,
        "Projects-7",
        `Releases-${deployment}`,
        "Environments-2",
      ],
    },
  },
});

const drone = (status: string, number: number) => ({
  ...{ event: "build", action: "updated", system: { host: "drone.example.org" } },
  repo: { id: 4, slug: "acme/shop", link: "https://git.example.org/acme/shop" },
  build: { id: number, number, status, target: "main", message: "Faster", finished: 1_777_629_600 },
});

const appVeyor = (kind: string) => ({
  eventName: `build_${kind}`,
  eventData: {
    ...{ passed: kind === "success", failed: kind !== "success", status: kind, projectId: 45 },
    ...{ projectName: "Shop", buildVersion: `2.0.${kind.length}`, branch: "main", commitMessage: "Faster" },
    ...{ buildUrl: "https://ci.example.org/b", started: "5/1/2026 10:00 AM", finished: "5/1/2026 10:02 AM" },
  },
});

const bitrise = (build_status: number) => ({
  ...{ build_slug: `b-${build_status}`, build_number: build_status, app_slug: "a1", build_status },
  ...{ build_triggered_workflow: "deploy", git: { provider: "github", src_branch: "main", tag: null } },
});

const semaphore = (result: string) => ({
  ...{ version: "1.0.0", organization: { id: "o1", name: "acme" }, project: { id: "p1", name: "shop" } },
  ...{ repository: { url: "https://git.example.org/acme/shop", slug: "acme/shop" } },
  revision: { reference_type: "branch", reference: "refs/heads/main", commit_message: "Faster" },
  ...{ workflow: { id: `w-${result}` }, blocks: [] },
  pipeline: {
    ...{ id: `l-${result}`, name: "Tests", yaml_file_name: "semaphore.yml", state: "done", result },
    ...{ result_reason: "test", done_at: "2026-05-01T10:00:00Z" },
  },
});

const prisma = (more: object) => [
  {
    ...{ alertId: "P-31", policyId: "p-7", policyName: "Bucket is public", severity: "high" },
    ...{ alertRuleName: "All", accountName: "live", cloudType: "aws", resourceName: "invoices" },
    ...{ resourceCloudService: "Amazon S3", callbackUrl: "https://prisma.example.org/P-31" },
    ...{ policyDescription: "Anybody reads it", alertTs: 1_777_629_600_000, source: "Prisma Cloud", ...more },
  },
];

const tailscale = (type: string, message: string) => [
  {
    ...{ timestamp: "2026-05-01T10:00:00Z", version: 1, type, tailnet: "example.org", message },
    data: {
      ...{ nodeID: "n7", deviceName: "web-1.example.ts.net", managedBy: "max@example.org" },
      url: "https://login.example.org/n7",
    },
  },
];

const catalyst = (status: string) => ({
  ...{ version: "1.0.0", instanceId: "ea6e", eventId: "NETWORK-NON-FABRIC_WIRED-1-251", type: "NETWORK" },
  ...{ namespace: "ASSURANCE", name: "", description: "", category: "ALERT", domain: "Connectivity" },
  ...{ severity: 1, source: "ndp", timestamp: 1_777_629_600_000 },
  details: {
    ...{ Type: "Network Device", "Assurance Issue Priority": "P1", Device: "192.0.2.17" },
    ...{ "Assurance Issue Name": "Port 3 is down", "Assurance Issue Details": "Port 3 of yard-1 is down" },
    ...{ "Assurance Issue Category": "Connectivity", "Assurance Issue Status": status },
  },
  ciscoDnaEventLink: "https://dnac.example.org/issue/ea6e",
});

const strata = (status: string) => ({
  kind: "incident",
  data: {
    ...{ incident_id: "3f2a", title: "Tunnel is down", severity: "High", status, category: "RN" },
    ...{ code: "INC_RN_TUNNEL_DOWN", raised_time: "2026-05-01T10:00:00Z" },
    ...(status === "Cleared" ? { cleared_time: "2026-05-01T10:10:00Z", clear_reason: "Auto" } : {}),
  },
});

export const RESPONDER_SAMPLES: readonly ToolSample[] = [
  {
    name: "incident.io, an alert",
    ...{ firing: incidentIoAlert("created"), over: incidentIoAlert("resolved") },
    reads: {
      ...{ title: "Replica lags", description: "40 s behind", monitoring_tool: "incident.io" },
      ...{ runbook: "https://watch.example.org/a/7", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "incident.io, a private alert",
    firing: incidentIoPrivate("private_alert.alert_created_v1"),
    over: incidentIoPrivate("private_alert.alert_resolved_v1"),
    reads: { title: "Private alert 01KP9", monitoring_tool: "incident.io" },
  },
  {
    name: "incident.io, a private incident, whose end is not told",
    firing: incidentIoPrivate("private_incident.incident_created_v2"),
    reads: { title: "Private incident 01KP9", monitoring_tool: "incident.io" },
  },
  {
    name: "PagerDuty's older webhook",
    firing: pagerDutyMessages("trigger", "triggered", "2026-05-01T10:00:00Z"),
    seen: pagerDutyMessages("acknowledge", "acknowledged", "2026-05-01T10:01:00Z"),
    over: pagerDutyMessages("resolve", "resolved", "2026-05-01T10:05:00Z"),
    reads: {
      ...{ title: "Quay 4 is dark", severity: "high", service: "Harbour", monitoring_tool: "PagerDuty" },
      ...{ started_at: "2026-05-01T10:00:00.000Z", runbook: "https://pd.example.org/incidents/PRORDTY" },
    },
  },
  {
    name: "Monika, which tells an end like what began",
    firing: {
      body: {
        url: "https://ford.example.org",
        time: "2026-05-01 10:00:00 +00:00",
        alert: "response.time > 2000",
      },
    },
    reads: { title: "response.time > 2000 at https://ford.example.org", monitoring_tool: "Monika" },
  },
  {
    name: "Pulsetic",
    ...{ firing: pulsetic("monitor_offline"), over: pulsetic("monitor_online") },
    reads: {
      ...{ title: "Pier is down", description: "Connection timeout", service: "Pier" },
      ...{ hosts: ["https://pier.example.org"], monitoring_tool: "Pulsetic" },
    },
  },
  {
    name: "incident.io, an incident",
    firing: {
      event_type: "public_incident.incident_created_v2",
      "public_incident.incident_created_v2": incidentIo("live"),
    },
    over: {
      event_type: "public_incident.incident_status_updated_v2",
      "public_incident.incident_status_updated_v2": {
        ...{ incident: incidentIo("closed"), new_status: { name: "Closed", category: "closed" } },
        previous_status: { name: "Live", category: "live" },
      },
    },
    reads: { title: "Checkout is down", severity: "high", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Rootly, an alert",
    firing: rootlyAlert("alert.created", null),
    seen: rootlyAlert("alert.acknowledged", null),
    over: rootlyAlert("alert.updated", "2026-05-01T12:30:00.000+02:00"),
    reads: {
      ...{ title: "Memory of db-2 is full", severity: "high", service: "pagerduty" },
      ...{ monitoring_tool: "Rootly", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Rootly, an incident",
    firing: rootlyIncident("incident.created", null),
    over: rootlyIncident("incident.resolved", "2026-05-01T12:30:00.000+02:00"),
    reads: { title: "Payments fail", severity: "critical", runbook: "https://app.example.org/19" },
  },
  {
    name: "FireHydrant",
    ...{ firing: fireHydrant("started"), seen: fireHydrant("acknowledged"), over: fireHydrant("resolved") },
    reads: { title: "Search is slow", severity: "high", monitoring_tool: "FireHydrant" },
  },
  {
    name: "AppSignal, an anomaly",
    ...{ firing: anomaly("open"), over: anomaly("closed") },
    reads: {
      ...{ title: "CPU is busy: shop", description: "Over 90 %", service: "shop", hosts: ["web-1"] },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "AppSignal, an exception",
    firing: {
      exception: {
        ...{
          time: "2026-05-01 10:00:00 UTC",
          number: 3,
          site: "shop",
          environment: "live",
          message: "No bacon",
        },
        ...{ url: "https://app.example.org/3", exception: "KitchenError", action: "Eggs#fry" },
        ...{ hostname: "web-1", namespace: "web" },
      },
    },
    reads: { title: "KitchenError in Eggs#fry", severity: "high", description: "No bacon", hosts: ["web-1"] },
  },
  {
    name: "AppSignal, a slow action",
    firing: {
      performance: {
        ...{
          time: "2026-05-01 10:00:00 UTC",
          number: 4,
          site: "shop",
          environment: "live",
          duration: 2004.9,
        },
        ...{ url: "https://app.example.org/4", action: "Eggs#fry", hostname: "web-1" },
      },
    },
    reads: { title: "Eggs#fry is slow", severity: "low", service: "shop" },
  },
  {
    name: "Inspector",
    firing: {
      ...{ event: "alert_violation_notification", application: { id: 12, name: "Shop" } },
      payload: { id: 25, title: "High system load", violated_at: "2026-05-01 10:00:00" },
    },
    reads: { title: "High system load: Shop", monitoring_tool: "Inspector", service: "Shop" },
  },
  {
    name: "Inspector, an error",
    firing: {
      ...{ event: "error_occurrence_detected_notification", application: { id: 12, name: "Shop" } },
      payload: {
        ...{ timestamp: "2026-05-01 10:00:00", class: "ErrorException", message: "No such route" },
        file: "app/Routes.php",
      },
    },
    reads: { title: "ErrorException: No such route", severity: "high", service: "Shop" },
  },
  {
    name: "Octopus Deploy",
    ...{ firing: octopus("DeploymentFailed", "12"), over: octopus("DeploymentSucceeded", "13") },
    reads: {
      ...{ title: "Deploy to Live ended for Shop release 12", severity: "high" },
      ...{ monitoring_tool: "Octopus Deploy", runbook: "https://octopus.example.org/audit" },
    },
  },
  {
    name: "Drone",
    ...{ firing: drone("failure", 7), over: drone("success", 8) },
    reads: {
      ...{ title: "Build of acme/shop failed", severity: "high", description: "Faster" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "AppVeyor",
    ...{ firing: appVeyor("failure"), over: appVeyor("success") },
    reads: { title: "Build of Shop failed", severity: "high", runbook: "https://ci.example.org/b" },
  },
  {
    name: "Bitrise",
    ...{ firing: bitrise(2), over: bitrise(1) },
    reads: { title: "Workflow deploy of a1 failed", severity: "high", monitoring_tool: "Bitrise" },
  },
  {
    name: "Semaphore",
    ...{ firing: semaphore("failed"), over: semaphore("passed") },
    reads: { title: "Pipeline Tests of shop failed", severity: "high", service: "shop" },
  },
  {
    name: "Metabase",
    firing: {
      ...{ type: "alert", alert_id: 4, alert_creator_id: 26, alert_creator_name: "Max" },
      sent_at: "2026-05-01T10:00:00Z",
      data: {
        ...{ type: "question", question_id: 108, question_name: "Orders that hang" },
        ...{
          question_url: "https://metabase.example.org/question/108",
          visualization: "data:image/png;base64,AA",
        },
        raw_data: { cols: ["ID"], rows: [[7]] },
      },
    },
    reads: {
      ...{ title: "Orders that hang", monitoring_tool: "Metabase", started_at: "2026-05-01T10:00:00.000Z" },
      runbook: "https://metabase.example.org/question/108",
    },
  },
  {
    name: "Prisma Cloud",
    ...{ firing: prisma({ alertStatus: "open" }), over: prisma({ alertStatus: "resolved" }) },
    reads: {
      ...{ title: "Bucket is public: invoices", severity: "high", service: "Amazon S3", hosts: ["invoices"] },
      runbook: "https://prisma.example.org/P-31",
    },
  },
  {
    name: "Tailscale",
    firing: tailscale("nodeNeedsApproval", "web-1 needs approval"),
    over: tailscale("nodeApproved", "web-1 was approved"),
    reads: {
      ...{ title: "web-1 needs approval", severity: "low", hosts: ["web-1.example.ts.net"] },
      ...{ service: "example.org", monitoring_tool: "Tailscale", runbook: "https://login.example.org/n7" },
    },
  },
  {
    name: "Tailscale, a key",
    firing: tailscale("nodeKeyExpired", "The key of web-1 has expired"),
    reads: { title: "The key of web-1 has expired", severity: "high" },
  },
  {
    name: "Cisco Catalyst Center",
    ...{ firing: catalyst("active"), over: catalyst("resolved") },
    reads: { title: "Port 3 is down", severity: "critical", hosts: ["192.0.2.17"], service: "Connectivity" },
  },
  {
    name: "Strata Cloud Manager",
    ...{ firing: strata("Raised"), over: strata("Cleared") },
    reads: { title: "Tunnel is down", severity: "high", started_at: "2026-05-01T10:00:00.000Z" },
  },
];
