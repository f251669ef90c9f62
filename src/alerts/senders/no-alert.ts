/** Messages of known tools that are no alerts, such as greetings, comments and runs in progress. */
import type { JsonObject } from "../../platform/json-object.ts";
import { foldedMembers, standsIn, valueIn } from "./folded.ts";
import { textOf } from "./member.ts";
import type { Notice } from "./notices.ts";
import { BUILD_NOTICES } from "./notices-of-builds.ts";
import { EVENT_NOTICES } from "./notices-of-events.ts";
import { SERVICE_NOTICES } from "./notices-of-services.ts";
import { ownIn, specifiedIn } from "./specified.ts";

const NOTICES: readonly Notice[] = [
  {
    name: "Nagios or its like",
    marks: ["notificationtype", "hostname|hostalias|hostdisplayname|host"],
    // The pattern excludes `downtime` alone, by which other tools mean that something is down.
    where: { notificationtype: /^downtime[ _-]?(start|stop|end|cancel|remov)/i },
    what: "notificationtype",
  },
  {
    // A service that flaps while it is OK opens no alert; one that flaps in a problem state is read as an occurrence.
    name: "Nagios or its like",
    marks: ["notificationtype", "hostname|hostalias|hostdisplayname|host"],
    where: { notificationtype: /^flappingstart/i, "servicestate|hoststate|state": /^(ok|up)\b/i },
    what: "notificationtype",
  },
  {
    // The same Slack template reports the start of a sync and then its result.
    name: "Argo CD",
    marks: ["text", "attachments"],
    where: { text: /^\s*The sync operation of application \S+ has started at / },
    what: "text",
  },
  {
    // Streams send item values and trends in the same format as events.
    name: "Zabbix",
    marks: ["itemid", "clock", "host.host", "type"],
    where: {},
    what: "name",
  },
  {
    // Progress messages, which Flux sends by default; its own PagerDuty provider skips them, too.
    name: "Flux",
    marks: ["involvedobject.kind", "involvedobject.name", "reason", "reportingcontroller"],
    where: { severity: /^info$/i, reason: /^(progressing|info)$/i },
    what: "message",
  },
  { name: "GitHub", marks: ["zen", "hookid"], where: {}, what: "zen" },
  {
    // A run is reported when it is requested, started and completed; it may also be cancelled.
    name: "GitHub",
    marks: ["action", "workflowrun.name", "repository.fullname"],
    where: {
      "workflowrun.conclusion": /^(?!(failure|timed_out|startup_failure|success)$)/,
      "deploymentstatus.state": /^$/,
    },
    what: "workflowrun.conclusion|workflowrun.status|action",
  },
  {
    // A webhook for all events also sends pushes, stars and comments; Gitea and Forgejo use the same format.
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
      // Incidents are issues too, but are read as alerts.
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
    // A pipeline is reported at every change of state.
    name: "GitLab",
    marks: ["objectkind", "objectattributes.status", "objectattributes.ref", "project.pathwithnamespace"],
    where: { objectkind: /^pipeline$/, "objectattributes.status": /^(?!(failed|success)$)/ },
    what: "objectattributes.status",
  },
  {
    // By default the plugin reports every phase of a build.
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
    // Notes and assignments in the older webhooks.
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
        /^((add|remove)(note|tags|details|recipient|team|responder)|assignownership|takeownership|update(priority|description|message)|snooze|unacknowledge|escalate)$/i,
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
  ...BUILD_NOTICES,
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

/** Notices whose messages may have members of the specification; only these are matched with a payload that has some. */
const SHARING: readonly Notice[] = NOTICES.filter(({ shared }) => shared !== undefined);

/** Returns a warning if a payload is a known tool's message that is no alert; undefined for others and for generic payloads. */
export function noAlertIn(payload: JsonObject): string | undefined {
  const counted = [...ownIn(payload), ...specifiedIn(payload)];
  if (counted.length === 0) return noticeIn(payload, NOTICES);
  return noticeIn(
    payload,
    SHARING.filter(({ shared = [] }) => counted.every((name) => shared.includes(name))),
  );
}

/** Returns a warning if a CloudEvent is a known tool's message that is no alert. */
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
