/** What a payload says about one alert, in one form for all senders. */
import type { JsonObject } from "../platform/json-object.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { Severity } from "./severity.ts";

/**
 * `recovery`: the payload brought an end (spec: Alert payload end_time). `acknowledgement` and `note` are what other
 * services' clients say of an open alert (decision 0086), `unacknowledgement` and `assignment` too (decision 0186).
 */
export const REPORT_ACTIONS = [
  "firing",
  "recovery",
  "acknowledgement",
  "unacknowledgement",
  "assignment",
  "note",
] as const;

export interface AlertReport {
  action: (typeof REPORT_ACTIONS)[number];
  title: string;
  description: string | null;
  severity: Severity;
  /** The severity that the sender itself names, if any: a repeat with a worse one raises that of its alert (decision 0097). */
  saidSeverity?: Severity | undefined;
  service: string | null;
  monitoringTool: string | null;
  hosts: string[];
  /** The environment it names; tied to the project's environment of exactly that name, if there is one. */
  environmentName: string | null;
  runbookUrl: string | null;
  /** When it began; null: at its receipt. */
  startedAt: Date | null;
  /** For a recovery, when it ended; null: at its receipt. */
  endedAt: Date | null;
  /** For a firing whose sender repeats it at intervals: until when it holds without a repeat (decision 0113). */
  believedUntil?: Date | undefined;
  /** Which of several senders of the same alert reports it, if that is known (decision 0113). */
  source?: string | undefined;
  fingerprint: Fingerprint;
  /** The sender's id of this message, if the request holds several; else it is `Reading.messageId`. */
  messageId?: string;
  /**
   * `each`: every firing counts; `starts`: only those with a start that was not seen (tools that repeat themselves);
   * `once`: only the first (tools that repeat themselves and name no start).
   */
  counting: "each" | "starts" | "once";
  /** The tool whose format was recognised by the payload alone (decision 0124). */
  readAs?: string;
  /** For a `note`: its text. */
  note?: string;
  /** For an `assignment`: the username of the assignee, or a mail address that they show. */
  person?: string;
  /** The names of members that are not part of the specification. */
  customNames: string[];
  payload: JsonObject;
}

/** The formats of requests, each named by the tool or standard that it comes from. */
export const SHAPES = [
  "generic",
  "alertmanager",
  "grafana",
  "prometheus",
  "pagerduty",
  "opsgenie",
  "cloudevents",
  "sns",
  "sentry",
  "datadog",
] as const;
export type Shape = (typeof SHAPES)[number];

/** What a whole request says: its reports in order, and warnings about what was not taken as written. */
export interface Reading {
  shape: Shape;
  reports: AlertReport[];
  warnings: string[];
  /** The items of a list that could not be read, by index from 0. */
  refused?: { index: number; error: string }[];
  /** The sender's id of this message, if its format has one: a repeat under the same id is not recorded again. */
  messageId?: string;
  /** The answer, if the request only asked whether the sender may deliver here. */
  reply?: Readonly<Record<string, string>>;
  /** The key by which the sender refers to the alert later (PagerDuty, Opsgenie). */
  dedupKey?: string;
}
