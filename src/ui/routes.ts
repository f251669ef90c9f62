/** Routes of the stylesheet, the scripts and the icons: named by content hash, cached forever. */
import type { FastifyInstance } from "fastify";
import { matchesTag } from "../platform/entity-tag.ts";
import { assetCacheControl, assets } from "./assets.ts";

export function assetRoutes(app: FastifyInstance): void {
  for (const { path, type, body, etag } of assets) {
    app.get(path, async (request, reply) => {
      reply.headers({ "cache-control": assetCacheControl, etag });
      if (matchesTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
      return reply.header("content-type", type).send(body);
    });
  }
}
