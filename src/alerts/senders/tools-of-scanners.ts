/** Webhooks of tools that examine images, code, devices and traffic, and of Coroot. */
import type { Tool } from "./tools.ts";

/** A repository of the registry; the members beside it tell what happened. */
const QUAY = {
  name: "Quay",
  service: "repository",
  link: "homepage",
  hosts: "dockerurl",
} as const;
const QUAY_MARKS = ["repository", "namespace", "dockerurl"];

const FLEET = { name: "Fleet", time: "timestamp", otherwise: "medium" } as const;

const COROOT = {
  name: "Coroot",
  service: "application",
  link: "url",
  state: "status",
  over: /^ok$/i,
} as const;
/** `<namespace>:<kind>:<name>`, with the cluster before it in a project of several. */
const COROOT_APPLICATION = { application: /^[^:]*:[^:]+:[^:]/, status: /^(ok|warning|critical)$/i };

export const SCANNERS: readonly Tool[] = [
  {
    ...QUAY,
    marks: [...QUAY_MARKS, "vulnerability.id"],
    titles: ["{vulnerability.id} in {repository}"],
    description: "vulnerability.description",
    link: "vulnerability.link|homepage",
    severity: "vulnerability.priority",
    severities: { negligible: "info", defcon1: "critical" },
    identity: ["dockerurl", "vulnerability.id"],
  },
  {
    ...QUAY,
    marks: [...QUAY_MARKS, "buildid", "errormessage"],
    titles: ["Build of {repository} failed"],
    description: "errormessage",
    otherwise: "high",
    identity: ["dockerurl", "triggermetadata.ref"],
    facet: "build",
  },
  {
    // A successful build is the only event with both an image and its digests.
    ...QUAY,
    marks: [...QUAY_MARKS, "buildid", "imageid|manifestdigests"],
    titles: ["Build of {repository} failed"],
    state: "buildid",
    over: /./,
    identity: ["dockerurl", "triggermetadata.ref"],
    facet: "build",
  },
  {
    // One of a list of findings; a fixed one is not reported.
    name: "Semgrep",
    marks: ["semgrepfinding.id", "semgrepfinding.checkid", "semgrepfinding.path"],
    titles: ["{semgrepfinding.checkid} in {semgrepfinding.path}"],
    description: "semgrepfinding.message",
    link: "semgrepfinding.metadata.semgrepurl|semgrepfinding.source",
    severity: "semgrepfinding.severity",
    otherwise: "medium",
    identity: ["semgrepfinding.id"],
  },
  {
    ...FLEET,
    marks: ["timestamp", "policy.id", "policy.name", "hosts"],
    titles: ["{policy.name}: {hosts.0.displayname|hosts.0.hostname}", "{policy.name}"],
    description: "policy.description",
    hosts: "hosts.0.hostname|hosts.0.displayname",
    link: "hosts.0.url",
    severity: "policy.critical",
    severities: { true: "high", false: "medium" },
    identity: ["policy.id", "hosts.0.id"],
    facet: "policy",
  },
  {
    ...FLEET,
    marks: ["timestamp", "vulnerability.cve", "vulnerability.hostsaffected"],
    titles: ["{vulnerability.cve}: {vulnerability.hostsaffected.0.hostname}", "{vulnerability.cve}"],
    hosts: "vulnerability.hostsaffected.0.hostname",
    link: "vulnerability.detailslink",
    identity: ["vulnerability.cve", "vulnerability.hostsaffected.0.id"],
    facet: "vulnerability",
  },
  {
    // Sent once a day as long as it is true.
    ...FLEET,
    marks: ["text", "data.unseenhosts", "data.totalhosts", "data.daysunseen"],
    titles: ["{data.unseenhosts} of {data.totalhosts} hosts not seen for {data.daysunseen} days"],
    description: "text",
    identity: ["data.daysunseen", "data.teamid"],
    facet: "hosts",
  },
  {
    // At the beginning of a maintenance window.
    ...FLEET,
    marks: ["timestamp", "hostid", "hostdisplayname", "failingpolicies"],
    titles: ["{failingpolicies.0.name}: {hostdisplayname}"],
    hosts: "hostdisplayname",
    identity: ["hostid", "failingpolicies.0.id"],
    facet: "window",
  },
  {
    // What the template `{{ json . }}` of its documentation makes of an alert.
    ...COROOT,
    marks: ["status", "application", "rulename", "summary", "projectname|url"],
    where: COROOT_APPLICATION,
    titles: ["{rulename}: {application}"],
    description: "summary",
    severity: "severity",
    identity: ["projectname", "application", "rulename"],
  },
  {
    // The same of an incident.
    ...COROOT,
    marks: ["status", "application", "reports", "url"],
    where: COROOT_APPLICATION,
    titles: [
      "{application}: {reports.0.name}, {reports.0.check}",
      "{application} does not meet its objectives",
    ],
    description: "reports.0.message",
    severity: "status",
    identity: ["application"],
    facet: "incident",
  },
  {
    // Somebody touched a token; each address that does is an alert of its own.
    name: "Canarytokens",
    marks: ["memo", "manageurl", "channel", "time"],
    titles: ["Canarytoken: {memo}"],
    description: "additionaldata.useragent",
    service: "tokentype",
    hosts: "srcip|additionaldata.srcip",
    link: "manageurl",
    identity: ["token|manageurl", "srcip|additionaldata.srcip"],
  },
  {
    // An alert of its event log (EVE), as log shippers forward it; signatures of priority 1 are the most severe.
    name: "Suricata",
    marks: ["eventtype", "alert.signature", "alert.signatureid", "srcip", "destip"],
    where: { eventtype: /^alert$/ },
    titles: ["{alert.signature}"],
    description: "alert.category",
    service: "alert.category",
    hosts: "destip",
    severity: "alert.severity",
    severities: { 1: "high", 2: "medium", 3: "low", 4: "info" },
    otherwise: "medium",
    time: "timestamp",
    identity: ["alert.gid", "alert.signatureid", "srcip", "destip"],
  },
  {
    // An evaluation of policies; `warn` and `fail` are what the policies ask for.
    name: "Sonatype Lifecycle",
    marks: [
      "applicationevaluation.application",
      "applicationevaluation.outcome",
      "applicationevaluation.stage",
    ],
    titles: [
      "{applicationevaluation.application.name}: {applicationevaluation.criticalcomponentcount} critical components in {applicationevaluation.stage}",
    ],
    service: "applicationevaluation.application.name",
    environment: "applicationevaluation.stage",
    severity: "applicationevaluation.outcome",
    severities: { fail: "high", warn: "low" },
    otherwise: "medium",
    state: "applicationevaluation.outcome",
    over: /^none$/i,
    time: "applicationevaluation.evaluationdate",
    identity: [
      "applicationevaluation.application.publicid|applicationevaluation.application.id",
      "applicationevaluation.stage",
    ],
  },
];
