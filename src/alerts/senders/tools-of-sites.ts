/** Webhooks of more tools that monitor sites and metrics, and of services that watch the status pages of others. */
import type { Tool } from "./tools.ts";

/** That a site is down and that a server exceeds a threshold are separate alerts. */
const CHECKMATE = {
  name: "Checkmate",
  marks: ["text", "type", "severity", "monitor.id", "monitor.status"],
  description: "text",
  service: "monitor.name",
  hosts: "monitor.url",
  severity: "severity",
  state: "type",
  time: "timestamp",
  identity: ["monitor.id"],
} as const;

export const SITES: readonly Tool[] = [
  {
    ...CHECKMATE,
    where: { type: /^monitor_(down|up)$/ },
    titles: ["{monitor.name|monitor.url} is down"],
    over: /_up$/,
  },
  {
    ...CHECKMATE,
    where: { type: /^threshold_(breach|resolved)$/ },
    titles: ["{monitor.name|monitor.url} exceeds a threshold"],
    over: /_resolved$/,
    facet: "threshold",
  },
  {
    name: "StatusGator",
    marks: ["servicename", "currentstatus", "laststatus", "statuspageurl"],
    where: { currentstatus: /^(up|warn|down)$/ },
    titles: ["{servicename}: {currentstatus}"],
    description: "message|details",
    service: "servicename",
    link: "statuspageurl",
    severity: "currentstatus",
    severities: { down: "critical" },
    state: "currentstatus",
    over: /^up$/,
    time: "occurredat",
    identity: ["servicename", "statuspageurl"],
  },
  {
    // One metric of a trigger (`envelopes.ts`).
    name: "Moira",
    marks: ["trigger.id", "trigger.name", "event.metric", "event.state", "event.oldstate"],
    titles: ["{trigger.name}: {event.metric}"],
    description: "trigger.description",
    service: "trigger.name",
    severity: "event.state",
    severities: { error: "critical", warn: "low", nodata: "unknown", exception: "high" },
    state: "event.state",
    over: /^ok$/i,
    time: "event.timestamp",
    identity: ["trigger.id", "event.metric"],
  },
  {
    // The state of a whole page; its time has no date.
    name: "Vigil",
    marks: ["type", "status", "replicas", "page.title", "page.url"],
    where: { type: /^(startup|changed|reminder)$/, status: /^(dead|sick|healthy)$/ },
    titles: ["{page.title} is {status}: {replicas.0}", "{page.title} is {status}"],
    service: "page.title",
    hosts: "replicas",
    link: "page.url",
    severity: "status",
    severities: { dead: "critical", sick: "medium" },
    state: "status",
    over: /^healthy$/,
    identity: ["page.url"],
  },
];
