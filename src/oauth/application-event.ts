/** What an application was refused, with the true reason, for those who look after it (decision 0080). */
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { withoutSecrets } from "../platform/secret.ts";

/** The doors at which a refusal is written down, at the API of tokens bound to keys alone; the last is the application's own, which could not be told of a sign-out. */
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

/** So many of an application are kept, kinds and networks taking turns, for so many days after they came last. */
export const MOST_EVENTS = 1000;
export const EVENT_DAYS = 30;

export const ApplicationEventRow = row({
  id: integer,
  /** When the last of those alike came. */
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

/** A refusal as it happened, before it is counted with others like it. */
export interface Refusal {
  applicationId: number;
  endpoint: EventEndpoint;
  /** The `grant_type` or `response_type` of the request; empty: none. */
  grantType: string;
  /** The error code that was answered. */
  answer: string;
  reason: string;
  requestId: string;
  /** The /24 or /64 of the caller. */
  network: string;
  userId: number | null;
}

const LONGEST_REASON = 1000;

/** What was sent, or the reason, as it can be stored and shown: whatever looks like one of our secrets is blotted out, and it is cut. */
export function shownWords(words: string): string {
  const whole = withoutSecrets(words.replaceAll(/\bg[a-z]{2,3}_[0-9A-Za-z]{8,}/g, "[secret]"));
  const plain = whole.replaceAll(/\p{Cc}/gu, " ");
  return plain.length > LONGEST_REASON ? `${plain.slice(0, LONGEST_REASON - 1)}…` : plain;
}
