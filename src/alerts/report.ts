/** What a payload says about one alert, once a sender's own shape is folded away. */
import type { Fingerprint } from "./fingerprint.ts";
import type { Severity } from "./severity.ts";

export interface AlertReport {
  /** `recovery`: the payload brought an end (spec: Alert payload end_time). */
  action: "firing" | "recovery";
  title: string;
  description: string | null;
  severity: Severity;
  service: string | null;
  monitoringTool: string | null;
  hosts: string[];
  /** The environment it names; tied to the project's environment of exactly that name, if there is one. */
  environmentName: string | null;
  runbookUrl: string | null;
  /** Null: the time of receipt counts. */
  startedAt: Date | null;
  /** Of a recovery; null: the time of receipt counts. */
  endedAt: Date | null;
  fingerprint: Fingerprint;
  /** `each`: every firing counts; `starts`: only those with a start that was not seen (tools that repeat themselves). */
  counting: "each" | "starts";
  /** Members that were sent beside the known ones. */
  customNames: string[];
  payload: Readonly<Record<string, unknown>>;
}

/** What a whole request says: its reports in order, and what was not taken as it was written. */
export interface Reading {
  shape: "generic" | "alertmanager" | "grafana";
  reports: AlertReport[];
  warnings: string[];
}
