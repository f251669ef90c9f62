/** Responses about hooks, for the OpenAPI document (decision 0109). */
import { DELIVERY_STATES } from "../outbox/delivery.ts";
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
import { ACTIONS } from "./event.ts";
import { TARGET_FILTERS } from "./filter.ts";

const HOOK = record("Hook", {
  id: Type.Integer(),
  project_id: Type.Integer(),
  name: Type.String(),
  url: Type.String(),
  secret: Type.Optional(
    Type.String({ description: "secret that signs the hook's requests; returned only when it is new" }),
  ),
  active: Type.Boolean(),
  actions: Type.Array(Type.Enum([...ACTIONS]), { description: "only events with these actions; empty: all" }),
  target_types: Type.Array(Type.Enum([...TARGET_FILTERS]), {
    description: "only events with these target types; empty: all",
  }),
  confidential: Type.Boolean({
    description: "whether events about confidential and internal items are sent too",
  }),
  created_at: moment(),
  updated_at: moment(),
});

const status = nullable(Type.Integer({ description: "HTTP status of the response; null: no response" }));
const error = nullable(Type.String({ description: "error of the attempt; null: none" }));

const delivery = {
  id: Type.Integer(),
  webhook_id: Type.String({ description: "id of the message, the same for each attempt" }),
  trigger: Type.String({ description: "type of the message, such as `event.pushed`" }),
  state: Type.Enum([...DELIVERY_STATES], {
    description: "waiting: to be sent or retried; sent: delivered; dead: given up",
  }),
  attempts: Type.Integer(),
  response_status: status,
  error,
  next_try_at: nullable(moment("time of the next attempt; null: no further attempt")),
  created_at: moment(),
  finished_at: nullable(moment()),
};
const DELIVERY = record("HookDelivery", delivery);
const TRIED = record("HookDeliveryWithTries", {
  ...delivery,
  tries: Type.Array(
    unnamed({
      number: Type.Integer({ description: "number of the attempt, starting at 1" }),
      at: moment(),
      duration_ms: Type.Integer(),
      response_status: status,
      error,
    }),
    { description: "attempts, newest first" },
  ),
});

export const HOOKS_ANSWERS = pageAnswers("The hooks of the project", HOOK);

export const NEW_HOOK_ANSWERS = writeAnswers(201, "The new hook, with its secret", HOOK, {
  ...REFUSED.write,
  422: refusal("The project has the maximum number of hooks"),
});

/** Responses of reading and of changing a hook. */
export const HOOK_ANSWERS = readAnswers("The hook, with its secret if a new one was requested", HOOK);

export const REMOVED_HOOK_ANSWERS = doneAnswers();

export const HOOK_DELIVERIES_ANSWERS = pageAnswers(
  "A page of deliveries of the last 30 days, newest first",
  DELIVERY,
);

export const HOOK_DELIVERY_ANSWERS = readAnswers("The delivery with its attempts", TRIED);

/** Responses of sending a test and of sending a delivery again. */
export const HOOK_SENT_ANSWERS = writeAnswers(
  202,
  "The message is queued as the delivery with this id",
  unnamed({ id: Type.Integer() }),
  REFUSED.place,
);
