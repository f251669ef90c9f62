/** Sends a page with the headers of all pages: strict CSP, no framing, no storage, no referrer leaks. */
import type { FastifyReply } from "fastify";
import { matchesTag } from "./entity-tag.ts";

export interface PageOptions {
  status?: number;
  /** Whether the page shows a form that was refused: its status is 422. */
  failed?: boolean | undefined;
  /** Further origins or schemes that a form of this page may redirect to: the validated redirect URI of an OAuth flow. */
  formAction?: readonly string[];
  /** `no-referrer` for pages of OAuth flows, whose addresses contain codes and states. */
  referrerPolicy?: "same-origin" | "no-referrer";
  /** Another site may have opened the page in a popup window and waits for it; by default as in the route's config. */
  inPopup?: boolean;
  /** Set for a page without personal data, which browsers may cache and revalidate. */
  etag?: string;
}

/** Sends HTML. Only a page with an `etag` is cached, since others contain personal data and one-time tokens. */
export function sendPage(
  reply: FastifyReply,
  page: { toString(): string },
  options: PageOptions = {},
): FastifyReply {
  const { inPopup = reply.request.routeOptions.config.inPopup, etag } = options;
  const isKept = etag !== undefined && matchesTag(reply.request.headers["if-none-match"], etag);
  return reply
    .code(isKept ? 304 : (options.status ?? (options.failed ? 422 : 200)))
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(options.formAction),
      "x-frame-options": "DENY",
      "referrer-policy": options.referrerPolicy ?? "same-origin",
      ...(etag
        ? { "cache-control": "private, no-cache", vary: "Cookie", etag }
        : { "cache-control": "no-store" }),
      // `same-origin` would cut a popup off from the site that opened it.
      "cross-origin-opener-policy": inPopup ? "unsafe-none" : "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self)",
    })
    .send(isKept ? undefined : page.toString());
}

/** Allows resources of this origin only, and no script that makes HTML from text (reference ux §4). */
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
