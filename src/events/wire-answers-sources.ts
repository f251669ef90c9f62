/** The answers about event sources, as the OpenAPI document describes them (contract-events §3; decision 0120). */
import Type from "typebox";
import { DONE, paged, REFUSED_PLACE, REMOVED_MEANWHILE, record, unnamed } from "../platform/answer-shapes.ts";
import { type Answers, MESSAGE, moment, nullable } from "../platform/answers.ts";
import { SOURCE_TYPES } from "./source.ts";

const SOURCE = record("EventSource", {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.Enum([...SOURCE_TYPES], { description: "auto: each delivery says what it is" }),
  active: Type.Boolean(),
  url: Type.String({ description: "where the forge delivers" }),
  secret: Type.Optional(Type.String({ description: "only when it is new" })),
  identities: Type.Record(Type.String(), Type.Integer(), { description: "outside login → user id" }),
  created_at: moment(),
  updated_at: moment(),
});

const DELIVERY = record("SourceDelivery", {
  id: Type.Integer(),
  delivery_id: Type.String({ description: "the forge's number, or what stands for it" }),
  kind: Type.String({ description: "in the forge's words" }),
  status: Type.Enum(["accepted", "ignored"]),
  reason: nullable(Type.String({ description: "why it was ignored" })),
  event_ids: Type.Array(Type.Integer()),
  received_at: moment(),
});

const refusal = {
  id: Type.Integer(),
  status: Type.Integer({ description: "that was answered" }),
  reason: Type.String(),
  kind: Type.String({ description: "in the forge's words; empty: it did not say" }),
  body_bytes: Type.Integer(),
  received_at: moment(),
};
const REFUSAL = record("SourceRefusal", refusal);
const KEPT_REFUSAL = record("KeptSourceRefusal", {
  ...refusal,
  headers: Type.Record(Type.String(), Type.String(), { description: "those that say what it is" }),
  body: Type.String({ description: "its first 64 KiB" }),
});

const NAMED = "identities names a login twice, or a user who does not exist";

/** Of the list. */
export const SOURCES_ANSWERS: Answers = {
  200: paged("The event sources of the project", SOURCE),
  ...REFUSED_PLACE,
};

/** Of a new one. */
export const NEW_SOURCE_ANSWERS: Answers = {
  201: { description: "The source with its secret", schema: SOURCE },
  ...REFUSED_PLACE,
  ...REMOVED_MEANWHILE,
  422: { description: NAMED, schema: MESSAGE },
};

/** Of one, and of a new secret. */
export const SOURCE_ANSWERS: Answers = {
  200: { description: "The source; with its secret where that is new", schema: SOURCE },
  ...REFUSED_PLACE,
};

/** Of a change. */
export const CHANGED_SOURCE_ANSWERS: Answers = {
  200: { description: "The source as it is now", schema: SOURCE },
  ...REFUSED_PLACE,
  ...REMOVED_MEANWHILE,
  422: { description: NAMED, schema: MESSAGE },
};

/** Of its end. */
export const REMOVED_SOURCE_ANSWERS: Answers = { ...DONE, ...REFUSED_PLACE };

/** Of the list of deliveries. */
export const DELIVERIES_ANSWERS: Answers = {
  200: paged("What the source delivered, the newest first", DELIVERY),
  ...REFUSED_PLACE,
};

/** Of reading one again. */
export const REPLAY_ANSWERS: Answers = {
  201: {
    description: "What became of it",
    schema: unnamed({ status: Type.Enum(["accepted", "ignored"]), recorded: Type.Integer() }),
  },
  ...REFUSED_PLACE,
  409: { description: "Its events stand already, or what came is not kept any more", schema: MESSAGE },
  422: { description: "It cannot be read", schema: MESSAGE },
};

const refusals = paged("What the source refused, the newest first", REFUSAL);

/** Of the list of refusals. */
export const REFUSALS_ANSWERS: Answers = {
  200: {
    ...refusals,
    headers: { ...refusals.headers, "X-Refused-Count": "how many there were, those too that are not kept" },
  },
  ...REFUSED_PLACE,
};

/** Of one refusal. */
export const REFUSAL_ANSWERS: Answers = {
  200: { description: "The refusal with what came", schema: KEPT_REFUSAL },
  ...REFUSED_PLACE,
};
