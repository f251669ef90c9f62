/** The answers about silences, as the OpenAPI document describes them (decision 0096). */
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
    description: "pending: before its start or between its windows",
  }),
  comment: Type.String(),
  matchers: Type.Array(
    unnamed({
      field: Type.Enum([...MATCHER_FIELDS]),
      path: Type.Optional(Type.String({ description: "of `payload`: where in it" })),
      operator: Type.Enum([...MATCHER_OPERATORS]),
      value: Type.String(),
    }),
  ),
  starts_at: moment(),
  ends_at: nullable(moment()),
  recurrence: nullable(
    unnamed({
      days: Type.Array(Type.Integer(), { description: "1 is Monday" }),
      from: Type.String({ description: "time of day, such as 22:00" }),
      to: Type.String(),
      zone: Type.String({ description: "IANA name" }),
    }),
  ),
  alert_count: Type.Integer({ description: "open alerts that it keeps quiet" }),
  author: nullable(AUTHOR),
  created_at: moment(),
  updated_at: moment(),
});

export const SILENCES_ANSWERS = pageAnswers("A page of silences", SILENCE);

export const SILENCE_ANSWERS = readAnswers("The silence", SILENCE);

export const NEW_SILENCE_ANSWERS = writeAnswers(201, "The new silence", SILENCE, {
  ...REFUSED.write,
  422: refusal("The project has as many silences as it may"),
});

export const CHANGED_SILENCE_ANSWERS = writeAnswers(200, "The silence as it is now", SILENCE, {
  ...REFUSED.write,
  422: refusal("The silence is over"),
});

export const ENDED_SILENCE_ANSWERS = doneAnswers("The silence is over", REFUSED.write);

/** Of the question what conditions would cover, which changes nothing. */
export const PREVIEW_ANSWERS = readAnswers(
  "Which of the newest open alerts the conditions would cover",
  unnamed({
    matched: Type.Integer(),
    looked_at: Type.Integer({ description: "how many alerts were looked at" }),
    alerts: Type.Array(
      unnamed({
        iid: Type.Integer(),
        title: Type.String(),
        severity: Type.Enum([...SEVERITIES]),
        status: Type.Enum([...ALERT_STATUSES]),
      }),
      { description: "the first hundred that match" },
    ),
  }),
);
