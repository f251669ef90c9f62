/** Webhooks of known tools that are no alerts open none, and separate problems of a tool stay separate alerts. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { BUILDBOT, CACHET, HARNESS, TESTKUBE } from "../support/further-samples.ts";
import { moira } from "../support/run-samples.ts";
import { render } from "../support/search-samples.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const ask = async (path: string) => (await world.call(`${api}/${path}`, { as: "max" })).json;
const alertOf = (iid: number) => ask(`alert_management_alerts/${iid}`);

const repository = { full_name: "acme/rocket" };
const run = (action: string, status: string, conclusion: string | null) => ({
  ...{ action, repository },
  workflow_run: { ...{ id: 7, name: "CI", workflow_id: 9, head_branch: "main" }, status, conclusion },
});
const pagerDuty = (event_type: string, data: object) => ({
  event: {
    ...{ id: "5ac64822", event_type, resource_type: "incident" },
    occurred_at: "2026-05-01T10:00:00Z",
    data,
  },
});
const opsgenie = (action: string) => ({
  ...{ action, integrationName: "Gatehouse" },
  alert: { alertId: "a1", message: "Queue stands", alias: "queue", priority: "P2" },
});

const nagios = (NOTIFICATIONTYPE: string, SERVICESTATE: string) => ({
  ...{ NOTIFICATIONTYPE, HOSTNAME: "db-1", SERVICEDESC: "Disk /", SERVICESTATE, SERVICEOUTPUT: "8% free" },
});

const flux = (severity: string, reason: string, message: string) => ({
  involvedObject: { kind: "Kustomization", namespace: "live", name: "shop", uid: "7d0cdc51" },
  ...{ severity, reason, message, reportingController: "kustomize-controller" },
  timestamp: "2026-05-01T10:00:00Z",
});

/** Payloads as documented by the tools. */
const NOTICES: readonly [name: string, body: object][] = [
  ["GitHub's ping", { zen: "Keep it logically awesome.", hook_id: 1, hook: {}, repository }],
  ["a requested workflow run", run("requested", "queued", null)],
  ["a workflow run that started", run("in_progress", "in_progress", null)],
  ["a canceled workflow run", run("completed", "completed", "cancelled")],
  [
    "a build that started",
    { name: "rocket", build: { full_url: "https://ci.example.org/1", number: 1, phase: "STARTED" } },
  ],
  [
    "a build that was aborted",
    { name: "rocket", build: { number: 1, phase: "COMPLETED", status: "ABORTED", url: "job/rocket/1" } },
  ],
  ["PagerDuty's test", pagerDuty("pagey.ping", { message: "Hello from your friend Pagey!", type: "ping" })],
  [
    "a note on a PagerDuty incident, sent by its older webhooks",
    {
      messages: [
        {
          ...{ event: "incident.annotate", log_entries: [{ type: "annotate_log_entry" }] },
          incident: { id: "PRORDTY", title: "Quay 4 is dark", status: "triggered" },
        },
      ],
    },
  ],
  [
    "a note on a PagerDuty incident",
    pagerDuty("incident.annotated", { id: "PW", content: "Looking", incident: { id: "PGR0VU2" } }),
  ],
  ["a note on an Opsgenie alert", opsgenie("AddNote")],
  ["a tag on an Opsgenie alert", opsgenie("AddTags")],
  ["an Opsgenie alert whose acknowledgement was withdrawn", opsgenie("UnAcknowledge")],
  ["an Opsgenie alert that goes to the next", opsgenie("Escalate")],
  ...["silence", "unsilence", "unacknowledge"].map((type): [string, object] => [
    `${type} in Grafana OnCall`,
    { event: { type }, alert_group_id: "IABC", alert_group: { id: "IABC", title: "Queue stands" } },
  ]),
  [
    "a release in Bugsnag",
    {
      ...{
        account: { id: "1", name: "Acme" },
        project: { id: "2", name: "Shop" },
        release: { version: "1.2" },
      },
      trigger: { type: "release", message: "A new version was released" },
    },
  ],
  [
    "a comment on an error in Bugsnag",
    {
      ...{ project: { id: "2", name: "Shop" }, trigger: { type: "comment", message: "Dev commented" } },
      ...{ error: { errorId: "3", exceptionClass: "TypeError", status: "open" }, comment: { message: "x" } },
    },
  ],
  [
    "a paused snitch",
    { type: "snitch.paused", data: { snitch: { token: "c2354d53d2", name: "Mail", status: "paused" } } },
  ],
  [
    "a stopped build in Azure DevOps",
    {
      ...{
        subscriptionId: "a",
        eventType: "build.complete",
        publisherId: "tfs",
        message: { text: "Stopped" },
      },
      resource: { result: "canceled", status: "completed", definition: { id: 9 } },
    },
  ],
  [
    "a push to Azure DevOps",
    {
      subscriptionId: "a",
      eventType: "git.push",
      publisherId: "tfs",
      message: { text: "Pushed" },
      resource: {},
    },
  ],
  [
    "a canceled CircleCI workflow",
    {
      ...{ type: "workflow-completed", happened_at: "2026-05-01T10:00:00Z", webhook: {} },
      ...{ workflow: { name: "build", status: "canceled" }, project: { slug: "gh/acme/rocket" } },
    },
  ],
  ["CircleCI's test", { type: "ping", happened_at: "2026-05-01T10:00:00Z", webhook: { id: "a" } }],
  [
    "Buildkite's ping",
    { event: "ping", service: { id: "s" }, organization: { id: "o" }, sender: { id: "u" } },
  ],
  [
    "a Buildkite build that started",
    { event: "build.running", build: { state: "running" }, pipeline: { slug: "rocket" }, sender: {} },
  ],
  [
    "a TeamCity build that started",
    { eventType: "BUILD_STARTED", payload: { buildTypeId: "Rocket", status: "SUCCESS" } },
  ],
  [
    "a Terraform plan",
    {
      ...{ notification_configuration_id: "nc", workspace_name: "live" },
      notifications: [{ message: "Run Planning", trigger: "run:planning", run_status: "planning" }],
    },
  ],
  [
    "Terraform's test",
    {
      ...{ notification_configuration_id: "nc", workspace_name: null },
      notifications: [{ message: "Verification of Live", trigger: "verification", run_status: null }],
    },
  ],
  [
    "an AWX job that started",
    {
      ...{ id: 1, name: "Plays", url: "https://awx.example.org", status: "running", created_by: "dev" },
      traceback: "",
    },
  ],
  [
    "a Rundeck job that started",
    { trigger: "start", status: "running", executionId: 1, execution: { project: "yard" } },
  ],
  [
    "a Vercel deployment that started",
    { type: "deployment.created", createdAt: 1777629600000, payload: { deployment: { name: "shop" } } },
  ],
  ["a Netlify deploy that started", { site_id: "s", state: "building", build_id: "b", name: "shop" }],
  ...[null, "Fix header"].map((title): [string, object] => [
    `a Netlify deploy that started, with the title ${title}`,
    { site_id: "s", state: "building", build_id: "b", name: "shop", title },
  ]),
  [
    "a canary in progress",
    { name: "shop", namespace: "live", phase: "Progressing", metadata: { eventMessage: "10 %" } },
  ],
  ["an image pushed to Harbor", { type: "PUSH_ARTIFACT", occur_at: 1777629600, event_data: {} }],
  [
    "a bill of materials in Dependency-Track",
    {
      notification: { level: "INFORMATIONAL", group: "BOM_PROCESSED", title: "Bill of Materials Processed" },
    },
  ],
  [
    "a Snyk project without new issues",
    { project: { name: "rocket", browseUrl: "https://s" }, newIssues: [], removedIssues: [{}] },
  ],
  [
    "a Google Cloud budget that is not exceeded",
    {
      budgetDisplayName: "Live",
      costAmount: 10,
      budgetAmount: 100,
      costIntervalStart: "2026-05-01T00:00:00Z",
    },
  ],
  [
    "a NinjaOne action",
    { activityType: "ACTIONSET", statusCode: "START_REQUESTED", deviceId: 1, activityTime: 1777629600 },
  ],
  [
    "a film downloaded by Radarr",
    { eventType: "Download", instanceName: "Radarr", movie: { title: "Metropolis" } },
  ],
  ["a deploy in Rollbar", { event_name: "deploy", data: { deploy: { id: 1, environment: "production" } } }],
  ["Rollbar's test", { event_name: "test", data: { message: "This is a test payload from Rollbar." } }],
  [
    "a deploy in Honeybadger",
    { event: "deployed", message: "[Rocket] deployed", project: { id: 3, name: "Rocket" }, deploy: {} },
  ],
  [
    "a running GitLab pipeline",
    {
      ...{ object_kind: "pipeline", object_attributes: { id: 31, ref: "main", status: "running" } },
      project: { path_with_namespace: "acme/rocket" },
    },
  ],
  [
    "an Argo CD sync that started, in Slack's format",
    {
      text: "The sync operation of application wiki has started at 2026-05-01T10:00:00Z.\nSync operation details",
      attachments: [
        { title: "wiki", color: "#0DADEA", fields: [{ title: "Sync Status", value: "Unknown" }] },
      ],
    },
  ],
  ["a configuration applied by Flux", flux("info", "Progressing", "Deployment/live/shop configured")],
  ["a chart created by Flux", flux("info", "info", "HelmChart/live/shop created")],
  ["a downtime that starts in Nagios", nagios("DOWNTIMESTART", "OK")],
  ["a downtime canceled in Icinga", nagios("DOWNTIMECANCELLED", "CRITICAL")],
  ["a flapping Nagios service in state OK", nagios("FLAPPINGSTART", "OK")],
  [
    "a process discovered by Instana",
    { issue: { id: "5365", type: "presence", start: 1777629600000, text: "online", fqdn: "host1" } },
  ],
  ...["branch.ready", "deploy_request.opened", "backup.succeeded", "webhook.test"].map(
    (event): [string, object] => [
      `PlanetScale's ${event}`,
      { timestamp: 1777629600, event, organization: "acme", database: "shop", resource: { name: "main" } },
    ],
  ),
  [
    "a downtime in Icinga",
    {
      contact: { full_name: "icingaadmin" },
      object: { name: "db-1!disk", tags: { host: "db-1", service: "disk" } },
      incident: { id: 7, severity: "crit" },
      event: { time: "2026-05-01T10:00:00Z", type: "downtime-start", message: "" },
    },
  ],
  [
    "a running Rubrik job",
    {
      ...{ summary: "Backup of db-1 runs", severity: "info", class: "Backup" },
      custom_details: { seriesId: "s1", status: "Running", objectId: "o", objectName: "db-1" },
    },
  ],
  [
    "a deployment that Railway builds",
    {
      ...{ type: "Deployment.building", details: {}, severity: "INFO", timestamp: "2026-05-01T10:00:00Z" },
      resource: { project: { id: "p1", name: "harbour" }, service: { id: "s1", name: "gate" } },
    },
  ],
  [
    "a run that Spacelift plans",
    {
      ...{ account: "acme", state: "PLANNING", stateVersion: 2, timestamp: 1777629600 },
      ...{ run: { id: "01EF", type: "TRACKED" }, stack: { id: "quay-3", name: "Quay 3" } },
    },
  ],
  [
    "a build that was cancelled at Expo",
    {
      ...{ id: "1", accountName: "acme", projectName: "tides", appId: "b", platform: "ios" },
      ...{ status: "canceled", buildDetailsPageUrl: "https://expo.example.org/1" },
    },
  ],
  [
    "a build that Google Cloud works on",
    {
      ...{ id: "b1", status: "WORKING", projectId: "live", buildTriggerId: "5a1" },
      ...{ createTime: "2026-05-01T10:00:00Z", logUrl: "https://build.example.org/b1" },
    },
  ],
  ...[{ updated_tags: ["latest"] }, { build_id: "b1", docker_tags: ["latest"] }].map(
    (more, place): [string, object] => [
      `what Quay tells besides, ${place}`,
      { name: "gate", repository: "acme/gate", namespace: "acme", docker_url: "quay.io/acme/gate", ...more },
    ],
  ),
  ["a scan of Semgrep", { semgrep_scan: { id: "x", repository: "acme/gate", exit_code: null } }],
  [
    "a deployment that Coroot saw",
    {
      ...{ status: "Deployed", application: "default:Deployment:gate", version: "1b: gate:v1" },
      ...{ summary: ["Memory: as before"], url: "https://coroot.example.org/1" },
    },
  ],
  ...["EC2_INSTANCE_LAUNCH", "TEST_NOTIFICATION"].map((event): [string, object] => [
    `Auto Scaling's ${event}`,
    {
      ...{ Service: "AWS Auto Scaling", Event: `autoscaling:${event}`, AccountId: "1" },
      ...{ AutoScalingGroupName: "gates", RequestId: "r", Time: "2026-05-01T10:00:00.000Z" },
    },
  ]),
  [
    "that Azure scaled",
    {
      ...{ version: "1.0", status: "Activated", operation: "Scale Out" },
      context: {
        ...{ name: "Settings", resourceName: "Plan", oldCapacity: "1", newCapacity: "2" },
        details: "Autoscale successfully started scale operation for resource 'Plan'",
      },
    },
  ],
  [
    "a job that Cronicle began",
    {
      ...{ action: "job_start", event: "3c182051", event_title: "Nightly copy", hostname: "job-1" },
      text: "Job started on job-1: Nightly copy",
    },
  ],
  ...[{ action: "created" }, { deploymentUrl: "https://app.example.org/1", status: "running" }].map(
    (more, place): [string, object] => [
      `what Pulumi tells besides, ${place}`,
      { organization: { githubLogin: "acme" }, projectName: "harbour", stackName: "live", ...more },
    ],
  ),
  [
    "maintenance that StatusGator announces",
    {
      ...{ service_name: "Papertrail", status_page_url: "https://status.example.org" },
      ...{ current_status: "maintenance", last_status: "up", occurred_at: "2026-05-01T10:00:00+00:00" },
    },
  ],
  [
    "a connection that Suricata saw",
    {
      ...{ timestamp: "2026-05-01T10:00:00.123456+0000", flow_id: 1, event_type: "flow", proto: "TCP" },
      ...{ src_ip: "192.0.2.7", dest_ip: "192.0.2.50", flow: { state: "closed" } },
    },
  ],
  ["Omada's test", { description: "This is a webhook test message", shardSecret: "x" }],
  [
    "the test of Canarytokens",
    {
      ...{ channel: "HTTP", token: "a+test+token", memo: "Congrats! The newly saved webhook works" },
      ...{ manage_url: "http://example.com/test/url/for/webhook", time: "2026-05-01 10:00:00 (UTC)" },
    },
  ],
  [
    "Kopia's test",
    {
      ...{ message: "This is a test notification from Kopia.", kopiaVersion: "v0.22", hostname: "nas" },
      ...{ kopiaBuildInfo: "x", kopiaRepo: "kopia/kopia" },
    },
  ],
  ["a build of Buildbot that started", BUILDBOT(null, "starting")],
  ["a build of Buildbot that was cancelled", BUILDBOT(6, "cancelled")],
  [
    "a sync of Airweave that started",
    {
      ...{ event_type: "sync.running", job_id: "550e", collection_readable_id: "f", status: "running" },
      ...{ collection_name: "Finance", source_connection_id: "660e", source_type: "notion" },
    },
  ],
  ["a test of Testkube that started", TESTKUBE("start-testworkflow")],
  ["a pipeline of Harness that started", HARNESS("PipelineStart")],
  [
    "an issue of Dash0 whose rule was edited",
    { type: "alert.superseded", data: { issue: { issueIdentifier: "6" } } },
  ],
  ["GoAlert's test", { AppName: "GoAlert", Type: "Test" }],
  ["GoAlert's code for an address", { AppName: "GoAlert", Type: "Verification", Code: "123456" }],
  [
    "who is on call in GoAlert",
    { AppName: "GoAlert", Type: "ScheduleOnCallUsers", ScheduleName: "Cranes", Users: [{ Name: "Ada" }] },
  ],
  ["a component of Cachet", CACHET("component", 2)],
  ["a component of Cachet that was deleted", CACHET("component", 2, "deleted")],
  ["a value of a metric of Cachet", CACHET("metric_point", 2, "created")],
  [
    "maintenance on a status page of Better Stack",
    {
      ...{ event_type: "maintenance", meta: { unsubscribe: "https://status.example.org/u" } },
      page: { id: "1", status_indicator: "operational", status_description: "All is well" },
    },
  ],
];

describe("messages of known tools that are no alerts (decision 0124)", () => {
  for (const [name, body] of NOTICES) {
    test(`${name} opens no alert, and the receipt says why (decision 0124)`, async () => {
      const before = (await ask("alert_management_alerts/counts")).all;
      const reply = await source.send(body);
      assert.deepEqual([reply.status, reply.json], [200, []], reply.text);
      assert.equal((await ask("alert_management_alerts/counts")).all, before);
      const { decision, warnings } = await ask(`alert_receipts/${reply.headers.get("x-alert-receipt")}`);
      assert.equal(decision, "nothing");
      assert.match(warnings.join(" "), /tells of something that is no alert/);
    });
  }

  test("a note added after an alert was closed does not open it again (decision 0124)", async () => {
    const [{ iid }] = (await source.send(opsgenie("Create"))).json;
    await source.send(opsgenie("Close"));
    assert.deepEqual((await source.send(opsgenie("AddNote"))).json, []);
    const { status, events } = await alertOf(iid);
    assert.deepEqual([status, events], ["resolved", 1]);
  });

  test("the same payload with a title is a payload in the service's format (spec: Alert payload title)", async () => {
    const reply = await source.send({ title: "Build is stuck", ...opsgenie("AddNote") });
    assert.equal(reply.json[0].title, "Build is stuck");
  });
});

test("payloads that only resemble such messages open alerts (decision 0124)", async () => {
  for (const body of [
    { eventType: "alarm", instanceName: "db-1", message: "Replica is behind" },
    { type: "REPLICATION", occur_at: 1777629600, event_data: { replication: { job_status: "Failed" } } },
    {
      ...{ activityType: "ACTIONSET", statusCode: "COMPLETED", deviceId: 1, activityTime: 1777629600 },
      activityResult: "FAILURE",
    },
    { source: "own", severity: "high", resource: "r", type: "t" },
    { object_kind: "access_token", event_name: "expiring_access_token", project: { id: 1 } },
    {
      ...{ event: "alert.triggered", created_at: "2026-05-01T10:00:00Z" },
      data: { id: "1", resource: "server-1", attributes: { severity: "critical" } },
    },
    {
      ...{ event: "alert.triggered", created_at: "2026-05-01T10:00:00Z" },
      data: { id: "2", resource: "component", attributes: { severity: "critical" } },
    },
    { app_name: "checkout", type: "Verification", message: "Verification service is down" },
    { app_name: "checkout", type: "Test", severity: "high" },
  ]) {
    const reply = await source.send(body);
    assert.equal(reply.json.length, 1, JSON.stringify(body));
  }
});

test("updown.io's downtime, certificate and performance alerts are separate and resolve separately (decision 0124)", async () => {
  const updown = (event: string) => [
    {
      ...{ event, time: new Date().toISOString(), description: `${event} of the shop` },
      check: { token: "ngg8", url: "https://shop.example.org", alias: "Shop" },
    },
  ];
  const iidOf = async (event: string) => (await source.send(updown(event))).json[0]?.iid;
  const certificate = await iidOf("check.ssl_expiration");
  const site = await iidOf("check.down");
  const slow = await iidOf("check.performance_drop");
  assert.equal(new Set([certificate, site, slow]).size, 3);
  const severities = await Promise.all(
    [certificate, site, slow].map(async (iid) => (await alertOf(iid)).severity),
  );
  assert.deepEqual(severities, ["medium", "critical", "low"]);
  assert.equal(await iidOf("check.up"), site);
  assert.equal((await alertOf(certificate)).status, "triggered");
  assert.equal(await iidOf("check.ssl_renewed"), certificate);
});

test("Nagios notifications of other types follow their state: OK opens nothing and resolves an open alert (decision 0124)", async () => {
  assert.deepEqual((await source.send(nagios("CUSTOM", "OK"))).json, []);
  assert.deepEqual((await source.send(nagios("FLAPPINGSTOP", "OK"))).json, []);
  const [{ iid }] = (await source.send(nagios("PROBLEM", "CRITICAL"))).json;
  assert.equal((await source.send(nagios("CUSTOM", "CRITICAL"))).json[0].iid, iid);
  await source.send(nagios("DOWNTIMESTART", "CRITICAL"));
  assert.deepEqual([(await alertOf(iid)).status, (await alertOf(iid)).events], ["triggered", 2]);
  // Nagios sends no recovery while a service is flapping.
  await source.send(nagios("FLAPPINGSTOP", "OK"));
  assert.equal((await alertOf(iid)).status, "resolved");
});

test("two applications under one rule of Coroot are separate alerts and resolve separately (decision 0124)", async () => {
  const coroot = (status: string, name: string) => ({
    ...{ status, application: `default:Deployment:${name}`, rule_name: "Low memory", summary: "90 %" },
    ...{ project_name: "live", severity: "warning", url: "https://coroot.example.org/1" },
  });
  const [first] = (await source.send(coroot("WARNING", "gate"))).json;
  const [second] = (await source.send(coroot("CRITICAL", "crane"))).json;
  assert.notEqual(first.iid, second.iid);
  assert.equal((await source.send(coroot("OK", "crane"))).json[0].iid, second.iid);
  assert.equal((await alertOf(first.iid)).status, "triggered");
});

test("each alert in a list of Pulse is an alert of its own, and its recovery resolves those it names (decision 0124)", async () => {
  const one = (id: string, level: string) => ({
    ...{ id, type: "disk", level, resourceName: `disk of ${id}`, node: "pve-1", message: "Almost full" },
  });
  const alerts = [one("a", "critical"), one("b", "warning")];
  const sent = { alerts, count: 2, timestamp: 1777629600, source: "pulse-monitoring", grouped: true };
  const [first, second] = (await source.send(sent)).json;
  assert.deepEqual([first.title, second.title], ["disk of a: Almost full", "disk of b: Almost full"]);
  const over = { event: "resolved", alerts: alerts.slice(1), count: 1, resolvedAt: 1777633200 };
  assert.deepEqual((await source.send({ ...over, source: "pulse-monitoring" })).json, [second]);
  assert.equal((await alertOf(first.iid)).status, "triggered");
  assert.equal((await alertOf(second.iid)).ended_at, "2026-05-01T11:00:00.000Z");
});

test("each metric in a message of Moira is an alert of its own, and a message without any is no list (decision 0124)", async () => {
  const reply = await source.send(moira(["a.disk", "WARN", "OK"], ["b.disk", "NODATA", "OK"]));
  const [first, second] = reply.json;
  assert.deepEqual([first.title, second.title], ["CPU: a.disk", "CPU: b.disk"]);
  const severities = [(await alertOf(first.iid)).severity, (await alertOf(second.iid)).severity];
  assert.deepEqual(severities, ["low", "unknown"]);
  assert.deepEqual((await source.send(moira(["b.disk", "OK", "NODATA"]))).json, [second]);
  assert.equal((await alertOf(first.iid)).status, "triggered");
  assert.deepEqual((await source.send(moira(["x", "TEST", "TEST"]))).json, []);
  assert.equal((await source.send(moira())).json.length, 1);
});

test("resources under one Azure metric rule without common schema are separate alerts and resolve separately (decision 0124)", async () => {
  const metric = (status: string, resourceId: string) => ({
    schemaId: "AzureMonitorMetricAlert",
    data: { status, context: { id: "/subscriptions/s/metricAlerts/cpu", name: "CPU", resourceId } },
  });
  const [first] = (await source.send(metric("Activated", "/vm/1"))).json;
  const [second] = (await source.send(metric("Activated", "/vm/2"))).json;
  assert.notEqual(first.iid, second.iid);
  assert.equal((await source.send(metric("Deactivated", "/vm/2"))).json[0].iid, second.iid);
  assert.equal((await alertOf(first.iid)).status, "triggered");
});

test("an Azure alert with custom properties of any name resolves (decision 0124)", async () => {
  const query = (monitorCondition: string, property: string) => ({
    schemaId: "azureMonitorCommonAlertSchema",
    data: {
      essentials: {
        ...{ alertId: `/alerts/${property}`, alertRule: "Orders", severity: "Sev1", signalType: "Log" },
        ...{ monitorCondition, monitoringService: "Log Alerts V2" },
      },
      alertContext: { properties: { [property]: "T-1" }, conditionType: "LogQueryCriteria" },
    },
  });
  for (const property of ["trackingId", "currentHealthStatus"]) {
    const [{ iid }] = (await source.send(query("Fired", property))).json;
    await source.send(query("Resolved", property));
    assert.equal((await alertOf(iid)).status, "resolved");
  }
});

test("Jenkins builds of other projects and InfluxDB checks with other tags do not resolve an alert (decision 0124)", async () => {
  const build = (project: string, status: string) => ({
    ...{ name: "main", display_name: "main", url: `job/${project}/job/main/` },
    build: { full_url: `https://ci.example.org/${project}`, number: 1, phase: "COMPLETED", status },
  });
  const disk = (path: string, _level: string) => ({
    ...{ _check_id: "06f", _check_name: "Disk", _level, _message: "disk", _source_measurement: "disk" },
    ...{ host: "db-1", path, used_percent: Math.random() },
  });
  for (const [fails, recovers] of [
    [build("anchor", "FAILURE"), build("buoy", "SUCCESS")],
    [disk("/", "crit"), disk("/home", "ok")],
  ]) {
    const [{ iid }] = (await source.send(fails)).json;
    assert.deepEqual((await source.send(recovers)).json, []);
    assert.equal((await alertOf(iid)).status, "triggered");
  }
});

test("measured values of an InfluxDB check are not part of its alert's identity (decision 0124)", async () => {
  const check = (cpu: number, _level: string) => ({
    ...{ _check_id: "07a", _check_name: "Load", _level, _message: "load", host: "db-1", cpu },
  });
  const [{ iid }] = (await source.send(check(93.1, "crit"))).json;
  assert.equal((await source.send(check(95.4, "crit"))).json[0].iid, iid);
  assert.equal((await source.send(check(12, "ok"))).json[0]?.iid, iid);
});

test("an EventBridge success resolves the alert of its own job, stage, finding, check or build only (decision 0124)", async () => {
  const event = (kind: string, resources: string[], detail: object) => ({
    ...{ version: "0", id: `${Math.random()}`, "detail-type": kind, source: `aws.${kind}`, account: "1" },
    ...{ time: "2026-05-01T10:00:00Z", region: "eu-west-1", resources, detail },
  });
  const glue = (jobName: string, state: string) => event("Glue Job State Change", [], { jobName, state });
  const stage = (stage: string, state: string) =>
    event("CodePipeline Stage Execution State Change", ["arn:p"], { pipeline: "p", stage, state });
  const finding = (findingArn: string, status: string) =>
    event("Inspector2 Finding", ["i-1"], { findingArn, status });
  const check = (resource_id: string, status: string) =>
    event("Trusted Advisor Check", [], { "check-name": "Open ports", resource_id, status });
  const build = (project: string, status: string) =>
    event("CodeBuild Build State Change", [`arn:build/${project}:${Math.random()}`], {
      ...{ "project-name": project, "build-status": status },
    });
  for (const [begins, others, ends] of [
    [glue("a", "FAILED"), glue("b", "SUCCEEDED"), glue("a", "SUCCEEDED")],
    [stage("Build", "FAILED"), stage("Source", "SUCCEEDED"), stage("Build", "SUCCEEDED")],
    [finding("f-1", "ACTIVE"), finding("f-2", "CLOSED"), finding("f-1", "CLOSED")],
    [check("sg-1", "ERROR"), check("sg-2", "OK"), check("sg-1", "OK")],
    [build("a", "FAILED"), build("b", "SUCCEEDED"), build("a", "SUCCEEDED")],
  ] as const) {
    const [{ iid }] = (await source.send(begins)).json;
    assert.deepEqual((await source.send(others)).json, [], begins["detail-type"]);
    assert.equal((await source.send(ends)).json[0]?.iid, iid, begins["detail-type"]);
  }
});

const zabbix = (more: object) => ({
  ...{ event_id: "6931", event_value: "1", event_nseverity: "4", host_name: "web-1", trigger_id: "17" },
  ...{ alert_subject: "Problem: High CPU", alert_message: "load 9", event_update_status: "0", ...more },
});

test("Zabbix updates by users acknowledge an open alert and open none (decisions 0124, 0141)", async () => {
  const update = (event_update_action: string, more: object = {}) =>
    zabbix({ event_update_status: "1", event_update_action, ...more });
  assert.deepEqual((await source.send(update("acknowledged"))).json, []);
  const [{ iid }] = (await source.send(zabbix({}))).json;
  await source.send(update("unacknowledged"));
  assert.deepEqual([(await alertOf(iid)).status, (await alertOf(iid)).events], ["triggered", 2]);
  await source.send(update("changed severity from High to Disaster", { event_nseverity: "5" }));
  assert.deepEqual([(await alertOf(iid)).severity, (await alertOf(iid)).events], ["critical", 3]);
  assert.equal((await source.send(update("acknowledged, commented"))).json[0]?.iid, iid);
  assert.deepEqual([(await alertOf(iid)).status, (await alertOf(iid)).events], ["acknowledged", 3]);
  await source.send(update("closed", { event_value: "0" }));
  assert.equal((await alertOf(iid)).status, "resolved");
});

test("Zabbix webhooks are recognized by default parameters and by macros of trigger or event (decision 0124)", async () => {
  for (const [name, parts, problem, over] of [
    [
      "as a new one",
      { To: "ops", Subject: "High CPU", Message: "load 9", event_severity: "Average" },
      { event_value: "1" },
      { event_value: "0" },
    ],
    [
      "the trigger",
      { trigger_name: "High CPU", trigger_severity: "Average", host_name: "web-1" },
      { trigger_status: "PROBLEM" },
      { trigger_status: "OK" },
    ],
    [
      "the event",
      { event_name: "High CPU", event_severity: "Average", host_name: "web-1" },
      { event_status: "PROBLEM" },
      { event_status: "RESOLVED" },
    ],
    [
      "a discovery, which has no macros of an event",
      { event_name: "{EVENT.NAME}", alert_subject: "High CPU", host_name: "*UNKNOWN*", event_severity: "3" },
      { event_value: "1" },
      { event_value: "0" },
    ],
  ] as const) {
    const event_id = `${name}`;
    const [{ iid }] = (await source.send({ event_id, ...parts, ...problem })).json;
    const { title, severity, monitoring_tool, hosts } = await alertOf(iid);
    assert.deepEqual([title, severity, monitoring_tool], ["High CPU", "medium", "Zabbix"], name);
    assert.deepEqual(hosts, "host_name" in parts && parts.host_name === "web-1" ? ["web-1"] : [], name);
    assert.equal((await source.send({ event_id, ...parts, ...over })).json[0]?.iid, iid, name);
    assert.equal((await alertOf(iid)).status, "resolved", name);
  }
});

test("Flux progress neither counts on nor resolves an open alert, while DependencyNotReady counts (decision 0124)", async () => {
  const [{ iid }] = (await source.send(flux("error", "HealthCheckFailed", "timeout"))).json;
  assert.deepEqual((await source.send(flux("info", "Progressing", "Deployment configured"))).json, []);
  assert.deepEqual([(await alertOf(iid)).status, (await alertOf(iid)).events], ["triggered", 1]);
  assert.equal((await source.send(flux("info", "DependencyNotReady", "not ready"))).json[0]?.iid, iid);
  await source.send(flux("info", "ReconciliationSucceeded", "Reconciliation finished in 1s"));
  assert.equal((await alertOf(iid)).status, "resolved");
});

test("a Security Hub finding resolves when it is resolved, suppressed or archived, or its check passes (decision 0124)", async () => {
  const finding = (Id: string, more: object = {}) => ({
    ...{ version: "0", id: `${Math.random()}`, "detail-type": "Security Hub Findings - Imported" },
    ...{ source: "aws.securityhub", account: "1", region: "eu-west-1", time: "2026-05-01T10:00:00Z" },
    resources: [`arn:finding/${Id}/${Math.random()}`],
    detail: {
      findings: [
        {
          ...{ Id, Title: "Bucket is public", Description: "Anybody reads it", ProductName: "Security Hub" },
          ...{ Severity: { Label: "HIGH", Normalized: 70 }, Resources: [{ Id: "arn:aws:s3:::logs" }] },
          ...{ RecordState: "ACTIVE", Workflow: { Status: "NEW" }, Compliance: { Status: "FAILED" } },
          ...more,
        },
      ],
    },
  });
  for (const [id, over] of [
    ["a", { Workflow: { Status: "RESOLVED" } }],
    ["b", { Workflow: { Status: "SUPPRESSED" } }],
    ["c", { RecordState: "ARCHIVED" }],
    ["d", { Compliance: { Status: "PASSED" } }],
  ] as const) {
    assert.deepEqual((await source.send(finding(id, over))).json, [], id);
    const [{ iid }] = (await source.send(finding(id))).json;
    assert.equal((await source.send(finding(id))).json[0].iid, iid, id);
    const { title, description, severity, service, hosts } = await alertOf(iid);
    assert.deepEqual(
      [title, description, severity, service, hosts],
      ["Bucket is public", "Anybody reads it", "high", "Security Hub", ["arn:aws:s3:::logs"]],
    );
    assert.equal((await source.send(finding(id, over))).json[0]?.iid, iid, id);
    assert.equal((await alertOf(iid)).status, "resolved", id);
  }
});

test("Security Hub findings sent in one event are separate alerts (decision 0124)", async () => {
  const finding = (Id: string, Label: string) => ({
    ...{ Id, Title: `Finding ${Id}`, Description: "x", ProductName: "GuardDuty", Severity: { Label } },
    ...{ Workflow: { Status: "NEW" }, RecordState: "ACTIVE", Resources: [{ Id: `arn:${Id}` }] },
  });
  const event = (...findings: object[]) => ({
    ...{ version: "0", id: "e", "detail-type": "Security Hub Findings - Custom Action", account: "1" },
    ...{ source: "aws.securityhub", region: "eu-west-1", time: "2026-05-01T10:00:00Z" },
    resources: ["arn:aws:securityhub:eu-west-1:1:action/custom/page"],
    detail: { actionName: "page", actionDescription: "Page somebody", findings },
  });
  const told = (await source.send(event(finding("one", "LOW"), finding("two", "CRITICAL")))).json;
  const read = await Promise.all(told.map(({ iid }: { iid: number }) => alertOf(iid)));
  assert.deepEqual(
    read.map(({ title, severity, hosts }) => [title, severity, hosts]),
    [
      ["Finding one", "low", ["arn:one"]],
      ["Finding two", "critical", ["arn:two"]],
    ],
  );
  // Sent alone it is the same alert.
  assert.equal((await source.send(event(finding("two", "CRITICAL")))).json[0].iid, told[1].iid);
});

test("maintenance scheduled on a status page opens no alert before it starts (decision 0124)", async () => {
  const maintenance = (status: string) => ({
    page: { id: "p9", status_indicator: "none" },
    incident: { id: "m1", name: "New switches", status, impact: "maintenance", incident_updates: [] },
  });
  assert.deepEqual((await source.send(maintenance("scheduled"))).json, []);
  const [{ iid }] = (await source.send(maintenance("in_progress"))).json;
  assert.deepEqual((await source.send(maintenance("scheduled"))).json, []);
  assert.equal((await source.send(maintenance("completed"))).json[0].iid, iid);
  const instatus = {
    page: { id: "p8" },
    maintenance: { id: "i1", name: "x", status: "NOTSTARTEDYET", impact: "UNDERMAINTENANCE" },
  };
  assert.deepEqual((await source.send(instatus)).json, []);
});

test("other events than failures of Heroku, Render, dbt, Fivetran and Databricks open no alert (decision 0124)", async () => {
  const heroku = (include: string, data: object) => ({
    ...{ action: "create", resource: include.replace("api:", ""), data: { app: { name: "shop" }, ...data } },
    webhook_metadata: { event: { id: "e", include } },
  });
  for (const body of [
    heroku("api:release", { status: "pending", version: 3 }),
    heroku("api:addon", { name: "pg-1", state: "provisioned" }),
    heroku("dyno", { name: "web.1", state: "starting" }),
    { eventType: "job.run.started", data: { jobId: "1", runId: "2", runStatus: "Running" } },
    { event: "test_event", created: "x", connector_type: "_type", connector_id: "_1", group_id: "_g" },
    ...["deploy_started", "server_restarted", "maintenance_ended", "key_value_config_restart"].map((type) =>
      render(type),
    ),
    ...["postgres_created", "postgres_backup_started", "plan_changed"].map((type) => render(type)),
    render("deploy_ended", "canceled"),
    { event_type: "jobs.on_start", workspace_id: "w", run: { run_id: "1" }, job: { job_id: "1" } },
  ])
    assert.deepEqual((await source.send(body)).json, [], JSON.stringify(body));
});

test('a notification_type of "Downtime" alone is not taken for a Nagios downtime (decision 0124)', async () => {
  const [alert] = (await source.send({ notification_type: "Downtime", host: "shop-7" })).json;
  assert.ok(alert.iid > 0);
});

test("severity levels of known tools are mapped without a warning (decision 0124)", async () => {
  const wazuh = {
    ...{ timestamp: "2026-05-01T10:00:00.000+0000", rule: { level: 13, description: "Rootkit", id: "510" } },
    ...{ agent: { id: "001", name: "web1" }, full_log: "x", location: "rootcheck" },
  };
  const rollbar = {
    event_name: "new_item",
    data: { item: { id: 9, title: "TypeError", level: 30, framework: 0, platform: 0 } },
  };
  const guardDuty = (level: number) => ({
    ...{ version: "0", id: `g${level}`, "detail-type": "GuardDuty Finding", source: "aws.guardduty" },
    ...{ account: "111122223333", time: "2026-05-01T10:00:00Z", region: "eu-west-1", resources: [] },
    detail: { id: `f${level}`, type: "Recon:EC2/Portscan", severity: level, title: "A port scan" },
  });
  const kibana = {
    ...{ rule: { id: "r1", name: "CPU" }, alert: { id: "host-1", actionGroup: "threshold met" } },
    ...{ context: { message: "CPU is high" }, date: "2026-05-01T10:00:00Z" },
  };
  for (const [body, severity] of [
    [guardDuty(2), "low"],
    [guardDuty(5), "medium"],
    [guardDuty(8), "high"],
    [kibana, "critical"],
    [wazuh, "critical"],
    [rollbar, "low"],
  ] as const) {
    const reply = await source.send(body);
    const alert = await alertOf(reply.json[0].iid);
    assert.equal(alert.severity, severity);
    const { warnings } = await ask(`alert_receipts/${reply.headers.get("x-alert-receipt")}`);
    assert.deepEqual(warnings, []);
  }
});

test("nodes under one SolarWinds alert are separate alerts and resolve separately (decision 0124)", async () => {
  const orion = (host: string, more: object = {}) => ({
    ...{ alert_id: "42", alert_name: "High CPU", alert_severity: "Critical", host, object: host },
    ...{ alert_details_url: "https://orion.example.org/a", object_type: "Node", ...more },
  });
  const [first] = (await source.send(orion("n-1"))).json;
  const [second] = (await source.send(orion("n-2"))).json;
  assert.notEqual(first.iid, second.iid);
  assert.equal((await source.send(orion("n-2", { reset: "true" }))).json[0].iid, second.iid);
  assert.equal((await alertOf(first.iid)).status, "triggered");
});

test("other CI, incident and node events open no alert, and separate problems are neither merged nor resolved by each other (decision 0124)", async () => {
  const octopus = (Category: string, deployment: string, ...more: string[]) => ({
    EventType: "SubscriptionPayload",
    Payload: {
      Event: {
        ...{ Category, SpaceId: "Spaces-1", Message: `${Category} of ${deployment}` },
        RelatedDocumentIds: [
          `Deployments-${deployment}`,
          "Projects-9",
          "Releases-1",
          "Environments-9",
          ...more,
        ],
      },
    },
  });
  const rootly = (type: string) => ({ event: { id: "e", type, issued_at: "2026-05-01T10:00:00Z" } });
  const node = (type: string, nodeID: string) => [
    { ...{ version: 1, type, tailnet: "a", message: `${type} ${nodeID}` }, data: { nodeID } },
  ];
  for (const nothing of [
    octopus("DeploymentStarted", "1"),
    { action: "updated", repo: { slug: "acme/a" }, build: { number: 1, status: "running" } },
    { build_slug: "b", app_slug: "a", build_status: 0, build_triggered_workflow: "w" },
    { marker: { site: "shop", revision: "abc" } },
    { ...rootly("genius_workflow_run.queued"), data: { id: "r" } },
    {
      event_type: "public_incident.follow_up_created_v2",
      "public_incident.follow_up_created_v2": { id: "f" },
    },
    node("nodeCreated", "n1"),
  ]) {
    const reply = await source.send(nothing);
    assert.deepEqual([reply.status, reply.json], [200, []], JSON.stringify(nothing));
  }
  const iidOf = async (payload: unknown): Promise<number> => (await source.send(payload)).json[0].iid;
  // A success for one tenant does not resolve another tenant's alert.
  const [one, other] = [
    await iidOf(octopus("DeploymentFailed", "21", "Tenants-1")),
    await iidOf(octopus("DeploymentFailed", "22", "Tenants-2")),
  ];
  assert.notEqual(one, other);
  // The order of the ids is unspecified.
  const succeeded = octopus("DeploymentSucceeded", "23", "Tenants-2");
  succeeded.Payload.Event.RelatedDocumentIds.reverse();
  assert.equal(await iidOf(succeeded), other);
  assert.deepEqual([(await alertOf(one)).status, (await alertOf(other)).status], ["triggered", "resolved"]);
  assert.equal(await iidOf(octopus("DeploymentSucceeded", "24", "Tenants-1")), one);
  const build = (event: string, source: string, status: string) => ({
    ...{ action: "updated", repo: { slug: "acme/yard" } },
    build: { number: 1, event, source, target: "main", status },
  });
  const broken = await iidOf(build("push", "main", "failure"));
  await source.send(build("pull_request", "topic", "success"));
  const appVeyor = (eventName: string, more = {}) => ({
    eventName,
    eventData: { projectName: "Yard", buildVersion: "1", branch: "main", status: "x", ...more },
  });
  const deployed = await iidOf(appVeyor("deployment_failure"));
  await source.send(appVeyor("build_success"));
  const asked = { isPullRequest: true, pullRequestId: 7 };
  const ofBranch = await iidOf(appVeyor("build_failure"));
  await source.send(appVeyor("build_success", asked));
  const bitrise = (build_status: number, git: object) => ({
    ...{ build_slug: `s${build_status}`, app_slug: "yard", build_status, build_triggered_workflow: "test" },
    git: { provider: "github", src_branch: "main", ...git },
  });
  const onMain = await iidOf(bitrise(2, { dst_branch: "", pull_request_id: 0 }));
  await source.send(bitrise(1, { dst_branch: "main", pull_request_id: 7 }));
  for (const iid of [broken, deployed, ofBranch, onMain]) {
    assert.equal((await alertOf(iid)).status, "triggered");
  }
  const expiring = await iidOf(node("nodeKeyExpiringInOneDay", "n2"));
  assert.equal(await iidOf(node("nodeKeyExpired", "n2")), expiring);
  assert.equal((await alertOf(expiring)).severity, "high");
  assert.notEqual(await iidOf(node("nodeKeyExpired", "n3")), expiring);
});

test("PlanetScale branches are separate alerts, as are a Rubrik backup and an anomaly of one object (decision 0124)", async () => {
  const iidOf = async (payload: object): Promise<number> => (await source.send(payload)).json[0]?.iid;
  const memory = (name: string) => ({
    ...{ timestamp: 1777629600, event: "branch.out_of_memory", organization: "acme", database: "shop" },
    resource: { id: `b-${name}`, type: "Branch", name },
  });
  const main = await iidOf(memory("main"));
  assert.notEqual(await iidOf(memory("next")), main);
  assert.equal(await iidOf({ ...memory("main"), timestamp: 1777633200 }), main);
  const rubrik = (kind: string, status: string) => ({
    ...{ summary: `${kind} of db-1: ${status}`, severity: "critical", class: kind },
    custom_details: { seriesId: `${kind}${status}`, status, objectId: "o1", objectName: "db-1" },
  });
  const anomaly = await iidOf(rubrik("Anomaly", "Warning"));
  const backup = await iidOf(rubrik("Backup", "Failure"));
  assert.notEqual(backup, anomaly);
  assert.equal(await iidOf(rubrik("Backup", "Success")), backup);
  assert.equal((await alertOf(anomaly)).status, "triggered");
});
