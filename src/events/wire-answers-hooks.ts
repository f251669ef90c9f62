/** The answers about hooks, as the OpenAPI document describes them (decision 0109). */
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
  secret: Type.Optional(Type.String({ description: "only when it is new" })),
  active: Type.Boolean(),
  actions: Type.Array(Type.Enum([...ACTIONS]), { description: "only events of these actions; none: all" }),
  target_types: Type.Array(Type.Enum([...TARGET_FILTERS]), {
    description: "only of these target types; none: all",
  }),
  confidential: Type.Boolean({ description: "confidential and internal matters too" }),
  created_at: moment(),
  updated_at: moment(),
});

const status = nullable(Type.Integer({ description: "of the answer; null: none came" }));
const error = nullable(Type.String({ description: "null: it went through" }));

const delivery = {
  id: Type.Integer(),
  webhook_id: Type.String({ description: "the same at every try" }),
  trigger: Type.String({ description: "such as `event.pushed`" }),
  state: Type.Enum([...DELIVERY_STATES], { description: "dead: given up" }),
  attempts: Type.Integer(),
  response_status: status,
  error,
  next_try_at: nullable(moment("null: none is to come")),
  created_at: moment(),
  finished_at: nullable(moment()),
};
const DELIVERY = record("HookDelivery", delivery);
const TRIED = record("HookDeliveryWithTries", {
  ...delivery,
  tries: Type.Array(
    unnamed({
      number: Type.Integer({ description: "from 1" }),
      at: moment(),
      duration_ms: Type.Integer(),
      response_status: status,
      error,
    }),
    { description: "the newest first" },
  ),
});

export const HOOKS_ANSWERS = pageAnswers("The hooks of the project", HOOK);

export const NEW_HOOK_ANSWERS = writeAnswers(201, "The hook with its secret", HOOK, {
  ...REFUSED.write,
  422: refusal("The project has as many hooks as it may"),
});

/** For one hook, read or changed. */
export const HOOK_ANSWERS = readAnswers("The hook; with a new secret where that was asked for", HOOK);

export const REMOVED_HOOK_ANSWERS = doneAnswers();

export const HOOK_DELIVERIES_ANSWERS = pageAnswers(
  "What was sent in the last 30 days, the newest first",
  DELIVERY,
);

export const HOOK_DELIVERY_ANSWERS = readAnswers("The delivery with its tries", TRIED);

/** For sending a test, and for sending again. */
export const HOOK_SENT_ANSWERS = writeAnswers(
  202,
  "It is on its way, as the delivery of this number",
  unnamed({ id: Type.Integer() }),
  REFUSED.place,
);
