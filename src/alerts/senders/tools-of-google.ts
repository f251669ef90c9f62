/** Messages that Google Cloud's services send by Pub/Sub push: findings of Security Command Center, and builds. */
import type { Tool } from "./tools.ts";

const CLOUD_BUILD = {
  name: "Cloud Build",
  marks: ["id", "projectid", "status", "createtime", "logurl"],
  titles: [
    "Build of {substitutions.triggername|substitutions.reponame} failed",
    "Build {id} of {projectid} failed",
  ],
  description: "failureinfo.detail|statusdetail",
  service: "substitutions.reponame|projectid",
  link: "logurl",
  otherwise: "high",
  state: "status",
  over: /^success$/i,
  time: "finishtime",
} as const;
const FINISHED = { status: /^(success|failure|internal_error|timeout|expired)$/i };

export const GOOGLE: readonly Tool[] = [
  {
    name: "Security Command Center",
    marks: ["notificationconfigname", "finding.name", "finding.category"],
    titles: ["{finding.category}: {resource.displayname|finding.resourcename}", "{finding.category}"],
    description: "finding.description|finding.nextsteps|finding.sourceproperties.explanation",
    service: "resource.projectdisplayname|resource.gcpmetadata.projectdisplayname|resource.type",
    hosts: "resource.displayname|finding.resourcename",
    link: "finding.externaluri",
    severity: "finding.severity|finding.sourceproperties.severitylevel",
    severities: { severity_unspecified: "unknown" },
    state: "finding.state",
    over: /^inactive$/i,
    time: "finding.eventtime",
    identity: ["finding.name"],
  },
  {
    ...CLOUD_BUILD,
    marks: [...CLOUD_BUILD.marks, "buildtriggerid"],
    where: FINISHED,
    identity: ["projectid", "buildtriggerid", "substitutions.branchname|substitutions.tagname"],
  },
  // A build that no trigger started has no successor that could resolve it.
  { ...CLOUD_BUILD, where: FINISHED, identity: ["projectid", "id"] },
];
