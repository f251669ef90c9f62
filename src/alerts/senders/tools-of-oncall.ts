/** The incoming formats of Grafana OnCall and VictorOps, in which Zabbix also reports what operators did. */
import type { Tool } from "./tools.ts";
import { ZABBIX_SEVERITIES } from "./tools-of-zabbix.ts";

/** What Zabbix says that an operator did; other things that are said about a problem may be the problem itself. */
const ZABBIX_ACTION =
  "(?:acknowledged|commented|closed|(?:un)?suppressed(?: indefinitely| until \\S{1,20}(?: \\S{1,20})?)?)";
const ZABBIX_TIME = "\\d{4}[./-]\\d\\d[./-]\\d\\d \\d\\d:\\d\\d(?::\\d\\d)?";
/** The text of an operator's update in Zabbix, unless it only changed the severity or withdrew an acknowledgement. */
const ZABBIX_UPDATE = new RegExp(
  `^(?!.*\\b(?:changed severity|unacknowledged)\\b).{1,300} ${ZABBIX_ACTION} problem at ${ZABBIX_TIME}\\.(?:\\r?\\n|$)`,
);

/** LibreNMS adds `raw_state`, where 2 is acknowledged. */
const ONCALL = {
  name: "Grafana OnCall",
  shared: ["title", "severity"],
  marks: ["alertuid", "state"],
  titles: ["{title}", "{message}"],
  description: "message",
  link: "linktoupstreamdetails",
  severity: "severity",
  state: "rawstate|state",
  over: /^(0|ok)$/i,
  identity: ["alertuid"],
} as const;

/** The formatted webhook of Grafana OnCall. */
export const GRAFANA_ONCALL: readonly Tool[] = [
  // Its state is still that of the problem.
  { ...ONCALL, where: { state: /^alerting$/i, message: ZABBIX_UPDATE }, acknowledged: /./ },
  { ...ONCALL, where: { state: /^(ok|alerting)$/i }, acknowledged: /^2$/ },
];

/** ElastAlert and other simple senders send no entity. */
const ENTITY = {
  format: "Splunk On-Call",
  marks: ["messagetype", "entityid|statemessage|entitydisplayname"],
  titles: ["{entitydisplayname}", "{entityid}", "{statemessage}"],
  description: "statemessage",
  hosts: "hostname|hostalias",
  // Zabbix' own sender sends both.
  severity: "severity|messagetype",
  severities: { "not classified": ZABBIX_SEVERITIES["not classified"] ?? "unknown" },
  state: "messagetype",
  over: /^(recovery|ok)$/i,
  time: "timestamp",
  start: "statestarttime",
  identity: ["entityid"],
} as const;

export const VICTOROPS: readonly Tool[] = [
  // Newer versions of Zabbix send the type INFO for updates, as for problems of a low severity.
  {
    ...ENTITY,
    where: { monitoringtool: /^zabbix$/i, messagetype: /^(?!(recovery|ok)$)/i, statemessage: ZABBIX_UPDATE },
    acknowledged: /./,
  },
  { ...ENTITY, acknowledged: /^(acknowledgement|ack)$/i },
];
