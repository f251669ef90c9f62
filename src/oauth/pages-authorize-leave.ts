/** Sends a browser from `/oauth/authorize` back to the application, with the response in the requested mode. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { URL_LIMIT_BYTES } from "../platform/http.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { formPostPage, onwardPage } from "./pages-consent.ts";
import { isWebAddress, OUT_OF_BAND_PAGE, type ResponseMode } from "./redirect-uri.ts";

/** Whether a request is not prefetched, framed or made by a script: only then may a code be issued without asking (S13). */
export function isPlainNavigation({ headers }: FastifyRequest): boolean {
  const ahead = headers["sec-purpose"] ?? headers.purpose ?? headers["x-moz"];
  const destination = headers["sec-fetch-dest"];
  return ahead === undefined && (destination === undefined || destination === "document");
}

/** The targets of a form with a response: the application may redirect its people anywhere (decision 0011). */
export const TO_ANY_SITE = ["https:", "http:"];

/**
 * Sends the browser back to the application: by 303, or from a page of ours if the navigation began at one of our forms, since
 * browsers check the whole chain of redirects against that form's `form-action` (decision 0011).
 */
export function leave(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  location: string,
  mode: ResponseMode,
): FastifyReply {
  reply.headers({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  if (mode === "form_post") {
    return sendPage(reply, formPostPage(location), {
      formAction: TO_ANY_SITE,
      referrerPolicy: "no-referrer",
    });
  }
  if (location.startsWith(`${OUT_OF_BAND_PAGE}?`)) return reply.redirect(location, 303);
  // The consent form allows an application's own scheme, and such an address needs the click that led here.
  const ownScheme = request.method !== "GET" && !isWebAddress(location);
  if (ownScheme || !beganHere(platform, request)) return reply.redirect(location, 303);
  reply.header("refresh", `0; url=${location}`);
  return sendPage(reply, onwardPage(location), { referrerPolicy: "no-referrer" });
}

/**
 * Repeats a posted request by GET, since forms from other sites are sent without cookies.
 * @throws Problem too_large: an address cannot be that long
 */
export function repeatByGet(reply: FastifyReply, path: string, asked: URLSearchParams): FastifyReply {
  const address = `${path}?${asked}`;
  if (address.length <= URL_LIMIT_BYTES) return reply.redirect(address, 303);
  throw new Problem(
    "too_large",
    `What the application sent here is longer than an address of ${URL_LIMIT_BYTES / 1024} KiB, so nothing was done. It has to send less: a shorter state, or no id_token_hint.`,
  );
}

/** Whether the browser says that this navigation began on a page of ours. */
function beganHere({ config }: Platform, { headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  // Only browsers on a trustworthy connection send `sec-fetch-site`, and old ones never do; all of them send this one.
  if (headers["upgrade-insecure-requests"] !== "1") return false;
  return URL.parse(headers.referer ?? "")?.origin === config.publicUrl;
}
