/** Webhooks of devices, hypervisors and scanners, and of more monitors of sites and logs. */
import type { Tool } from "./tools.ts";

const TRIVY = "operatorobject.";

/** Each check of a site is an alert of its own; only the uptime check reports a recovery. */
const OH_DEAR = {
  name: "Oh Dear",
  marks: ["type", "datetime", "site.id", "site.url"],
  titles: ["{site.label|site.sorturl|site.url}: {type}"],
  service: "site.label|site.sorturl",
  hosts: "site.url",
  state: "type",
  time: "run.startedat",
} as const;

/** The severities of the event types, in lower case. */
const TAILSCALE_SEVERITIES: NonNullable<Tool["severities"]> = {
  ...{ nodekeyexpired: "high", nodekeyexpiringinoneday: "medium" },
  ...{ nodeneedsapproval: "low", userneedsapproval: "low", nodeneedssignature: "low" },
  ...{ subnetipforwardingnotenabled: "medium", exitnodeipforwardingnotenabled: "medium" },
};

/** An event of a tailnet; events are sent in a list. */
const TAILSCALE = {
  name: "Tailscale",
  marks: ["tailnet", "type", "message", "version"],
  titles: ["{message}", "{type}"],
  service: "tailnet",
  hosts: "data.devicename",
  link: "data.url",
  severity: "type",
  severities: TAILSCALE_SEVERITIES,
  otherwise: "info",
  state: "type",
  time: "timestamp",
} as const;

/** An alert of a Proxmox host or what runs on it. `at` is the prefix of its places. */
const pulse = (at: "" | "alert."): Tool => ({
  name: "Pulse",
  marks: ["source", `${at}level`, `${at}resourcename`, `${at}message`],
  where: { source: /^pulse-monitoring$/ },
  titles: [`{${at}resourcename}: {${at}message}`],
  service: `${at}resourcename`,
  hosts: `${at}node`,
  link: "dashboard",
  severity: `${at}level`,
  state: "event",
  over: /^resolved$/,
  start: `${at}starttime`,
  end: "resolvedat",
  time: "timestamp",
  identity: [`${at}id`],
});

export const DEVICES: readonly Tool[] = [
  {
    name: "Freshping",
    marks: ["webhookeventdata.checkstatename", "webhookeventdata.checkname"],
    titles: ["{webhookeventdata.checkname} is {webhookeventdata.checkstatename}"],
    description: "text",
    service: "webhookeventdata.checkname",
    hosts: "webhookeventdata.requesturl",
    state: "webhookeventdata.checkstatename",
    over: /^available$/i,
    time: "webhookeventdata.requeststarttime",
    identity: ["webhookeventdata.checkid|webhookeventdata.checkname", "webhookeventdata.requesturl"],
  },
  {
    name: "Uptime.com",
    marks: ["event", "data.service.id", "data.alert.state"],
    titles: ["{data.service.displayname|data.service.name} is {data.alert.state}"],
    description: "data.alert.shortoutput|data.alert.output",
    service: "data.service.displayname|data.service.name",
    hosts: "data.service.mspaddress",
    link: "data.links.alertdetails",
    state: "event",
    over: /^alert_cleared$/i,
    // A cleared alert has a different id from the raised one, so the service identifies it.
    identity: ["data.service.id"],
  },
  {
    name: "Axiom",
    marks: ["action", "event.monitorid"],
    where: { action: /^(open|closed)$/i },
    titles: ["{event.title}", "Monitor {event.monitorid}"],
    description: "event.body|event.description",
    state: "action",
    over: /^closed$/i,
    time: "event.timestamp",
    // A monitor with groups has a state per group.
    identity: ["event.monitorid", "event.groupvalues"],
  },
  {
    name: "VMware Aria Operations",
    marks: ["alertid", "alertname", "criticality", "resourcename", "canceldate"],
    titles: ["{alertname}"],
    description: "info",
    service: "resourcekind",
    hosts: "resourcename",
    severity: "criticality",
    severities: {
      alert_criticality_level_critical: "critical",
      alert_criticality_level_immediate: "high",
      alert_criticality_level_warning: "low",
      alert_criticality_level_info: "info",
    },
    state: "status",
    over: /^cancell?ed$/i,
    start: "startdate",
    end: "canceldate",
    identity: ["alertid"],
  },
  {
    name: "Scrutiny",
    marks: ["deviceserial", "devicename", "failuretype", "subject"],
    titles: ["{subject}"],
    description: "message",
    service: "devicename",
    hosts: "hostid",
    otherwise: "high",
    identity: ["hostid", "deviceserial|devicename", "failuretype"],
  },
  {
    name: "UniFi Protect",
    marks: ["alarm.name", "alarm.triggers", "timestamp"],
    titles: ["{alarm.name}: {alarm.triggers.0.key}", "{alarm.name}"],
    hosts: "alarm.triggers.0.device",
    link: "alarm.eventlocallink",
    otherwise: "info",
    time: "timestamp",
    identity: ["alarm.name", "alarm.triggers.0.key", "alarm.triggers.0.device"],
  },
  {
    // A report gives the current findings; deleting its object resolves the alert.
    name: "Trivy",
    marks: [
      `kind|${TRIVY}kind`,
      `metadata.name|${TRIVY}metadata.name`,
      `report.summary|${TRIVY}report.summary`,
    ],
    titles: [
      `{kind|${TRIVY}kind} {metadata.namespace|${TRIVY}metadata.namespace}/{metadata.name|${TRIVY}metadata.name}`,
      `{kind|${TRIVY}kind} {metadata.name|${TRIVY}metadata.name}`,
    ],
    service: `report.artifact.repository|${TRIVY}report.artifact.repository`,
    otherwise: "medium",
    state: "verb",
    over: /^delete$/i,
    identity: [
      `kind|${TRIVY}kind`,
      `metadata.namespace|${TRIVY}metadata.namespace`,
      `metadata.name|${TRIVY}metadata.name`,
    ],
  },
  {
    ...OH_DEAR,
    where: { type: /^uptimeCheck(Failed|Recovered)/ },
    over: /^uptimeCheckRecovered/,
    identity: ["site.id"],
  },
  { ...OH_DEAR, otherwise: "medium", identity: ["site.id", "type"] },
  {
    // The body is written by the user; these are the names that guides use for the variables.
    name: "OpManager",
    marks: ["alarmid|alarmcode", "devicename|displayname", "severity|stringseverity", "message"],
    titles: ["{devicename|displayname}: {message}"],
    description: "message",
    service: "category",
    hosts: "devicename|displayname|ipaddress",
    severity: "severity|stringseverity",
    severities: { "service down": "critical", trouble: "high", attention: "low", clear: "info" },
    state: "severity|stringseverity",
    over: /^clear$/i,
    time: "timestamp",
    identity: ["alarmid|alarmcode"],
  },
  {
    name: "Cisco Catalyst Center",
    marks: ["instanceid", "eventid", "details.assuranceissuename", "details.assuranceissuestatus"],
    titles: ["{details.assuranceissuename}", "{details.assuranceissuedetails}"],
    description: "details.assuranceissuedetails",
    service: "details.assuranceissuecategory|domain",
    hosts: "details.device",
    link: "ciscodnaeventlink",
    severity: "details.assuranceissuepriority|severity",
    severities: { p2: "high", p3: "medium", p4: "low", 1: "critical", 2: "high", 3: "medium", 4: "low" },
    state: "details.assuranceissuestatus",
    over: /^resolved$/i,
    time: "timestamp",
    identity: ["instanceid"],
  },
  {
    name: "Strata Cloud Manager",
    marks: ["kind", "data.incidentid", "data.title", "data.status"],
    where: { kind: /^incident$/i },
    titles: ["{data.title}"],
    description: "data.description",
    service: "data.category",
    severity: "data.severity",
    state: "data.status",
    // An incident waiting to be cleared is still open.
    over: /^cleared$/i,
    start: "data.raisedtime",
    end: "data.clearedtime|data.updatedtime",
    identity: ["data.incidentid"],
  },
  {
    // An expiring key and the expired one are the same alert.
    ...TAILSCALE,
    where: { type: /^nodeKey(ExpiringInOneDay|Expired)$/ },
    facet: "key",
    identity: ["tailnet", "data.nodeid"],
  },
  {
    ...TAILSCALE,
    where: { type: /^(node|user)(NeedsApproval|Approved)$/ },
    over: /Approved$/,
    facet: "approval",
    identity: ["tailnet", "data.nodeid|data.user"],
  },
  {
    ...TAILSCALE,
    where: { type: /^node(NeedsSignature|Signed)$/ },
    over: /Signed$/,
    facet: "signature",
    identity: ["tailnet", "data.nodeid"],
  },
  { ...TAILSCALE, identity: ["tailnet", "type", "data.nodeid|data.user"] },
  {
    // A new image of a container that runs here; nothing tells that it was taken.
    name: "Diun",
    marks: ["diunversion", "hostname", "status", "image"],
    titles: ["{image} is {status}"],
    service: "image",
    hosts: "hostname",
    link: "hublink",
    otherwise: "info",
    identity: ["hostname", "image", "platform"],
  },
  pulse("alert."),
  // One item of a list (`envelopes.ts`), as several alerts and all recoveries are sent.
  pulse(""),
  {
    // Only the text says what happened, in one line for each event.
    name: "Omada",
    marks: ["controller", "text", "shardsecret", "timestamp"],
    titles: ["{text.0}"],
    description: "text.1",
    service: "site",
    hosts: "controller",
    otherwise: "medium",
    time: "timestamp",
    identity: ["controller", "site", "text"],
  },
  {
    name: "What's Up Docker",
    marks: ["watcher", "name", "image.tag.value", "result", "updateavailable"],
    titles: ["{name}: update to {result.tag}", "{name}: update"],
    service: "name",
    hosts: "watcher",
    otherwise: "info",
    state: "updateavailable",
    over: /^false$/i,
    identity: ["watcher", "name"],
  },
];
