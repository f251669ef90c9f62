/** Webhooks of databases, backups and storage, and of more tools that monitor clusters and networks. */
import type { Tool } from "./tools.ts";

const ICINGA = {
  name: "Icinga",
  marks: ["contact", "object.name", "incident.id", "incident.severity", "event"],
  titles: ["{object.tags.service} on {object.tags.host}", "{object.tags.host|object.name}"],
  description: "event.message",
  service: "object.tags.service",
  hosts: "object.tags.host",
  link: "incident.url|object.url",
  severity: "incident.severity",
  severities: { alert: "critical", err: "high" },
  time: "event.time",
  identity: ["object.name", "object.tags.host", "object.tags.service"],
} as const;

const PLANET_SCALE = {
  name: "PlanetScale",
  marks: ["event", "organization", "database", "resource"],
  titles: ["{database}/{resource.branchname|resource.branch|resource.name}: {event}", "{database}: {event}"],
  service: "database",
  link: "resource.htmlurl",
  time: "timestamp",
} as const;

export const STORES: readonly Tool[] = [
  {
    // Icinga Notifications with its whole context, which is the default without a template.
    ...ICINGA,
    where: { "event.type": /^acknowledgement-set$/ },
    state: "event.type",
    acknowledged: /./,
  },
  { ...ICINGA, state: "incident.severity", over: /^ok$/i },
  {
    // Botkube reports every change that it is configured for, but no recovery.
    name: "Botkube",
    marks: ["source", "data.kind", "data.name", "data.resource", "data.level", "data.cluster"],
    titles: [
      "{data.kind} {data.namespace}/{data.name}: {data.reason|data.type}",
      "{data.kind} {data.name}: {data.reason|data.type}",
      "{data.title}",
    ],
    description: "data.messages|data.error|data.recommendations",
    service: "data.namespace",
    hosts: "data.cluster",
    severity: "data.level",
    severities: { success: "info" },
    time: "data.timestamp",
    identity: ["data.cluster", "data.kind", "data.namespace", "data.name", "data.type", "data.reason"],
  },
  {
    // Network alarms; those of cameras have a different format.
    name: "UniFi Network",
    marks: ["app", "alarmid", "name", "message", "parameters"],
    where: { app: /^network$/i },
    titles: [
      "{name}: {parameters.unificlientalias|parameters.unificlienthostname|parameters.unifidevicename}",
      "{name}",
    ],
    description: "message",
    service: "parameters.unificategory",
    hosts: "parameters.unifihost",
    otherwise: "medium",
    time: "parameters.unifiutctime",
    identity: ["parameters.unifihost", "name", "parameters.unificlientmac|parameters.unifidevicemac"],
  },
  {
    // An alert of a query, whose state is only in its title.
    name: "Databricks",
    marks: ["event", "alert.alert.id", "alert.alert.name"],
    where: { event: /^alert_state_change$/ },
    titles: ["{alert.alert.name}"],
    description: "alert.description|alert.title",
    state: "alert.title",
    over: / changed status to OK$/,
    identity: ["alert.alert.id"],
    facet: "query",
  },
  {
    ...PLANET_SCALE,
    where: {
      event: /^(branch\.(anomaly|out_of_memory)|(cluster|keyspace)\.storage|deploy_request\.errored)$/,
    },
    severity: "event",
    severities: {
      ...{ "branch.anomaly": "medium", "branch.out_of_memory": "high", "deploy_request.errored": "high" },
      ...{ "cluster.storage": "medium", "keyspace.storage": "medium" },
    },
    identity: [
      ...["organization", "database", "event", "resource.branchname|resource.branch|resource.name"],
      "resource.keyspacename|resource.number",
    ],
  },
  {
    name: "Couchbase Capella",
    marks: ["details.kind", "details.name", "details.severity", "resource.kind", "tenant|project"],
    titles: ["{details.name}: {resource.name}", "{details.name}"],
    description: "details.summary|details.description",
    service: "resource.name",
    severity: "details.severity",
    time: "createdat",
    identity: ["tenant.id", "project.id", "resource.id", "details.kind"],
  },
  {
    name: "Rubrik",
    marks: ["summary", "severity", "customdetails.seriesid", "customdetails.objectname"],
    titles: ["{summary}"],
    description: "customdetails.eventname",
    service: "class|customdetails.type",
    hosts: "customdetails.objectname",
    severity: "severity",
    state: "customdetails.status",
    over: /^(task)?success(ful)?$|^succeeded$/i,
    time: "timestamp",
    identity: [
      "customdetails.clusterid|source",
      "customdetails.objectid|customdetails.objectname",
      "class|customdetails.type",
    ],
  },
  {
    // The default template.
    name: "Commvault",
    marks: ["alert", "type", "detectedcriteria", "detectedtime", "commcell"],
    titles: ["{alert}: {client}", "{alert}"],
    description: "failurereason|detectedcriteria",
    service: "agenttype",
    hosts: "client",
    otherwise: "high",
    time: "detectedtime",
    identity: ["commcell", "alert", "type", "client", "agenttype", "instance", "backupset", "subclient"],
  },
  {
    // One item of a list of events.
    name: "IBM Storage Scale",
    marks: ["component", "entityname", "event", "severity", "identifier|fullidentifier"],
    titles: ["{message}", "{event}: {entityname}"],
    description: "cause|description",
    service: "component",
    hosts: "node",
    severity: "severity",
    severities: { tip: "info" },
    state: "state",
    over: /^healthy$/i,
    time: "time",
    identity: ["fullidentifier|identifier"],
  },
  {
    name: "Curity",
    marks: ["alarmid", "alarmtype", "cleared", "severity", "resourceid"],
    titles: ["{briefdescription}", "{alarmtype}: {resourceid}"],
    description: "detaileddescription",
    service: "resourceid",
    hosts: "nodeid",
    link: "dashboardlink",
    severity: "severity",
    state: "cleared",
    over: /^true$/i,
    time: "lastupdated",
    identity: ["alarmid"],
  },
];
