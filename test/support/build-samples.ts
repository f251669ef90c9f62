/** Bodies of build, code analysis and deployment services, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

const sonar = (status: string) => ({
  ...{ serverUrl: "https://sonar.example.org", taskId: "AVh21JS2JepAEhwQ-b3u", status: "SUCCESS" },
  ...{ analysedAt: "2026-05-01T10:00:00+0200", revision: "c739069ec7105e01303e8b3065a81141aad9f129" },
  project: { key: "rocket", name: "Rocket", url: "https://sonar.example.org/dashboard?id=rocket" },
  branch: { name: "main", type: "BRANCH", isMain: true },
  qualityGate: { name: "Sonar way", status, conditions: [{ metric: "new_coverage", status, value: "2" }] },
});

const azureDevOps = (result: string) => ({
  ...{ subscriptionId: "aaaa0a0a", notificationId: 1, id: "a0a0", eventType: "build.complete" },
  ...{ publisherId: "tfs", message: { text: `Build 20260501.1 ${result}` }, resourceVersion: "2.0" },
  detailedMessage: { text: `Build 20260501.1 ${result} on main` },
  resource: {
    ...{ id: 2, buildNumber: "20260501.1", status: "completed", result, sourceBranch: "refs/heads/main" },
    definition: { id: 9, name: "Rocket CI" },
  },
  ...{ resourceContainers: { project: { id: "be9b" } }, createdDate: "2026-05-01T10:00:00.1Z" },
});

const azureRun = (result: string) => ({
  ...{
    subscriptionId: "aaaa0a0a",
    eventType: "ms.vss-pipelines.run-state-changed-event",
    publisherId: "pipelines",
  },
  message: { text: `Run 17 ${result}` },
  resource: {
    run: { id: 17, state: "completed", result },
    pipeline: { id: 4, name: "Rocket" },
    projectId: "be9b",
  },
  ...{ resourceContainers: { project: { id: "be9b" } }, createdDate: "2026-05-01T10:00:00Z" },
});

const azureRelease = (status: string) => ({
  ...{
    subscriptionId: "aaaa0a0a",
    eventType: "ms.vss-release.deployment-completed-event",
    publisherId: "rm",
  },
  message: { text: `Deployment of release Release-1 on stage Live ${status}.` },
  resource: { environment: { id: 5, name: "Live", status, releaseDefinition: { id: 1, name: "Rocket.CD" } } },
  ...{ resourceContainers: { project: { id: "be9b" } }, createdDate: "2026-05-01T10:00:00Z" },
});

const circle = (type: string, status: string) => ({
  ...{
    type,
    id: "3888f21b",
    happened_at: "2026-05-01T10:00:00.000000Z",
    webhook: { id: "cf8c", name: "Alerts" },
  },
  workflow: { id: "fda0", name: "build-test", status, url: "https://app.circleci.com/pipelines/x" },
  ...(type === "job-completed" ? { job: { id: "8bd7", name: "unit", status, number: 30 } } : {}),
  pipeline: { id: "1285", number: 130, vcs: { branch: "main" } },
  ...{ project: { id: "84996744", name: "rocket", slug: "gh/acme/rocket" }, organization: { name: "acme" } },
});

const buildkite = (state: string) => ({
  event: "build.finished",
  build: {
    ...{
      id: "f62a",
      number: 27,
      state,
      branch: "main",
      message: "Ship it",
      finished_at: "2026-05-01T10:00:00Z",
    },
    web_url: "https://buildkite.com/acme/rocket/builds/27",
  },
  ...{ pipeline: { id: "8491", name: "Rocket", slug: "rocket" }, sender: { name: "Dev" } },
});

const travis = (state: string) => ({
  payload: JSON.stringify({
    ...{ id: 1, number: "12", type: "push", state, branch: "main", message: "Ship it", commit: "c739069" },
    ...{ build_url: "https://app.travis-ci.com/acme/rocket/builds/1", finished_at: "2026-05-01T10:00:00Z" },
    repository: { id: 7, name: "rocket", owner_name: "acme" },
  }),
});

const teamcity = (status: string) => ({
  eventType: "BUILD_FINISHED",
  payload: {
    ...{ id: 239, buildTypeId: "Rocket_Test", number: "63", status, state: "finished", branchName: "main" },
    ...{ webUrl: "https://teamcity.example.org/build/239", statusText: "Tests failed: 2" },
  },
});

const terraform = (run_status: string, message: string) => ({
  ...{ payload_version: 1, notification_configuration_id: "nc-AeUQ2zfKZzW9TiGZ", run_id: "run-1" },
  ...{ run_url: "https://app.terraform.io/app/acme/live/runs/run-1", run_message: "Add a lamp" },
  ...{ workspace_id: "ws-Xd", workspace_name: "live", organization_name: "acme" },
  notifications: [{ message, trigger: "run:x", run_status, run_updated_at: "2026-05-01T10:00:00Z" }],
});

const awx = (status: string) => ({
  ...{ id: 38, name: "Bogus Playbook", url: "https://awx.example.org/#/jobs/playbook/38", created_by: "dev" },
  ...{ started: "2026-05-01T09:59:00+00:00", finished: "2026-05-01T10:00:00+00:00", status, traceback: "" },
  ...{ inventory: "Yard", project: "Plays", playbook: "p.yml", limit: "", extra_vars: "{}", hosts: {} },
});

const rundeck = (trigger: string, status: string) => ({
  ...{ trigger, status, executionId: 1 },
  execution: {
    ...{ id: 1, href: "https://rundeck.example.org/execution/1", status, project: "yard", user: "admin" },
    ...{
      "date-ended": { unixtime: 1777629600000 },
      description: "echo hi",
      job: { id: "c1", name: "Backup" },
    },
  },
});

const vercel = (type: string) => ({
  ...{ id: "evt", type, createdAt: 1777629600000, region: "sfo1" },
  payload: {
    ...{ deployment: { id: "dpl", name: "shop", url: "shop-1.vercel.app" }, project: { id: "prj" } },
    ...{ links: { deployment: "https://vercel.com/acme/shop/1" }, target: "production" },
  },
});

/** The title is the first line of the commit; a deploy of a build hook has none. */
const netlify = (state: string, title: string | null) => ({
  title,
  ...{ id: "5e", site_id: "s1", build_id: "b1", state, name: "shop", url: "https://shop.example.org" },
  ...{ admin_url: "https://app.netlify.com/sites/shop", deploy_ssl_url: "https://x.netlify.app" },
  ...{ error_message: state === "error" ? "Build script returned 2" : null, context: "production" },
  ...{ branch: "main", updated_at: "2026-05-01T10:00:00.000Z" },
});

const flagger = (phase: string) => ({
  ...{ name: "shop", namespace: "live", phase },
  metadata: { eventMessage: `Canary ${phase}`, eventType: "Warning", timestamp: "1777629600000" },
});

export const BUILD_SAMPLES: readonly ToolSample[] = [
  {
    name: "SonarQube",
    firing: sonar("ERROR"),
    over: sonar("OK"),
    reads: {
      ...{ title: "Quality gate of Rocket: ERROR", severity: "high", service: "Rocket" },
      ...{ runbook: "https://sonar.example.org/dashboard?id=rocket", started_at: "2026-05-01T08:00:00.000Z" },
    },
  },
  {
    name: "Azure DevOps, a build",
    firing: azureDevOps("failed"),
    over: azureDevOps("succeeded"),
    reads: { title: "Build 20260501.1 failed", severity: "high", service: "Rocket CI" },
  },
  {
    name: "Azure DevOps, a run of a pipeline",
    firing: azureRun("failed"),
    over: azureRun("succeeded"),
    reads: { title: "Run 17 failed", service: "Rocket" },
  },
  {
    name: "Azure DevOps, a release",
    firing: azureRelease("rejected"),
    over: azureRelease("succeeded"),
    reads: { title: "Deployment of release Release-1 on stage Live rejected.", service: "Live" },
  },
  {
    name: "CircleCI",
    firing: circle("workflow-completed", "failed"),
    over: circle("workflow-completed", "success"),
    reads: { title: "build-test failed in gh/acme/rocket", severity: "high", monitoring_tool: "CircleCI" },
  },
  {
    name: "CircleCI, a job",
    firing: circle("job-completed", "failed"),
    over: circle("job-completed", "success"),
    reads: { title: "unit failed in gh/acme/rocket" },
  },
  {
    name: "Buildkite",
    firing: buildkite("failed"),
    over: buildkite("passed"),
    reads: { title: "Rocket failed", description: "Ship it", severity: "high" },
  },
  {
    name: "Travis CI",
    form: true,
    firing: travis("failed"),
    over: travis("passed"),
    reads: { title: "Build of acme/rocket failed", severity: "high" },
  },
  {
    name: "TeamCity",
    firing: teamcity("FAILURE"),
    over: teamcity("SUCCESS"),
    reads: { title: "Rocket_Test: Tests failed: 2", severity: "high" },
  },
  {
    name: "Terraform",
    firing: terraform("errored", "Run Errored"),
    over: terraform("applied", "Run Completed"),
    reads: { title: "live: Run Errored", service: "live", description: "Add a lamp" },
  },
  {
    name: "AWX",
    firing: awx("failed"),
    over: awx("successful"),
    reads: { title: "Bogus Playbook failed", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Rundeck",
    firing: rundeck("failure", "failed"),
    over: rundeck("success", "succeeded"),
    reads: { title: "Backup failed", service: "yard", started_at: "2026-05-01T10:00:00.000Z" },
  },
  {
    name: "Vercel",
    firing: vercel("deployment.error"),
    over: vercel("deployment.succeeded"),
    reads: { title: "Deployment of shop failed", runbook: "https://vercel.com/acme/shop/1" },
  },
  {
    name: "Netlify",
    firing: netlify("error", null),
    over: netlify("ready", null),
    reads: { title: "Deploy of shop failed", description: "Build script returned 2" },
  },
  {
    name: "Netlify, a commit",
    firing: netlify("error", "Fix header"),
    over: netlify("ready", "Fix footer"),
    reads: { title: "Deploy of shop failed", monitoring_tool: "Netlify" },
  },
  {
    name: "Flagger",
    firing: flagger("Failed"),
    over: flagger("Succeeded"),
    reads: { title: "Canary live/shop: Failed", started_at: "2026-05-01T10:00:00.000Z" },
  },
];
