/** Events of AWS services by Amazon EventBridge, sent directly or through an SNS topic, and what other services send through a topic. */
import type { Tool } from "./tools.ts";

/** GuardDuty's severities: numbers from 1.0 to 10.0, of which the part before the point tells the level. */
const GUARDDUTY_LEVELS = Object.fromEntries(
  (
    ["low", "low", "low", "medium", "medium", "medium", "high", "high", "critical", "critical"] as const
  ).flatMap((severity, place) =>
    Array.from({ length: 10 }, (_, tenth) => [(10 * (place + 1) + tenth) / 10, severity]),
  ),
);
/** The states of an alarm by themselves; one without data is unknown, as through a topic (decision 0089). */
const ALARM_STATES = { alarm: "critical", insufficient_data: "unknown" } as const;

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
    "detail.severitylabel|detail.severity.label|detail.findings.0.severity.label|detail.severity|detail.findings.0.severity|detail.state.value",
  severities: { ...GUARDDUTY_LEVELS, ...ALARM_STATES },
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

/** Places that identify the subject of an event more precisely than its envelope. */
const PART =
  "detail.alarmcontributor.id|detail.findingarn|detail.jobname|detail.stepid|detail.resourcearn|detail.resourceid|detail.stage";

/** A finding of Security Hub, also one imported from another service. */
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

/** More specific entries come first. */
export const EVENTBRIDGE_TOOLS: readonly Tool[] = [
  // A passed check and an archived finding are resolved, whatever the workflow status.
  { ...FINDING, state: "detail.findings.0.compliance.status", where: PASSED, over: /./ },
  { ...FINDING, state: "detail.findings.0.recordstate", where: ARCHIVED, over: /./ },
  FINDING,
  {
    // An alarm that no longer exists reports no other state.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, "detail.alarmname", "detail.operation"],
    where: { detailtype: /^CloudWatch Alarm Configuration Change$/, "detail.operation": /^delete$/ },
    state: "detail.operation",
    over: /./,
    time: "time",
  },
  {
    // A stopped instance has ended its alert when it runs again.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, "detail.instanceid", "detail.state"],
    where: { detailtype: /^EC2 Instance State-change Notification$/ },
    over: /^running$/,
  },
  {
    // The resource is a single build; the project identifies the alert, so that the next build can resolve it.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, "detail.buildstatus", "detail.projectname"],
    identity: ["source", "account", "region", "detail.projectname"],
  },
  {
    // AWS Health: the affected resources come in later messages or never, so they are no part of the identity.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, "detail.eventarn", "detail.eventtypecode"],
    description: "detail.eventdescription.0.latestdescription",
    service: "detail.service",
    identity: ["source", "account", "detail.eventarn"],
  },
  {
    // A pipeline has several stages, an alarm several contributors (time series with a state of their own), and the jobs and
    // findings of an account differ in these places only.
    ...EVENTBRIDGE,
    marks: [...EVENTBRIDGE.marks, PART],
    identity: [...EVENTBRIDGE.identity, PART, "detail.action|detail.checkname|detail.configrulename"],
  },
  EVENTBRIDGE,
  {
    // RDS event notifications come only through a topic; none of them resolves another.
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
  {
    // Sent again, through a topic, while an anomaly goes on and its costs rise; its end is never reported.
    name: "AWS Cost Anomaly Detection",
    marks: ["anomalyid", "monitorarn", "impact.totalimpact"],
    titles: [
      "Costs of {dimensionalvalue|rootcauses.0.service}: {impact.totalimpact} USD more than expected",
      "Costs: {impact.totalimpact} USD more than expected",
    ],
    service: "dimensionalvalue|rootcauses.0.service",
    hosts: "accountname|accountid",
    link: "anomalydetailslink",
    otherwise: "medium",
    start: "anomalystartdate",
    identity: ["accountid", "anomalyid"],
  },
  {
    // Failures of a group; a later launch does not say that the cause is gone.
    name: "AWS Auto Scaling",
    marks: ["service", "event", "autoscalinggroupname", "accountid"],
    where: { event: /^autoscaling:EC2_INSTANCE_(LAUNCH|TERMINATE)_ERROR$/ },
    titles: ["{autoscalinggroupname}: {description}", "{autoscalinggroupname}: {event}"],
    description: "statusmessage|cause",
    service: "autoscalinggroupname",
    hosts: "ec2instanceid",
    otherwise: "high",
    start: "starttime",
    time: "time",
    identity: ["autoscalinggrouparn|autoscalinggroupname", "event"],
  },
];
