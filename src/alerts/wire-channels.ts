/** Channels and their deliveries on the wire. */
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

const name = Type.String({ description: "at most 255 characters" });
const fields = {
  name: Type.Optional(name),
  active: Type.Optional(Type.Boolean({ description: "tells of anything; a new one does if not said" })),
  recipients: Type.Optional(Type.Array(Type.Enum([...RECIPIENTS]), { description: "of mail" })),
  user_ids: ids("of mail: people besides"),
  url: Type.Optional(Type.String({ description: "of webhook and slack; never shown again" })),
  severities: Type.Optional(
    Type.Array(Type.Enum([...SEVERITIES]), {
      description: "only alerts of these; a new one critical, high and medium if not said",
    }),
  ),
  events: Type.Optional(
    Type.Array(Type.Enum([...CHANNEL_EVENTS]), {
      description: "what of them is told; a new one opened, reopened and resolved if not said",
    }),
  ),
  integration_ids: ids("only alerts of these integrations; none: of all"),
};

export const NewChannelBody = Type.Object({
  kind: Type.Enum([...CHANNEL_KINDS], { description: "how it tells; it stays that" }),
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

/** What a channel is told when nothing else is said: critical to medium, on open, reopen and resolve. */
const DEFAULTS = {
  severities: ["critical", "high", "medium"],
  events: ["opened", "reopened", "resolved"],
} as const;

/** The fields of a body; of a change, what it does not name stays as it is. */
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

/** A channel as the API shows it; `secret` signs what it sends, and is shown when it is made. */
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

/** A message on its way, or sent. */
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
