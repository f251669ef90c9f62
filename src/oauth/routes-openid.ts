/** The endpoints of OpenID Connect: discovery, public keys, and userinfo. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf, type Guard, needsScope, passGuard, presentedSecret } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { formList } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem, ScopeProblem, TokenProblem, UnknownToken } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import { claimsOf, knownPerson, roleClaimsOf } from "./claims.ts";
import { makeFirstSigningKey } from "./current-signing-key.ts";
import { OAuthError } from "./error.ts";
import { findSettings } from "./find-settings.ts";
import { RESOURCE_PATHS } from "./resource.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { findIdentity, listGroupsOfPerson, listPublishedKeys } from "./store-openid.ts";
import {
  KEYS_ANSWERS,
  METADATA_ANSWERS,
  RESOURCE_ANSWERS,
  USERINFO_ANSWERS,
  WEBFINGER_ANSWERS,
} from "./wire-answers-openid.ts";
import {
  issuerOfResource,
  keySet,
  resourceMetadata,
  serverMetadata,
  webfingerQuery,
} from "./wire-metadata.ts";

const FORM = "application/x-www-form-urlencoded";

const userinfoBody = Type.Optional(
  Type.Object({
    access_token: Type.Optional(
      Type.String({ description: "the access token, unless in the header (RFC 6750 §2.2)" }),
    ),
  }),
);

/**
 * Both metadata documents, those of the protected resources, `GET /.well-known/webfinger`, `GET /oauth/discovery/keys`, `GET` and
 * `POST /oauth/userinfo`.
 */
export function openidRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;

  // One document at both addresses, so that they cannot differ (RFC 8414 §3, §5; OpenID Connect Discovery §4).
  for (const name of ["oauth-authorization-server", "openid-configuration"]) {
    app.get(`/.well-known/${name}`, { config: { answers: METADATA_ANSWERS } }, async (_request, reply) =>
      // Not cached, so that changes of the settings show at once.
      reply
        .header("cache-control", "public, max-age=60")
        .send(serverMetadata(config.publicUrl, await findSettings(platform))),
    );
  }

  // Each at the well-known address of its resource (RFC 9728 §3.1).
  for (const path of RESOURCE_PATHS) {
    app.get(
      `/.well-known/oauth-protected-resource${path}`,
      { config: { answers: RESOURCE_ANSWERS } },
      async (_request, reply) =>
        reply.header("cache-control", "public, max-age=300").send(resourceMetadata(config.publicUrl, path)),
    );
  }

  // The same for everybody: it tells where people sign in, never who has an account (OpenID Connect Discovery §2; RFC 7033).
  app.get<{ Querystring: Static<typeof webfingerQuery> }>(
    "/.well-known/webfinger",
    { config: { answers: WEBFINGER_ANSWERS }, schema: { querystring: webfingerQuery } },
    async ({ query }, reply) =>
      reply
        .headers({ "content-type": "application/jrd+json", "cache-control": "public, max-age=300" })
        .send(JSON.stringify(issuerOfResource(config.publicUrl, query))),
  );

  app.get("/oauth/discovery/keys", { config: { answers: KEYS_ANSWERS } }, async (_request, reply) => {
    for (const algorithm of SIGNING_ALGORITHMS) await makeFirstSigningKey(platform, algorithm);
    const published = await listPublishedKeys(db);
    return reply.header("cache-control", "public, max-age=300").send(keySet(published));
  });

  const guard = answering(judgedAsToken(needsScope(platform, "openid")), USERINFO_ANSWERS);
  const userinfo = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id, scopes } = callerOf(request);
    const [found, groups] = await Promise.all([findIdentity(db, id), listGroupsOfPerson(db, id)]);
    if (!found) throw new UnknownToken();
    const person = knownPerson(found, groups, config.publicUrl);
    return reply
      .headers({ "cache-control": "no-store", pragma: "no-cache" })
      .send({ ...claimsOf(person, scopes), ...roleClaimsOf(person, scopes) });
  };
  app.get("/oauth/userinfo", guard, userinfo);
  const form = {
    body: userinfoBody,
    consumes: [FORM],
    description: "The access token may be in the body instead.",
  };
  app.post(
    "/oauth/userinfo",
    {
      config: guard.config,
      preHandler: tokenOfForm(guard),
      schema: form,
      // What else a body holds is ignored, as it is everywhere in OAuth (RFC 6749 §3.2).
      validatorCompiler: () => () => true,
    },
    userinfo,
  );
}

/**
 * Changes the guard's refusal to that of RFC 6750 §3.1: the token of a blocked person is invalid, as in token information and
 * introspection. The rest of the API answers 403, for which that standard has no code.
 */
function judgedAsToken(guard: Guard): Guard {
  const onRequest = async (request: FastifyRequest) => {
    try {
      await passGuard(guard, request);
    } catch (error) {
      const isBlocked = error instanceof Problem && error.kind === "forbidden";
      if (!isBlocked || error instanceof ScopeProblem) throw error;
      throw new TokenProblem("The person of this access token is blocked.");
    }
  };
  return { ...guard, onRequest: [onRequest] };
}

/**
 * Runs the guard after the body was read: a form may carry the token as `access_token` (RFC 6750 §2.2), which is then treated
 * like one in the header; a different second token is refused (§3.1).
 */
function tokenOfForm(guard: Guard) {
  return async (request: FastifyRequest) => {
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "");
    const tokens = isForm ? formList(request, "access_token") : [];
    if (tokens.length > 1) {
      throw new OAuthError("invalid_request", "The parameter access_token is repeated.");
    }
    const [token = ""] = tokens;
    if (token !== "") {
      const beside = presentedSecret(request);
      // Credentials of another scheme contain no token.
      if (!beside) request.headers.authorization = `Bearer ${token}`;
      else if (beside !== token) {
        throw new OAuthError("invalid_request", "The request carries more than one access token.");
      }
    }
    await passGuard(guard, request);
  };
}
