/** The answers about channels and their deliveries, as the OpenAPI document describes them (decision 0097). */
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
import { CHANNEL_EVENTS, CHANNEL_KINDS, RECIPIENTS } from "./channel.ts";
import { SEVERITIES } from "./severity.ts";

export const CHANNEL = record("AlertChannel", {
  id: Type.Integer(),
  kind: Type.Enum([...CHANNEL_KINDS]),
  name: Type.String(),
  active: Type.Boolean(),
  recipients: Type.Array(Type.Enum([...RECIPIENTS])),
  user_ids: Type.Array(Type.Integer()),
  url_host: nullable(Type.String({ description: "host of its address; null of mail" })),
  secret: Type.Optional(
    Type.String({ description: "signs what a webhook sends; shown when it is made and never again" }),
  ),
  severities: Type.Array(Type.Enum([...SEVERITIES])),
  events: Type.Array(Type.Enum([...CHANNEL_EVENTS])),
  integration_ids: Type.Array(Type.Integer(), { description: "none: alerts of all" }),
  created_at: moment(),
  updated_at: moment(),
});

const DELIVERY = record("AlertDelivery", {
  id: Type.Integer(),
  message_id: Type.String(),
  channel: Type.Enum([...CHANNEL_KINDS]),
  target: Type.String({ description: "mail address or host" }),
  title: Type.String(),
  state: Type.Enum([...DELIVERY_STATES], { description: "dead: given up" }),
  attempts: Type.Integer(),
  last_status: nullable(Type.Integer({ description: "status that the other side answered last" })),
  last_error: nullable(Type.String({ description: "null before the first try; empty when it went through" })),
  due_at: nullable(moment("the next try, while it waits")),
  created_at: moment(),
  finished_at: nullable(moment()),
});

export const CHANNELS_ANSWERS = pageAnswers("The channels of the project", CHANNEL);

export const CHANNEL_ANSWERS = readAnswers("The channel", CHANNEL);

export const NEW_CHANNEL_ANSWERS = writeAnswers(201, "The new channel", CHANNEL, {
  ...REFUSED.write,
  422: refusal("The project has as many channels as it may"),
});

export const CHANGED_CHANNEL_ANSWERS = writeAnswers(200, "The channel as it is now", CHANNEL);

export const REMOVED_CHANNEL_ANSWERS = doneAnswers(
  "The channel is gone; what waits to be sent is still sent",
  REFUSED.write,
);

export const CHANNEL_TEST_ANSWERS = writeAnswers(
  202,
  "A test is on its way",
  unnamed({ messages: Type.Integer({ description: "how many are sent" }) }),
  { ...REFUSED.write, 422: refusal("There is nobody to write to, or mail is not set up") },
);

export const DELIVERIES_ANSWERS = pageAnswers("A page of deliveries, the newest first", DELIVERY);

/** Nothing new is written, so nothing can be missing that it belongs to. */
export const RESEND_ANSWERS = writeAnswers(
  202,
  "It is sent again",
  unnamed({ id: Type.Integer({ description: "of the delivery" }) }),
  { ...REFUSED.place, 404: refusal("There is no such delivery, it is due already, or it is a mail") },
);
