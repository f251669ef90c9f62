/** What a payload says about one alert, once a sender's own shape is folded away. */
import type { JsonObject } from "../platform/json-object.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { Severity } from "./severity.ts";

/**
 * `recovery`: the payload brought an end (spec: Alert payload end_time). `acknowledgement` and `note` are what other
 * services' clients say of an open alert (decision 0086), `unacknowledgement` and `assignment` too (decision 0186).
 */
export const REPORT_ACTIONS = [
  ...(["firing", "recovery", "acknowledgement", "unacknowledgement", "assignment", "note"] as const),
] as const;

export interface AlertReport {
  action: (typeof REPORT_ACTIONS)[number];
  title: string;
  description: string | null;
  severity: Severity;
  /** The same where the sender says it itself: a repeat that says worse makes its alert as severe (decision 0097). */
  saidSeverity?: Severity | undefined;
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
  /** Of a firing whose sender repeats it in time: until when to believe it without a repeat (decision 0113). */
  believedUntil?: Date | undefined;
  /** Which of several senders of the same alert says it, where that is known (decision 0113). */
  source?: string | undefined;
  fingerprint: Fingerprint;
  /** Of several messages in one request: what the sender calls this one, as `Reading.messageId` were it alone. */
  messageId?: string;
  /**
   * `each`: every firing counts; `starts`: only those with a start that was not seen (tools that repeat themselves);
   * `once`: only the first (tools that repeat themselves and name no start).
   */
  counting: "each" | "starts" | "once";
  /** The tool whose way of writing it is, where the payload alone tells (decision 0124). */
  readAs?: string;
  /** The text of a `note`. */
  note?: string;
  /** Of an `assignment`: the username or mail address of whom the alert is given to. */
  person?: string;
  /** Members that were sent beside the known ones. */
  customNames: string[];
  payload: JsonObject;
}

/** The ways of writing alerts that are known, each by the tool or standard that it comes from. */
export const SHAPES = [
  ...(["generic", "alertmanager", "grafana", "prometheus", "pagerduty", "opsgenie"] as const),
  ...(["cloudevents", "sns", "sentry", "datadog"] as const),
] as const;
export type Shape = (typeof SHAPES)[number];

/** What a whole request says: its reports in order, and what was not taken as it was written. */
export interface Reading {
  shape: Shape;
  reports: AlertReport[];
  warnings: string[];
  /** Those of a list that could not be read, by their places from 0, beside those that could. */
  refused?: { index: number; error: string }[];
  /** What the sender calls this very message, where its shape says so: a repeat of it counts for nothing. */
  messageId?: string;
  /** What the sender wants to hear in place of the alerts, where it asked whether it may deliver. */
  reply?: Readonly<Record<string, string>>;
  /** The name of the trouble by which the sender speaks of it later (PagerDuty, Opsgenie). */
  dedupKey?: string;
}
