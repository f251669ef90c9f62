/** The use of an application, and the refusals of its requests, in the API. */
import { pageParameters } from "../platform/pagination.ts";
import Type from "../platform/schema.ts";
import { type ApplicationEvent, EVENT_ENDPOINTS } from "./application-event.ts";
import type { FlowUse } from "./store-usage.ts";

/** The query of the list of an application's events. */
export const eventsQuery = Type.Object({
  ...pageParameters,
  endpoint: Type.Optional(
    Type.Union(
      EVENT_ENDPOINTS.map((word) => Type.Literal(word)),
      { description: "the endpoint that refused the request" },
    ),
  ),
  answer: Type.Optional(Type.String({ maxLength: 100, description: "the error code of the response" })),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "part of the reason or of a username, or a whole request id",
    }),
  ),
});

/** The use of an application in the last 30 days, or since `counted_since`, as the API shows it. */
export function usageRecord(people: number, flows: readonly FlowUse[]): Record<string, unknown> {
  return {
    people,
    counted_since: flows[0]?.countedSince?.toISOString() ?? null,
    flows: flows.map((use) => ({
      flow: use.flow,
      authorizations: use.authorizations,
      tokens: use.tokens,
      refreshes: use.refreshes,
      people: use.people,
      live_tokens: use.liveTokens,
      last_at: use.lastAt.toISOString(),
    })),
  };
}

/** A refusal as the API shows it. */
export function eventRecord(event: ApplicationEvent): Record<string, unknown> {
  return {
    id: event.id,
    created_at: event.firstAt.toISOString(),
    last_at: event.at.toISOString(),
    endpoint: event.endpoint,
    grant_type: event.grantType || null,
    answer: event.answer,
    reason: event.reason,
    request_id: event.requestId,
    network: event.network,
    user: event.userId === null ? null : { id: event.userId, username: event.username },
    times: event.times,
  };
}
