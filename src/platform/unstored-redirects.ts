/** Keeps redirects of pages out of caches: a former path may become another place's, or the same place's again. */
import type { FastifyInstance } from "fastify";

/**
 * Marks redirects as not to be stored, unless their route says otherwise. Browsers may keep a 301 without `Cache-Control` for good
 * (RFC 9110 §15.4.2; RFC 9111 §4.2.2): after a rename and its return, the two that they keep would lead to each other.
 */
export function storesNoRedirects(pages: FastifyInstance): void {
  pages.addHook("onSend", async (_request, reply) => {
    if (!reply.hasHeader("location") || reply.hasHeader("cache-control")) return;
    reply.header("cache-control", "no-store");
  });
}
