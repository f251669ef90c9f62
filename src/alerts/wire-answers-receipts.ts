/** The answers about receipts, as the OpenAPI document describes them (contract-alerts, receipts). */
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import { pageAnswers, REFUSED, readAnswers, refusal, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { FINGERPRINT_KINDS } from "./fingerprint.ts";
import { DECISIONS } from "./receipt.ts";
import { REPORT_ACTIONS, SHAPES } from "./report.ts";
import { SEVERITIES } from "./severity.ts";

/** How a payload is read. */
export const READING = record("AlertReading", {
  shape: Type.Enum([...SHAPES], { description: "whose way of writing alerts it is" }),
  count: Type.Integer({ description: "how many alerts it tells of" }),
  alerts: Type.Array(
    unnamed({
      action: Type.Enum([...REPORT_ACTIONS]),
      title: Type.String(),
      description: nullable(Type.String()),
      severity: Type.Enum([...SEVERITIES]),
      service: nullable(Type.String()),
      monitoring_tool: nullable(Type.String()),
      hosts: Type.Array(Type.String()),
      environment: nullable(Type.String({ description: "name, as it was sent" })),
      start_time: nullable(moment()),
      end_time: nullable(moment()),
      fingerprint: nullable(Type.String({ description: "as the sender calls it" })),
      fingerprint_from: Type.Enum([...FINGERPRINT_KINDS], { description: "what identifies the alert" }),
      custom: Type.Array(Type.String(), { description: "names of members beside the known ones" }),
    }),
    { description: "the first hundred" },
  ),
  warnings: Type.Array(Type.String(), { description: "what was not taken as it was written" }),
});

/** One request as it came, and what was made of it. */
export const RECEIPT = record("AlertReceipt", {
  id: Type.String({ description: "UUID" }),
  integration_id: nullable(Type.Integer({ description: "null of a heartbeat, and where it is gone" })),
  key_hint: Type.String({ description: "the end of the key, where there was one" }),
  received_at: moment(),
  status: Type.Integer({ description: "status of the answer" }),
  decision: Type.Enum([...DECISIONS], { description: "what became of the request" }),
  warnings: Type.Array(Type.String()),
  alert_iids: Type.Array(Type.Integer()),
  headers: Type.Record(Type.String(), Type.String(), { description: "those that help to understand it" }),
  reading: nullable(READING),
  raw: Type.String({ description: "the body in Base64" }),
});

/** What a replay did, or would do. */
export const REPLAY = unnamed({
  dry_run: Type.Boolean(),
  receipt_id: nullable(Type.String({ description: "the new receipt; null of a dry run" })),
  alerts: Type.Array(unnamed({ iid: Type.Integer(), title: Type.String() })),
  decisions: Type.Optional(
    Type.Array(Type.Enum([...DECISIONS]), { description: "of a dry run, of the first hundred alerts" }),
  ),
  reading: READING,
});

export const RECEIPTS_ANSWERS = pageAnswers("A page of receipts, the newest first", RECEIPT);

export const RECEIPT_ANSWERS = readAnswers("The receipt", RECEIPT);

export const REPLAY_ANSWERS = writeAnswers(200, "What the replay did, or would do", REPLAY, {
  ...REFUSED.write,
  422: refusal("The integration is gone or off, it was a test alert, or it cannot be read"),
});
