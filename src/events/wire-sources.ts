/** Event sources on the wire (contract-events §3). */
import Type, { type Static } from "typebox";
import type { Received } from "./receive-delivery.ts";
import { type Delivery, SOURCE_TYPES, type Source } from "./source.ts";

export const SourceParameters = Type.Object({ id: Type.String(), source_id: Type.String() });
export const ReceiveParameters = Type.Object({ id: Type.String(), identifier: Type.String() });

/** `identities` maps outside logins to numbers of users; its values are checked by `identitiesOf`. */
export const NewSourceBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  type: Type.Optional(Type.Enum(SOURCE_TYPES, { default: "auto" })),
  secret: Type.Optional(
    Type.Union([Type.String({ minLength: 16, maxLength: 255 }), Type.Null()], {
      description: "at least 16 characters; default: a new one",
    }),
  ),
  identities: Type.Optional(Type.Object({}, { description: "outside login → user id" })),
});
export type NewSourceBody = Static<typeof NewSourceBody>;

export const ChangedSourceBody = Type.Object({
  name: Type.Optional(NewSourceBody.properties.name),
  active: Type.Optional(Type.Boolean()),
  identities: NewSourceBody.properties.identities,
});
export type ChangedSourceBody = Static<typeof ChangedSourceBody>;

/** The identities of a body; undefined members of the second kind are what is wrong with it. */
export function identitiesOf(given: object | undefined): Record<string, number> | undefined {
  const entries = Object.entries(given ?? {});
  const isRight = entries.every(
    ([login, id]) => login !== "" && login.length <= 255 && Number.isSafeInteger(id) && (id as number) > 0,
  );
  return isRight ? Object.fromEntries(entries) : undefined;
}

/** A source as its maintainers see it; the secret only when it is new. */
export function sourceRecord(
  source: Source,
  identities: Readonly<Record<string, number>>,
  publicUrl: string,
  secret?: string,
) {
  return {
    id: source.id,
    name: source.name,
    type: source.type,
    active: source.active,
    url: `${publicUrl}/api/v4/projects/${source.projectId}/event_sources/${source.identifier}/receive`,
    secret,
    identities,
    created_at: source.createdAt.toISOString(),
    updated_at: source.updatedAt.toISOString(),
  };
}

export function deliveryRecord(delivery: Delivery) {
  return {
    id: delivery.id,
    delivery_id: delivery.deliveryId,
    kind: delivery.kind,
    status: delivery.status,
    reason: delivery.reason,
    event_ids: delivery.eventIds,
    received_at: delivery.receivedAt.toISOString(),
  };
}

/** What the forge is answered. */
export function receivedRecord(received: Received) {
  if (received.status === "pong") return { status: "pong" };
  return { status: received.status, event_ids: received.eventIds, reason: received.reason };
}
