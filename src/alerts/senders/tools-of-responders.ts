/** Webhooks of incident response services and of application monitoring services. */
import type { Tool } from "./tools.ts";

/** incident.io's member names contain the kind of event. */
const INCIDENT_IO = "publicincidentincident";
const INCIDENT_IO_UPDATE = `${INCIDENT_IO}statusupdatedv2.incident`;
const ofIncident = (place: string): string =>
  [`${INCIDENT_IO}createdv2`, `${INCIDENT_IO}updatedv2`, INCIDENT_IO_UPDATE]
    .map((one) => `${one}.${place}`)
    .join("|");
const ofAlert = (place: string): string =>
  ["publicalertalertcreatedv1", "publicalertalertresolvedv1"].map((one) => `${one}.${place}`).join("|");

/** Private incidents and alerts have only their id. */
const ofPrivate = (kind: string, ...events: string[]): string =>
  events.map((event) => `private${kind}${kind}${event}.id`).join("|");
const PRIVATE_ALERT = ofPrivate("alert", "createdv1", "resolvedv1");
const PRIVATE_INCIDENT = ofPrivate("incident", "createdv2", "updatedv2", "statusupdatedv2");

const APP_SIGNAL = { name: "AppSignal", hosts: "tags.hostname|tags.host" } as const;

const ROOTLY = {
  name: "Rootly",
  marks: ["event.type", "event.issuedat", "data.id"],
  start: "data.startedat|data.createdat",
  time: "event.issuedat",
  acknowledged: /acknowledged$/,
  identity: ["data.id"],
} as const;

export const RESPONDERS: readonly Tool[] = [
  {
    // The older webhooks; every message has the incident's current status, whatever the event.
    name: "PagerDuty",
    marks: ["event", "incident.id", "incident.status", "incident.title|incident.summary"],
    where: { event: /^incident\.(trigger|(un)?acknowledge|resolve|escalate)$/ },
    titles: ["{incident.title|incident.summary}"],
    description: "incident.description",
    service: "incident.service.summary|incident.service.name",
    link: "incident.htmlurl",
    severity: "incident.urgency",
    state: "incident.status",
    over: /^resolved$/,
    acknowledged: /^acknowledged$/,
    start: "incident.createdat",
    end: "incident.laststatuschangeat",
    time: "createdon",
    identity: ["incident.id"],
  },
  {
    name: "incident.io",
    marks: ["eventtype", ofAlert("id"), ofAlert("title")],
    titles: [`{${ofAlert("title")}}`],
    description: ofAlert("description"),
    link: ofAlert("sourceurl"),
    state: ofAlert("status"),
    over: /^resolved$/,
    start: ofAlert("createdat"),
    end: ofAlert("resolvedat"),
    identity: [ofAlert("id")],
    facet: "alert",
  },
  {
    name: "incident.io",
    marks: ["eventtype", ofIncident("id"), ofIncident("name")],
    titles: [`{${ofIncident("name")}}`],
    description: ofIncident("summary"),
    link: ofIncident("permalink"),
    severity: ofIncident("severity.name"),
    // Learning is the phase after an incident's end.
    state: ofIncident("incidentstatus.category"),
    over: /^(closed|learning|declined|merged|canceled)$/,
    start: ofIncident("createdat"),
    end: ofIncident("updatedat"),
    identity: [ofIncident("id")],
    facet: "incident",
  },
  {
    name: "incident.io",
    marks: ["eventtype", PRIVATE_ALERT],
    titles: [`Private alert {${PRIVATE_ALERT}}`],
    state: "eventtype",
    over: /alert_resolved_/,
    identity: [PRIVATE_ALERT],
    facet: "alert",
  },
  {
    name: "incident.io",
    marks: ["eventtype", PRIVATE_INCIDENT],
    titles: [`Private incident {${PRIVATE_INCIDENT}}`],
    identity: [PRIVATE_INCIDENT],
    facet: "incident",
  },
  {
    ...ROOTLY,
    where: { "event.type": /^alert\./ },
    titles: ["{data.summary}", "Alert of {data.source}"],
    description: "data.description",
    service: "data.source",
    link: "data.externalurl|data.url",
    severity: "data.data.severity|data.alerturgency.name",
    // Once an alert has ended, `ended_at` is in every event about it.
    state: "data.endedat|event.type",
    over: /^\d|^alert\.(resolved|deleted)$/,
    end: "data.endedat|event.issuedat",
    facet: "alert",
  },
  {
    ...ROOTLY,
    where: { "event.type": /^incident\.(?!scheduled\.)/ },
    titles: ["{data.title}"],
    description: "data.summary",
    link: "data.url",
    severity: "data.severity.severity|data.severity.slug|data.severity",
    state: "data.resolvedat|data.cancelledat|event.type",
    over: /^\d|^incident\.(resolved|cancelled|deleted)$/,
    end: "data.resolvedat|data.cancelledat|event.issuedat",
    facet: "incident",
  },
  {
    name: "FireHydrant",
    marks: ["event.operation", "event.resourcetype", "data.incident.id"],
    titles: ["{data.incident.name}", "Incident {data.incident.number}"],
    description: "data.incident.summary|data.incident.description",
    link: "data.incident.incidenturl",
    severity: "data.incident.severity.slug|data.incident.severity",
    severities: { sev1: "critical", sev2: "high", sev3: "medium", sev4: "low", sev5: "info" },
    state: "data.incident.currentmilestone",
    over: /^(resolved|closed|postmortem_started|postmortem_completed|retrospective_started|retrospective_completed)$/,
    acknowledged: /^acknowledged$/,
    start: "data.incident.startedat|data.incident.createdat",
    identity: ["data.incident.id"],
  },
  {
    ...APP_SIGNAL,
    marks: ["alertid", "state", "site", "metricname", "triggerlabel"],
    titles: ["{triggerlabel}: {site}", "{metricname}: {site}"],
    description: "triggerdescription",
    service: "site",
    link: "alerturl",
    state: "state",
    over: /^closed$/,
    start: "openedat|createdat",
    end: "resolvedat|closedat",
    identity: ["alertid"],
    facet: "anomaly",
  },
  {
    ...APP_SIGNAL,
    marks: ["exception.exception", "exception.site", "exception.url"],
    titles: ["{exception.exception} in {exception.action}", "{exception.exception}"],
    description: "exception.message",
    service: "exception.site",
    environment: "exception.environment",
    hosts: "exception.hostname",
    link: "exception.url",
    otherwise: "high",
    time: "exception.time",
    // The number identifies the incident, regardless of the sample.
    identity: [
      "exception.site",
      "exception.environment",
      "exception.number|exception.exception",
      "exception.action",
    ],
  },
  {
    ...APP_SIGNAL,
    marks: ["performance.action", "performance.site", "performance.duration"],
    titles: ["{performance.action} is slow"],
    service: "performance.site",
    environment: "performance.environment",
    hosts: "performance.hostname",
    link: "performance.url",
    otherwise: "low",
    time: "performance.time",
    identity: [
      "performance.site",
      "performance.environment",
      "performance.number|performance.action",
      "performance.action",
    ],
    facet: "slow",
  },
  {
    name: "Pulsetic",
    marks: ["alerttype", "monitor.id", "monitor.url"],
    where: { alerttype: /^monitor_(offline|online)$/ },
    titles: ["{monitor.name|monitor.url} is down"],
    description: "monitor.failreason",
    service: "monitor.name",
    hosts: "monitor.url",
    state: "alerttype",
    over: /online$/,
    identity: ["monitor.id"],
  },
  {
    // Monika's plain webhook does not distinguish a recovery from an incident.
    name: "Monika",
    marks: ["body.url", "body.time", "body.alert"],
    titles: ["{body.alert} at {body.url}"],
    hosts: "body.url",
    time: "body.time",
    identity: ["body.url", "body.alert"],
  },
  {
    name: "Inspector",
    marks: ["event", "application.id", "payload.violatedat"],
    titles: ["{payload.title}: {application.name}", "{payload.title}"],
    service: "application.name",
    time: "payload.violatedat",
    identity: ["application.id", "payload.title"],
  },
  {
    name: "Inspector",
    marks: ["event", "application.id", "payload.class", "payload.message"],
    titles: ["{payload.class}: {payload.message}"],
    description: "payload.file",
    service: "application.name",
    otherwise: "high",
    time: "payload.timestamp",
    identity: ["application.id", "payload.class", "payload.file", "payload.line"],
  },
  {
    // Every event has the whole incident, so the state is read from it.
    name: "Grafana Incident",
    marks: ["source", "event", "incident.incidentid", "incident.title", "incident.status"],
    where: { event: /^grafana\.incident\./ },
    titles: ["{incident.title}"],
    description: "incident.summary",
    link: "incident.overviewurl",
    severity: "incident.severity",
    severities: { pending: "unknown" },
    state: "incident.status",
    over: /^resolved$/i,
    start: "incident.incidentstart|incident.createdtime",
    end: "incident.incidentend|incident.closedtime|time",
    identity: ["incident.incidentid"],
  },
  {
    // Its outgoing webhook; `Summary` is of the alert, `LogEntry` of what became of it.
    name: "GoAlert",
    marks: ["appname", "type", "alertid", "summary|logentry"],
    where: { type: /^Alert(Status(Bundle)?)?$/ },
    titles: ["{summary}", "Alert {alertid}"],
    description: "details|logentry",
    service: "servicename",
    state: "logentry",
    over: /^closed\b/i,
    acknowledged: /^acknowledged\b/i,
    identity: ["alertid"],
  },
  {
    // Several alerts of a service in one message, of which no recovery is reported.
    name: "GoAlert",
    marks: ["appname", "type", "serviceid", "servicename", "count"],
    where: { type: /^AlertBundle$/ },
    titles: ["{servicename} has {count} unacknowledged alerts"],
    service: "servicename",
    identity: ["serviceid"],
    facet: "bundle",
  },
];
