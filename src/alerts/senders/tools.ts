/** Webhooks of monitoring tools that have no reader of their own, and the form in which all such webhooks are described. */
import type { Severity } from "../severity.ts";

/**
 * A tool's webhook. Places are folded names (`folded.ts`) with dots between levels and `|` between alternatives, the
 * first that holds something.
 */
export interface Tool {
  /** What the record calls it; absent where several tools write alike. */
  name?: string;
  /** What its way of writing is called where it has no name; one that is strict about titles does not take it. */
  kind?: string;
  /** Places that all stand in its payloads, and in nobody else's. */
  marks: readonly string[];
  /** Values that must match besides. */
  where?: Readonly<Record<string, RegExp>>;
  /** Members of ours that its documented body has too, `title` among them; all others are known by having no title. */
  shared?: readonly string[];
  /** It sends forms (`application/x-www-form-urlencoded`). */
  form?: boolean;
  /** Templates of the title; the first whose places all hold something. */
  titles: readonly string[];
  description?: string;
  service?: string;
  hosts?: string;
  environment?: string;
  link?: string;
  severity?: string;
  /** Its words that mean something else than they mean elsewhere. */
  severities?: Readonly<Record<string, Severity>>;
  /** What it is called where no severity is said. */
  otherwise?: Severity;
  /** Where it says whether the trouble goes on, and which words say that it is over, or that somebody looks at it. */
  state?: string;
  over?: RegExp;
  acknowledged?: RegExp;
  /** When the trouble began and ended, or the moment of the message. */
  start?: string;
  end?: string;
  time?: string;
  /** Places that together name the trouble. */
  identity: readonly string[];
  /** Places that are part of that name where they hold text; a number there is what was measured. */
  tags?: readonly string[];
  /** A list in whose order nothing can be told, and which of its members are part of that name. */
  listed?: { place: string; members: RegExp };
  /** What of it this is about, where the same names have troubles of several kinds. */
  facet?: string;
}
const NAGIOS_HOST = "hostname|hostalias|hostdisplayname|host";
const NAGIOS_SERVICE = "servicedesc|servicename|servicedisplayname|service";
const NAGIOS = {
  // Its commands are lines of a shell, where a form alone bears whatever an output says (`curl --data-urlencode`).
  form: true,
  titles: [
    `{${NAGIOS_SERVICE}} on {${NAGIOS_HOST}} is {servicestate|state}`,
    `{${NAGIOS_HOST}} is {hoststate|state}`,
    `{${NAGIOS_HOST}}: {notificationtype}`,
  ],
  description: "serviceoutput|hostoutput|output|pluginoutput|longserviceoutput",
  service: NAGIOS_SERVICE,
  hosts: NAGIOS_HOST,
  severity: "servicestate|hoststate|state",
  severities: { critical: "critical", down: "critical", unreachable: "high", unknown: "unknown" },
  state: "notificationtype|servicestate|hoststate|state",
  over: /^(recovery|ok|up)\b/i,
  acknowledged: /^acknowledgement/i,
  time: "timet|shortdatetime",
  identity: [NAGIOS_HOST, NAGIOS_SERVICE],
} as const;

/** As it tells of a monitor, whatever for. */
export const UPTIME_KUMA = {
  name: "Uptime Kuma",
  titles: ["{msg}"],
  description: "heartbeat.msg",
  service: "monitor.name",
  hosts: "monitor.hostname|monitor.url",
  state: "heartbeat.status",
  over: /^1$/,
  time: "heartbeat.time",
} as const;

/** A site is down or not, its certificate is good or not, and it is slow: each is a trouble of its own. */
const UPDOWN = {
  name: "updown.io",
  marks: ["event", "check.token"],
  titles: ["{description}", "{check.alias|check.url} {event}"],
  description: "downtime.error",
  service: "check.alias|check.url",
  hosts: "check.url",
  state: "event",
  time: "time",
} as const;

/** Tools that watch hosts, services and sites from within or without. */
export const WATCHERS: readonly Tool[] = [
  {
    // These say that something else than the state changed, so that it is the state that counts.
    ...NAGIOS,
    marks: ["notificationtype", NAGIOS_HOST],
    where: { notificationtype: /^(custom|flapping)/i },
    state: "servicestate|hoststate|state",
  },
  { ...NAGIOS, marks: ["notificationtype", NAGIOS_HOST] },
  { ...NAGIOS, marks: ["servicestate|hoststate", NAGIOS_HOST] },
  { ...NAGIOS, marks: ["host|hostname", "state", "output|pluginoutput"], form: false },
  {
    ...UPTIME_KUMA,
    marks: ["heartbeat", "monitor", "msg"],
    // Neither a test nor a warning about a certificate has a heartbeat; both say all in their text.
    identity: ["monitor.id|msg"],
  },
  {
    // As it writes to Home Assistant, always with the same title.
    ...UPTIME_KUMA,
    shared: ["title"],
    marks: ["title", "message", "data.name", "data.status"],
    where: { title: /^Uptime Kuma$/ },
    titles: ["{message}"],
    service: "data.name",
    state: "data.status",
    identity: ["data.name"],
  },
  {
    name: "UptimeRobot",
    form: true,
    marks: ["monitorid", "alerttype", "monitorfriendlyname"],
    titles: ["{monitorfriendlyname} is {alerttypefriendlyname}", "{monitorfriendlyname}"],
    description: "alertdetails",
    service: "monitorfriendlyname",
    hosts: "monitorurl",
    state: "alerttype",
    over: /^2$/,
    time: "alertdatetime",
    // What expires stays so when the site is up again.
    identity: ["monitorid", "sslexpirydate"],
  },
  {
    name: "Pingdom",
    marks: ["checkid", "checkname", "currentstate"],
    titles: ["{checkname} is {currentstate}"],
    description: "longdescription|description",
    service: "checkname",
    hosts: "checkparams.hostname|checkparams.url",
    severity: "importancelevel",
    state: "currentstate",
    over: /^(up|success)$/i,
    time: "statechangedtimestamp|statechangedutctime",
    identity: ["checkid"],
  },
  {
    name: "Site24x7",
    form: true,
    marks: ["monitorname", "status", "incidentreason|incidenttime|incidenttimeiso|monitortype"],
    titles: ["{monitorname} is {status}"],
    description: "incidentreason|incidentdetails",
    service: "monitorgroupname|monitorname",
    hosts: "monitorurl|monitorname",
    link: "monitordashboardlink",
    severity: "status",
    severities: { down: "critical", critical: "high", trouble: "low" },
    state: "status",
    over: /^(up|available)$/i,
    time: "incidenttimeiso",
    identity: ["monitorid|monitorname"],
  },
  {
    name: "StatusCake",
    form: true,
    marks: ["name", "status", "statuscode", "token|checkrate|url"],
    titles: ["{name} is {status}"],
    description: "url",
    service: "name",
    hosts: "ip|url",
    state: "status",
    over: /^up$/i,
    identity: ["name", "url"],
  },
  {
    name: "HetrixTools",
    marks: ["monitorid", "monitorname", "monitorstatus"],
    titles: ["{monitorname} is {monitorstatus}"],
    service: "monitorname",
    hosts: "monitortarget",
    state: "monitorstatus",
    over: /^(online|up)$/i,
    time: "timestamp",
    identity: ["monitorid"],
  },
  {
    ...UPDOWN,
    where: { event: /^check\.(down|still_down|up)$/ },
    over: /^check\.up$/,
    identity: ["check.token"],
  },
  {
    ...UPDOWN,
    where: { event: /^check\.ssl_/ },
    severity: "event",
    severities: { "check.ssl_expiration": "medium", "check.ssl_invalid": "critical" },
    over: /^check\.ssl_(valid|renewed)$/,
    identity: ["check.token"],
    facet: "certificate",
  },
  { ...UPDOWN, where: { event: /^check\./ }, otherwise: "low", identity: ["check.token", "event"] },
  {
    name: "Netdata",
    marks: ["chart", "context", "severity", "alarm|alert"],
    titles: ["{message}", "{alarm|alert}"],
    description: "info",
    service: "chart",
    hosts: "node.hostname|node.name|host|hostname|node",
    link: "alarmurl|alerturl",
    severity: "severity",
    state: "severity",
    over: /^clear(ed)?$/i,
    time: "date",
    identity: [
      "space.id|space.name",
      "node.id|node.hostname|node.name|host|hostname|node",
      "chart",
      "alarm|alert",
    ],
  },
  {
    name: "Netdata",
    marks: ["host", "status.reachable"],
    titles: ["{message}", "{host} is {status.text}"],
    hosts: "host",
    link: "url",
    severity: "severity",
    state: "status.reachable",
    over: /^true$/i,
    identity: ["host"],
  },
  {
    name: "Sensu",
    marks: ["check.metadata.name", "entity.metadata.name", "check.status"],
    titles: ["{check.metadata.name} on {entity.metadata.name}"],
    description: "check.output",
    service: "check.metadata.name",
    hosts: "entity.metadata.name",
    severity: "check.status",
    severities: { 1: "low", 2: "critical", 3: "unknown" },
    // Any other code is a check's own.
    otherwise: "unknown",
    state: "check.status",
    over: /^0$/,
    time: "timestamp",
    identity: ["entity.metadata.namespace", "entity.metadata.name", "check.metadata.name"],
  },
  {
    name: "Falco",
    marks: ["rule", "priority", "outputfields"],
    titles: ["{rule}"],
    description: "output",
    service: "source",
    hosts: "hostname|outputfields.k8spodname",
    severity: "priority",
    severities: { alert: "critical", critical: "critical", error: "high", notice: "info" },
    time: "time",
    identity: ["rule", "hostname", "outputfields.containerid"],
  },
  {
    name: "Wazuh",
    marks: ["rule.level", "rule.description", "agent"],
    titles: ["{rule.description}"],
    description: "fulllog",
    service: "location",
    hosts: "agent.name|agent.ip",
    severity: "rule.level",
    severities: {
      ...{ 0: "info", 1: "info", 2: "info", 3: "info", 4: "low", 5: "low", 6: "low" },
      ...{ 7: "medium", 8: "medium" },
      ...{ 9: "medium", 10: "high", 11: "high" },
      ...{ 12: "critical", 13: "critical", 14: "critical", 15: "critical", 16: "critical" },
    },
    time: "timestamp",
    identity: ["rule.id|rule.description", "agent.id|agent.name"],
  },
  {
    name: "Graylog",
    marks: ["eventdefinitionid", "event"],
    titles: ["{eventdefinitiontitle}", "{event.message}"],
    description: "event.message",
    hosts: "event.groupbyfields.host|event.groupbyfields.hostname|event.groupbyfields.source|event.source",
    severity: "event.priority",
    severities: { 1: "low", 2: "medium", 3: "high", 4: "critical" },
    time: "event.timestamp",
    // An event without a key of its own is told for each of its groups.
    identity: ["eventdefinitionid", "event.key|event.groupbyfields"],
  },
];
