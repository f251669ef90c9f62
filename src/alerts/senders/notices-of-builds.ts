/** Messages of services that build and deploy code that are no alerts: runs that have not ended or were cancelled. */
import type { Notice } from "./notices.ts";

export const BUILD_NOTICES: readonly Notice[] = [
  {
    name: "Azure DevOps",
    marks: ["eventtype", "publisherid", "subscriptionid", "resource"],
    where: {
      "resource.result|resource.run.result|resource.environment.status|resource.status":
        /^(?!(failed|partiallysucceeded|rejected|succeeded)$)/i,
    },
    what: "message.text|eventtype",
  },
  {
    name: "CircleCI",
    marks: ["type", "happenedat", "webhook"],
    where: { "job.status|workflow.status": /^(?!(failed|error|infrastructure_fail|timedout|success)$)/ },
    what: "type",
  },
  {
    name: "Buildkite",
    marks: ["event", "organization|pipeline|service", "sender"],
    where: { event: /^(ping|job\..*|agent\..*|build\.(scheduled|running|blocked|skipped))$/ },
    what: "event",
  },
  {
    name: "Buildkite",
    marks: ["event", "build.state", "pipeline.slug"],
    where: { "build.state": /^(?!(failed|failing|passed)$)/ },
    what: "build.state",
  },
  {
    name: "Travis CI",
    marks: ["number", "state", "buildurl", "repository.ownername"],
    where: { state: /^(?!(passed|failed|errored)$)/ },
    what: "state",
  },
  {
    name: "TeamCity",
    marks: ["eventtype", "payload.buildtypeid"],
    where: { eventtype: /^(?!BUILD_FINISHED$)/ },
    what: "eventtype",
  },
  {
    name: "Terraform",
    marks: ["notificationconfigurationid", "notifications"],
    where: { "notifications.0.runstatus": /^(?!(errored|policy_.*|applied|planned_and_finished)$)/ },
    what: "notifications.0.trigger",
  },
  {
    name: "AWX",
    marks: ["id", "name", "url", "status", "createdby", "traceback"],
    where: { status: /^(new|pending|waiting|running|canceled)$/ },
    what: "status",
  },
  {
    name: "Rundeck",
    marks: ["trigger", "status", "executionid", "execution"],
    where: { trigger: /^start$/ },
    what: "trigger",
  },
  {
    name: "Vercel",
    marks: ["type", "createdat", "payload"],
    where: { type: /^(deployment|project|domain|integration-configuration)[.-](?!(error|succeeded|ready)$)/ },
    what: "type",
  },
  {
    name: "Netlify",
    marks: ["siteid", "state", "buildid"],
    shared: ["title"],
    where: {
      state:
        /^(new|pending_review|accepted|enqueued|building|uploading|uploaded|preparing|prepared|processing|processed)$/,
    },
    what: "state",
  },
  {
    name: "Flagger",
    marks: ["name", "namespace", "phase", "metadata.eventmessage"],
    where: { phase: /^(?!(Failed|Succeeded)$)/ },
    what: "phase",
  },
  {
    name: "Heroku",
    marks: ["webhookmetadata.event.include", "resource", "action"],
    where: { "data.status|data.state": /^(?!(failed|succeeded|crashed|up)$)/ },
    what: "webhookmetadata.event.include",
  },
  {
    name: "Render",
    marks: ["type", "timestamp", "data.serviceid", "data.servicename"],
    where: {
      type: /^(?!(image_pull_failed|server_(failed|available|hardware_failure)|key_value_(unhealthy|available))$|postgres_((un)?available|wal_archive_failed|read_replica_stale|\w+_(failed|completed|succeeded))$)[a-z]+_/,
      "data.status": /^(?!(failed|succeeded)$)/,
    },
    what: "type",
  },
  {
    name: "Octopus Deploy",
    marks: ["eventtype", "payload.event.category", "payload.event.message"],
    where: {
      eventtype: /^SubscriptionPayload$/,
      "payload.event.category": /^(Deployment|RunbookRun)(Queued|Started|Resumed)$/,
    },
    what: "payload.event.message",
  },
  {
    name: "Drone",
    marks: ["action", "repo.slug", "build.number", "build.status"],
    where: { "build.status": /^(?!(success|failure|error|killed)$)/ },
    what: "build.status",
  },
  {
    name: "Bitrise",
    marks: ["buildslug", "appslug", "buildstatus", "buildtriggeredworkflow"],
    where: { buildstatus: /^[04]$/ },
    what: "buildstatus",
  },
  {
    name: "Semaphore",
    marks: ["pipeline.id", "pipeline.result", "project.name", "workflow"],
    where: { "pipeline.result": /^canceled$/ },
    what: "pipeline.result",
  },
];
