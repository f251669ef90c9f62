/** CloudEvents of known tools that are no alerts, such as runs that have started, are in progress or were cancelled. */
import type { Notice } from "./notices.ts";

/** Members that every CloudEvent has. */
export const IN_EVENT = ["specversion", "type", "source"];

export const EVENT_NOTICES: readonly Notice[] = [
  {
    name: "Tekton",
    marks: IN_EVENT,
    where: { type: /^dev\.tekton\.event\.\w+\.(?!(failed|successful)\b)/ },
    what: "type",
  },
  {
    // A cancelled run is reported as failed.
    name: "Tekton",
    marks: IN_EVENT,
    where: {
      type: /^dev\.tekton\.event\./,
      [["pipeline", "task", "custom"].map((kind) => `data.${kind}run.status.conditions.0.reason`).join("|")]:
        /^(pipelinerun|taskrun|customrun)?cancell?ed$/i,
    },
    what: "type",
  },
  {
    name: "Harbor",
    marks: IN_EVENT,
    where: {
      type: /^harbor\.(artifact|tag_retention|replication)\./,
      "data.replication.jobstatus": /^(?!(success|succeed(ed)?|failed|failure|error)$)/i,
    },
    what: "type",
  },
  {
    // What a function writes to its console is logged there too.
    name: "Twilio",
    marks: IN_EVENT,
    where: { type: /^com\.twilio\.error-logs\.error\.logged$/, "data.level": /^(info|debug|notice)$/i },
    what: "data.productname",
  },
];
