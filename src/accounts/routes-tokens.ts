/** API routes for personal access tokens. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem, TokenProblem } from "../platform/problem.ts";
import { momentOf } from "../platform/query-members.ts";
import { digest } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import {
  actOf,
  type Caller,
  callerOf,
  type Guard,
  needsAdministrator,
  needsScope,
  passGuard,
  presentedSecret,
} from "./caller.ts";
import { createToken } from "./create-token.ts";
import { endTokenFamily } from "./end-token-family.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateToken } from "./rotate-token.ts";
import { SCOPES } from "./scope.ts";
import {
  countPersonalTokens,
  findPersonalToken,
  findPresentedToken,
  listPersonalTokens,
  type TokenFilter,
} from "./store-tokens.ts";
import { findUserByReference } from "./store-users.ts";
import type { PersonalToken } from "./token.ts";
import {
  NEW_TOKEN_ANSWERS,
  REVOKED_TOKEN_ANSWERS,
  ROTATED_TOKEN_ANSWERS,
  TOKEN_ANSWERS,
  TOKENS_ANSWERS,
} from "./wire-answers-tokens.ts";
import {
  NewTokenBody,
  NewTokenParameters,
  RotateBody,
  TokenParameters,
  TokensQuery,
  tokenRecord,
} from "./wire-tokens.ts";

type ById = { Params: { id: string } };

/** `/personal_access_tokens…` and `/users/:user_id/personal_access_tokens` (contract §3). */
export function tokenRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  selfRoutes(app, platform);
  itemRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.post<{ Params: { user_id: string }; Body: NewTokenBody }>(
    "/users/:user_id/personal_access_tokens",
    {
      ...answering(needsAdministrator(platform, "api"), NEW_TOKEN_ANSWERS),
      schema: { params: NewTokenParameters, body: NewTokenBody },
    },
    async (request, reply) => {
      const user = await findUserByReference(db, request.params.user_id);
      if (!user) throw new Problem("not_found", "404 User Not Found");
      const { expires_at: expiresOn = null, ...fields } = request.body;
      const { token, secret } = await db.transaction((tx) =>
        createToken(tx, user.id, { ...fields, expiresOn }, actOf(request)),
      );
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...tokenRecord(token), token: secret });
    },
  );
  app.get<{ Querystring: TokensQuery }>(
    "/personal_access_tokens",
    {
      ...answering(needsScope(platform, "read_api", "api"), TOKENS_ANSWERS),
      schema: { querystring: TokensQuery },
    },
    async (request, reply) => sendTokens(platform, request, reply),
  );
}

/** Routes for the token of the request itself: with any scope it may read and revoke itself. */
function selfRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const self = needsScope(platform, ...SCOPES);
  app.get("/personal_access_tokens/self", answering(self, TOKEN_ANSWERS), async (request) =>
    tokenRecord(await tokenOfCaller(platform, callerOf(request))),
  );
  app.delete(
    "/personal_access_tokens/self",
    answering(self, REVOKED_TOKEN_ANSWERS),
    async (request, reply) => {
      const token = await tokenOfCaller(platform, callerOf(request));
      await revokeToken(db, token, actOf(request));
      return reply.code(204).send();
    },
  );
  app.post<{ Body: RotateBody }>(
    "/personal_access_tokens/self/rotate",
    {
      ...answering(noticesReuse(platform, needsScope(platform, "self_rotate", "api")), ROTATED_TOKEN_ANSWERS),
      schema: { body: RotateBody },
    },
    async (request, reply) =>
      sendRotated(platform, request, reply, await tokenOfCaller(platform, callerOf(request))),
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const writes = needsScope(platform, "api");
  app.get<ById>(
    "/personal_access_tokens/:id",
    {
      ...answering(needsScope(platform, "read_api", "api"), TOKEN_ANSWERS),
      schema: { params: TokenParameters },
    },
    async (request) => tokenRecord(await ownToken(platform, request)),
  );
  app.delete<ById>(
    "/personal_access_tokens/:id",
    { ...answering(writes, REVOKED_TOKEN_ANSWERS), schema: { params: TokenParameters } },
    async (request, reply) => {
      const token = await ownToken(platform, request);
      await revokeToken(db, token, actOn(request, token));
      return reply.code(204).send();
    },
  );
  app.post<ById & { Body: RotateBody }>(
    "/personal_access_tokens/:id/rotate",
    {
      ...answering(noticesReuse(platform, writes), ROTATED_TOKEN_ANSWERS),
      schema: { params: TokenParameters, body: RotateBody },
    },
    async (request, reply) => sendRotated(platform, request, reply, await ownToken(platform, request)),
  );
}

/**
 * Wraps the guard: a refused token also revokes its family, since somebody who rotates with an ended token holds a copy of it
 * (decision 0043).
 */
function noticesReuse(platform: Platform, guard: Guard): Guard {
  const onRequest = async (request: FastifyRequest) => {
    try {
      await passGuard(guard, request);
    } catch (error) {
      if (error instanceof TokenProblem) await noteReuse(platform, request);
      throw error;
    }
  };
  return { ...guard, onRequest: [onRequest] };
}

async function noteReuse({ db }: Platform, request: FastifyRequest): Promise<void> {
  const found = await findPresentedToken(db, digest(presentedSecret(request) ?? ""));
  if (!found) return;
  await endTokenFamily(db, { id: found.tokenId, userId: found.id }, { actorId: null, ip: request.ip });
}

async function sendTokens(
  { db, config }: Platform,
  request: FastifyRequest<{ Querystring: TokensQuery }>,
  reply: FastifyReply,
) {
  const caller = callerOf(request);
  const { query } = request;
  const userId = query.user_id ?? (caller.isAdmin ? undefined : caller.id);
  if (userId !== caller.id && !caller.isAdmin) throw new Problem("unauthenticated", "401 Unauthorized");
  const filter: TokenFilter = {
    userId,
    active: query.state === undefined ? undefined : query.state === "active",
    revoked: query.revoked,
    search: query.search,
    createdAfter: momentOf(query.created_after),
    createdBefore: momentOf(query.created_before),
    lastUsedAfter: momentOf(query.last_used_after),
    lastUsedBefore: momentOf(query.last_used_before),
    expiresAfter: query.expires_after,
    expiresBefore: query.expires_before,
  };
  const page = pageOf(query);
  const [total, tokens] = await Promise.all([
    countPersonalTokens(db.pooled, filter),
    listPersonalTokens(db.pooled, filter, { ...rowsOf(page), order: query.sort ?? "created_desc" }),
  ]);
  setPageHeaders(request, reply, config.publicUrl, page, total);
  return tokens.map(tokenRecord);
}

/** Returns the token of the request. @throws Problem not_found for a delegated one */
async function tokenOfCaller({ db }: Platform, caller: Caller): Promise<PersonalToken> {
  const token = caller.tokenKind === "personal" ? await findPersonalToken(db, caller.tokenId) : undefined;
  if (!token) throw new Problem("not_found", "404 Not Found");
  return token;
}

/**
 * Returns a token of the caller; for administrators, of anybody.
 * @throws Problem not_found: it does not exist or belongs to somebody else
 */
async function ownToken({ db }: Platform, request: FastifyRequest<ById>): Promise<PersonalToken> {
  const caller = callerOf(request);
  const token = await findPersonalToken(db, idIn(request.params.id));
  if (!token || (token.userId !== caller.id && !caller.isAdmin))
    throw new Problem("not_found", "404 Not Found");
  return token;
}

async function sendRotated(
  { db }: Platform,
  request: FastifyRequest<{ Body: RotateBody }>,
  reply: FastifyReply,
  old: PersonalToken,
) {
  const { token, secret } = await rotateToken(db, old, request.body.expires_at ?? null, actOn(request, old));
  return reply.header("cache-control", "no-store").send({ ...tokenRecord(token), token: secret });
}

/** The act of the caller on a token: only administrators may revoke or rotate those of others. */
function actOn(request: FastifyRequest, { userId }: PersonalToken): Act {
  return actOf(request, userId !== callerOf(request).id);
}
