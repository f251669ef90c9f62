/** The frame of the administrators' pages, and the check of their forms. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import type { Html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { type AdminPage, adminNav } from "../ui/navigation.ts";
import { actOfViewer } from "./act-of-viewer.ts";
import { needsAdminViewer } from "./admin-viewer.ts";
import { checkForm, frameOf, needsFreshProof, type SignedInBrowser } from "./browser.ts";

/**
 * Checks the form and returns the administrator, whose password must have been proven recently.
 * @throws as `needsAdminViewer`, or ProofNeeded
 */
export async function checkFormOfAdministrator(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
) {
  await checkForm(platform, request, reply);
  const browser = await needsAdminViewer(platform, request, reply);
  await needsFreshProof(platform, request, reply, path);
  return { browser, act: actOfViewer(browser, request) };
}

/** Sends an administrators' page; `failed`: a form was refused. */
export function sendAdmin(
  reply: FastifyReply,
  browser: SignedInBrowser,
  page: { title: string; current: AdminPage; main: Html; failed?: boolean },
): FastifyReply {
  const frame = frameOf(browser);
  const { title, main, failed = false, current } = page;
  const here = current === "overview" ? [] : [{ label: title }];
  const crumbs = [{ label: "Administration", href: "/admin" }, ...here];
  // Personal settings pages have the same headings, so the title says which one this is.
  const shown = current === "overview" ? title : `${title} · Administration`;
  const nav = adminNav(current, frame.viewer);
  return sendPage(
    reply,
    appPage({ ...frame, title: shown, failed, crumbs, nav, main }),
    failed ? { status: 422 } : {},
  );
}
