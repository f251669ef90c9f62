/** The messages that can be sent: a mail, a signed webhook, a Slack message, and what rooms above send themselves. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** Of notices of deletions: of no project, but sent to all owners of many, and so not among the notices to one person. */
export const DELETION_PURPOSE = "deletion_notice";

/** The ways in which messages leave the service. */
export const CHANNELS = ["mail", "webhook", "slack", "logout"] as const;
export type Channel = (typeof CHANNELS)[number];

/** The context of `platform.keys.seal` and `open` for everything that is passed to the outbox sealed. */
export const OUTBOX_SEAL = "outbox";

/** An address that is itself a secret: sealed under `OUTBOX_SEAL`, with the part that may be shown. */
export interface SealedUrl {
  sealed: Buffer;
  /** Host, and port unless it is the default one. */
  host: string;
}

/** Optional members of every message. */
interface Labels {
  /** The project whose people may see the delivery, which is deleted with the project. */
  projectId?: number | undefined;
  /** The purpose, by which lists can be filtered: lower-case letters, digits, `_`, `:`, `-`, at most 64. */
  purpose?: string | undefined;
  /** A second message with the same purpose and key is ignored while the first is stored (30 days). */
  dedupeKey?: string | undefined;
}

export interface MailMessage extends Labels {
  channel: "mail";
  /** One address. */
  to: string;
  subject: string;
  text: string;
  html?: string | undefined;
  /** Mails with the same value are shown as one thread; letters, digits and `/ . _ -`. */
  thread?: string | undefined;
  /**
   * A JSON object of strings, sealed under `OUTBOX_SEAL`; each replaces its `{{name}}` in text and html when the mail is sent.
   */
  words?: Buffer | undefined;
}

export interface WebhookMessage extends Labels {
  channel: "webhook";
  url: string | SealedUrl;
  /** One or several signing secrets, separated by spaces, sealed under `OUTBOX_SEAL`; see `newWebhookSecret`. */
  secret?: Buffer | undefined;
  /** The kind of event, such as `alert.opened`; sent as `X-Gatehouse-Event`. */
  event: string;
  /** Sent as JSON, with the members in this order. */
  body: unknown;
}

export interface SlackMessage extends Labels {
  channel: "slack";
  /** The address of an incoming webhook: whoever knows it may write into the channel, so pass it sealed. */
  url: string | SealedUrl;
  text: string;
  blocks?: readonly unknown[] | undefined;
}

/** What is passed to the outbox, by channel. */
export type Message = MailMessage | WebhookMessage | SlackMessage;

/** A message as it is stored. */
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

/** The stored content of a mail. */
export interface MailContent {
  subject: string;
  text: string;
  html?: string;
  thread?: string;
}
/** The stored content of a webhook, with its address unless that is sealed. */
export interface WebhookContent {
  url?: string;
  event: string;
  body: unknown;
}
/** The stored content of a Slack message, with its address unless that is sealed. */
export interface SlackContent {
  url?: string;
  body: { text: string; blocks?: readonly unknown[] };
}

/** The message as it is stored. @throws Error when the address is invalid: the caller should have checked it */
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
  const { event, body, secret } = message;
  const content: WebhookContent = { ...shown, event, body };
  return { ...labels, ...address, channel: "webhook", content, sealedSecret: secret ?? null };
}

/** The size of the column. */
const MAX_KEY_LENGTH = 255;

/** A key that is too long, such as one with a long mail address, is replaced by its hash. */
function keptKey(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : `sha256:${createHash("sha256").update(key).digest("hex")}`;
}
