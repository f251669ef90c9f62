/** CloudEvents of tools whose event types have their own words for the state. */
import { IN_EVENT } from "./notices-of-events.ts";
import type { Tool } from "./tools.ts";
import { harborReplication } from "./tools-of-security.ts";

/** A Tekton run, identified by the pipeline or task that it refers to; an inline one by its `generateName`. */
function tekton(kind: "pipeline" | "task" | "custom"): Tool {
  const run = `data.${kind}run`;
  const labels = `${run}.metadata.labels`;
  // Pipelines as Code annotates the source branch.
  const branch = `${run}.metadata.annotations.pipelinesascodetektondevsourcebranch`;
  // With Pipelines as Code, the label `tekton.dev/pipeline` is different for each run.
  const pipeline = `${labels}.pipelinesascodetektondevoriginalprname|${labels}.tektondevpipeline`;
  const own = `${run}.spec.${kind}ref.name|${run}.metadata.generatename|${labels}.tektondev${kind}|${run}.metadata.name`;
  const name = kind === "pipeline" ? `${pipeline.split("|")[0]}|${own}` : own;
  const part = `${labels}.tektondevpipelinetask`;
  return {
    name: "Tekton",
    marks: [...IN_EVENT, `${run}.metadata.name`],
    where: { type: /^dev\.tekton\.event\.\w+\.(failed|successful)\b/ },
    titles: [`{${part}} of {${pipeline}} failed`, `{${name}} failed`],
    description: `${run}.status.conditions.0.message`,
    service: kind === "pipeline" ? name : `${pipeline}|${name}`,
    otherwise: "high",
    state: "type",
    over: /\.successful\b/,
    time: "time",
    // A task may be used by several pipelines, and several times in one.
    identity: [
      `${run}.metadata.namespace`,
      ...(kind === "pipeline" ? [name] : [pipeline, `${part}|${name}`]),
      branch,
    ],
    facet: kind,
  };
}

const HARBOR = { name: "Harbor", time: "time" } as const;

/** Places are relative to the whole event. */
export const EVENT_TOOLS: readonly Tool[] = [
  tekton("pipeline"),
  tekton("task"),
  tekton("custom"),
  {
    ...HARBOR,
    marks: [...IN_EVENT, "data.repository.repofullname"],
    where: { type: /^harbor\.scan\./ },
    titles: ["Scan of {data.repository.repofullname} failed"],
    service: "data.repository.repofullname",
    otherwise: "medium",
    state: "type",
    over: /completed$/,
    identity: ["data.repository.repofullname", "data.resources.0.tag"],
    facet: "scan",
  },
  {
    ...HARBOR,
    marks: [...IN_EVENT, "data.repository.namespace"],
    where: { type: /^harbor\.quota\./ },
    titles: ["{data.customattributes.details}", "{type} in {data.repository.namespace}"],
    severity: "type",
    severities: { "harbor.quota.exceeded": "high", "harbor.quota.warned": "low" },
    identity: ["data.repository.namespace"],
    facet: "quota",
  },
  harborReplication("data.replication", { marks: IN_EVENT, time: "time" }),
  {
    name: "Twilio",
    marks: [...IN_EVENT, "data.errorcode"],
    where: { type: /^com\.twilio\.error-logs\.error\.logged$/ },
    titles: ["{data.productname}: error {data.errorcode}", "Error {data.errorcode}"],
    service: "data.productname",
    severity: "data.level",
    otherwise: "medium",
    time: "data.datecreated",
    identity: ["data.accountsid", "data.productname", "data.errorcode"],
  },
];
