/** Keeps in each sign-in form the page that it leads back to, so that several open tabs do not take each other's. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { keepReturnPath, returnPathOf } from "./browser.ts";
import { isForeign, isOwnOrigin } from "./foreign-form.ts";
import { openReturnPath } from "./sealed-return-path.ts";
import { ownPath } from "./session.ts";

/**
 * Returns the page of ours whose link to the sign-in form was followed. The link says that it leads back (`SIGN_IN_FROM_HERE`),
 * and the browser's Referer names the page; after a redirect to the form that would be the page before (decision 0227).
 */
export function returnPathOfLink(platform: Platform, request: FastifyRequest): string | undefined {
  const { from } = request.query as Record<string, unknown>;
  const page = from === "here" ? URL.parse(request.headers.referer ?? "") : null;
  if (!page || !isOwnOrigin(platform, request, page.origin)) return undefined;
  return ownPath(page.pathname + page.search);
}

/**
 * Returns the return path in the field `back` of a posted form of ours, also of an expired one, as when another tab has signed in
 * meanwhile.
 */
export function returnPathOfForm(platform: Platform, request: FastifyRequest): string | undefined {
  const sealed = formText(request, "back");
  if (!sealed || isForeign(platform, request)) return undefined;
  const path = openReturnPath(platform, sealed);
  return path === undefined ? undefined : ownPath(path);
}

/** Stores the return path of the posted form in the session, whichever tab was opened since. */
export async function keepReturnPathOfForm(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const path = returnPathOfForm(platform, request);
  if (path && path !== returnPathOf(request)) await keepReturnPath(platform, request, reply, path);
}
