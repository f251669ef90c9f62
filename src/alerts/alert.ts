/** An alert: its statuses, and its row as it is read (spec: States). */
import type { User } from "../accounts/user.ts";
import {
  boolean,
  bytes,
  instant,
  integer,
  jsonb,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import { SEVERITIES } from "./severity.ts";

/** How many bytes of payloads or receipts are fetched at once; a larger one is fetched alone. */
export const FETCHED_BYTES = 4 * 1024 * 1024;

/** In the order of the API's `status` sort. All but `resolved` are open: repeats are counted on them. */
export const ALERT_STATUSES = ["triggered", "acknowledged", "resolved", "ignored"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export const STATUS_WORDS: Readonly<Record<AlertStatus, string>> = {
  triggered: "Triggered",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
  ignored: "Ignored",
};

/** A person to whom an alert is assigned. */
export interface Assignee {
  id: number;
  username: string;
  name: string;
  state: User["state"];
}

export const AlertRow = row({
  id: integer,
  projectId: integer,
  iid: integer,
  integrationId: nullable(integer),
  integrationName: nullable(text),
  environmentId: nullable(integer),
  environmentName: nullable(text),
  incidentId: nullable(integer),
  incidentIid: nullable(integer),
  title: text,
  description: nullable(text),
  severity: oneOf(SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  service: nullable(text),
  monitoringTool: nullable(text),
  runbookUrl: nullable(text),
  hosts: list(text),
  fingerprintHash: bytes,
  fingerprintVersion: integer,
  fingerprintGiven: nullable(text),
  grouped: boolean,
  events: integer,
  deliveries: integer,
  startedAt: instant,
  lastSeenAt: instant,
  endedAt: nullable(instant),
  /** The newest payload; null, as is the first one, if the alert was read without payloads. */
  payload: jsonb<unknown>(),
  firstPayload: jsonb<unknown>(),
  test: boolean,
  recurrenceOfIid: nullable(integer),
  /** The silence that covered the alert when it opened and still does. */
  silenceId: nullable(integer),
  assignees: jsonb<Assignee[]>(),
  createdAt: instant,
  updatedAt: instant,
});
export type Alert = RowOf<typeof AlertRow>;

/** Returns the source that an alert's activity names: the tool, else the integration, else the endpoint's own name. */
export function sourceOf(monitoringTool: string | null, integrationName: string | null): string {
  return monitoringTool ?? integrationName ?? "Generic Alert Endpoint";
}
