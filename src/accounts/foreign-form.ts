/** Recognises a form that was sent from another site, by the headers that browsers add to it. */
import type { FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";

/** Whether the form was sent from a page of another site, according to the browser. */
export function isForeign(platform: Platform, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  if (origin === undefined) return false;
  // Pages with `Referrer-Policy: no-referrer` post with the origin `null`; this is accepted only if the browser reports the same
  // site.
  if (origin === "null") return site !== "same-origin";
  return !isOwnOrigin(platform, request, origin);
}

/** Whether an origin is that of this service; on a local machine 127.0.0.1 and localhost are the same. */
export function isOwnOrigin({ config }: Platform, request: FastifyRequest, origin: string): boolean {
  if (origin === config.publicUrl) return true;
  return isLoopback(config.publicUrl) && isLoopback(origin) && URL.parse(origin)?.host === request.host;
}

function isLoopback(origin: string): boolean {
  return /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(origin);
}
