/** Messages of hosted services that are no alerts, such as starts, announcements and runs in progress. */

/** A kind of message that is no alert. Places have the syntax of those of a `Tool`. */
export interface Notice {
  /** The tool that sends it. */
  name: string;
  /** Places that must all exist in it. */
  marks: readonly string[];
  /** Patterns of values that must match as well; a missing value is matched as empty text. */
  where: Readonly<Record<string, RegExp>>;
  /** The place of the text that the warning quotes. */
  what: string;
}

export const SERVICE_NOTICES: readonly Notice[] = [
  {
    name: "Heroku",
    marks: ["webhookmetadata.event.include", "resource", "action"],
    where: { "data.status|data.state": /^(?!(failed|succeeded|crashed|up)$)/ },
    what: "webhookmetadata.event.include",
  },
  {
    // Scheduled maintenance.
    name: "Statuspage or its like",
    marks: ["page.id", "incident.status|maintenance.status"],
    where: { "incident.status|maintenance.status": /^(scheduled|not_?started_?yet)$/i },
    what: "incident.name|maintenance.name",
  },
  {
    name: "dbt",
    marks: ["eventtype", "data.jobid", "data.runid", "data.runstatus"],
    where: { eventtype: /^job\.run\./, "data.runstatus": /^(?!(success|error(ed)?|failed)$)/i },
    what: "eventtype",
  },
  {
    name: "Fivetran",
    marks: ["event", "connectorid", "connectortype"],
    where: { "data.status|status": /^(?!(successful|fail(ed|ure\w*))$)/i },
    what: "event",
  },
  {
    name: "Databricks",
    marks: ["eventtype", "workspaceid", "job.jobid", "run.runid"],
    where: { eventtype: /^jobs\.on_(?!(failure|success)$)/ },
    what: "eventtype",
  },
  {
    name: "Render",
    marks: ["type", "timestamp", "data.serviceid", "data.servicename"],
    where: { type: /^(?!server_failed$)[a-z]+_/, "data.status": /^(?!(failed|succeeded)$)/ },
    what: "type",
  },
  {
    name: "Octopus Deploy",
    marks: ["eventtype", "payload.event.category", "payload.event.message"],
    where: {
      eventtype: /^SubscriptionPayload$/,
      "payload.event.category": /^(Deployment|RunbookRun)(Queued|Started|Resumed)$/,
    },
    what: "payload.event.message",
  },
  {
    name: "Drone",
    marks: ["action", "repo.slug", "build.number", "build.status"],
    where: { "build.status": /^(?!(success|failure|error|killed)$)/ },
    what: "build.status",
  },
  {
    name: "Bitrise",
    marks: ["buildslug", "appslug", "buildstatus", "buildtriggeredworkflow"],
    where: { buildstatus: /^[04]$/ },
    what: "buildstatus",
  },
  {
    name: "Semaphore",
    marks: ["pipeline.id", "pipeline.result", "project.name", "workflow"],
    where: { "pipeline.result": /^canceled$/ },
    what: "pipeline.result",
  },
  {
    name: "AppSignal",
    marks: ["marker.site", "marker.revision"],
    where: {},
    what: "marker.revision",
  },
  {
    name: "Rootly",
    marks: ["event.type", "event.issuedat", "data.id"],
    where: { "event.type": /^(genius_workflow_run|pulse|incident_post_mortem|incident\.scheduled)\./ },
    what: "event.type",
  },
  {
    name: "incident.io",
    marks: ["eventtype"],
    where: {
      eventtype:
        /^(public|private)_(incident\.(follow_up|action|postmortem|membership)|escalation\.escalation)_/,
    },
    what: "eventtype",
  },
  {
    // New and deleted nodes and users, and messages about the webhook itself.
    name: "Tailscale",
    marks: ["tailnet", "type", "message", "version"],
    where: { type: /^(test|webhook(Updated|Deleted)|(node|user)(Created|Deleted)|userRestored)$/ },
    what: "message",
  },
  {
    name: "PlanetScale",
    marks: ["event", "organization", "database", "resource"],
    where: {
      event:
        /^(webhook\.test|database\.access_request|backup\.succeeded|branch\.(?!(anomaly|out_of_memory)$)|deploy_request\.(?!errored$))/,
    },
    what: "event",
  },
  {
    name: "Icinga",
    marks: ["contact", "object.name", "incident.id", "event.type"],
    where: {
      "event.type": /^(downtime-|flapping-|(un)?mute$|custom$|acknowledgement-cleared$|incident-age$)/,
    },
    what: "event.type",
  },
  {
    // Jobs in progress or cancelled.
    name: "Rubrik",
    marks: ["summary", "severity", "customdetails.seriesid", "customdetails.status"],
    where: { "customdetails.status": /^(queued|running|cancell?(ing|ed))$/i },
    what: "summary",
  },
];
