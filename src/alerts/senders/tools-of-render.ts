/** Webhooks of Render: ended runs, and services and databases that fail and are available again (render.com/docs/webhooks). */
import type { Tool } from "./tools.ts";

const RENDER = {
  name: "Render",
  marks: ["type", "timestamp", "data.serviceid", "data.servicename"],
  titles: ["{data.servicename}: {type}"],
  service: "data.servicename",
  otherwise: "high",
  state: "type",
  time: "timestamp",
  identity: ["data.serviceid"],
} as const;

/** What a database does besides its service; each has a type for its failure and one for its success. */
const POSTGRES_RUNS = ["backup", "pitr_checkpoint", "restore", "upgrade"];

export const RENDER_TOOLS: readonly Tool[] = [
  {
    ...RENDER,
    where: { type: /_ended$/, "data.status": /^(failed|succeeded)$/ },
    titles: ["{data.servicename}: {type}, {data.status}"],
    state: "data.status",
    over: /^succeeded$/,
    identity: ["data.serviceid", "type"],
  },
  {
    ...RENDER,
    where: { type: /^(server|key_value|postgres)_(failed|unhealthy|unavailable|available)$/ },
    otherwise: "critical",
    over: /_available$/,
    facet: "availability",
  },
  ...POSTGRES_RUNS.map((run) => ({
    ...RENDER,
    where: { type: new RegExp(`^postgres_${run}_(failed|completed|succeeded)$`) },
    over: /_(completed|succeeded)$/,
    facet: run,
  })),
  {
    // Failures whose end is not reported.
    ...RENDER,
    where: {
      type: /^(server_hardware_failure|image_pull_failed|postgres_(wal_archive_failed|read_replica_stale))$/,
    },
    identity: ["data.serviceid", "type"],
  },
];
