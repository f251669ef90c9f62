/** What those send that search in logs and metrics now and then, as they write by themselves or with all that they know. */
import type { Tool } from "./tools.ts";

const OPENSEARCH = {
  name: "OpenSearch",
  // The first of its levels is the worst.
  severities: { 1: "critical", 2: "high", 3: "medium", 4: "low", 5: "info" },
} as const;

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
    // A message of its whole context (`toJson`); it never says that it is over.
    ...OPENSEARCH,
    marks: ["monitor.name", "trigger.name", "trigger.severity", "periodstart"],
    titles: ["{monitor.name}: {trigger.name}"],
    description: "error",
    service: "monitor.name",
    severity: "trigger.severity",
    start: "periodend",
    identity: ["monitor.id|monitor.name", "trigger.id|trigger.name"],
  },
  {
    ...OPENSEARCH,
    marks: ["ctx.monitor.name", "ctx.trigger.name"],
    titles: ["{ctx.monitor.name}: {ctx.trigger.name}"],
    description: "ctx.error",
    service: "ctx.monitor.name",
    severity: "ctx.trigger.severity",
    start: "ctx.periodend",
    identity: ["ctx.monitor.id|ctx.monitor.name", "ctx.trigger.id|ctx.trigger.name"],
  },
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
];
