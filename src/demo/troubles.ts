/** Past problems in the demo's projects, and the type of a problem. */
import type { Severity } from "../alerts/severity.ts";

/** The integration that reports a problem. */
export type SourceName = "generic" | "yard" | "lookout";

export interface Trouble {
  /** Its fingerprint. */
  key: string;
  project: string;
  source: SourceName;
  title: string;
  description?: string;
  severity: Severity;
  service: string;
  environment?: string;
  hosts: readonly string[];
  /** A further member of the payload, which grows from `from` to `to` between the first and the last occurrence. */
  measure?: { name: string; from: number; to: number };
}

export const BERTHS = "harbourlight/berth-scheduler";
export const PILOTS = "harbourlight/pilot-roster";
export const TIDES = "quayside/tide-tables";

/** Problems of the last months, some of which recurred. */
export const PAST_TROUBLES: readonly Trouble[] = [
  {
    key: "alloc-queue-depth",
    project: BERTHS,
    source: "generic",
    title: "Berth allocation queue is not draining",
    severity: "critical",
    service: "berth-allocator",
    environment: "production",
    hosts: ["alloc-03", "alloc-04"],
    measure: { name: "queue_depth", from: 81, to: 140 },
  },
  {
    key: "voyage-errors",
    project: BERTHS,
    source: "lookout",
    title: "Error rate of voyage-api above 2 %",
    severity: "high",
    service: "voyage-api",
    environment: "production",
    hosts: ["voyage-01", "voyage-02"],
  },
  {
    key: "replica-lag",
    project: BERTHS,
    source: "lookout",
    title: "Copy of the database is 90 s behind",
    severity: "medium",
    service: "database",
    environment: "production",
    hosts: ["db-02"],
  },
  {
    key: "crane-2-offline",
    project: BERTHS,
    source: "yard",
    title: "Crane 2 is offline",
    severity: "high",
    service: "yard-sensors",
    hosts: ["crane-2"],
  },
  {
    key: "agent-mail",
    project: BERTHS,
    source: "generic",
    title: "Messages to agents wait longer than five minutes",
    severity: "medium",
    service: "messages",
    environment: "production",
    hosts: ["mail-01"],
    measure: { name: "waiting", from: 30, to: 95 },
  },
  {
    key: "plan-differs",
    project: BERTHS,
    source: "generic",
    title: "Berth plan on staging differs from production",
    severity: "low",
    service: "berth-allocator",
    environment: "staging",
    hosts: ["alloc-s1"],
  },
  {
    key: "login-page-slow",
    project: BERTHS,
    source: "generic",
    title: "First page slower than one second",
    severity: "info",
    service: "edge-proxy",
    environment: "production",
    hosts: ["edge-01"],
    measure: { name: "p95_ms", from: 1_020, to: 1_300 },
  },
  {
    key: "roster-sync",
    project: PILOTS,
    source: "generic",
    title: "Roster and phone list disagree",
    severity: "medium",
    service: "phone-list",
    environment: "production",
    hosts: ["roster-01"],
  },
  {
    key: "chart-preview",
    project: TIDES,
    source: "generic",
    title: "Chart preview of three ports is empty",
    severity: "low",
    service: "charts",
    environment: "production",
    hosts: ["charts-01"],
  },
];

/** Comments on closed incidents that name the cause. */
export const FINDINGS: readonly string[] = [
  "The night import held a lock. It takes smaller steps from tomorrow.",
  "Network work at the north quay, announced and forgotten. Over since ten minutes.",
  "Restarted the worker. The cause has its own issue now.",
  "The limit was too low for a day with two cruise ships. Raised it by a third.",
  "Came back by itself. I'll watch it over the weekend.",
];
