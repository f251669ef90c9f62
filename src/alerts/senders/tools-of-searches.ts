/** Webhooks of tools that search logs and metrics periodically, by their default templates and with their whole context. */
import type { Tool } from "./tools.ts";

const OF_BUCKET = "newalert|dedupedalert|completedalert";
const inBucket = (place: string): string =>
  OF_BUCKET.split("|")
    .map((one) => `${one}.${place}`)
    .join("|");

/** The whole context of an OpenSearch monitor, which reports recoveries of buckets only. `at` is the prefix of its places. */
const openSearch = (at: "" | "ctx.", marks: readonly string[]): Tool => ({
  name: "OpenSearch",
  marks: [`${at}monitor.name`, `${at}trigger.name`, ...marks],
  titles: [`{${at}monitor.name}: {${at}trigger.name}`],
  description: `${at}error`,
  service: `${at}monitor.name`,
  severity: `${at}trigger.severity`,
  // Level 1 is the highest.
  severities: { 1: "critical", 2: "high", 3: "medium", 4: "low", 5: "info" },
  start: `${at}periodend`,
  identity: [`${at}monitor.id|${at}monitor.name`, `${at}trigger.id|${at}trigger.name`],
});

export const SEARCHES: readonly Tool[] = [
  {
    // Kibana's legacy variables, all at the top level; `alertId` and `alertName` are those of the rule.
    name: "Kibana",
    marks: ["alertname|rulename", "alertactiongroup|alertactiongroupname", "alertid|ruleid|alertinstanceid"],
    titles: ["{rulename|alertname}"],
    description: "context.reason|context.message|reason|message",
    service: "tags.0",
    hosts: "context.host|context.group",
    severity: "severity",
    state: "alertactiongroup|alertactiongroupname",
    over: /recovered/i,
    time: "date",
    identity: ["ruleid|alertid|rulename|alertname", "alertinstanceid|alertid"],
  },
  {
    // The alert of one bucket (`envelopes.ts`).
    ...openSearch("", [OF_BUCKET]),
    titles: [
      `{monitor.name}: {trigger.name} ({${inBucket("bucketkeys")}})`,
      "{monitor.name}: {trigger.name}",
    ],
    description: inBucket("errormessage"),
    state: "completedalert",
    over: /^\{/,
    start: inBucket("starttime"),
    end: "completedalert.endtime|periodend",
    identity: ["monitor.id|monitor.name", "trigger.id|trigger.name", inBucket("bucketkeys")],
    facet: "bucket",
  },
  // At the top level (`toJson`) the names are ambiguous and need more marks; in `ctx` they do not.
  openSearch("", ["trigger.severity", "periodstart"]),
  openSearch("ctx.", []),
  {
    // Graylog's legacy alarm callback, still available as a notification type.
    name: "Graylog",
    marks: ["checkresult.triggeredcondition", "checkresult.resultdescription", "stream.id|stream.title"],
    titles: [
      "{stream.title}: {checkresult.triggeredcondition.title}",
      "{stream.title}: {checkresult.triggeredcondition.type}",
      "{checkresult.resultdescription}",
    ],
    description: "checkresult.resultdescription",
    service: "stream.title",
    hosts: "checkresult.matchingmessages.0.source",
    time: "checkresult.triggeredat",
    identity: [
      "stream.id|stream.title",
      "checkresult.triggeredcondition.id|checkresult.triggeredcondition.title",
    ],
  },
  {
    // The default body; values in `fields` are found by their position.
    name: "Coralogix",
    marks: ["alertid", "name", "alertaction", "alerturl|logurl"],
    titles: ["{name}"],
    description: "description",
    service: "fields.1.value|service",
    link: "alerturl|logurl",
    severity: "alertseverity|fields.3.value",
    state: "alertaction",
    over: /^resolved?$/i,
    identity: ["alertid|name", "groupbylabels"],
  },
  {
    // A question with results; Metabase never reports that there are none any more.
    name: "Metabase",
    marks: ["type", "alertid", "data.questionname", "data.questionurl|data.questionid"],
    where: { type: /^alert$/ },
    titles: ["{data.questionname}"],
    link: "data.questionurl",
    time: "sentat",
    identity: ["data.questionid|data.questionname", "alertid"],
  },
  {
    // Formerly Log Insight; without messages it is an alert of the service itself.
    name: "VMware Aria Operations for Logs",
    marks: ["alertname", "alerttype", "hitcount", "searchperiod", "messages"],
    titles: ["{alertname}"],
    description: "info|messages.0.text",
    link: "url|editurl",
    identity: ["alertname"],
  },
  {
    // An alert about data; what somebody did with it arrives as feedback, beside or within the payload.
    name: "Monte Carlo",
    marks: ["account.id", "type", "version", "payload.incidentid"],
    titles: [
      "{payload.eventlist.0.tablename}: {payload.eventlist.0.eventdetails}",
      "{payload.rule.description}",
      "{payload.eventlist.0.eventdetails}",
      "Incident {payload.incidentid}",
    ],
    description: "payload.eventlist.0.eventdetails",
    service: "payload.eventlist.0.tablename|payload.groupid",
    link: "payload.url",
    severity: "payload.declaredalertseverity|declaredalertseverity",
    severities: { "sev-1": "critical", "sev-2": "high", "sev-3": "medium", "sev-4": "low" },
    otherwise: "high",
    state: "payload.alertfeedback|alertfeedback",
    over: /^(fixed|expected|no_action_needed|false_positive)$/i,
    acknowledged: /^(investigating|work_in_progress)$/i,
    identity: ["payload.incidentid"],
  },
  {
    // Its template for webhooks; an alert is part of a group, whose status it has.
    name: "HertzBeat",
    marks: ["labels", "triggertimes", "startat", "groupstatus"],
    titles: ["{labels.alertname}", "{content}"],
    description: "content",
    service: "labels.app|labels.job|labels.instancename",
    hosts: "labels.instance|labels.instancename|labels.host",
    severity: "labels.severity",
    state: "groupstatus",
    over: /^resolved$/i,
    start: "startat",
    end: "endat",
    identity: ["labels"],
  },
];
