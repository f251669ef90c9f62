/** The page behind a one-time link that is no longer valid: it says how to get another. */
import type { FastifyReply } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import { linkButton } from "../ui/button.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { type Browser, frameOf } from "./browser.ts";

interface LinkOver {
  /** What the link was for and how long it would have been valid. */
  lead: string;
  /** How to get another one. */
  next: Html | string;
  /** Where to get it. */
  way?: { label: string; href: string };
}

/**
 * Sends the same page for a link that does not exist, is spent, replaced or expired, so that it reveals nothing (decision 0046).
 */
export function sendLinkOver(reply: FastifyReply, browser: Browser, { lead, next, way }: LinkOver) {
  const heading = "This link no longer works";
  const page = gatePage({
    ...frameOf(browser),
    title: heading,
    heading,
    lead,
    body: html`<p class="mt">${next}</p>${way && html`<div class="btn-row mt">${linkButton(way.label, way.href, { tone: "primary" })}</div>`}`,
    below: browser.viewer
      ? html`<a href="/">To the start page</a>`
      : html`<a href="/users/sign_in">Sign in</a>`,
  });
  return sendPage(reply, page, { status: 404, referrerPolicy: "no-referrer" });
}
