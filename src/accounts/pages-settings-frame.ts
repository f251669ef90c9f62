/** The frame of the personal settings pages. */
import type { FastifyReply } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import type { AssetName } from "../ui/assets.ts";
import type { Html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { SETTINGS_CRUMB, type SettingsPage, settingsNav } from "../ui/navigation.ts";
import { frameOf, type SignedInBrowser } from "./browser.ts";

/** Sends a settings page; `failed`: a form was refused, which sets the status. */
export function sendSettings(
  reply: FastifyReply,
  browser: SignedInBrowser,
  page: {
    title: string;
    current: SettingsPage;
    main: Html;
    failed?: boolean;
    scripts?: readonly AssetName[];
  },
): FastifyReply {
  const frame = frameOf(browser);
  const { title, main, failed = false, scripts = [] } = page;
  const crumbs = [SETTINGS_CRUMB, { label: title }];
  const nav = settingsNav(page.current, frame.viewer);
  return sendPage(
    reply,
    appPage({ ...frame, title, failed, scripts, crumbs, nav, main }),
    failed ? { status: 422 } : {},
  );
}
