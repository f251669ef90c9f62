/** Sends a page with the headers that every page carries: strict CSP, no framing, no store, no referrer leaks. */
import type { FastifyReply } from "fastify";

export interface PageOptions {
  status?: number;
  /** Further origins or schemes that a form of this page may end at: the validated redirect URI of an OAuth flow. */
  formAction?: readonly string[];
  /** `no-referrer` for pages of OAuth flows, whose addresses carry codes and states. */
  referrerPolicy?: "same-origin" | "no-referrer";
  /** Another site may have opened the page in a window of its own and waits for it; by default as its route says. */
  inPopup?: boolean;
  /** Of a page without anybody's data, which browsers may keep and ask for again. */
  etag?: string;
}

/** Sends HTML. Nothing is cached, since pages hold personal data and one-time tokens, but what has an `etag`. */
export function sendPage(
  reply: FastifyReply,
  page: { toString(): string },
  options: PageOptions = {},
): FastifyReply {
  const { inPopup = reply.request.routeOptions.config.inPopup, etag } = options;
  const isKept = etag !== undefined && reply.request.headers["if-none-match"] === etag;
  return reply
    .code(isKept ? 304 : (options.status ?? 200))
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(options.formAction),
      "x-frame-options": "DENY",
      "referrer-policy": options.referrerPolicy ?? "same-origin",
      ...(etag
        ? { "cache-control": "private, no-cache", vary: "Cookie", etag }
        : { "cache-control": "no-store" }),
      // Elsewhere a page in a window of its own would be cut off from the site that opened it.
      "cross-origin-opener-policy": inPopup ? "unsafe-none" : "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self)",
    })
    .send(isKept ? undefined : page.toString());
}

/** Everything from this origin alone, and no script that makes HTML of text (reference ux §4). */
function policyOf(formAction: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${["'self'", ...formAction].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
