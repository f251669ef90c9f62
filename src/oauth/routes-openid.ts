/** The doors of OpenID Connect: discovery, public keys, and what a token says of its person. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { claimsOf, knownPerson } from "./claims.ts";
import { currentSigningKey } from "./current-signing-key.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { findIdentity, listPublishedKeys } from "./store-openid.ts";
import { keySet, serverMetadata } from "./wire-metadata.ts";

/** Both metadata documents, `GET /oauth/discovery/keys`, `GET` and `POST /oauth/userinfo`. */
export function openidRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;

  // One document under both names, so that they cannot disagree (RFC 8414 §3, §5; OpenID Connect Discovery §4).
  for (const name of ["oauth-authorization-server", "openid-configuration"]) {
    app.get(`/.well-known/${name}`, async (_request, reply) =>
      reply.header("cache-control", "public, max-age=300").send(serverMetadata(config.publicUrl)),
    );
  }

  app.get("/oauth/discovery/keys", async (_request, reply) => {
    for (const algorithm of SIGNING_ALGORITHMS) await currentSigningKey(platform, algorithm);
    const published = await listPublishedKeys(db);
    return reply.header("cache-control", "public, max-age=300").send(keySet(published));
  });

  const guard = needsScope(platform, "openid");
  const userinfo = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id, scopes } = callerOf(request);
    const found = await findIdentity(db, id);
    if (!found) throw new Problem("unauthenticated", "401 Unauthorized");
    return reply
      .headers({ "cache-control": "no-store", pragma: "no-cache" })
      .send(claimsOf(knownPerson(found, config.publicUrl), scopes));
  };
  app.get("/oauth/userinfo", guard, userinfo);
  app.post("/oauth/userinfo", guard, userinfo);
}
