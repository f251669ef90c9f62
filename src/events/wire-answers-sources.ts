/** Responses about event sources, for the OpenAPI document (contract-events §3; decision 0120). */
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
  type: Type.Enum([...SOURCE_TYPES], { description: "kind of sender; auto: detected from each delivery" }),
  active: Type.Boolean(),
  url: Type.String({ description: "address that the forge sends its webhooks to" }),
  secret: Type.Optional(Type.String({ description: "secret of the webhook; returned only when it is new" })),
  identities: Type.Record(Type.String(), Type.Integer(), {
    description: "ids of users, by their usernames at the forge",
  }),
  created_at: moment(),
  updated_at: moment(),
});

const DELIVERY = record("SourceDelivery", {
  id: Type.Integer(),
  delivery_id: Type.String({
    description: "id that the forge gave to the delivery, or a substitute if it gave none",
  }),
  kind: Type.String({ description: "type of the event, as named by the forge" }),
  status: Type.Enum(["accepted", "ignored"]),
  reason: nullable(Type.String({ description: "why the delivery was ignored" })),
  event_ids: Type.Array(Type.Integer()),
  received_at: moment(),
});

const refused = {
  id: Type.Integer(),
  status: Type.Integer({ description: "HTTP status of the response" }),
  reason: Type.String(),
  kind: Type.String({ description: "type of the event, as named by the forge; empty if it named none" }),
  body_bytes: Type.Integer(),
  received_at: moment(),
};
const REFUSAL = record("SourceRefusal", refused);
const KEPT_REFUSAL = record("KeptSourceRefusal", {
  ...refused,
  headers: Type.Record(Type.String(), Type.String(), {
    description: "request headers that describe the delivery",
  }),
  body: Type.String({ description: "the first 64 KiB of the body" }),
});

const NAMED: Answers = {
  ...REFUSED.write,
  422: refusal("`identities` names a username twice, or a user that does not exist"),
};

export const SOURCES_ANSWERS = pageAnswers("A page of the project's event sources", SOURCE);

export const NEW_SOURCE_ANSWERS = writeAnswers(201, "The new source, with its secret", SOURCE, NAMED);

/** Responses of reading a source and of replacing its secret. */
export const SOURCE_ANSWERS = readAnswers("The source, with its secret if it is new", SOURCE);

export const CHANGED_SOURCE_ANSWERS = writeAnswers(200, "The updated source", SOURCE, NAMED);

export const REMOVED_SOURCE_ANSWERS = doneAnswers();

export const DELIVERIES_ANSWERS = pageAnswers("A page of deliveries, newest first", DELIVERY);

/** Responses of processing a delivery again. */
export const REPLAY_ANSWERS = writeAnswers(
  201,
  "The outcome of the delivery",
  unnamed({ status: Type.Enum(["accepted", "ignored"]), recorded: Type.Integer() }),
  {
    ...REFUSED.place,
    409: refusal("The events of the delivery are already recorded, or its body is no longer stored"),
    422: refusal("The delivery cannot be read"),
  },
);

export const REFUSALS_ANSWERS = pageAnswers(
  "A page of refused deliveries, newest first",
  REFUSAL,
  REFUSED.place,
  { "X-Refused-Count": "total number of refused deliveries, including those that are no longer stored" },
);

export const REFUSAL_ANSWERS = readAnswers(
  "The refusal with the headers and body of the delivery",
  KEPT_REFUSAL,
);
