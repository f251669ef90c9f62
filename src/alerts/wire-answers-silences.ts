/** Responses about silences, for the OpenAPI document (decision 0096). */
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { MATCHER_FIELDS, MATCHER_OPERATORS } from "./matcher.ts";
import { SEVERITIES } from "./severity.ts";
import { SILENCE_STATES } from "./silence.ts";

export const SILENCE = record("AlertSilence", {
  id: Type.Integer(),
  state: Type.Enum([...SILENCE_STATES], {
    description: "pending: before its start, or between two of its recurring windows",
  }),
  comment: Type.String(),
  matchers: Type.Array(
    unnamed({
      field: Type.Enum([...MATCHER_FIELDS]),
      path: Type.Optional(
        Type.String({ description: "path within the payload; only with the field `payload`" }),
      ),
      operator: Type.Enum([...MATCHER_OPERATORS]),
      value: Type.String(),
    }),
  ),
  starts_at: moment(),
  ends_at: nullable(moment()),
  recurrence: nullable(
    unnamed({
      days: Type.Array(Type.Integer(), { description: "days of the week, 1 (Monday) to 7 (Sunday)" }),
      from: Type.String({ description: "start of the window, a time of day such as 22:00" }),
      to: Type.String(),
      zone: Type.String({ description: "time zone, an IANA name" }),
    }),
  ),
  alert_count: Type.Integer({ description: "number of open alerts that it silences" }),
  author: nullable(AUTHOR),
  created_at: moment(),
  updated_at: moment(),
});

export const SILENCES_ANSWERS = pageAnswers("A page of silences", SILENCE);

export const SILENCE_ANSWERS = readAnswers("The silence", SILENCE);

export const NEW_SILENCE_ANSWERS = writeAnswers(201, "The new silence", SILENCE, {
  ...REFUSED.write,
  422: refusal("The project has the maximum number of silences"),
});

export const CHANGED_SILENCE_ANSWERS = writeAnswers(200, "The updated silence", SILENCE, {
  ...REFUSED.write,
  422: refusal("The silence has already ended"),
});

export const ENDED_SILENCE_ANSWERS = doneAnswers("The silence was ended", REFUSED.write);

/** Responses of the preview, which changes nothing. */
export const PREVIEW_ANSWERS = readAnswers(
  "The newest open alerts that the matchers would silence",
  unnamed({
    matched: Type.Integer(),
    looked_at: Type.Integer({ description: "number of alerts that were checked" }),
    alerts: Type.Array(
      unnamed({
        iid: Type.Integer(),
        title: Type.String(),
        severity: Type.Enum([...SEVERITIES]),
        status: Type.Enum([...ALERT_STATUSES]),
      }),
      { description: "the first 100 alerts that match" },
    ),
  }),
);
