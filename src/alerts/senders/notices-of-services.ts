/** What hosted services send beside their alerts: what began, was announced, or may yet end well. */

/** A kind of message. Places are written as those of a `Tool`. */
export interface Notice {
  /** Whose it is. */
  name: string;
  /** Places that all stand in it. */
  marks: readonly string[];
  /** Values that must match besides; what is absent is matched as an empty text. */
  where: Readonly<Record<string, RegExp>>;
  /** Where it says what it is. */
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
    // Work that is announced for another day.
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
];
