/** Requests about event sources, their records on the API, and the parsing of deliveries (contract-events §3). */
import type { Bodies } from "../platform/answers.ts";
import { parseForm, parseJson } from "../platform/http.ts";
import { checkParameters } from "../platform/parameters.ts";
import { ParameterProblem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import type { EventDraft } from "./draft.ts";
import type { Reader, Received } from "./receive-delivery.ts";
import type { KeptRefusal, Refusal } from "./refusal.ts";
import { type Delivery, type RawDelivery, SOURCE_TYPES, type Source } from "./source.ts";
import { draftOf, EventBody } from "./wire-write.ts";

export const SourceParameters = Type.Object({
  ...ProjectParameters.properties,
  source_id: Type.String({ description: "number of the source" }),
});
export const ReplayParameters = Type.Object({
  ...SourceParameters.properties,
  delivery_id: Type.String({ description: "number of the delivery, the `id` of its record" }),
});
export const RefusalParameters = Type.Object({
  ...SourceParameters.properties,
  refusal_id: Type.String({ description: "number of the refusal" }),
});
/** Path parameters of the address that forges deliver to, where a project is given by its number only. */
export const ReceiveParameters = Type.Object({
  id: Type.String({ description: "number of the project" }),
  identifier: Type.String({ description: "identifier of the source, as in its `url`" }),
});

/** The bodies of deliveries, for the documentation: each is as its sender defines it. */
export const DELIVERY_BODIES: Bodies = {
  "application/json": Type.Object({}, { description: "payload of the webhook, or the data of a CloudEvent" }),
  "application/x-www-form-urlencoded": Type.Object({
    payload: Type.String({ description: "payload of the webhook as JSON" }),
  }),
  "application/cloudevents+json": Type.Object({}, { description: "a CloudEvent" }),
  "application/cloudevents-batch+json": Type.Array(Type.Object({}), { description: "CloudEvents" }),
};

/** `identities` maps usernames at the forge to user ids; `identitiesOf` checks its values. */
export const NewSourceBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: "name of the source" }),
  type: Type.Optional(
    Type.Enum(SOURCE_TYPES, {
      default: "auto",
      description:
        "kind of sender that is accepted; auto: every supported kind, recognized by its headers; default: auto",
    }),
  ),
  secret: Type.Optional(
    Type.Union([Type.String({ minLength: 16, maxLength: 255 }), Type.Null()], {
      description: "secret of the webhook, 16 to 255 characters; default: a generated one",
    }),
  ),
  identities: Type.Optional(
    Type.Object({}, { description: "ids of users, by their usernames at the forge" }),
  ),
});
export type NewSourceBody = Static<typeof NewSourceBody>;

export const ChangedSourceBody = Type.Object({
  name: Type.Optional(NewSourceBody.properties.name),
  active: Type.Optional(
    Type.Boolean({ description: "whether deliveries are accepted; new sources are active" }),
  ),
  identities: NewSourceBody.properties.identities,
});
export type ChangedSourceBody = Static<typeof ChangedSourceBody>;

/** Returns the identities of a body, or undefined if a username or a user id is invalid. */
export function identitiesOf(given: object | undefined): Record<string, number> | undefined {
  const entries = Object.entries(given ?? {});
  const isRight = entries.every(
    ([login, id]) => login !== "" && login.length <= 255 && Number.isSafeInteger(id) && (id as number) > 0,
  );
  return isRight ? Object.fromEntries(entries) : undefined;
}

/** The address at which a forge delivers. */
export function sourceUrl({ projectId, identifier }: Source, publicUrl: string): string {
  return `${publicUrl}/api/v4/projects/${projectId}/event_sources/${identifier}/receive`;
}

/** A source as Maintainers see it; includes the secret only if it is new. */
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
    url: sourceUrl(source, publicUrl),
    secret,
    identities,
    created_at: source.createdAt.toISOString(),
    updated_at: source.updatedAt.toISOString(),
  };
}

/** A refused delivery. */
export function refusalRecord(refusal: Refusal) {
  return {
    id: refusal.id,
    status: refusal.status,
    reason: refusal.reason,
    kind: refusal.kind,
    body_bytes: refusal.bodyBytes,
    received_at: refusal.receivedAt.toISOString(),
  };
}

/** A refused delivery with the headers that describe it, and the first 64 KiB of its body. */
export function keptRefusalRecord(refusal: KeptRefusal) {
  return { ...refusalRecord(refusal), headers: refusal.headers, body: refusal.raw.toString("utf8") };
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

/** The response to the forge. */
export function receivedRecord(received: Received) {
  if (received.status === "pong") return { status: "pong" };
  return { status: received.status, event_ids: received.eventIds, reason: received.reason };
}

/** Returns a reader of a delivery that parses the payload only when it is needed. */
export function readerFor({ headers, body }: RawDelivery): Reader {
  return { payload: () => payloadOf(body, headers["content-type"]), body: readBody };
}

/** The payload of a body: JSON, or JSON in the form field `payload`. @throws ParameterProblem */
function payloadOf(body: Buffer, contentType = ""): unknown {
  const isForm = /^application\/x-www-form-urlencoded/i.test(contentType);
  const json = isForm ? parseForm(body).payload : body;
  return parseJson(typeof json === "string" ? Buffer.from(json) : body);
}

/** Parses a body of the write API that is nested in another one. @throws ParameterProblem */
function readBody(given: unknown): EventDraft {
  const { value, faults } = checkParameters(EventBody, given, { makesNew: true });
  if (!value) throw new ParameterProblem(faults);
  return draftOf(value as EventBody);
}
