/** CloudEvents of tools whose types say in words of their own what happened. */
import { IN_EVENT } from "./notices-of-events.ts";
import type { Tool } from "./tools.ts";
import { harborReplication } from "./tools-of-security.ts";

/** A run of Tekton by the name of what is run; one that is written out has that by which its runs are named. */
function tekton(kind: "pipeline" | "task" | "custom"): Tool {
  const run = `data.${kind}run`;
  const labels = `${run}.metadata.labels`;
  // Where a pipeline stands with its code, the branch is written down.
  const branch = `${run}.metadata.annotations.pipelinesascodetektondevsourcebranch`;
  // One that stands with its code (Pipelines as Code) is called by the label as each run is.
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
    // A task may be part of many pipelines, and of one many times.
    identity: [
      `${run}.metadata.namespace`,
      ...(kind === "pipeline" ? [name] : [pipeline, `${part}|${name}`]),
      branch,
    ],
    facet: kind,
  };
}

const HARBOR = { name: "Harbor", time: "time" } as const;

/** Their places are those of the whole event. */
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
];
