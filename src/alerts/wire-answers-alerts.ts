/** The answers about alerts, as the OpenAPI document describes them (contract §3; contract-alerts, record, list). */
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

/** An alert, as lists, exports and answers about one have it. */
export const ALERT = record("Alert", {
  iid: Type.Integer({ description: "number in the project" }),
  title: Type.String(),
  description: nullable(Type.String()),
  severity: Type.Enum([...SEVERITIES]),
  status: Type.Enum([...ALERT_STATUSES]),
  service: nullable(Type.String()),
  monitoring_tool: nullable(Type.String()),
  hosts: Type.Array(Type.String()),
  environment: nullable(unnamed({ id: Type.Integer(), name: Type.String() })),
  fingerprint: Type.String({ description: "version and SHA-256 in hexadecimal, `v1:…`" }),
  events: Type.Integer({ description: "how often it fired" }),
  deliveries: Type.Integer({ description: "accepted requests that named it" }),
  started_at: moment(),
  ended_at: nullable(moment()),
  last_seen_at: moment(),
  created_at: moment(),
  updated_at: moment(),
  issue_iid: nullable(Type.Integer({ description: "number of its incident" })),
  integration_id: nullable(Type.Integer({ description: "null of a heartbeat, and where it is gone" })),
  runbook: nullable(Type.String({ description: "address of instructions" })),
  payload: payload("the latest"),
  first_payload: payload("the first"),
  test: Type.Boolean(),
  recurrence_of: nullable(Type.Integer({ description: "number of the resolved alert before it" })),
  silence_id: nullable(Type.Integer()),
  assignees: Type.Array(AUTHOR),
  web_url: Type.String(),
});

export const ALERTS_ANSWERS = pageAnswers("A page of alerts", ALERT);

export const ALERT_ANSWERS = readAnswers("The alert", ALERT);

export const CHANGED_ALERT_ANSWERS = writeAnswers(200, "The alert as it is now", ALERT, {
  ...REFUSED.write,
  409: refusal("An alert of the same fingerprint is open already"),
});

/** Of the file of all alerts. */
export const ALERT_EXPORT_ANSWERS: Answers = {
  ...REFUSED.place,
  200: {
    description: "All alerts that match, the newest first; with format=csv as CSV",
    schema: Type.Array(ALERT),
    others: { "text/csv": Type.String() },
    headers: { "Content-Disposition": "the name of a file to save it as" },
  },
};

export const ALERT_COUNTS_ANSWERS = readAnswers(
  "How many alerts match, by status, without tests",
  unnamed({
    open: Type.Integer({ description: "triggered and acknowledged" }),
    triggered: Type.Integer(),
    acknowledged: Type.Integer(),
    resolved: Type.Integer(),
    ignored: Type.Integer(),
    all: Type.Integer(),
  }),
);
