/** The description of webhooks of tools without a reader of their own, and those of tools that monitor hosts and sites. */
import type { Severity } from "../severity.ts";

/**
 * A tool's webhook. Places are folded names (`folded.ts`) with dots between levels and `|` between alternatives, of which
 * the first non-empty one counts.
 */
export interface Tool {
  /** The monitoring tool in the record; absent where several tools share a format. */
  name?: string;
  /** The name of a format without a tool name; strict integrations do not recognise it. */
  kind?: string;
  /** The name on receipts of a format that several tools share. */
  format?: string;
  /** Places that must all exist in a payload, and together occur in no other tool's. */
  marks: readonly string[];
  /** Patterns of values that must match as well; a missing value is matched as empty text. */
  where?: Readonly<Record<string, RegExp>>;
  /** Members of the specification that its payloads have as well, with `title`; without this, they must have no title. */
  shared?: readonly string[];
  /** It sends forms (`application/x-www-form-urlencoded`). */
  form?: boolean;
  /** Its payloads without other members are messages, and read like those for chats. */
  isMessage?: boolean;
  /** Templates of the title; the first whose places are all non-empty counts. */
  titles: readonly string[];
  description?: string;
  service?: string;
  hosts?: string;
  environment?: string;
  link?: string;
  severity?: string;
  /** The tool's severity words that differ from the common ones, in lower case. */
  severities?: Readonly<Record<string, Severity>>;
  /** The severity where there is none or the word is unknown; critical if absent. */
  otherwise?: Severity;
  /** The place of the state, and patterns of the states that mean resolved and acknowledged. */
  state?: string;
  over?: RegExp;
  acknowledged?: RegExp;
  /** Places of the start and the end of the alert; `time`, the time of the message, stands in for either. */
  start?: string;
  end?: string;
  time?: string;
  /** Places that together identify the alert. */
  identity: readonly string[];
  /** Places that are part of the identity only if they hold text; a number there is a measured value. */
  tags?: readonly string[];
  /** A list in no particular order, and a pattern of its items that are part of the identity. */
  listed?: { place: string; members: RegExp };
  /** Part of the identity, where one identity can have several kinds of alerts. */
  facet?: string;
}
const NAGIOS_HOST = "hostname|hostalias|hostdisplayname|host";
const NAGIOS_SERVICE = "servicedesc|servicename|servicedisplayname|service";
const NAGIOS = {
  // Its commands are shell lines, where only a form can safely carry a plugin's output (`curl --data-urlencode`).
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

/** The members that all its formats have in common. */
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

/** Downtime, certificate and slowness of a site are separate alerts. */
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

/** Tools that monitor hosts, services and sites. */
export const WATCHERS: readonly Tool[] = [
  {
    // These types do not report a change of state, so the state is read from its own member.
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
    // Tests and certificate warnings have no monitor id; they are identified by their text.
    identity: ["monitor.id|msg"],
  },
  {
    // The format for Home Assistant, whose title is always the same.
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
    // An expiring certificate is an alert of its own, which is not resolved when the site is up.
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
    // Other exit codes are specific to the check.
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
    // An event without a key is sent once per group.
    identity: ["eventdefinitionid", "event.key|event.groupbyfields"],
  },
];
