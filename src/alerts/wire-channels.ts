/** Requests about channels, and the records of channels and deliveries on the API. */
import type { Delivery } from "../outbox/delivery.ts";
import type { Described } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { CHANNEL_EVENTS, CHANNEL_KINDS, type Channel, type ChannelFields, RECIPIENTS } from "./channel.ts";
import { SEVERITIES } from "./severity.ts";
import type { CHANNEL } from "./wire-answers-channels.ts";

const ids = (description: string) =>
  Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 100, description }));

const name = Type.String({ description: "name of the channel, at most 255 characters" });
const fields = {
  name: Type.Optional(name),
  active: Type.Optional(
    Type.Boolean({ description: "whether the channel sends messages; default for new channels: true" }),
  ),
  recipients: Type.Optional(
    Type.Array(Type.Enum([...RECIPIENTS]), {
      description:
        "groups of people who get mail; only for mail; default for new mail channels without `user_ids`: maintainers",
    }),
  ),
  user_ids: ids("ids of further users who get mail, at most 100; only for mail"),
  url: Type.Optional(
    Type.String({ description: "address to send to, required for webhook and slack; never returned" }),
  ),
  severities: Type.Optional(
    Type.Array(Type.Enum([...SEVERITIES]), {
      description: "only alerts with these severities; default for new channels: critical, high, medium",
    }),
  ),
  events: Type.Optional(
    Type.Array(Type.Enum([...CHANNEL_EVENTS]), {
      description:
        "changes of alerts that a message is sent for; default for new channels: opened, reopened, resolved",
    }),
  ),
  integration_ids: ids("only alerts of the integrations with these ids, at most 100; empty: of all"),
};

export const NewChannelBody = Type.Object({
  kind: Type.Enum([...CHANNEL_KINDS], { description: "how messages are sent; cannot be changed later" }),
  ...fields,
  name,
});
export type NewChannelBody = Static<typeof NewChannelBody>;
export const ChannelBody = Type.Object(fields);
export type ChannelBody = Static<typeof ChannelBody>;
export const ChannelParameters = Type.Object({
  ...ProjectParameters.properties,
  channel_id: Type.String({ description: "number of the channel" }),
});
export type ChannelParameters = Static<typeof ChannelParameters>;
export const DeliveryParameters = Type.Object({
  ...ChannelParameters.properties,
  delivery_id: Type.String({ description: "number of the delivery" }),
});
export type DeliveryParameters = Static<typeof DeliveryParameters>;
export const ChannelsQuery = Type.Object({ ...pageParameters });
export const DeliveriesQuery = Type.Object({ ...pageParameters });

/** Severities and events of a new channel whose request does not name any. */
const DEFAULTS = {
  severities: ["critical", "high", "medium"],
  events: ["opened", "reopened", "resolved"],
} as const;

/** The fields of a body; in a change, fields that it does not name keep their values. */
export function channelFieldsOf(body: ChannelBody, kind: string, before?: Channel): ChannelFields {
  const isMail = kind === "mail";
  return {
    name: body.name?.trim() ?? before?.name ?? "",
    active: body.active ?? before?.active ?? true,
    recipients: body.recipients ?? before?.recipients ?? (isMail && !body.user_ids ? ["maintainers"] : []),
    userIds: [...new Set(body.user_ids ?? before?.userIds ?? [])],
    url: body.url?.trim() || undefined,
    severities: body.severities ?? before?.severities ?? DEFAULTS.severities,
    events: body.events ?? before?.events ?? DEFAULTS.events,
    integrationIds: [...new Set(body.integration_ids ?? before?.integrationIds ?? [])],
  };
}

/** A channel as the API shows it; `secret` signs its requests and is shown only when it is created. */
export function channelRecord(channel: Channel, secret?: string): Described<typeof CHANNEL> {
  return {
    id: channel.id,
    kind: channel.kind,
    name: channel.name,
    active: channel.active,
    recipients: channel.recipients,
    user_ids: channel.userIds,
    url_host: channel.urlHost,
    ...(secret === undefined ? {} : { secret }),
    severities: channel.severities,
    events: channel.events,
    integration_ids: channel.integrationIds,
    created_at: channel.createdAt.toISOString(),
    updated_at: channel.updatedAt.toISOString(),
  };
}

/** A message that is queued or was sent. */
export function deliveryRecord(delivery: Delivery) {
  return {
    id: delivery.id,
    message_id: delivery.messageId,
    channel: delivery.channel,
    target: delivery.target,
    title: delivery.title,
    state: delivery.state,
    attempts: delivery.attempts,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    due_at: delivery.state === "waiting" ? delivery.dueAt.toISOString() : null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}
