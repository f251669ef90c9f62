/** What Amazon EventBridge sends of the services of a cloud, by itself or through a topic. */
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

/** In this order: what is known by more comes first. */
export const EVENTBRIDGE_TOOLS: readonly Tool[] = [
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
];
