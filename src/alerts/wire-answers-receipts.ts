/** Responses about receipts, for the OpenAPI document (contract-alerts, receipts). */
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import { pageAnswers, REFUSED, readAnswers, refusal, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { FINGERPRINT_KINDS } from "./fingerprint.ts";
import { DECISIONS } from "./receipt.ts";
import { REPORT_ACTIONS, SHAPES } from "./report.ts";
import { SEVERITIES } from "./severity.ts";

/** The interpretation of a payload. */
export const READING = record("AlertReading", {
  shape: Type.Enum([...SHAPES], { description: "payload format that was recognized" }),
  count: Type.Integer({ description: "number of alerts in the payload" }),
  alerts: Type.Array(
    unnamed({
      action: Type.Enum([...REPORT_ACTIONS]),
      title: Type.String(),
      description: nullable(Type.String()),
      severity: Type.Enum([...SEVERITIES]),
      service: nullable(Type.String()),
      monitoring_tool: nullable(Type.String()),
      hosts: Type.Array(Type.String()),
      environment: nullable(Type.String({ description: "name of the environment as sent" })),
      start_time: nullable(moment()),
      end_time: nullable(moment()),
      fingerprint: nullable(
        Type.String({
          description:
            "what the sender identifies the alert by, at most 255 characters; null if labels or the whole payload identify it",
        }),
      ),
      fingerprint_from: Type.Enum([...FINGERPRINT_KINDS], { description: "what the alert is identified by" }),
      custom: Type.Array(Type.String(), { description: "names of members with no predefined meaning" }),
    }),
    { description: "the first 100 alerts of the payload" },
  ),
  warnings: Type.Array(Type.String(), { description: "values that were not used as sent" }),
});

/** A received request and its processing. */
export const RECEIPT = record("AlertReceipt", {
  id: Type.String({ description: "UUID" }),
  integration_id: nullable(
    Type.Integer({ description: "null for pings of heartbeats, and if the integration was deleted" }),
  ),
  key_hint: Type.String({ description: "last characters of the key, if one was sent" }),
  received_at: moment(),
  status: Type.Integer({ description: "HTTP status of the response" }),
  decision: Type.Enum([...DECISIONS], { description: "outcome of the request" }),
  warnings: Type.Array(Type.String()),
  alert_iids: Type.Array(Type.Integer()),
  headers: Type.Record(Type.String(), Type.String(), {
    description: "request headers that help to diagnose problems",
  }),
  reading: nullable(READING),
  raw: Type.String({ description: "request body, Base64-encoded" }),
});

/** The result of a replay or of a dry run. */
export const REPLAY = unnamed({
  dry_run: Type.Boolean(),
  receipt_id: nullable(Type.String({ description: "id of the new receipt; null for a dry run" })),
  alerts: Type.Array(unnamed({ iid: Type.Integer(), title: Type.String() })),
  decisions: Type.Optional(
    Type.Array(Type.Enum([...DECISIONS]), {
      description: "only for a dry run: the outcomes of the first 100 alerts",
    }),
  ),
  reading: READING,
});

export const RECEIPTS_ANSWERS = pageAnswers("A page of receipts, newest first", RECEIPT);

export const RECEIPT_ANSWERS = readAnswers("The receipt", RECEIPT);

export const REPLAY_ANSWERS = writeAnswers(200, "The result of the replay, or of the dry run", REPLAY, {
  ...REFUSED.write,
  422: refusal(
    "The integration was deleted or is inactive, the receipt is of a test alert, or the payload cannot be read",
  ),
});
