/** What the webhooks of services look like that move data and work on it, run by run. */
import type { Tool } from "./tools.ts";

export const PIPELINES: readonly Tool[] = [
  {
    // It tells of a failed run twice, as completed and as errored, if both are chosen.
    name: "dbt",
    marks: ["eventtype", "data.jobid", "data.runid", "data.runstatus"],
    where: { eventtype: /^job\.run\./, "data.runstatus": /^(success|error(ed)?|failed)$/i },
    titles: ["Run of {data.jobname|data.jobid} failed"],
    description: "data.runstatusmessage|data.runreason",
    service: "data.projectname|data.projectid",
    otherwise: "high",
    state: "data.runstatus",
    over: /^success$/i,
    time: "timestamp",
    identity: ["accountid", "data.jobid"],
  },
  {
    name: "Fivetran",
    marks: ["event", "connectorid", "connectortype", "data.status|status"],
    where: { event: /^sync_end$/ },
    titles: ["Sync of {connectorname|connectorid} failed"],
    description: "data.reason",
    service: "connectortype",
    otherwise: "high",
    state: "data.status|status",
    over: /^successful$/i,
    time: "created",
    identity: ["connectorid"],
  },
  {
    name: "Databricks",
    marks: ["eventtype", "workspaceid", "job.jobid", "run.runid"],
    where: { eventtype: /^jobs\.on_(failure|success)$/ },
    titles: ["Job {job.name|job.jobid} failed"],
    service: "job.name",
    otherwise: "high",
    state: "eventtype",
    over: /success$/,
    identity: ["workspaceid", "job.jobid"],
  },
];
