/** Webhooks of tools that search logs and metrics at intervals, in their default form and with all fields that they have. */
import type { Tool } from "./tools.ts";

const OF_BUCKET = "newalert|dedupedalert|completedalert";
const inBucket = (place: string): string =>
  OF_BUCKET.split("|")
    .map((one) => `${one}.${place}`)
    .join("|");

/** The whole context of a monitor of OpenSearch, which says of buckets alone that it is over; `at`: what stands before its places. */
const openSearch = (at: "" | "ctx.", marks: readonly string[]): Tool => ({
  name: "OpenSearch",
  marks: [`${at}monitor.name`, `${at}trigger.name`, ...marks],
  titles: [`{${at}monitor.name}: {${at}trigger.name}`],
  description: `${at}error`,
  service: `${at}monitor.name`,
  severity: `${at}trigger.severity`,
  // The first of its levels is the worst.
  severities: { 1: "critical", 2: "high", 3: "medium", 4: "low", 5: "info" },
  start: `${at}periodend`,
  identity: [`${at}monitor.id|${at}monitor.name`, `${at}trigger.id|${at}trigger.name`],
});

export const SEARCHES: readonly Tool[] = [
  {
    // Its variables by the names of before, one beside the other; what it calls the alert there is its rule.
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
    // One of its buckets (`envelopes.ts`).
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
  // By itself (`toJson`) others may be called so, too; in `ctx` it stands for itself.
  openSearch("", ["trigger.severity", "periodstart"]),
  openSearch("ctx.", []),
  {
    // Its callback for alarms of before, which it has as a kind of notification to this day.
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
    // As it proposes its body; what it says by fields stands in their order.
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
    // A question that found something; it never says that there is nothing any more.
    name: "Metabase",
    marks: ["type", "alertid", "data.questionname", "data.questionurl|data.questionid"],
    where: { type: /^alert$/ },
    titles: ["{data.questionname}"],
    link: "data.questionurl",
    time: "sentat",
    identity: ["data.questionid|data.questionname", "alertid"],
  },
];
