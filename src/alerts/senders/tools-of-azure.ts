/** What Azure Monitor sends: in its common schema, and in the older ones that an action group uses unless told otherwise. */
import type { Tool } from "./tools.ts";

/** What the log of activities tells is fired and never resolved: each message is an alert of its own to Azure. */
const LOGGED = {
  common: "data.alertcontext",
  older: "data.context.activitylog",
} as const;

/** Other rules may bear properties of any name that their owner gave them. */
const OF_LOG = { "data.essentials.signaltype": /^activity log$/i };

const COMMON = {
  name: "Azure Monitor",
  marks: ["schemaid", "data.essentials.alertid"],
  titles: ["{data.essentials.alertrule}", "{data.essentials.monitoringservice} alert"],
  description: "data.essentials.description",
  service: "data.essentials.monitoringservice",
  hosts: "data.essentials.configurationitems",
  link: "data.essentials.investigationlink|data.alertcontext.linktosearchresults",
  severity: "data.essentials.severity",
  severities: { sev0: "critical", sev1: "high", sev2: "medium", sev3: "low", sev4: "info" },
  start: "data.essentials.fireddatetime",
} as const;

const OLDER = {
  name: "Azure Monitor",
  marks: ["schemaid", "data.context.activitylog.operationname"],
  titles: ["{data.context.activitylog.properties.title}", "{data.context.activitylog.operationname}"],
  description: "data.context.activitylog.description|data.context.activitylog.properties.details",
  service: "data.context.activitylog.properties.service|data.context.activitylog.eventsource",
  hosts: "data.context.activitylog.resourceid",
  severity: "data.context.activitylog.level",
  time: "data.context.activitylog.eventtimestamp",
} as const;

/** The health of a resource changes to and fro: it is over when the resource is available. */
const healthOf = (log: string) => ({
  state: `${log}.properties.currenthealthstatus`,
  over: /^available$/i,
  facet: "health",
});

/** Whatever is told of one trouble of a service bears its tracking id; what caused it is told when it is over. */
const incidentOf = (log: string) => ({
  state: `${log}.properties.stage|${log}.status`,
  over: /^(resolved|complete|canceled|rca)$/i,
  identity: [`${log}.properties.trackingid`],
});

/** The kinds that are known by more go first. */
export const AZURE: readonly Tool[] = [
  {
    ...COMMON,
    marks: [...COMMON.marks, `${LOGGED.common}.properties.currenthealthstatus`],
    where: OF_LOG,
    titles: [`{data.essentials.alertrule}: {${LOGGED.common}.properties.title}`, ...COMMON.titles],
    ...healthOf(LOGGED.common),
    identity: ["data.essentials.alertrule", "data.essentials.alerttargetids"],
  },
  {
    ...COMMON,
    marks: [...COMMON.marks, `${LOGGED.common}.properties.trackingid`],
    where: OF_LOG,
    titles: [`{${LOGGED.common}.properties.title}`, ...COMMON.titles],
    ...incidentOf(LOGGED.common),
  },
  {
    ...COMMON,
    marks: [...COMMON.marks],
    state: "data.essentials.monitorcondition",
    over: /^resolved$/i,
    end: "data.essentials.resolveddatetime",
    identity: ["data.essentials.alertid"],
  },
  {
    ...OLDER,
    marks: [...OLDER.marks, `${LOGGED.older}.properties.currenthealthstatus`],
    ...healthOf(LOGGED.older),
    identity: [`${LOGGED.older}.resourceid`],
  },
  {
    ...OLDER,
    marks: [...OLDER.marks, `${LOGGED.older}.properties.trackingid`],
    ...incidentOf(LOGGED.older),
  },
  { ...OLDER, identity: [`${LOGGED.older}.operationname`, `${LOGGED.older}.resourceid`] },
  {
    // A rule may watch many resources, each of which has its trouble.
    name: "Azure Monitor",
    marks: ["data.status", "data.context.id", "data.context.name"],
    titles: ["{data.context.name}"],
    description: "data.context.description|data.context.condition.metricname",
    service: "data.context.resourcetype",
    hosts: "data.context.resourcename",
    link: "data.context.portallink",
    severity: "data.context.severity",
    severities: { 0: "critical", 1: "high", 2: "medium", 3: "low", 4: "info" },
    state: "data.status",
    over: /^(resolved|deactivated)$/i,
    time: "data.context.timestamp",
    identity: ["data.context.id", "data.context.resourceid"],
  },
];
