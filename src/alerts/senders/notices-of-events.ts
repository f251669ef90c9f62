/** What known tools tell by CloudEvents beside what is an alert: what began, goes on, or was ended by somebody. */
import type { Notice } from "./notices-of-services.ts";

/** What every event says of itself. */
export const IN_EVENT = ["specversion", "type", "source"];

export const EVENT_NOTICES: readonly Notice[] = [
  {
    name: "Tekton",
    marks: IN_EVENT,
    where: { type: /^dev\.tekton\.event\.\w+\.(?!(failed|successful)\b)/ },
    what: "type",
  },
  {
    // Somebody ended it.
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
];
