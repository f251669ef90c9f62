/** The refusals of an application's requests, with the true reason, for those who manage the application (decision 0080). */
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { withoutSecrets } from "../platform/secret.ts";

/**
 * The endpoints whose refusals are recorded. At `api` only those of tokens that are bound to a key are; `backchannel_logout` is
 * the application's own endpoint, which refused a logout token.
 */
export const EVENT_ENDPOINTS = [
  "authorize",
  "par",
  "token",
  "device",
  "revoke",
  "introspect",
  "userinfo",
  "api",
  "logout",
  "backchannel_logout",
] as const;
export type EventEndpoint = (typeof EVENT_ENDPOINTS)[number];

/**
 * The most entries kept of an application (if there are more, kinds and networks take turns), and for how many days after the
 * last occurrence.
 */
export const MAX_EVENTS = 1000;
export const EVENT_DAYS = 30;

export const ApplicationEventRow = row({
  id: integer,
  /** When the last refusal of this kind happened. */
  at: instant,
  firstAt: instant,
  endpoint: oneOf(EVENT_ENDPOINTS),
  grantType: text,
  answer: text,
  reason: text,
  requestId: text,
  network: text,
  userId: nullable(integer),
  username: nullable(text),
  times: integer,
});
export type ApplicationEvent = RowOf<typeof ApplicationEventRow>;

/** A single refusal, before it is counted together with others like it. */
export interface Refusal {
  applicationId: number;
  endpoint: EventEndpoint;
  /** The `grant_type` or `response_type` of the request; empty: none. */
  grantType: string;
  /** The error code that was answered. */
  answer: string;
  reason: string;
  requestId: string;
  /** The network of the caller: its /24 or /64. */
  network: string;
  userId: number | null;
}

const LONGEST_REASON = 1000;

/** A reason, or what was sent, as it can be stored and shown: without secrets and control characters, and truncated. */
export function shownWords(words: string): string {
  const whole = withoutSecrets(words.replaceAll(/\bg[a-z]{2,3}_[0-9A-Za-z]{8,}/g, "[secret]"));
  const plain = whole.replaceAll(/\p{Cc}/gu, " ");
  return plain.length > LONGEST_REASON ? `${plain.slice(0, LONGEST_REASON - 1)}…` : plain;
}
