/** The frame of those pages of a person's settings that are about events. */
import type { FastifyReply } from "fastify";
import { frameOf, type SignedInBrowser } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { SETTINGS_CRUMB, type SettingsPage, settingsNav } from "../ui/navigation.ts";

/** Sends the page; `failed`: a form was refused, so the status is 422. */
export function sendSettings(
  reply: FastifyReply,
  browser: SignedInBrowser,
  page: { title: string; current: SettingsPage; main: Html; failed?: boolean },
): FastifyReply {
  const frame = frameOf(browser);
  const { title, main, failed = false } = page;
  const crumbs = [SETTINGS_CRUMB, { label: title }];
  const nav = settingsNav(page.current, frame.viewer);
  return sendPage(
    reply,
    appPage({ ...frame, title, failed, crumbs, nav, main }),
    failed ? { status: 422 } : {},
  );
}
