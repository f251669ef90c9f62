/** Sends a mail through the operator's mail server. */
import type { Transporter } from "nodemailer";
import type { Config } from "../platform/config.ts";
import type { Platform } from "../platform/platform.ts";
import type { Outcome, Taken } from "./delivery.ts";
import { type MailContent, OUTBOX_SEAL } from "./message.ts";

/**
 * Seconds for a whole try, so that a server that always sends one more line holds no place without end. Within it a server may be
 * silent for as long as it likes (RFC 5321 §4.5.3.2): who gives up after the mail has been sent makes a second copy of it.
 */
export const MAIL_SECONDS = 120;

/** Of a try; connecting includes the greeting, which busy servers put off. */
const TIMEOUTS = {
  connectionTimeout: 60_000,
  greetingTimeout: 60_000,
  socketTimeout: MAIL_SECONDS * 1000,
  dnsTimeout: 5000,
};
/** Of a check, for which a person waits and which sends nothing. */
const CHECK_TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 5000,
};

/** Whether this installation can send mail; if not, links are shown so that somebody can hand them over. */
export function mailIsOn({ mail }: Pick<Config, "mail">): boolean {
  return mail !== undefined;
}

/**
 * Sends a mail. Every try has the same Message-ID, by which mailboxes drop duplicates. Mails of a thread reply to one that was
 * never sent, so that they form a thread whichever of them somebody received (RFC 5322 §3.6.4).
 */
export async function sendMail(
  { config, keys }: Pick<Platform, "config" | "keys">,
  taken: Taken,
): Promise<Outcome> {
  if (!config.mail) return { isSent: false, status: null, error: "Mail is not set up." };
  const { subject, text, html, thread } = taken.content as MailContent;
  const words: Record<string, string> = taken.sealedSecret
    ? JSON.parse(keys.open(taken.sealedSecret, OUTBOX_SEAL))
    : {};
  const { hostname } = new URL(config.publicUrl);
  const signal = AbortSignal.timeout(MAIL_SECONDS * 1000);
  try {
    const transport = await transportOf(config.mail.smtpUrl, TIMEOUTS);
    await transport.sendMail({
      signal,
      from: config.mail.from,
      // An object is always one address, whatever the text contains.
      to: { name: "", address: taken.target },
      subject,
      text: filled(text, words, (word) => word),
      ...(html === undefined ? {} : { html: filled(html, words, escaped) }),
      messageId: `<${taken.messageId}@${hostname}>`,
      ...(thread === undefined ? {} : answering(`<${thread}@${hostname}>`)),
      headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return { isSent: true, status: 250, error: "" };
  } catch (error) {
    if (signal.aborted) return TOO_SLOW;
    return outcomeOf(error as MailError);
  }
}

const TOO_SLOW: Outcome = {
  isSent: false,
  status: null,
  error: `The mail server did not finish within ${MAIL_SECONDS} seconds.`,
};

function answering(id: string) {
  return { inReplyTo: id, references: id };
}

/** Whether the mail server accepts us: connects, reads the greeting and signs in, and sends nothing. @throws Error why not */
export async function checkMail(smtpUrl: string): Promise<void> {
  const transport = await transportOf(smtpUrl, CHECK_TIMEOUTS);
  try {
    await transport.verify();
  } catch (error) {
    throw new Error(outcomeOf(error as MailError).error);
  } finally {
    transport.close();
  }
}

async function transportOf(smtpUrl: string, timeouts: typeof TIMEOUTS): Promise<Transporter> {
  // Loaded only when needed: most of the memory that sending mail takes is this library's.
  const { createTransport } = await import("nodemailer");
  return createTransport({ ...timeouts, url: smtpUrl });
}

interface MailError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** The server's text is left out: it may repeat the address or more. */
function outcomeOf({ code = "", responseCode }: MailError): Outcome {
  const status = responseCode ?? null;
  // A refused sign-in is for the operator to correct, perhaps before the next try; a refused address or mail stays refused.
  const isFinal = (code === "EENVELOPE" || code === "EMESSAGE") && (status === null || status >= 500);
  const words = FAILURES[code] ?? "The mail server could not be reached";
  return { isSent: false, isFinal, status, error: status === null ? `${words}.` : `${words} (${status}).` };
}

const FAILURES: Readonly<Record<string, string>> = {
  EAUTH: "The mail server refused our sign-in",
  ENOAUTH: "The mail server refused our sign-in",
  EENVELOPE: "The mail server refused the address",
  EMESSAGE: "The mail server refused the mail",
  ETLS: "TLS with the mail server failed",
  EREQUIRETLS: "TLS with the mail server failed",
  ETIMEDOUT: "The mail server did not answer",
  EDNS: "The name of the mail server does not resolve",
  EPROTOCOL: "The mail server did not speak SMTP",
};

function filled(
  pattern: string,
  words: Readonly<Record<string, string>>,
  as: (word: string) => string,
): string {
  return pattern.replaceAll(/\{\{(\w+)\}\}/g, (whole, name) =>
    Object.hasOwn(words, name) ? as(words[name] ?? "") : whole,
  );
}

function escaped(word: string): string {
  return word.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
