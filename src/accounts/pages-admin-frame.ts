/** Sends the administrators' pages. */
import type { FastifyReply } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import { adminPage } from "../ui/admin-page.ts";
import { frameOf, type SignedInBrowser } from "./browser.ts";

/** Sends an administrators' page; `failed`: a form was refused, which sets the status. */
export function sendAdmin(
  reply: FastifyReply,
  browser: SignedInBrowser,
  page: Parameters<typeof adminPage>[1],
): FastifyReply {
  return sendPage(reply, adminPage(frameOf(browser), page), { failed: page.failed });
}
