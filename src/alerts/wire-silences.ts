/** Requests about silences, and their record on the API. */
import { authorRecord } from "../accounts/wire.ts";
import type { Described } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import { FieldProblem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { MATCHER_FIELDS, MATCHER_OPERATORS } from "./matcher.ts";
import { reportedTime } from "./reported-time.ts";
import { recurrenceOf, type Silence, type SilenceFields, silenceState } from "./silence.ts";
import type { SILENCE } from "./wire-answers-silences.ts";

const MatcherBody = Type.Object(
  {
    field: Type.Enum([...MATCHER_FIELDS], { description: "field of the alert to compare" }),
    path: Type.Optional(
      Type.String({
        description: "path within the payload, such as labels.team; only with the field `payload`",
      }),
    ),
    operator: Type.Optional(
      Type.Enum([...MATCHER_OPERATORS], {
        default: "equals",
        description:
          "how to compare; contains: case-insensitive; matches: `value` is a regular expression; default: equals",
      }),
    ),
    value: Type.String({ description: "value to compare with, at most 500 characters" }),
  },
  { nested: true },
);

const RecurrenceBody = Type.Object(
  {
    days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      description: "days of the week, 1 (Monday) to 7 (Sunday)",
      maxItems: 7,
    }),
    from: Type.String({ description: "start of the window, a time of day such as 22:00" }),
    to: Type.String({
      description: "end of the window, a time of day; on the next day unless it is later than `from`",
    }),
    zone: Type.String({ description: "time zone, an IANA name such as Europe/Berlin" }),
  },
  { nested: true },
);

const time = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));
const starts_at = time("start, such as 2026-01-31T22:00:00Z; default for new silences: now");
const ends_at = time("end, such as 2026-02-01T06:00:00Z; required unless `recurrence` is set; null: no end");
const recurrence = Type.Optional(
  Type.Union([Type.Null(), RecurrenceBody], {
    description: "weekly windows that the silence is limited to; null: none, it applies without interruption",
  }),
);
const comment = Type.String({ description: "reason for the silence, at most 1000 characters" });
const matchers = Type.Array(MatcherBody, {
  maxItems: 10,
  description: "conditions, 1 to 10, all of which an alert must meet",
});

export const NewSilenceBody = Type.Object({
  comment,
  matchers,
  starts_at,
  ends_at,
  recurrence,
});
export type NewSilenceBody = Static<typeof NewSilenceBody>;

export const SilenceBody = Type.Object({
  comment: Type.Optional(comment),
  matchers: Type.Optional(matchers),
  starts_at,
  ends_at,
  recurrence,
});
export type SilenceBody = Static<typeof SilenceBody>;

export const PreviewBody = Type.Object({ matchers });
export type PreviewBody = Static<typeof PreviewBody>;

export const SilencesQuery = Type.Object({ ...pageParameters });
export const SilenceParameters = Type.Object({
  ...ProjectParameters.properties,
  silence_id: Type.String({ description: "number of the silence" }),
});
export type SilenceParameters = Static<typeof SilenceParameters>;

/** The matchers of a validated body. */
export function matchersOf(all: NewSilenceBody["matchers"]): SilenceFields["matchers"] {
  return all.map(({ operator = "equals", ...rest }) => ({ ...rest, operator }));
}

/** The fields of a body; in a change, fields that it does not name keep their values. @throws FieldProblem invalid */
export function silenceFieldsOf(body: SilenceBody, before?: Silence): SilenceFields {
  const { comment, matchers, starts_at, ends_at } = body;
  const recurs = body.recurrence;
  return {
    comment: comment?.trim() ?? before?.comment ?? "",
    matchers: matchers ? matchersOf(matchers) : (before?.matchers ?? []),
    startsAt: starts_at === undefined ? (before?.startsAt ?? null) : timeOf("starts_at", starts_at),
    endsAt: ends_at === undefined ? (before?.endsAt ?? null) : timeOf("ends_at", ends_at),
    recurrence: recurs === undefined ? (before ? recurrenceOf(before) : null) : recurs,
  };
}

function timeOf(field: string, given: string | null): Date | null {
  if (given === null || given.trim() === "") return null;
  const at = reportedTime(given.trim());
  if (!at) throw new FieldProblem({ [field]: ["is not a time such as 2026-01-31T22:00:00Z"] });
  return at;
}

/** A silence as the API shows it. */
export function silenceRecord(silence: Silence, publicUrl: string): Described<typeof SILENCE> {
  const { authorId, authorUsername, authorName, authorState } = silence;
  return {
    id: silence.id,
    state: silenceState(silence),
    comment: silence.comment,
    matchers: silence.matchers,
    starts_at: silence.startsAt.toISOString(),
    ends_at: silence.endsAt?.toISOString() ?? null,
    recurrence: recurrenceOf(silence),
    alert_count: silence.alertCount,
    author:
      authorId === null || authorUsername === null || authorName === null
        ? null
        : authorRecord(
            {
              id: authorId,
              username: authorUsername,
              name: authorName,
              state: authorState === "blocked" ? "blocked" : "active",
            },
            publicUrl,
          ),
    created_at: silence.createdAt.toISOString(),
    updated_at: silence.updatedAt.toISOString(),
  };
}
