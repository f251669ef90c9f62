/** Each sign-in form knows the page that it was shown for: of several tabs that wait, each goes on to its own. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { keepReturnPath, returnPathOf } from "./browser.ts";
import { isForeign } from "./foreign-form.ts";
import { openWay, sealWay } from "./kept-way.ts";
import { ownPath } from "./session.ts";

/** What the form's field `back` holds: the way back as this service sealed it, which nobody else can write. */
export function sealedWay(platform: Platform, request: FastifyRequest): string | undefined {
  const path = returnPathOf(request);
  return path ? sealWay(platform, path) : undefined;
}

/** The way back of a posted form of ours: also where one leads that came too late, when another tab has signed in meanwhile. */
export function wayOfForm(platform: Platform, request: FastifyRequest): string | undefined {
  const sealed = formText(request, "back");
  if (!sealed || isForeign(platform, request)) return undefined;
  const way = openWay(platform, sealed);
  return way === undefined ? undefined : ownPath(way);
}

/** The session holds the way of the posted form again, whichever tab was opened since. */
export async function keepWayOfForm(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const way = wayOfForm(platform, request);
  if (way && way !== returnPathOf(request)) await keepReturnPath(platform, request, reply, way);
}
