/** Webhooks of more tools that monitor sites, and of services that watch the status pages of others. */
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
];
