/** Webhooks of Azure Monitor, in its common schema and in the older schemas, which action groups use by default. */
import type { Tool } from "./tools.ts";

/** Places of the activity log entry; Azure fires each entry as an alert of its own and never resolves it. */
const LOGGED = {
  common: "data.alertcontext",
  older: "data.context.activitylog",
} as const;

/** Severities without the prefix `Sev`. */
const NUMBERED = { 0: "critical", 1: "high", 2: "medium", 3: "low", 4: "info" } as const;

/** Restricts an entry to activity log alerts, since other rules may have custom properties with the same names. */
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

/** Resource health: the alert is resolved when the resource is available. */
const healthOf = (log: string) => ({
  state: `${log}.properties.currenthealthstatus`,
  over: /^available$/i,
  facet: "health",
});

/** Service health: all messages of an incident have its tracking id; the root cause (`rca`) follows its end. */
const incidentOf = (log: string) => ({
  state: `${log}.properties.stage|${log}.status`,
  over: /^(resolved|complete|canceled|rca)$/i,
  identity: [`${log}.properties.trackingid`],
});

/** More specific entries come first. */
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
    // A rule may monitor many resources, each with an alert of its own.
    name: "Azure Monitor",
    marks: ["data.status", "data.context.id", "data.context.name"],
    titles: ["{data.context.name}"],
    description: "data.context.description|data.context.condition.metricname",
    service: "data.context.resourcetype",
    hosts: "data.context.resourcename",
    link: "data.context.portallink",
    severity: "data.context.severity",
    severities: NUMBERED,
    state: "data.status",
    over: /^(resolved|deactivated)$/i,
    time: "data.context.timestamp",
    identity: ["data.context.id", "data.context.resourceid"],
  },
  {
    // Log alerts in their own schema, which have no state: the rule fires at each run that finds something.
    name: "Azure Monitor",
    marks: ["schemaid", "data.alertrulename", "data.searchquery"],
    where: { schemaid: /^microsoft\.insights\/logalert$/i },
    titles: ["{data.alertrulename}"],
    description: "data.description|data.searchquery",
    hosts: "data.affectedconfigurationitems",
    link: "data.linktosearchresults",
    severity: "data.severity",
    severities: NUMBERED,
    time: "data.searchintervalendtimeutc",
    identity: ["data.subscriptionid", "data.alertrulename"],
  },
  {
    // Each threshold of a budget is reported once a period, and never that it is no longer exceeded.
    name: "Azure budgets",
    marks: ["schemaid", "data.budgetname", "data.spendingamount", "data.budget"],
    titles: ["Budget {data.budgetname}: {data.spendingamount} of {data.budget} {data.unit}"],
    service: "data.subscriptionname",
    otherwise: "medium",
    identity: [
      "data.subscriptionid",
      "data.resourcegroup",
      "data.budgetname",
      "data.budgetstartdate",
      "data.notificationthresholdamount",
    ],
  },
];
