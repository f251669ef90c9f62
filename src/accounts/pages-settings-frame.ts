/** Sends the personal settings pages. */
import type { FastifyReply } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import { settingsPage } from "../ui/settings-page.ts";
import { frameOf, type SignedInBrowser } from "./browser.ts";

/** Sends a settings page; `failed`: a form was refused, which sets the status. */
export function sendSettings(
  reply: FastifyReply,
  browser: SignedInBrowser,
  page: Parameters<typeof settingsPage>[1],
): FastifyReply {
  return sendPage(reply, settingsPage(frameOf(browser), page), { failed: page.failed });
}
