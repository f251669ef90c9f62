/** Sends a mail through the operator's mail server. */
import type { Transporter } from "nodemailer";
import type { Config } from "../platform/config.ts";
import type { Platform } from "../platform/platform.ts";
import type { Outcome, Taken } from "./delivery.ts";
import { type MailContent, OUTBOX_SEAL } from "./message.ts";

const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 5000,
};

/** Whether this installation can send mail; where it cannot, links are shown to be handed over. */
export function mailIsOn({ mail }: Pick<Config, "mail">): boolean {
  return mail !== undefined;
}

/**
 * Every try bears the same Message-ID, by which mailboxes drop what came twice. Mails of a thread answer one that was never
 * sent, so that each finds the others whichever of them somebody got (RFC 5322 §3.6.4).
 */
export async function sendMail({ config, keys }: Platform, taken: Taken): Promise<Outcome> {
  if (!config.mail) return { isSent: false, status: null, error: "Mail is not set up." };
  const { subject, text, html, thread } = taken.content as MailContent;
  const words: Record<string, string> = taken.sealedSecret
    ? JSON.parse(keys.open(taken.sealedSecret, OUTBOX_SEAL))
    : {};
  const { hostname } = new URL(config.publicUrl);
  try {
    const transport = await transportOf(config.mail.smtpUrl);
    await transport.sendMail({
      from: config.mail.from,
      // As an object it is one address, whatever stands in it.
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
    return outcomeOf(error as MailError);
  }
}

function answering(id: string) {
  return { inReplyTo: id, references: id };
}

/** Whether the mail server takes us: connects, greets and signs in, and sends nothing. @throws Error why not */
export async function checkMail(smtpUrl: string): Promise<void> {
  const transport = await transportOf(smtpUrl);
  try {
    await transport.verify();
  } catch (error) {
    throw new Error(outcomeOf(error as MailError).error);
  } finally {
    transport.close();
  }
}

async function transportOf(smtpUrl: string): Promise<Transporter> {
  // Most of the memory that sending mail takes is this library's: who sends none does without.
  const { createTransport } = await import("nodemailer");
  return createTransport({ ...TIMEOUTS, url: smtpUrl });
}

interface MailError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** What the server writes is left out: it may repeat the address or more. */
function outcomeOf({ code = "", responseCode }: MailError): Outcome {
  const status = responseCode ?? null;
  // A refused sign-in is ours to set right and may be by the next try; a refused address or mail is not.
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
