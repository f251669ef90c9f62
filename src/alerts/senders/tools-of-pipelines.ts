/** Webhooks of services that run data pipelines, deployments and builds. */
import type { Tool } from "./tools.ts";

/** An event of a subscription; its subject is a list of ids that are prefixed with their kind. */
const OCTOPUS = {
  name: "Octopus Deploy",
  marks: ["eventtype", "payload.event.category", "payload.event.message"],
  titles: ["{payload.event.message}"],
  description: "payload.event.details",
  link: "payload.serveraudituri|payload.serveruri",
  state: "payload.event.category",
  over: /Succeeded$/,
  time: "payload.event.occurred",
} as const;
const OF_OCTOPUS = { eventtype: /^SubscriptionPayload$/ };

/** Builds, deployments and pull requests of a project are alerts of their own. */
const APP_VEYOR = {
  name: "AppVeyor",
  marks: ["eventname", "eventdata.projectname", "eventdata.buildversion", "eventdata.status"],
  description: "eventdata.commitmessage",
  service: "eventdata.projectname",
  link: "eventdata.buildurl",
  otherwise: "high",
  state: "eventname",
  over: /_success$/,
  identity: ["eventdata.projectid|eventdata.projectname", "eventdata.branch", "eventdata.pullrequestid"],
} as const;

/** A service's deployments, its volumes and its monitors are alerts of their own. */
const RAILWAY = {
  name: "Railway",
  marks: ["type", "details", "resource.project.id", "severity|timestamp"],
  service: "resource.service.name|resource.project.name",
  environment: "resource.environment.name",
  state: "type",
  time: "timestamp",
  identity: ["resource.project.id", "resource.environment.id", "resource.service.id"],
} as const;

const TRIGGER = {
  name: "Trigger.dev",
  marks: ["webhookversion", "type", "object.project.id", "object.environment.slug"],
  environment: "object.environment.slug",
  service: "object.project.name",
  otherwise: "high",
  time: "created",
} as const;

/** Builds and submissions of an app; the details say which of the two it is. */
const EXPO = {
  name: "Expo",
  marks: ["accountname", "projectname", "platform", "status", "appid"],
  where: { status: /^(errored|finished)$/ },
  service: "projectname",
  otherwise: "high",
  state: "status",
  over: /^finished$/,
  time: "completedat|updatedat",
} as const;

const DATABRICKS = {
  name: "Databricks",
  marks: ["eventtype", "workspaceid", "job.jobid", "run.runid"],
  service: "job.name",
  state: "eventtype",
  over: /success$/,
  identity: ["workspaceid", "job.jobid"],
} as const;

export const PIPELINES: readonly Tool[] = [
  {
    // A failed run is sent twice, as completed and as errored, if both are subscribed to.
    name: "dbt",
    marks: ["eventtype", "data.jobid", "data.runid", "data.runstatus"],
    where: { eventtype: /^job\.run\./, "data.runstatus": /^(success|error(ed)?|failed)$/i },
    titles: ["Run of {data.jobname|data.jobid} failed"],
    description: "data.runstatusmessage|data.runreason",
    service: "data.projectname|data.projectid",
    otherwise: "high",
    state: "data.runstatus",
    over: /^success$/i,
    time: "timestamp",
    identity: ["accountid", "data.jobid"],
  },
  {
    name: "Fivetran",
    marks: ["event", "connectorid", "connectortype", "data.status|status"],
    where: { event: /^sync_end$/ },
    titles: ["Sync of {connectorname|connectorid} failed"],
    description: "data.reason",
    service: "connectortype",
    otherwise: "high",
    state: "data.status|status",
    over: /^successful$/i,
    time: "created",
    identity: ["connectorid"],
  },
  {
    ...DATABRICKS,
    where: { eventtype: /^jobs\.on_(failure|success)$/ },
    titles: ["Job {job.name|job.jobid} failed"],
    otherwise: "high",
  },
  {
    // A run that takes too long, or falls behind its streams; it may still succeed, which resolves the alert, or fail.
    ...DATABRICKS,
    where: { eventtype: /^jobs\.on_\w+_exceeded$/ },
    titles: ["Job {job.name|job.jobid}: {eventtype}"],
    otherwise: "medium",
  },
  {
    // A deployment of a project to an environment, and for a tenant if there is one.
    ...OCTOPUS,
    where: {
      ...OF_OCTOPUS,
      "payload.event.category": /^Deployment(Failed|Succeeded)$/,
      "payload.event.relateddocumentids": /^(?=.*"Projects-)(?=.*"Environments-)/,
    },
    otherwise: "high",
    identity: ["payload.event.spaceid"],
    listed: { place: "payload.event.relateddocumentids", members: /^(Projects|Environments|Tenants)-/ },
  },
  {
    ...OCTOPUS,
    where: OF_OCTOPUS,
    severity: "payload.event.category",
    severities: { deploymentfailed: "high", runbookrunfailed: "high" },
    otherwise: "medium",
    identity: ["payload.event.spaceid", "payload.event.category", "payload.event.relateddocumentids"],
  },
  {
    name: "Drone",
    marks: ["action", "repo.slug", "build.number", "build.status"],
    where: { "build.status": /^(success|failure|error|killed)$/ },
    titles: ["Build of {repo.slug} failed"],
    description: "build.message",
    service: "repo.slug",
    link: "build.link|repo.link",
    otherwise: "high",
    state: "build.status",
    over: /^success$/,
    time: "build.finished",
    // A pull request's build gives no result for its target branch.
    identity: ["repo.slug", "build.event", "build.target", "build.source"],
  },
  {
    ...APP_VEYOR,
    where: { eventname: /^build_(failure|success)$/ },
    titles: ["Build of {eventdata.projectname} failed"],
  },
  {
    ...APP_VEYOR,
    where: { eventname: /^deployment_(failure|success)$/ },
    titles: ["Deployment of {eventdata.projectname} failed"],
    facet: "deployment",
  },
  {
    name: "Bitrise",
    marks: ["buildslug", "appslug", "buildstatus", "buildtriggeredworkflow"],
    where: { buildstatus: /^[1-3]$/ },
    titles: ["Workflow {buildtriggeredworkflow} of {appslug} failed"],
    service: "appslug",
    otherwise: "high",
    state: "buildstatus",
    over: /^1$/,
    // A pull request from a fork may have a branch of the same name.
    identity: ["appslug", "buildtriggeredworkflow", "git.srcbranch", "git.pullrequestid"],
  },
  {
    name: "Semaphore",
    marks: ["pipeline.id", "pipeline.result", "project.name", "workflow"],
    where: { "pipeline.result": /^(passed|failed|stopped)$/ },
    titles: ["Pipeline {pipeline.name} of {project.name} failed"],
    description: "revision.commitmessage",
    service: "project.name",
    link: "repository.url",
    otherwise: "high",
    state: "pipeline.result",
    over: /^passed$/,
    time: "pipeline.doneat",
    identity: [
      "organization.name",
      "project.id|project.name",
      "pipeline.yamlfilename|pipeline.name",
      "revision.referencetype",
      "revision.pullrequest.number|revision.branch.name|revision.reference",
    ],
  },
  {
    ...RAILWAY,
    where: { type: /^deployment\.(failed|crashed|oom_?killed|deployed|redeployed)$/i },
    titles: ["{resource.service.name|resource.project.name}: {type}"],
    description: "details.commitmessage",
    severity: "type",
    severities: {
      ...{ "deployment.failed": "high", "deployment.crashed": "critical" },
      ...{ "deployment.oom_killed": "critical", "deployment.oomkilled": "critical" },
    },
    over: /deployed$/i,
    facet: "deployment",
  },
  // Only the type says what these report: the details are empty, and the severity is the same at the end.
  ...(["monitor", "volumealert"] as const).map(
    (kind): Tool => ({
      ...RAILWAY,
      where: { type: new RegExp(`^${kind}\\.(triggered|resolved|deleted)$`, "i") },
      titles: ["{resource.service.name|resource.project.name}: {type}"],
      otherwise: "medium",
      over: /(resolved|deleted)$/i,
      facet: kind,
    }),
  ),
  {
    // A failed run; that of a later one says nothing about it.
    ...TRIGGER,
    marks: [...TRIGGER.marks, "object.task.id", "object.run.id"],
    titles: ["Task {object.task.id} failed: {object.run.error.message}", "Task {object.task.id} failed"],
    link: "object.run.dashboardurl",
    time: "object.run.completedat|created",
    identity: ["object.project.id", "object.environment.id", "object.task.id"],
  },
  {
    ...TRIGGER,
    marks: [...TRIGGER.marks, "object.deployment.id", "object.success"],
    titles: ["Deployment of {object.project.name} failed"],
    description: "object.error.message",
    state: "object.success",
    over: /^true$/i,
    identity: ["object.project.id", "object.environment.id"],
    facet: "deployment",
  },
  {
    ...EXPO,
    marks: [...EXPO.marks, "builddetailspageurl"],
    titles: ["Build of {projectname} for {platform} failed"],
    description: "error.message",
    link: "builddetailspageurl",
    identity: ["appid", "platform", "metadata.buildprofile"],
    facet: "build",
  },
  {
    ...EXPO,
    marks: [...EXPO.marks, "submissiondetailspageurl"],
    titles: ["Submission of {projectname} for {platform} failed"],
    description: "submissioninfo.error.message",
    link: "submissiondetailspageurl",
    identity: ["appid", "platform"],
    facet: "submission",
  },
  {
    name: "Spacelift",
    marks: ["account", "state", "stateversion", "run.id", "stack.id"],
    where: { state: /^(FAILED|FINISHED)$/ },
    titles: ["Run of {stack.name|stack.id} failed"],
    description: "run.commit.message",
    service: "stack.name|stack.id",
    otherwise: "high",
    state: "state",
    over: /^FINISHED$/,
    time: "timestamp",
    // A proposed run checks a change that is not yet merged.
    identity: ["account", "stack.id", "run.type", "run.branch"],
  },
  {
    // Errors of its own, such as a policy that names a stack that does not exist.
    name: "Spacelift",
    shared: ["title"],
    marks: ["title", "body", "error", "severity", "account"],
    where: { severity: /^(INFO|WARNING|ERROR)$/ },
    titles: ["{title}"],
    description: "body",
    severity: "severity",
    identity: ["account", "title", "body"],
  },
];
