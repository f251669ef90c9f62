/** Requests about hooks, their records on the API, and the messages that they are sent (decision 0109). */
import type { Attempt, Delivery } from "../outbox/delivery.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { ACTIONS } from "./event.ts";
import type { HookLetter } from "./feed-hooks.ts";
import { TARGET_FILTERS } from "./filter.ts";
import { type Hook, LONGEST_HOOK_URL } from "./hook.ts";
import { eventRecord } from "./wire.ts";

export const HookParameters = Type.Object({
  ...ProjectParameters.properties,
  hook_id: Type.String({ description: "number of the hook" }),
});
export const HookDeliveryParameters = Type.Object({
  ...HookParameters.properties,
  event_id: Type.String({ description: "number of the delivery" }),
});

const fields = {
  name: Type.Optional(
    Type.String({ maxLength: 255, description: "name of the hook; default: the host of `url`" }),
  ),
  active: Type.Optional(Type.Boolean({ description: "whether events are sent; default: true" })),
  actions: Type.Optional(
    Type.Array(Type.Enum(ACTIONS), {
      maxItems: 50,
      description: "only events with these actions, at most 50; empty: all; default: all",
    }),
  ),
  target_types: Type.Optional(
    Type.Array(Type.Enum(TARGET_FILTERS), {
      maxItems: 50,
      description: "only events with these target types, at most 50; empty: all; default: all",
    }),
  ),
  confidential: Type.Optional(
    Type.Boolean({
      description: "true: also send events about confidential and internal items; default: false",
    }),
  ),
};
const url = Type.String({
  minLength: 1,
  maxLength: LONGEST_HOOK_URL,
  description: "address to send events to, http or https",
});

export const NewHookBody = Type.Object({ url, ...fields });
export type NewHookBody = Static<typeof NewHookBody>;
export const ChangedHookBody = Type.Object({ url: Type.Optional(url), ...fields });
export type ChangedHookBody = Static<typeof ChangedHookBody>;

/** A hook as Maintainers see it; includes the secret only if it is new. */
export function hookRecord(hook: Hook, address: string, secret?: string) {
  return {
    id: hook.id,
    project_id: hook.projectId,
    name: hook.name,
    url: address,
    secret,
    active: hook.active,
    actions: hook.actions,
    target_types: hook.targetTypes,
    confidential: hook.confidential,
    created_at: hook.createdAt.toISOString(),
    updated_at: hook.updatedAt.toISOString(),
  };
}

/** A delivery; includes its attempts if it is requested by itself. */
export function hookDeliveryRecord(delivery: Delivery, attempts?: readonly Attempt[]) {
  return {
    id: delivery.id,
    webhook_id: delivery.messageId,
    trigger: delivery.title,
    state: delivery.state,
    attempts: delivery.attempts,
    response_status: delivery.lastStatus,
    error: delivery.lastError === "" ? null : delivery.lastError,
    next_try_at: delivery.state === "waiting" ? delivery.dueAt.toISOString() : null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
    tries: attempts?.map((one) => ({
      number: one.number,
      at: one.at.toISOString(),
      duration_ms: one.durationMs,
      response_status: one.status,
      error: one.error === "" ? null : one.error,
    })),
  };
}

/** The message to a hook about an event: the record of the project's list in the envelope of Standard Webhooks. */
export const hookLetter: HookLetter = (event, publicUrl) => ({
  event: `event.${event.action}`,
  body: {
    type: `event.${event.action}`,
    timestamp: event.createdAt.toISOString(),
    data: eventRecord(event, "project", publicUrl, ["project", "target"]),
  },
});
