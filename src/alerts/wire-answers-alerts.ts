/** Responses about alerts, for the OpenAPI document (contract §3; contract-alerts, record, list). */
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  type Answers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { SEVERITIES } from "./severity.ts";

const payload = (description: string) =>
  Type.Unsafe<unknown>(Type.Record(Type.String(), Type.Unknown(), { description }));

/** An alert, in lists, exports and responses about one alert. */
export const ALERT = record("Alert", {
  iid: Type.Integer({ description: "number of the alert within its project" }),
  title: Type.String(),
  description: nullable(Type.String()),
  severity: Type.Enum([...SEVERITIES]),
  status: Type.Enum([...ALERT_STATUSES]),
  service: nullable(Type.String()),
  monitoring_tool: nullable(Type.String()),
  hosts: Type.Array(Type.String()),
  environment: nullable(unnamed({ id: Type.Integer(), name: Type.String() })),
  fingerprint: Type.String({ description: "version and SHA-256 hash in hexadecimal, `v1:…`" }),
  events: Type.Integer({ description: "number of occurrences" }),
  deliveries: Type.Integer({ description: "number of accepted requests that reported it" }),
  started_at: moment(),
  ended_at: nullable(moment()),
  last_seen_at: moment(),
  created_at: moment(),
  updated_at: moment(),
  issue_iid: nullable(Type.Integer({ description: "number of its incident within the project" })),
  integration_id: nullable(
    Type.Integer({ description: "null if a heartbeat opened the alert, or if the integration was deleted" }),
  ),
  runbook: nullable(Type.String({ description: "address of a runbook" })),
  payload: payload("the latest payload"),
  first_payload: payload("the first payload"),
  test: Type.Boolean(),
  recurrence_of: nullable(
    Type.Integer({ description: "number of the previous, resolved alert with the same fingerprint" }),
  ),
  silence_id: nullable(Type.Integer()),
  assignees: Type.Array(AUTHOR),
  web_url: Type.String(),
});

export const ALERTS_ANSWERS = pageAnswers("A page of alerts", ALERT);

export const ALERT_ANSWERS = readAnswers("The alert", ALERT);

export const CHANGED_ALERT_ANSWERS = writeAnswers(200, "The updated alert", ALERT, {
  ...REFUSED.write,
  409: refusal("Another alert with the same fingerprint is open"),
});

/** Responses of the export of alerts. */
export const ALERT_EXPORT_ANSWERS: Answers = {
  ...REFUSED.place,
  200: {
    description: "All matching alerts, newest first; as CSV with format=csv",
    schema: Type.Array(ALERT),
    others: { "text/csv": Type.String() },
    headers: { "Content-Disposition": "suggested file name" },
  },
};

export const ALERT_COUNTS_ANSWERS = readAnswers(
  "Numbers of matching alerts by status, without test alerts",
  unnamed({
    open: Type.Integer({ description: "triggered and acknowledged alerts together" }),
    triggered: Type.Integer(),
    acknowledged: Type.Integer(),
    resolved: Type.Integer(),
    ignored: Type.Integer(),
    all: Type.Integer(),
  }),
);
