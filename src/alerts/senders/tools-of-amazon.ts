/** What Amazon EventBridge sends of the services of a cloud, by itself or through a topic, and what RDS sends through one. */
import type { Tool } from "./tools.ts";

/** From 1 to 10; those of one rule have no fraction. */
const GUARDDUTY_LEVELS = Object.fromEntries(
  (["low", "low", "low", "medium", "medium", "medium", "high", "high", "critical", "critical"] as const).map(
    (severity, place) => [place + 1, severity],
  ),
);

const EVENTBRIDGE = {
  name: "Amazon EventBridge",
  marks: ["detailtype", "source", "detail", "account"],
  titles: [
    "{detail.alarmname}",
    "{detail.title}",
    "{detail.findings.0.title}",
    "{detail.eventtypecode}",
    "{detailtype}",
  ],
  description: "detail.state.reason|detail.description|detail.configuration.description",
  service: "source",
  hosts: "detail.instanceid|resources",
  severity:
    "detail.severitylabel|detail.severity.label|detail.findings.0.severity.label|detail.severity|detail.findings.0.severity",
  severities: GUARDDUTY_LEVELS,
  state: "detail.state.value|detail.statuscode|detail.state|detail.buildstatus|detail.status",
  over: /^(ok|closed|succeeded|completed)$/i,
  time: "detail.state.timestamp|time",
  identity: [
    "source",
    "account",
    "region",
    "resources",
    "detail.alarmname|detail.id|detail.instanceid|detailtype",
  ],
} as const;

/** What of a resource or of the whole account an event is about, where its envelope does not say so. */
const PART =
  "detail.findingarn|detail.jobname|detail.stepid|detail.resourcearn|detail.resourceid|detail.stage";

/** A finding of Security Hub, which imports those of others as well. */
const FINDING = {
  ...EVENTBRIDGE,
  marks: [...EVENTBRIDGE.marks, "detail.findings.0.id"],
  description: "detail.findings.0.description",
  service: "detail.findings.0.productname|source",
  hosts: "detail.findings.0.resources.0.id",
  link: "detail.findings.0.remediation.recommendation.url|detail.findings.0.sourceurl",
  state: "detail.findings.0.workflow.status",
  over: /^(resolved|suppressed)$/i,
  identity: ["source", "account", "detail.findings.0.id"],
} as const;
const PASSED = { "detail.findings.0.compliance.status": /^passed$/i };
const ARCHIVED = { "detail.findings.0.recordstate": /^archived$/i };

/** In this order: what is known by more comes first. */
export const EVENTBRIDGE_TOOLS: readonly Tool[] = [
  // A check that passes and a finding that is archived are over whatever people say of them.
  { ...FINDING, state: "detail.findings.0.compliance.status", where: PASSED, over: /./ },
  { ...FINDING, state: "detail.findings.0.recordstate", where: ARCHIVED, over: /./ },
  FINDING,
  {
    // Its resource is the one build, which neither fails nor succeeds again.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, "detail.buildstatus", "detail.projectname"],
    identity: ["source", "account", "region", "detail.projectname"],
  },
  {
    // What AWS Health tells of one trouble; which resources it has is told later, and of some troubles never.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, "detail.eventarn", "detail.eventtypecode"],
    description: "detail.eventdescription.0.latestdescription",
    service: "detail.service",
    identity: ["source", "account", "detail.eventarn"],
  },
  {
    // One pipeline has many stages, and the jobs and findings of an account are told apart by nothing else.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, PART],
    identity: [...EVENTBRIDGE.identity, PART, "detail.action|detail.checkname|detail.configrulename"],
  },
  EVENTBRIDGE,
  {
    // Its event notifications, which come through a topic alone; none of them is the end of another.
    name: "Amazon RDS",
    marks: ["eventsource", "sourceid", "eventid", "eventmessage"],
    where: { eventid: /RDS-EVENT-/ },
    titles: ["{sourceid}: {eventmessage}", "{eventmessage}"],
    service: "eventsource",
    hosts: "sourceid",
    link: "identifierlink",
    time: "eventtime",
    identity: ["sourcearn|sourceid", "eventid"],
  },
];
