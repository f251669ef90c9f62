/** What the webhooks of services look like that watch code, its builds, clusters and logs. */
import type { Tool } from "./tools.ts";

/** An error, a site, a job or a measurement is each a trouble of its own. */
const HONEYBADGER = {
  name: "Honeybadger",
  marks: ["event", "message", "fault.id|site.id|checkin.id|alarm.id|alarm.name"],
  titles: ["{fault.klass}: {fault.message}", "{message}"],
  description: "message",
  service: "fault.projectname|project.name|site.name|checkin.name|alarm.name",
  hosts: "site.url",
  link: "fault.url|site.detailsurl|alarm.url",
  state: "event",
  identity: ["fault.id|site.id|checkin.id|alarm.id|alarm.name"],
} as const;

/** Services that alert of code and its builds. */
const BUILDS: readonly Tool[] = [
  {
    name: "Jenkins",
    marks: ["name", "build.number", "build.phase", "build.status"],
    where: { "build.status": /^(FAILURE|UNSTABLE|SUCCESS)$/ },
    titles: ["Build of {displayname|name}: {build.status}"],
    service: "name",
    link: "build.fullurl",
    severity: "build.status",
    severities: { failure: "high", unstable: "low" },
    state: "build.status",
    over: /^SUCCESS$/,
    // Where each branch is built, the name is that of the branch, whosever it is.
    identity: ["url|name"],
  },
  {
    ...HONEYBADGER,
    where: {
      event: /^(occurred|rate_exceeded|(un)?resolved|down|up|check_in_(missing|reporting)|alarm_(alert|ok))$/,
    },
    over: /^(resolved|up|check_in_reporting|alarm_ok)$/,
  },
  // It runs out whether or not the site is up.
  { ...HONEYBADGER, where: { event: /^cert_will_expire$/ }, otherwise: "medium", facet: "certificate" },
  {
    ...HONEYBADGER,
    marks: ["event", "message", "project.id", "volumespike.observed"],
    otherwise: "medium",
    identity: ["project.id"],
    facet: "volume",
  },
  {
    // As its plugin of webhooks sends it, which servers of one's own have without an integration.
    name: "Sentry",
    marks: ["project", "projectslug", "level", "culprit", "event"],
    titles: ["{event.title}", "{message}", "{culprit}"],
    description: "culprit",
    service: "projectname|projectslug",
    link: "url",
    severity: "level",
    time: "event.timestamp",
    identity: ["projectslug", "id"],
  },
  {
    name: "Bugsnag",
    marks: ["trigger.type", "error.exceptionclass", "project.name"],
    titles: ["{error.exceptionclass}: {error.message}", "{error.exceptionclass}"],
    description: "trigger.message",
    service: "project.name",
    link: "error.url",
    severity: "error.severity",
    state: "error.status",
    over: /^fixed$/i,
    time: "error.receivedat",
    identity: ["error.errorid|error.id"],
  },
  {
    name: "Airbrake",
    marks: ["airbrakeerrorurl", "error.id"],
    titles: ["{error.errorclass}: {error.errormessage}", "{error.errormessage|error.errorclass}"],
    description: "error.errormessage",
    service: "error.project.name",
    environment: "error.environment",
    link: "airbrakeerrorurl",
    severity: "error.severity",
    start: "error.firstoccurredat",
    identity: ["error.project.id", "error.id"],
  },
  {
    name: "Raygun",
    marks: ["event", "eventtype", "error.url", "application.name"],
    titles: ["{error.message}", "{application.name}: {eventtype}"],
    service: "application.name",
    link: "error.url",
    state: "error.status",
    over: /^(resolved|ignored|permanentlyignored)$/i,
    start: "error.firstoccurredon",
    identity: ["error.url"],
  },
];

const SUMO_LOGIC = {
  name: "Sumo Logic",
  marks: ["name", "triggertype", "triggertime|alertresponseurl|queryurl"],
  titles: ["{name}"],
  description: "description|triggercondition",
  link: "alertresponseurl|queryurl|sourceurl",
  severity: "triggertype",
  severities: { missingdata: "unknown" },
  state: "triggertype",
  over: /^resolved/i,
  identity: ["id|name"],
} as const;

/** Clusters, networks and logs. */
const WATCHED: readonly Tool[] = [
  {
    name: "Kubernetes",
    marks: ["involvedobject.kind", "involvedobject.name", "reason", "type"],
    where: { type: /^(Warning|Normal)$/ },
    titles: [
      "{involvedobject.kind} {involvedobject.namespace}/{involvedobject.name}: {reason}",
      "{involvedobject.kind} {involvedobject.name}: {reason}",
    ],
    description: "message",
    service: "source.component|reportingcomponent",
    hosts: "source.host",
    severity: "type",
    severities: { normal: "info" },
    time: "lasttimestamp|eventtime",
    identity: ["involvedobject.kind", "involvedobject.namespace", "involvedobject.name", "reason"],
  },
  {
    name: "CrowdSec",
    marks: ["scenario", "source.scope|source.ip", "eventscount", "startat"],
    titles: ["{scenario} by {source.value|source.ip}"],
    description: "message",
    service: "scenario",
    otherwise: "medium",
    time: "startat",
    identity: ["scenario", "source.value|source.ip"],
  },
  {
    // The agent of Netdata to whatever takes plain JSON; its cloud writes otherwise.
    name: "Netdata",
    marks: ["node|host", "chart", "alarm|name", "status", "oldstatus"],
    titles: ["{alarm|name} on {node|host}"],
    description: "description|info",
    service: "chart",
    hosts: "node|host",
    severity: "status",
    state: "status",
    over: /^(clear|removed)$/i,
    time: "date|when",
    identity: ["node|host", "chart", "alarm|name"],
  },
  {
    // As senders write to it, without what it adds itself.
    name: "Alerta",
    marks: ["resource", "event", "environment", "severity", "service", "origin|createtime|rawdata"],
    titles: ["{event} on {resource}"],
    description: "text|rawdata",
    service: "service.0|group",
    hosts: "resource",
    severity: "severity",
    severities: { security: "critical", indeterminate: "unknown", trace: "info" },
    state: "severity",
    over: /^(normal|ok|cleared)$/i,
    time: "createtime",
    identity: ["environment", "resource", "event"],
  },
  {
    name: "Observium",
    marks: ["alertstate", "alertid", "devicehostname"],
    titles: ["{alertmessage}", "{title}"],
    description: "conditions|metrics",
    service: "entityname",
    hosts: "devicehostname",
    link: "alerturl",
    severity: "severity",
    state: "alertstate",
    over: /^(recover|ok)/i,
    identity: ["alertid"],
  },
  // A monitor of many groups tells of each by itself, under the one number of the monitor.
  { ...SUMO_LOGIC, where: { alertgroup: /\S/ }, identity: [...SUMO_LOGIC.identity, "alertgroup"] },
  SUMO_LOGIC,
  {
    name: "Papertrail",
    marks: ["savedsearch.name", "events"],
    titles: ["{savedsearch.name}"],
    description: "events.0.message",
    service: "events.0.program",
    hosts: "events.0.hostname|events.0.sourcename",
    link: "savedsearch.htmlsearchurl",
    time: "events.0.receivedat",
    identity: ["savedsearch.id|savedsearch.name"],
  },
];

/** Tools that came after those of decision 0124. */
export const WORKSHOPS: readonly Tool[] = [...BUILDS, ...WATCHED];
