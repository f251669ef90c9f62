/** What known tools send to the same address beside their alerts: greetings, remarks, and what is not decided yet. */
import type { JsonObject } from "../../platform/json-object.ts";
import { foldedMembers, standsIn, valueIn } from "./folded.ts";
import { textOf } from "./member.ts";
import { EVENT_NOTICES } from "./notices-of-events.ts";
import { type Notice, SERVICE_NOTICES } from "./notices-of-services.ts";
import { isOwn } from "./specified.ts";

const NOTICES: readonly Notice[] = [
  {
    name: "Nagios or its like",
    marks: ["notificationtype", "hostname|hostalias|hostdisplayname|host"],
    // Others call it a downtime that something is down.
    where: { notificationtype: /^downtime[ _-]?(start|stop|end|cancel|remov)/i },
    what: "notificationtype",
  },
  {
    // What flaps while it is well is still well; while it is not, its alert counts on.
    name: "Nagios or its like",
    marks: ["notificationtype", "hostname|hostalias|hostdisplayname|host"],
    where: { notificationtype: /^flappingstart/i, "servicestate|hoststate|state": /^(ok|up)\b/i },
    what: "notificationtype",
  },
  {
    // It tells by the same template for Slack that it begins, and then how that ended.
    name: "Argo CD",
    marks: ["text", "attachments"],
    where: { text: /^\s*The sync operation of application \S+ has started at / },
    what: "text",
  },
  {
    // Its streams tell values and trends of items by the same kind of line as events.
    name: "Zabbix",
    marks: ["itemid", "clock", "host.host", "type"],
    where: {},
    what: "name",
  },
  {
    // What it applies while it is at work, and that it is, by default: its own sender to PagerDuty leaves them out, too.
    name: "Flux",
    marks: ["involvedobject.kind", "involvedobject.name", "reason", "reportingcontroller"],
    where: { severity: /^info$/i, reason: /^(progressing|info)$/i },
    what: "message",
  },
  { name: "GitHub", marks: ["zen", "hookid"], where: {}, what: "zen" },
  {
    // Each run is told when it is asked for, when it begins, and when it ends; somebody may end it.
    name: "GitHub",
    marks: ["action", "workflowrun.name", "repository.fullname"],
    where: {
      "workflowrun.conclusion": /^(?!(failure|timed_out|startup_failure|success)$)/,
      "deploymentstatus.state": /^$/,
    },
    what: "workflowrun.conclusion|workflowrun.status|action",
  },
  {
    // Whoever ticks all events gets pushes, stars and comments, too; Gitea and Forgejo write alike.
    name: "GitHub or its like",
    marks: ["sender.login", "repository.fullname|organization.login|installation.id|action"],
    where: {
      "alert.number|alert.id": /^$/,
      [`deploymentstatus.state|state|${["workflowrun", "workflowjob", "checkrun", "checksuite"].map((one) => `${one}.conclusion`).join("|")}`]:
        /^(?!(failure|error|timed_out|startup_failure|success)$)/,
    },
    what: "action|ref|refs|status",
  },
  {
    name: "GitLab",
    marks: ["objectkind", "project|projectid|groupid|user|userid"],
    where: {
      objectkind:
        /^(push|tag_push|issue|work_item|merge_request|note|wiki_page|feature_flag|release|emoji|milestone|build|deployment)$/,
      "buildstatus|status": /^(?!(failed|success)$)/,
      // People may want to hear of those here, too.
      "objectattributes.type": /^(?!incident$)/i,
    },
    what: "objectkind",
  },
  {
    name: "Bitbucket",
    marks: ["actor", "repository.fullname"],
    where: { "commitstatus.state": /^(?!(FAILED|SUCCESSFUL)$)/ },
    what: "push.changes.0.new.name|repository.fullname",
  },
  {
    // Each pipeline is told whenever its state changes.
    name: "GitLab",
    marks: ["objectkind", "objectattributes.status", "objectattributes.ref", "project.pathwithnamespace"],
    where: { objectkind: /^pipeline$/, "objectattributes.status": /^(?!(failed|success)$)/ },
    what: "objectattributes.status",
  },
  {
    // Its plugin tells of each phase of a build unless it is told otherwise.
    name: "Jenkins",
    marks: ["name", "build.number", "build.phase"],
    where: { "build.status": /^(?!(FAILURE|UNSTABLE|SUCCESS)$)/ },
    what: "build.status|build.phase",
  },
  {
    name: "PagerDuty",
    marks: ["event.eventtype", "event.data", "event.occurredat"],
    where: {
      "event.eventtype":
        /^(pagey\.|service\.|incident\.(?!(triggered|(un)?acknowledged|reopened|resolved|escalated)$))/,
    },
    what: "event.eventtype",
  },
  {
    // A note, and who has it, as its older webhooks say it.
    name: "PagerDuty",
    marks: ["event", "incident.id", "incident.status", "logentries"],
    where: { event: /^incident\.(annotate|assign|delegate)$/ },
    what: "event",
  },
  {
    name: "Opsgenie",
    marks: ["action", "alert.alertid", "alert.message"],
    where: {
      action:
        /^((add|remove)(note|tags|details|recipient|team|responder)|assignownership|takeownership|update(priority|description|message)|snooze)$/i,
    },
    what: "action",
  },
  {
    name: "Rollbar",
    marks: ["eventname", "data.deploy|data.message"],
    where: { eventname: /^(deploy|test)$/ },
    what: "eventname",
  },
  {
    name: "Honeybadger",
    marks: ["event", "message", "project.id|fault.id|deploy"],
    where: { event: /^(assigned|commented|deployed)$/ },
    what: "event",
  },
  {
    name: "Instana",
    marks: ["issue.id", "issue.start", "issue.text"],
    where: { "issue.type": /^(presence|change)$/i, "issue.state": /^$/ },
    what: "issue.type",
  },
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
    name: "Harbor",
    marks: ["type", "occurat", "eventdata"],
    where: {
      type: /^((PUSH|PULL|DELETE)_ARTIFACT|TAG_RETENTION|REPLICATION)$/,
      "eventdata.replication.jobstatus": /^(?!(success|succeed(ed)?|failed|failure|error)$)/i,
    },
    what: "type",
  },
  {
    name: "Dependency-Track",
    marks: ["notification.level", "notification.group", "notification.title"],
    where: {
      "notification.group": /^(BOM_(CONSUMED|PROCESSED)|VEX_.*|PROJECT_(CREATED|AUDIT_CHANGE)|USER_.*)$/,
    },
    what: "notification.title",
  },
  {
    name: "Snyk",
    marks: ["project.browseurl", "newissues"],
    where: { newissues: /^$/ },
    what: "project.name",
  },
  {
    name: "Google Cloud budgets",
    marks: ["budgetdisplayname", "costamount"],
    where: { "alertthresholdexceeded|forecastthresholdexceeded": /^$/ },
    what: "budgetdisplayname",
  },
  {
    name: "NinjaOne",
    marks: ["activitytype", "statuscode", "deviceid", "activitytime"],
    where: { activitytype: /^(?!CONDITION$)/i, activityresult: /^(?!FAILURE$)/i },
    what: "statuscode",
  },
  {
    name: "Redfish",
    marks: ["messageid", "message", "severity|messageseverity"],
    where: { "messageseverity|severity": /^ok$/i },
    what: "message",
  },
  {
    name: "Servarr",
    marks: ["eventtype", "instancename"],
    where: {
      eventtype:
        /^(Test|Grab|Download|Rename|Retag|ApplicationUpdate|(Series|Episode|Movie|Artist|Album|Author|Book)(File)?(Add(ed)?|Delete))$/,
    },
    what: "eventtype",
  },
  ...SERVICE_NOTICES,
];

/** Says why a payload of a known tool is no alert; undefined for all others, and for what is written for this service. */
export function noAlertIn(payload: JsonObject): string | undefined {
  return isOwn(payload) ? undefined : noticeIn(payload, NOTICES);
}

/** Says why a CloudEvent of a known tool is no alert. */
export function noAlertInEvent(envelope: JsonObject): string | undefined {
  return noticeIn(envelope, EVENT_NOTICES);
}

function noticeIn(payload: JsonObject, notices: readonly Notice[]): string | undefined {
  const members = foldedMembers(payload);
  const wordIn = (place: string) => textOf(valueIn(members, place))?.trim() ?? "";
  const notice = notices.find(
    ({ marks, where }) =>
      marks.every((places) => standsIn(members, places)) &&
      Object.entries(where).every(([place, words]) => words.test(wordIn(place))),
  );
  if (!notice) return undefined;
  const what = [...wordIn(notice.what)].slice(0, 100).join("");
  return `${notice.name} tells of something that is no alert: ${what}.`;
}
