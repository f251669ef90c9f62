/** What can be sent: a mail, a signed webhook, a message to a Slack channel, and what rooms above put together themselves. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** How something leaves the house. */
export const CHANNELS = ["mail", "webhook", "slack", "logout"] as const;
export type Channel = (typeof CHANNELS)[number];

/** The context of `platform.keys.seal` and `open` for everything sealed that is handed to the outbox. */
export const OUTBOX_SEAL = "outbox";

/** An address that is a secret itself: sealed under `OUTBOX_SEAL`, with what may be shown of it. */
export interface SealedUrl {
  sealed: Buffer;
  /** Host, and port where it is not the usual one. */
  host: string;
}

/** What every message may carry besides. */
interface Labels {
  /** The project whose people may read of the delivery; gone with it. */
  projectId?: number | undefined;
  /** What it is for: lower-case letters, digits, `_`, `:`, `-`, at most 64; lists can be narrowed by it. */
  purpose?: string | undefined;
  /** A second message of the same purpose and key is not taken while the first is kept (30 days). */
  dedupeKey?: string | undefined;
}

export interface MailMessage extends Labels {
  channel: "mail";
  /** One address. */
  to: string;
  subject: string;
  text: string;
  html?: string | undefined;
  /** Mails of which this is the same are shown together; letters, digits and `/ . _ -`. */
  thread?: string | undefined;
  /** JSON of words, sealed under `OUTBOX_SEAL`; `{{name}}` in text and html becomes the word when it is sent. */
  words?: Buffer | undefined;
}

export interface WebhookMessage extends Labels {
  channel: "webhook";
  url: string | SealedUrl;
  /** One or several signing secrets, parted by spaces, sealed under `OUTBOX_SEAL`; see `newWebhookSecret`. */
  secret?: Buffer | undefined;
  /** The kind of happening, such as `alert.opened`; sent as `X-Gatehouse-Event`. */
  event: string;
  /** Sent as JSON, its members in this order. */
  body: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface SlackMessage extends Labels {
  channel: "slack";
  /** The address of an incoming webhook: who knows it may write into the channel, so hand it over sealed. */
  url: string | SealedUrl;
  text: string;
  blocks?: readonly unknown[] | undefined;
}

/** What is handed to the outbox, by the channel it goes out by. */
export type Message = MailMessage | WebhookMessage | SlackMessage;

/** A message as it is kept. */
export interface Packed {
  channel: Channel;
  target: string;
  content: unknown;
  sealedUrl: Buffer | null;
  sealedSecret: Buffer | null;
  projectId: number | null;
  purpose: string;
  dedupeKey: string | null;
}

/** What is kept of a mail. */
export interface MailContent {
  subject: string;
  text: string;
  html?: string;
  thread?: string;
}
/** What is kept of a webhook; its address stands here unless it is sealed. */
export interface WebhookContent {
  url?: string;
  event: string;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}
/** What is kept of a Slack message; its address stands here unless it is sealed. */
export interface SlackContent {
  url?: string;
  body: { text: string; blocks?: readonly unknown[] };
}

/** The message as it is kept. @throws Error when an address cannot be read: its keeper should have checked it */
export function packed(message: Message): Packed {
  const labels = {
    projectId: message.projectId ?? null,
    purpose: message.purpose ?? "",
    dedupeKey: message.dedupeKey === undefined ? null : keptKey(message.dedupeKey),
  };
  if (message.channel === "mail") {
    const { to, subject, text, html, thread, words } = message;
    const more = { ...(html === undefined ? {} : { html }), ...(thread === undefined ? {} : { thread }) };
    const content: MailContent = { subject, text, ...more };
    return { ...labels, channel: "mail", target: to, content, sealedUrl: null, sealedSecret: words ?? null };
  }
  const { url } = message;
  const isOpen = typeof url === "string";
  const address = {
    target: isOpen ? new URL(url).host : url.host,
    sealedUrl: isOpen ? null : url.sealed,
  };
  const shown = isOpen ? { url } : {};
  if (message.channel === "slack") {
    const { text, blocks } = message;
    const content: SlackContent = { ...shown, body: { text, ...(blocks ? { blocks } : {}) } };
    return { ...labels, ...address, channel: "slack", content, sealedSecret: null };
  }
  const { event, body, headers, secret } = message;
  const content: WebhookContent = { ...shown, event, body, ...(headers ? { headers } : {}) };
  return { ...labels, ...address, channel: "webhook", content, sealedSecret: secret ?? null };
}

/** What the table has room for. */
const MOST_KEY_LENGTH = 255;

/** A key that is too long, as with a mail address of many letters, stands for itself by its hash. */
function keptKey(key: string): string {
  return key.length <= MOST_KEY_LENGTH ? key : `sha256:${createHash("sha256").update(key).digest("hex")}`;
}
