/** The answers about event sources, as the OpenAPI document describes them (contract-events §3; decision 0120). */
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  type Answers,
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
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

const refused = {
  id: Type.Integer(),
  status: Type.Integer({ description: "that was answered" }),
  reason: Type.String(),
  kind: Type.String({ description: "in the forge's words; empty: it did not say" }),
  body_bytes: Type.Integer(),
  received_at: moment(),
};
const REFUSAL = record("SourceRefusal", refused);
const KEPT_REFUSAL = record("KeptSourceRefusal", {
  ...refused,
  headers: Type.Record(Type.String(), Type.String(), { description: "those that say what it is" }),
  body: Type.String({ description: "its first 64 KiB" }),
});

const NAMED: Answers = {
  ...REFUSED.write,
  422: refusal("identities names a login twice, or a user who does not exist"),
};

export const SOURCES_ANSWERS = pageAnswers("The event sources of the project", SOURCE);

export const NEW_SOURCE_ANSWERS = writeAnswers(201, "The source with its secret", SOURCE, NAMED);

/** For one source, and for a new secret. */
export const SOURCE_ANSWERS = readAnswers("The source; with its secret where that is new", SOURCE);

export const CHANGED_SOURCE_ANSWERS = writeAnswers(200, "The source as it is now", SOURCE, NAMED);

export const REMOVED_SOURCE_ANSWERS = doneAnswers();

export const DELIVERIES_ANSWERS = pageAnswers("What the source delivered, the newest first", DELIVERY);

/** For reading a delivery again. */
export const REPLAY_ANSWERS = writeAnswers(
  201,
  "What became of it",
  unnamed({ status: Type.Enum(["accepted", "ignored"]), recorded: Type.Integer() }),
  {
    ...REFUSED.place,
    409: refusal("Its events stand already, or what came is not kept any more"),
    422: refusal("It cannot be read"),
  },
);

export const REFUSALS_ANSWERS = pageAnswers(
  "What the source refused, the newest first",
  REFUSAL,
  REFUSED.place,
  { "X-Refused-Count": "how many there were, those too that are not kept" },
);

export const REFUSAL_ANSWERS = readAnswers("The refusal with what came", KEPT_REFUSAL);
