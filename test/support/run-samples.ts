/** Webhooks of services that deploy, build and back up, count costs or examine what is there, in the shapes that they document. */
import type { ToolSample } from "./tool-samples.ts";

const railway = (type: string) => ({
  ...{ type, severity: "WARNING", timestamp: "2026-05-01T10:00:00.311Z" },
  details: { id: "8107edff", source: "GitHub", branch: "main", commitMessage: "Wider gate" },
  resource: {
    workspace: { id: "w1", name: "Acme" },
    project: { id: "p1", name: "harbour" },
    environment: { id: "e1", name: "production", isEphemeral: false },
    service: { id: "s1", name: "gate" },
    deployment: { id: "d1" },
  },
});

const triggered = (type: string, id: string, object: object) => ({
  ...{ id, created: "2026-05-01T10:00:00.000Z", webhookVersion: "2025-01-01", type },
  object: {
    ...object,
    environment: { id: "e1", type: "PRODUCTION", slug: "prod" },
    organization: { id: "o1", slug: "acme", name: "Acme" },
    project: { id: "p1", ref: "proj_1", slug: "harbour", name: "Harbour" },
  },
});

const expo = (status: string, more: object) => ({
  ...{ id: `x-${status}`, accountName: "acme", projectName: "tides", appId: "bc0a82de", platform: "android" },
  ...{ status, createdAt: "2026-05-01T09:50:00.000Z", completedAt: "2026-05-01T10:00:00.000Z", ...more },
});
const expoBuild = (status: string, more: object = {}) =>
  expo(status, {
    buildDetailsPageUrl: `https://expo.example.org/builds/${status}`,
    metadata: { appName: "tides", buildProfile: "production", gitCommitMessage: "Add a chart" },
    ...more,
  });

const spacelift = (state: string, id: string) => ({
  ...{ account: "acme", state, stateVersion: 4, timestamp: 1777629600 },
  run: { id, branch: "main", commit: { hash: "0ee3a3b", message: "Larger disk" }, type: "TRACKED" },
  stack: { id: "quay-3", name: "Quay 3", description: "", labels: [] },
});

const cloudBuild = (status: string, id: string) => ({
  ...{ id, status, projectId: "acme-live", buildTriggerId: "5a1", logUrl: `https://build.example.org/${id}` },
  ...{ createTime: "2026-05-01T09:50:00Z", finishTime: "2026-05-01T10:00:00Z" },
  substitutions: { BRANCH_NAME: "main", REPO_NAME: "harbour", TRIGGER_NAME: "harbour-main" },
  ...(status === "FAILURE" ? { failureInfo: { type: "USER_BUILD_STEP", detail: "Step 2 failed" } } : {}),
});

const finding = (state: string) => ({
  notificationConfigName: "organizations/1/notificationConfigs/all",
  finding: {
    ...{ name: "organizations/1/sources/2/findings/3d71", parent: "organizations/1/sources/2", state },
    ...{ resourceName: "//compute.googleapis.com/projects/live/global/firewalls/ssh", severity: "HIGH" },
    ...{ category: "OPEN_FIREWALL", externalUri: "https://console.example.org/firewalls" },
    ...{ eventTime: "2026-05-01T10:00:00Z", description: "Anybody reaches port 22" },
  },
  resource: { displayName: "ssh", type: "google.compute.Firewall", projectDisplayName: "live" },
});

const kopia = (status: string) => ({
  ...{ status, hostname: "nas", generatedAt: "Fri, 01 May 2026 10:00:00 +0000", kopiaVersion: "v0.22" },
  snapshots: [{ id: null, path: "/data", status: "fatal", duration: "0s", error: "no space left" }],
});

const duplicacy = (result: string, end_time: number) => ({
  ...{ computer: "mac-mini", directory: "/Users/dev/photos", result, start_time: 1777629600, end_time },
  ...{ storage: "sftp://nas.example.org/backups", storage_url: "sftp://nas.example.org/backups" },
  ...{ new_files: 40, total_files: 8500 },
});

const coroot = (status: string) => ({
  ...{ status, project_name: "live", application: "default:Deployment:gate", rule_name: "Low disk space" },
  ...{ severity: "warning", summary: "disk space is low on /dev/sda1 (12% free)" },
  ...{ details: [{ name: "Log pattern", value: "x" }], url: "https://coroot.example.org/p/x/alerts?alert=1" },
});
const corootIncident = (status: string) => ({
  ...{ status, application: "default:Deployment:gate" },
  reports: [{ name: "SLO", check: "Latency", message: "error budget burn rate is 20x within 1 hour" }],
  url: "https://coroot.example.org/p/x/app/gate?incident=1",
});

const quay = (more: object) => ({
  ...{ name: "gate", repository: "acme/gate", namespace: "acme", docker_url: "quay.io/acme/gate" },
  ...{ homepage: "https://quay.io/repository/acme/gate", ...more },
});
const quayBuild = (build_id: string, more: object) =>
  quay({ build_id, docker_tags: ["latest"], trigger_metadata: { ref: "refs/heads/main" }, ...more });

const pulse = {
  ...{ id: "pve-1-100-cpu", type: "cpu", level: "critical", resourceName: "gate", node: "pve-1" },
  ...{ message: "CPU usage exceeded 90%", value: 95.5, threshold: 90, startTime: "2026-05-01T10:00:00Z" },
};

const interfaceOf = (active: boolean, uuid: string, more: object) => ({
  ...{ entry_time: 1777629600000, severity: active ? "Critical" : "Medium", uuid, active, component: "VPN" },
  ...{ rule_name_display: "Interface_State_Change", rulename: "interface-state-change", acknowledged: false },
  values: [{ "if-name": "Gi4", "vpn-id": "10", "host-name": "BR2", "system-ip": "192.0.2.6" }],
  devices: [{ "system-ip": "192.0.2.6" }],
  eventname: "interface-state-change",
  message: `The interface oper-state changed to ${active ? "down" : "up"}`,
  ...more,
});

const incident = (event: string, status: string) => ({
  ...{ version: "v1.0.0", id: `out-${event}`, source: "/grafana/incident", event },
  time: "2026-05-01T11:00:00Z",
  incident: {
    ...{ incidentID: "19", severity: "critical", isDrill: false, status, title: "The gate stays shut" },
    ...{ overviewURL: "/a/grafana-incident-app/incidents/19", summary: "Since ten", closedTime: "" },
    incidentStart: "2026-05-01T10:00:00Z",
    incidentEnd: status === "resolved" ? "2026-05-01T11:00:00Z" : "",
  },
});

const cronicle = (id: string, code: number, description: string) => ({
  ...{ action: "job_complete", base_app_url: "https://cronicle.example.org", category: "general", code, id },
  ...{ description, event: "3c182051", event_title: "Nightly copy", hostname: "job-1" },
  ...{ job_details_url: `https://cronicle.example.org/#JobDetails?id=${id}`, text: `Job ${id}` },
  ...{ time_start: 1777629500.2, time_end: 1777629600.628 },
});

const pulumi = (more: object) => ({
  user: { name: "Dev", githubLogin: "dev" },
  organization: { name: "Acme", githubLogin: "acme" },
  ...{ projectName: "harbour", stackName: "live", isPreview: false, resourceChanges: { update: 3 }, ...more },
});

const checkmate = (type: string, status: string, severity: string) => ({
  text: `**Gate**\nGate is ${status}\n\n**Monitor Details:**\n- Name: Gate\n- Status: ${status}\n`,
  ...{ type, severity, timestamp: "2026-05-01T10:00:00.000Z" },
  monitor: { id: "65f", name: "Gate", url: "https://gate.example.org", status },
});

const gator = (current_status: string) => ({
  ...{ service_name: "Papertrail", status_page_url: "https://status.example.org", current_status },
  ...{ home_page_url: "https://papertrail.example.org", last_status: "up" },
  occurred_at: "2026-05-01T10:00:00+00:00",
});

const vigil = (status: string, replicas: string[]) => ({
  ...{ type: "changed", status, time: "08:58:28 UTC+0200", replicas },
  page: { title: "Harbour", url: "https://status.example.org/" },
});

export const moira = (...events: [metric: string, state: string, old_state: string][]) => ({
  trigger: { id: "t1", name: "CPU", description: "Too hot", tags: ["live"] },
  events: events.map(([metric, state, old_state]) => ({
    ...{ metric, values: { t1: 30 }, timestamp: 1777629600, trigger_event: false, state, old_state },
  })),
  ...{ contact: { type: "webhook", value: "x", id: "c1", user: "dev" }, plots: [], throttled: false },
});

const thing = (status: string) => ({
  ...{ id: { entityType: "ALARM", id: "bfb13620" }, createdTime: 1777629600000, customerId: null },
  ...{ type: "Overheating", originator: { entityType: "DEVICE", id: "b3e86d40" }, severity: "MAJOR" },
  ...{ acknowledged: false, cleared: status.startsWith("CLEARED"), assigneeId: null, assignee: null },
  ...{ startTs: 1777629600000, endTs: 1777629600000, ackTs: 0, propagate: false, name: "Overheating" },
  ...{ clearTs: status.startsWith("CLEARED") ? 1777629900000 : 0, details: { temperature: 92 } },
  ...{ originatorName: "boiler-7", originatorLabel: "Boiler 7", status },
});

const silent = (status: string) => ({
  ...{ id: "20200301", self: "https://things.example.org/alarm/alarms/20200301", severity: "MAJOR", status },
  ...{ source: { id: "251982", name: "Pump 7" }, type: "c8y_UnavailabilityAlarm", count: 1 },
  ...{ text: "No data received from the device within the required interval." },
  ...{ creationTime: "2026-05-01T10:00:01.845Z", time: "2026-05-01T10:00:00.000Z" },
});

const nightwatch = (event: string) => ({
  ...{ event, timestamp: "2026-05-01T10:00:00.000000Z" },
  payload: {
    ...{ webhook_id: "w1", application_id: "a1", organization_id: "o1" },
    issue: {
      ...{ id: "i1", ref: 7, type: "exception", title: "RuntimeException: no tide", status: "open" },
      ...{ priority: "high", url: "https://nightwatch.example.org/issues/7" },
      details: { class: "RuntimeException", message: "no tide" },
    },
    environment: { id: "e1", name: "production" },
  },
});

export const RUN_SAMPLES: readonly ToolSample[] = [
  {
    name: "Railway, a deployment",
    firing: railway("Deployment.crashed"),
    over: railway("Deployment.deployed"),
    reads: {
      ...{ title: "gate: Deployment.crashed", severity: "critical", service: "gate" },
      ...{ monitoring_tool: "Railway", description: "Wider gate", started_at: "2026-05-01T10:00:00.311Z" },
    },
  },
  {
    name: "Railway, a monitor",
    firing: { ...railway("Monitor.triggered"), details: {} },
    over: { ...railway("Monitor.resolved"), details: {} },
    reads: { title: "gate: Monitor.triggered", severity: "medium", monitoring_tool: "Railway" },
  },
  {
    name: "Trigger.dev, a run",
    firing: triggered("alert.run.failed", "a1", {
      task: { id: "send-mail", filePath: "src/mail.ts", exportName: "sendMail", version: "1" },
      run: {
        ...{ id: "run_1", number: 4, status: "CRASHED", isTest: false, machine: "small-1x" },
        ...{ completedAt: "2026-05-01T10:00:00.000Z", dashboardUrl: "https://cloud.example.org/runs/1" },
        error: { type: "BUILT_IN_ERROR", name: "Error", message: "No relay", stackTrace: "" },
      },
    }),
    reads: {
      ...{ title: "Task send-mail failed: No relay", severity: "high", service: "Harbour" },
      ...{ monitoring_tool: "Trigger.dev", runbook: "https://cloud.example.org/runs/1" },
    },
  },
  {
    name: "Trigger.dev, a deployment",
    firing: triggered("alert.deployment.finished", "a2", {
      success: false,
      deployment: { id: "d1", status: "FAILED", version: "20260501.1", failedAt: "2026-05-01T10:00:00Z" },
      error: { name: "BuildError", message: "No such module" },
    }),
    over: triggered("alert.deployment.finished", "a3", {
      success: true,
      deployment: { id: "d2", status: "DEPLOYED", version: "20260501.2", deployedAt: "2026-05-01T11:00:00Z" },
      tasks: [],
    }),
    reads: { title: "Deployment of Harbour failed", severity: "high", description: "No such module" },
  },
  {
    name: "Expo, a build",
    firing: expoBuild("errored", { error: { message: "See the logs.", errorCode: "UNKNOWN_ERROR" } }),
    over: expoBuild("finished"),
    reads: {
      ...{ title: "Build of tides for android failed", severity: "high", service: "tides" },
      ...{ description: "See the logs.", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Expo, a submission",
    firing: expo("errored", {
      submissionDetailsPageUrl: "https://expo.example.org/submissions/1",
      submissionInfo: { error: { message: "The version code must be higher" } },
    }),
    over: expo("finished", { submissionDetailsPageUrl: "https://expo.example.org/submissions/2" }),
    reads: {
      title: "Submission of tides for android failed",
      description: "The version code must be higher",
    },
  },
  {
    name: "Spacelift, a run",
    firing: spacelift("FAILED", "01EF1"),
    over: spacelift("FINISHED", "01EF2"),
    reads: {
      ...{ title: "Run of Quay 3 failed", severity: "high", service: "Quay 3", description: "Larger disk" },
      ...{ monitoring_tool: "Spacelift", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Spacelift, an error of its own",
    firing: {
      ...{ title: "Invalid Stack Slug Triggered", body: "The policy names no stack", severity: "ERROR" },
      ...{ error: "policy triggered for Stack that doesn't exist", account: "acme" },
    },
    reads: {
      title: "Invalid Stack Slug Triggered",
      severity: "medium",
      description: "The policy names no stack",
    },
  },
  {
    name: "Cloud Build",
    firing: cloudBuild("FAILURE", "b1"),
    over: cloudBuild("SUCCESS", "b2"),
    reads: {
      ...{ title: "Build of harbour-main failed", severity: "high", service: "harbour" },
      ...{ monitoring_tool: "Cloud Build", description: "Step 2 failed" },
    },
  },
  {
    name: "Security Command Center",
    firing: finding("ACTIVE"),
    over: finding("INACTIVE"),
    reads: {
      ...{ title: "OPEN_FIREWALL: ssh", severity: "high", service: "live", hosts: ["ssh"] },
      ...{ description: "Anybody reaches port 22", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "AWS Cost Anomaly Detection",
    firing: {
      ...{ accountId: "123456789012", accountName: "live", anomalyId: "6de0dd1d", anomalyEndDate: null },
      ...{ anomalyStartDate: "2026-05-01T00:00:00Z", dimensionalValue: "AWS CloudTrail" },
      ...{ monitorArn: "arn:aws:ce::1:anomalymonitor/b", anomalyDetailsLink: "https://cost.example.org/1" },
      ...{ impact: { maxImpact: 2.48, totalImpact: 11.82 }, rootCauses: [{ service: "AWS CloudTrail" }] },
    },
    reads: {
      title: "Costs of AWS CloudTrail: 11.82 USD more than expected",
      ...{ severity: "medium", service: "AWS CloudTrail", hosts: ["live"] },
    },
  },
  {
    name: "AWS Auto Scaling",
    firing: {
      ...{ Service: "AWS Auto Scaling", Event: "autoscaling:EC2_INSTANCE_LAUNCH_ERROR", AccountId: "1" },
      ...{ AutoScalingGroupName: "gates", AutoScalingGroupARN: "arn:aws:autoscaling:1", Progress: 100 },
      ...{ Description: "Launching a new EC2 instance", StatusMessage: "No capacity", StatusCode: "Failed" },
      ...{ StartTime: "2026-05-01T10:00:00.000Z", Time: "2026-05-01T10:00:09.000Z", EC2InstanceId: "" },
    },
    reads: {
      ...{ title: "gates: Launching a new EC2 instance", severity: "high", service: "gates" },
      ...{ description: "No capacity", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Azure Monitor, a log alert in its own schema",
    firing: {
      schemaId: "Microsoft.Insights/LogAlert",
      data: {
        ...{ SubscriptionId: "s1", AlertRuleName: "Shut gates", SearchQuery: "requests | count" },
        ...{ SearchIntervalEndtimeUtc: "2026-05-01T10:00:00Z", AlertThresholdValue: 0, ResultCount: 2 },
        ...{ LinkToSearchResults: "https://portal.example.org/1", Description: null, Severity: "3" },
      },
    },
    reads: {
      ...{ title: "Shut gates", severity: "low", description: "requests | count" },
      ...{ monitoring_tool: "Azure Monitor", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Azure budgets",
    firing: {
      schemaId: "AIP Budget Notification",
      data: {
        ...{ SubscriptionName: "Live", SubscriptionId: "s1", SpendingAmount: "100", Budget: "50" },
        ...{ BudgetStartDate: "5/1/2026", Unit: "USD", BudgetName: "Monthly", BudgetType: "Cost" },
        ...{ ResourceGroup: "", NotificationThresholdAmount: "0.8" },
      },
    },
    reads: { title: "Budget Monthly: 100 of 50 USD", severity: "medium", service: "Live" },
  },
  {
    name: "Kopia, a report",
    firing: kopia("Failed to create 1 of 4 snapshots"),
    over: kopia("Successfully created 4 snapshots"),
    reads: {
      ...{ title: "nas: Failed to create 1 of 4 snapshots", severity: "high", hosts: ["nas"] },
      ...{ description: "no space left", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Kopia, an error",
    firing: {
      ...{ operation: "Maintenance", operationDetails: "full", errorMessage: "no space left" },
      ...{ hostname: "nas", generatedAt: "Fri, 01 May 2026 10:00:00 +0000", kopiaVersion: "v0.22" },
    },
    reads: { title: "Maintenance on nas failed", severity: "high", description: "no space left" },
  },
  {
    name: "Duplicacy, whose end_time is that of the run",
    firing: duplicacy("Error", 1777630200),
    over: duplicacy("Success", 1777633200),
    reads: {
      ...{ title: "Backup of /Users/dev/photos on mac-mini failed", severity: "high", hosts: ["mac-mini"] },
      ...{ started_at: "2026-05-01T10:00:00.000Z", ended_at: null, status: "triggered" },
    },
  },
  {
    name: "Coroot, an alert",
    firing: coroot("WARNING"),
    over: coroot("OK"),
    reads: {
      ...{ title: "Low disk space: default:Deployment:gate", severity: "low", monitoring_tool: "Coroot" },
      ...{ service: "default:Deployment:gate", description: "disk space is low on /dev/sda1 (12% free)" },
    },
  },
  {
    name: "Coroot, an incident",
    firing: corootIncident("CRITICAL"),
    over: { ...corootIncident("OK"), reports: null },
    reads: { title: "default:Deployment:gate: SLO, Latency", severity: "critical" },
  },
  {
    name: "Quay, a vulnerability",
    firing: quay({
      tags: ["latest"],
      vulnerability: {
        ...{ id: "CVE-2026-1234", description: "A bad one", link: "https://cve.example.org/1" },
        ...{ priority: "Critical", has_fix: true },
      },
    }),
    reads: {
      ...{ title: "CVE-2026-1234 in acme/gate", severity: "critical", service: "acme/gate" },
      ...{ description: "A bad one", runbook: "https://cve.example.org/1" },
    },
  },
  {
    name: "Quay, a build",
    firing: quayBuild("b1", { error_message: "unknown instruction: GIT" }),
    over: quayBuild("b2", { image_id: "sha256:0339", manifest_digests: ["quay.io/acme/gate@sha256:2a7a"] }),
    reads: {
      ...{ title: "Build of acme/gate failed", severity: "high", description: "unknown instruction: GIT" },
    },
  },
  {
    name: "Semgrep",
    firing: [
      {
        semgrep_finding: {
          ...{ id: "241dbe51", ref: "refs/heads/main", check_id: "log-exc-info", path: "gate/log.py" },
          ...{ line: 185, message: "Pass the exception on", severity: "high" },
          metadata: { "semgrep.url": "https://semgrep.example.org/s/1" },
        },
      },
    ],
    reads: {
      ...{ title: "log-exc-info in gate/log.py", severity: "high", description: "Pass the exception on" },
      runbook: "https://semgrep.example.org/s/1",
    },
  },
  {
    name: "Fleet, a policy",
    firing: {
      timestamp: "2026-05-01T10:00:00Z",
      policy: { id: 1, name: "Disks are encrypted", description: "All of them", critical: true },
      hosts: [{ id: 1, hostname: "mac-1", display_name: "Mac 1", url: "https://fleet.example.org/hosts/1" }],
    },
    reads: {
      ...{ title: "Disks are encrypted: Mac 1", severity: "high", hosts: ["mac-1"] },
      ...{ description: "All of them", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Fleet, a vulnerability",
    firing: {
      timestamp: "2026-05-01T10:00:00Z",
      vulnerability: {
        ...{ cve: "CVE-2026-1234", details_link: "https://nvd.example.org/CVE-2026-1234" },
        hosts_affected: [{ id: 1, hostname: "mac-1", url: "https://fleet.example.org/hosts/1" }],
      },
    },
    reads: { title: "CVE-2026-1234: mac-1", severity: "medium", hosts: ["mac-1"] },
  },
  {
    name: "Fleet, hosts that do not report",
    firing: {
      text: "More than 10.00% of your hosts have not checked into Fleet for more than 3 days.",
      data: { unseen_hosts: 1, total_hosts: 10, days_unseen: 3, host_ids: [1] },
    },
    reads: { title: "1 of 10 hosts not seen for 3 days", severity: "medium", monitoring_tool: "Fleet" },
  },
  {
    name: "Fleet, a maintenance window",
    firing: {
      ...{ timestamp: "2026-05-01T10:00:00Z", host_id: 11058, host_display_name: "Mac 2" },
      ...{ host_serial_number: "Z5C4L7GKY0", failing_policies: [{ id: 479, name: "Up to date" }] },
    },
    reads: { title: "Up to date: Mac 2", severity: "medium", hosts: ["Mac 2"] },
  },
  {
    name: "Pulse",
    firing: { alert: pulse, timestamp: 1777629600, source: "pulse-monitoring" },
    over: {
      ...{ event: "resolved", alerts: [pulse], count: 1, resolvedAt: 1777633200, alertId: pulse.id },
      source: "pulse-monitoring",
    },
    reads: {
      ...{ title: "gate: CPU usage exceeded 90%", severity: "critical", service: "gate", hosts: ["pve-1"] },
      ...{ monitoring_tool: "Pulse", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Diun",
    firing: {
      ...{ diun_version: "4.0.0", hostname: "nas", status: "new", provider: "docker" },
      ...{ image: "docker.io/acme/gate:latest", hub_link: "https://hub.example.org/acme/gate" },
      ...{ digest: "sha256:216e", created: "2026-05-01T10:00:00Z", platform: "linux/amd64" },
    },
    reads: { title: "docker.io/acme/gate:latest is new", severity: "info", hosts: ["nas"] },
  },
  {
    name: "Cisco SD-WAN",
    firing: interfaceOf(true, "8459e3a0", {}),
    over: interfaceOf(false, "7a514a95", { cleared_events: ["8459e3a0"] }),
    reads: {
      ...{ title: "Interface_State_Change: BR2", severity: "critical", service: "VPN", hosts: ["BR2"] },
      ...{ description: "The interface oper-state changed to down", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Grafana Incident",
    firing: incident("grafana.incident.created", "active"),
    over: incident("grafana.incident.updated.status", "resolved"),
    reads: {
      ...{ title: "The gate stays shut", severity: "critical", description: "Since ten" },
      ...{ monitoring_tool: "Grafana Incident", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Cronicle",
    firing: cronicle("j1", 1, "Exit code 1"),
    over: cronicle("j2", 0, "Success!"),
    reads: {
      ...{ title: "Nightly copy on job-1 failed", severity: "high", service: "Nightly copy" },
      ...{ hosts: ["job-1"], description: "Exit code 1", started_at: "2026-05-01T10:00:00.628Z" },
    },
  },
  {
    name: "Pulumi, an update",
    firing: pulumi({ updateUrl: "https://app.example.org/42", kind: "update", result: "failed" }),
    over: pulumi({ updateUrl: "https://app.example.org/43", kind: "update", result: "succeeded" }),
    reads: { title: "harbour/live: update failed", severity: "high", runbook: "https://app.example.org/42" },
  },
  {
    name: "Pulumi, a preview",
    firing: pulumi({
      updateUrl: "https://a.example.org/1",
      kind: "update",
      result: "failed",
      isPreview: true,
    }),
    over: pulumi({
      updateUrl: "https://a.example.org/2",
      kind: "update",
      result: "succeeded",
      isPreview: true,
    }),
    reads: { title: "harbour/live: preview of update failed", severity: "low" },
  },
  {
    name: "Pulumi, a deployment",
    firing: pulumi({ deploymentUrl: "https://a.example.org/1", operation: "update", status: "failed" }),
    over: pulumi({ deploymentUrl: "https://a.example.org/2", operation: "update", status: "succeeded" }),
    reads: { title: "harbour/live: deployment failed", severity: "high" },
  },
  {
    name: "Pulumi, a drift",
    firing: pulumi({ driftDetected: true, driftRunId: "11bf", status: "succeeded" }),
    over: pulumi({ driftDetected: false, driftRunId: "11c0", status: "succeeded" }),
    reads: { title: "harbour/live has drifted", severity: "medium", monitoring_tool: "Pulumi" },
  },
  {
    name: "VMware Aria Operations for Logs",
    firing: {
      ...{ AlertType: 1, AlertName: "Gate errors", SearchPeriod: 300000, HitCount: 0, HitOperator: 2 },
      messages: [{ text: "gate 3 is shut", timestamp: 1777629600000, fields: [] }],
      ...{ HasMoreResults: false, Url: "https://logs.example.org/1", Info: "See the guide", NumHits: 1 },
    },
    reads: { title: "Gate errors", description: "See the guide", runbook: "https://logs.example.org/1" },
  },
  {
    name: "Canarytokens",
    firing: {
      ...{ channel: "HTTP", token_type: "web", src_ip: "192.0.2.7", src_data: null, token: "ab12" },
      ...{ time: "2026-05-01 10:00:00 (UTC)", memo: "Folder of backups" },
      ...{ manage_url: "https://canary.example.org/manage", additional_data: { useragent: "curl/8" } },
    },
    reads: {
      ...{ title: "Canarytoken: Folder of backups", severity: "critical", hosts: ["192.0.2.7"] },
      ...{ description: "curl/8", runbook: "https://canary.example.org/manage" },
    },
  },
  {
    name: "Checkmate, a site",
    firing: checkmate("monitor_down", "down", "critical"),
    over: checkmate("monitor_up", "up", "success"),
    reads: {
      ...{ title: "Gate is down", severity: "critical", service: "Gate", monitoring_tool: "Checkmate" },
      ...{ hosts: ["https://gate.example.org"], started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Checkmate, a threshold",
    firing: checkmate("threshold_breach", "breached", "warning"),
    over: checkmate("threshold_resolved", "up", "success"),
    reads: { title: "Gate exceeds a threshold", severity: "low" },
  },
  {
    name: "StatusGator",
    firing: gator("warn"),
    over: gator("up"),
    reads: {
      ...{ title: "Papertrail: warn", severity: "low", service: "Papertrail" },
      ...{ runbook: "https://status.example.org", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Vigil",
    firing: vigil("dead", ["web:core:tcp://edge-3.example.org:80"]),
    over: vigil("healthy", []),
    reads: {
      ...{ title: "Harbour is dead: web:core:tcp://edge-3.example.org:80", severity: "critical" },
      ...{ service: "Harbour", runbook: "https://status.example.org/" },
    },
  },
  {
    name: "Moira",
    firing: moira(["gate.cpu", "ERROR", "OK"]),
    over: moira(["gate.cpu", "OK", "ERROR"]),
    reads: {
      ...{ title: "CPU: gate.cpu", severity: "critical", service: "CPU", description: "Too hot" },
      ...{ monitoring_tool: "Moira", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Suricata",
    firing: {
      ...{ timestamp: "2026-05-01T10:00:00.123456+0000", flow_id: 1, event_type: "alert", proto: "TCP" },
      ...{ src_ip: "192.0.2.7", src_port: 1041, dest_ip: "192.0.2.50", dest_port: 80 },
      alert: {
        ...{ action: "allowed", gid: 1, signature_id: 2001999, rev: 9, severity: 1 },
        ...{ signature: "ET MALWARE Spyware", category: "A Network Trojan was detected" },
      },
    },
    reads: {
      ...{ title: "ET MALWARE Spyware", severity: "high", hosts: ["192.0.2.50"] },
      ...{ description: "A Network Trojan was detected", started_at: "2026-05-01T10:00:00.123Z" },
    },
  },
  {
    name: "Omada",
    firing: {
      ...{ Site: "Harbour", Controller: "Omada Controller_347044", timestamp: 1777629600877 },
      ...{ description: "This is a webhook message from Omada Controller", shardSecret: "x" },
      text: ["[WAN1] of [gateway:98-03-8E] is down.\r", "[gateway:98-03-8E]: [WAN1] was offline.\r"],
    },
    reads: {
      ...{ title: "[WAN1] of [gateway:98-03-8E] is down.", severity: "medium", service: "Harbour" },
      ...{ description: "[gateway:98-03-8E]: [WAN1] was offline.", monitoring_tool: "Omada" },
    },
  },
  {
    name: "What's Up Docker",
    firing: {
      ...{ id: "31a61a83", name: "gate", watcher: "local", updateAvailable: true },
      ...{ image: { name: "acme/gate", tag: { value: "2026.6.4" } }, result: { tag: "2026.6.5" } },
    },
    reads: { title: "gate: update to 2026.6.5", severity: "info", service: "gate", hosts: ["local"] },
  },
  {
    name: "ThingsBoard",
    firing: thing("ACTIVE_UNACK"),
    seen: thing("ACTIVE_ACK"),
    over: thing("CLEARED_ACK"),
    reads: {
      ...{ title: "Overheating on Boiler 7", severity: "high", hosts: ["boiler-7"] },
      ...{ monitoring_tool: "ThingsBoard", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Cumulocity",
    firing: silent("ACTIVE"),
    seen: silent("ACKNOWLEDGED"),
    over: silent("CLEARED"),
    reads: {
      ...{ title: "No data received from the device within the required interval.", severity: "high" },
      ...{ hosts: ["Pump 7"], service: "c8y_UnavailabilityAlarm" },
    },
  },
  {
    name: "Laravel Nightwatch",
    firing: nightwatch("issue.opened"),
    over: nightwatch("issue.resolved"),
    reads: {
      ...{ title: "RuntimeException: no tide", severity: "high", description: "no tide" },
      ...{ runbook: "https://nightwatch.example.org/issues/7", monitoring_tool: "Laravel Nightwatch" },
    },
  },
  {
    name: "Laravel Nightwatch, an issue that comes back and is ignored",
    firing: nightwatch("issue.reopened"),
    over: nightwatch("issue.ignored"),
    reads: { title: "RuntimeException: no tide" },
  },
  {
    name: "LangSmith",
    firing: {
      ...{ project_name: "pilot", alert_rule_id: "550e8400", alert_rule_name: "Many errors" },
      ...{ alert_rule_type: "threshold", alert_rule_attribute: "error_count", triggered_metric_value: 47 },
      ...{ triggered_threshold: 10, timestamp: "2026-05-01T10:00:00Z" },
    },
    reads: { title: "Many errors: error_count", severity: "medium", service: "pilot" },
  },
  {
    name: "Fullstory",
    firing: {
      ...{ eventName: "metric.alert", version: 1 },
      data: {
        ...{ id: "a5fe758d", alertId: "gW3nrSpx", timestamp: "2026-05-01T10:00:00.0Z", value: 114 },
        notificationUrl: "https://app.example.org/alerts/gW3nrSpx",
        alertConfig: {
          ...{ alertName: "Uncaught exceptions", alertDescription: "Over 100 in an hour" },
          ...{ metricName: "Hourly exceptions", metricDescription: "Number of exceptions an hour." },
        },
      },
    },
    reads: {
      ...{ title: "Uncaught exceptions", severity: "medium", description: "Over 100 in an hour" },
      ...{ service: "Hourly exceptions", runbook: "https://app.example.org/alerts/gW3nrSpx" },
    },
  },
];
