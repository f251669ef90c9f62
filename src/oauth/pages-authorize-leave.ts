/** How a browser leaves `/oauth/authorize`: back to the application, with the answer in the mode that was asked for. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { URL_LIMIT_BYTES } from "../platform/http.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { formPostPage, onwardPage } from "./pages-consent.ts";
import { isWebAddress, OUT_OF_BAND_PAGE, type ResponseMode } from "./redirect-uri.ts";

/** Not fetched ahead, not in a frame, not by a script: only then may a code come without a question (S13). */
export function isPlainNavigation({ headers }: FastifyRequest): boolean {
  const ahead = headers["sec-purpose"] ?? headers.purpose ?? headers["x-moz"];
  const destination = headers["sec-fetch-dest"];
  return ahead === undefined && (destination === undefined || destination === "document");
}

/** Of a form with an answer: the application may send its people on to wherever it likes (decision 0011). */
export const TO_ANY_SITE = ["https:", "http:"];

/**
 * Sends the browser back to the application: by 303, or from a page of ours where the way here began at one of our
 * forms, since browsers hold the whole chain of redirects against that form's `form-action` (decision 0011).
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
  // The consent form names an application's own scheme, and such an address needs the click that led here.
  const ownScheme = request.method !== "GET" && !isWebAddress(location);
  if (ownScheme || !beganHere(platform, request)) return reply.redirect(location, 303);
  reply.header("refresh", `0; url=${location}`);
  return sendPage(reply, onwardPage(location), { referrerPolicy: "no-referrer" });
}

/**
 * Asks again by GET what was posted: cookies do not come with forms from elsewhere.
 * @throws Problem too_large: no address holds as much
 */
export function askByAddress(reply: FastifyReply, path: string, asked: URLSearchParams): FastifyReply {
  const address = `${path}?${asked}`;
  if (address.length <= URL_LIMIT_BYTES) return reply.redirect(address, 303);
  throw new Problem(
    "too_large",
    `What the application sent here is longer than an address of ${URL_LIMIT_BYTES / 1024} KiB, so nothing was done. It has to send less: a shorter state, or no id_token_hint.`,
  );
}

/** Whether a browser says that this navigation began on a page of ours. */
function beganHere({ config }: Platform, { headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  // Browsers say it only where the connection is trustworthy, old ones never; all of them send this one.
  if (headers["upgrade-insecure-requests"] !== "1") return false;
  return URL.parse(headers.referer ?? "")?.origin === config.publicUrl;
}
