/** Webhooks of tools that run scheduled jobs and that apply infrastructure as code. */
import type { Tool } from "./tools.ts";

/** A stack; its updates, previews, deployments and drifts are alerts of their own. */
const PULUMI = {
  name: "Pulumi",
  marks: ["organization.githublogin", "projectname", "stackname"],
  service: "projectname",
  environment: "stackname",
  otherwise: "high",
  over: /^succeeded$/,
  identity: ["organization.githublogin", "projectname", "stackname"],
} as const;
const STACK = "{projectname}/{stackname}";

export const RUNS: readonly Tool[] = [
  {
    // A job that could not be launched has no host. Its event identifies it, whichever host runs it next.
    name: "Cronicle",
    marks: ["action", "event", "eventtitle", "code"],
    where: { action: /^job_(complete|launch_failure)$/ },
    titles: ["{eventtitle} on {hostname} failed", "{eventtitle} failed"],
    description: "description",
    service: "eventtitle",
    hosts: "hostname",
    link: "jobdetailsurl",
    otherwise: "high",
    state: "code",
    over: /^0$/,
    time: "timeend",
    identity: ["event"],
  },
  {
    ...PULUMI,
    marks: [...PULUMI.marks, "updateurl", "kind", "result"],
    where: { result: /^(failed|succeeded)$/, ispreview: /^true$/i },
    titles: [`${STACK}: preview of {kind} failed`],
    link: "updateurl",
    otherwise: "low",
    state: "result",
    identity: [...PULUMI.identity, "kind"],
    facet: "preview",
  },
  {
    ...PULUMI,
    marks: [...PULUMI.marks, "updateurl", "kind", "result"],
    where: { result: /^(failed|succeeded)$/ },
    titles: [`${STACK}: {kind} failed`],
    link: "updateurl",
    state: "result",
    identity: [...PULUMI.identity, "kind"],
  },
  {
    ...PULUMI,
    marks: [...PULUMI.marks, "deploymenturl", "operation", "status"],
    where: { status: /^(failed|succeeded)$/ },
    titles: [`${STACK}: deployment failed`],
    link: "deploymenturl",
    state: "status",
    identity: [...PULUMI.identity, "operation"],
    facet: "deployment",
  },
  {
    ...PULUMI,
    marks: [...PULUMI.marks, "driftdetected", "driftrunid"],
    where: { status: /^succeeded$/ },
    titles: [`${STACK} has drifted`],
    description: "resourcechanges",
    link: "referenceurl",
    otherwise: "medium",
    state: "driftdetected",
    over: /^false$/i,
    facet: "drift",
  },
];
