/** Responses about channels and their deliveries, for the OpenAPI document (decision 0097). */
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
  url_host: nullable(
    Type.String({ description: "host of the address that messages are sent to; null for mail" }),
  ),
  secret: Type.Optional(
    Type.String({
      description: "secret that signs the requests of a webhook; returned only when the channel is created",
    }),
  ),
  severities: Type.Array(Type.Enum([...SEVERITIES])),
  events: Type.Array(Type.Enum([...CHANNEL_EVENTS])),
  integration_ids: Type.Array(Type.Integer(), {
    description: "only alerts of these integrations; empty: of all",
  }),
  created_at: moment(),
  updated_at: moment(),
});

const DELIVERY = record("AlertDelivery", {
  id: Type.Integer(),
  message_id: Type.String(),
  channel: Type.Enum([...CHANNEL_KINDS]),
  target: Type.String({
    description:
      "of a mail: the username of its receiver, or where nobody has the address any more, `***` and its domain; else the host",
  }),
  title: Type.String(),
  state: Type.Enum([...DELIVERY_STATES], {
    description: "waiting: to be sent or retried; sent: delivered; dead: given up",
  }),
  attempts: Type.Integer(),
  last_status: nullable(Type.Integer({ description: "HTTP status of the last response" })),
  last_error: nullable(
    Type.String({
      description: "error of the last attempt; null before the first attempt; empty after success",
    }),
  ),
  due_at: nullable(moment("time of the next attempt; null unless the state is waiting")),
  created_at: moment(),
  finished_at: nullable(moment()),
});

export const CHANNELS_ANSWERS = pageAnswers("The channels of the project", CHANNEL);

export const CHANNEL_ANSWERS = readAnswers("The channel", CHANNEL);

export const NEW_CHANNEL_ANSWERS = writeAnswers(201, "The new channel", CHANNEL, {
  ...REFUSED.write,
  422: refusal("The project has the maximum number of channels"),
});

export const CHANGED_CHANNEL_ANSWERS = writeAnswers(200, "The updated channel", CHANNEL);

export const REMOVED_CHANNEL_ANSWERS = doneAnswers(
  "The channel was deleted; messages that are already queued are still sent",
  REFUSED.write,
);

export const CHANNEL_TEST_ANSWERS = writeAnswers(
  202,
  "A test message is being sent",
  unnamed({ messages: Type.Integer({ description: "number of messages that are sent" }) }),
  {
    ...REFUSED.write,
    422: refusal("The channel has no recipients, or mail is not set up"),
    429: refusal("The channel was tested moments ago"),
  },
);

export const DELIVERIES_ANSWERS = pageAnswers("A page of deliveries, newest first", DELIVERY);

/** Responses of sending a delivery again. It inserts no row, so its parent cannot be removed meanwhile (no 409). */
export const RESEND_ANSWERS = writeAnswers(
  202,
  "The delivery is being sent again",
  unnamed({ id: Type.Integer({ description: "number of the delivery" }) }),
  { ...REFUSED.place, 404: refusal("The delivery does not exist or is a mail") },
);
