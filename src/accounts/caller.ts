/** Finds the caller of a request by its token, and guards routes by scope (spec: Calling the API; Authentication 5, 6). */
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from "fastify";
import { checkClock } from "../platform/clock-mark.ts";
import type { Platform } from "../platform/platform.ts";
import { CodedProblem, Problem, ScopeProblem, TokenProblem, UnknownToken } from "../platform/problem.ts";
import { headerLines } from "../platform/raw-headers.ts";
import { digest } from "../platform/secret.ts";
import { tokensInAddress } from "../platform/tokens-in-address.ts";
import type { Act } from "./audit.ts";
import { checkBinding } from "./check-binding.ts";
import { mayBeToken } from "./given-tokens.ts";
import { effectiveScopes, holdsAny } from "./scope.ts";
import { updateTokenUse } from "./store.ts";
import { findPresentedToken } from "./store-tokens.ts";
import type { PresentedToken } from "./token.ts";

/** The user that a request acts for and its token; `changes`: whether its method may change anything. */
export type Caller = PresentedToken & { changes: boolean };

const callers = new WeakMap<FastifyRequest, Caller>();
/** The token of each request as it came: streams are judged again later, when the schema has removed unknown parameters. */
const tokens = new WeakMap<FastifyRequest, string | undefined>();
const READS = new Set(["GET", "HEAD"]);

/** The caller of a request to a route behind `needsScope`. @throws Error: the route has no such guard */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error(`${request.routeOptions.url} has no scope guard`);
  return caller;
}

/** Requests to routes of administrators alone. */
const administrative = new WeakSet<FastifyRequest>();

/**
 * The caller as the actor of an entry of the audit log; only in routes behind `needsScope`.
 * @param asAdministrator whether they need that role for it; as the guard says unless given
 */
export function actOf(
  request: FastifyRequest,
  asAdministrator = administrative.has(request),
): Act & { actorId: number } {
  const { id, tokenId } = callerOf(request);
  return { actorId: id, ip: request.ip, by: { tokenId, asAdministrator } };
}

/** The caller, or undefined if the request carries no token; only in routes behind `mayHaveScope` or `needsScopeAtPlace`. */
export function anyCallerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

type GuardHook = (request: FastifyRequest) => Promise<void>;

/** What a guarded route is registered with: the scopes for its documentation, and what runs before its body is read. */
export interface Guard {
  config: NonNullable<RouteShorthandOptions["config"]>;
  onRequest: GuardHook[];
}

/**
 * Guards a route: a valid token with one of the scopes, else 401 or 403. Runs before the body is read. No scope includes
 * another here, so `api` must be named if it is accepted.
 */
export function needsScope(platform: Platform, ...scopes: readonly string[]): Guard {
  return {
    config: { scopes },
    onRequest: [
      async (request) => {
        const caller = await findCaller(platform, request);
        if (!caller) throw new Problem("unauthenticated", "401 Unauthorized");
        if (!holdsAny(caller.scopes, scopes)) throw new ScopeProblem(scopes);
      },
    ],
  };
}

/** Like `needsScope`, but a request without a token passes, without a caller; an invalid token is refused. */
export function mayHaveScope(platform: Platform, ...scopes: readonly string[]): Guard {
  return {
    config: { scopes, allowsNobody: true },
    onRequest: [
      async (request) => {
        const caller = await findCaller(platform, request);
        if (caller && !holdsAny(caller.scopes, scopes)) throw new ScopeProblem(scopes);
      },
    ],
  };
}

/**
 * Like `mayHaveScope`, for routes that need a token but refuse its absence later, by whether the place can be seen (contract-alerts,
 * roles: 403 or 404); documented as needing one.
 */
export function needsScopeAtPlace(platform: Platform, ...scopes: readonly string[]): Guard {
  return { ...mayHaveScope(platform, ...scopes), config: { scopes } };
}

/**
 * Passes the guard outside its hook: again while a request goes on for long, as its token, the account or the role of an
 * administrator may have ended, or once the body was read.
 * @throws Problem as the guard
 */
export async function passGuard({ onRequest }: Guard, request: FastifyRequest): Promise<void> {
  for (const hook of onRequest) await hook(request);
}

/** Like `needsScope`, and the user must be an administrator. */
export function needsAdministrator(platform: Platform, ...scopes: readonly string[]): Guard {
  const { config, onRequest } = needsScope(platform, ...scopes);
  return {
    config,
    onRequest: [
      ...onRequest,
      async (request) => {
        if (!callerOf(request).isAdmin) throw new Problem("forbidden", "403 Forbidden");
        administrative.add(request);
      },
    ],
  };
}

/**
 * Finds the caller by header, query parameter or PRIVATE-TOKEN.
 * @throws TokenProblem expired or revoked; UnknownToken; BoundTokenProblem, ProofProblem: without its key; Problem forbidden:
 * blocked; CodedProblem invalid_request: two different tokens; ScopeProblem: asks to act as another user (decision 0138)
 */
async function findCaller(platform: Platform, request: FastifyRequest): Promise<Caller | undefined> {
  const presented = tokens.has(request) ? tokens.get(request) : presentedSecret(request);
  tokens.set(request, presented);
  if (presented === undefined) return undefined;
  // `Authorization` has another scheme: no token was sent that could be called invalid (RFC 6750 §3.1).
  if (presented === "") throw new Problem("unauthenticated", "401 Unauthorized");
  const token = await findToken(platform, presented);
  if (!token) throw new UnknownToken();
  const caller: Caller = Object.assign(token, { changes: !READS.has(request.method) });
  if (caller.revoked) throw new TokenProblem("Token was revoked. You have to re-authorize from the user.");
  if (caller.expired) {
    throw new TokenProblem("Token is expired. You can either do re-authorization or token refresh.");
  }
  await checkBinding(platform, request, presented, caller.boundKey);
  if (caller.scopes.length === 0) {
    throw new TokenProblem("The application may no longer use any scope of this token.");
  }
  if (caller.state === "blocked") {
    throw new Problem("forbidden", "403 Forbidden - Your account has been blocked.");
  }
  if (asksForSudo(request)) throw new ScopeProblem(["sudo"]);
  if (caller.staleUse) {
    updateTokenUse(platform.db, caller.tokenId, request.ip).catch((error) =>
      platform.log.warn({ err: error }, "token use not noted"),
    );
  }
  callers.set(request, caller);
  return caller;
}

/** Whether `sudo` is set as header or parameter: no token may act as another user, and ignoring it would hide that. */
function asksForSudo(request: FastifyRequest): boolean {
  return hasSudo(request.headers) || hasSudo(request.query);
}

function hasSudo(given: unknown): boolean {
  const { sudo } = (given ?? {}) as Readonly<Record<string, unknown>>;
  return sudo !== undefined && sudo !== null && sudo !== "";
}

/** Refuses `sudo` in a body, before the schema removes members that it does not know (decision 0138). */
export function refusesSudo(app: FastifyInstance): void {
  app.addHook("preValidation", async (request) => {
    if (callers.has(request) && hasSudo(request.body)) throw new ScopeProblem(["sudo"]);
  });
}

/**
 * The token of a secret, valid or not, with those of its scopes that its application still has (decision 0029); undefined:
 * there is none. Costs no statement for a text that cannot be one of our tokens.
 */
async function findToken(platform: Platform, secret: string): Promise<PresentedToken | undefined> {
  if (!mayBeToken(platform, secret)) return undefined;
  await checkClock(platform);
  const token = await findPresentedToken(platform.db, digest(secret));
  if (!token?.applicationScopes) return token;
  return { ...token, scopes: [...effectiveScopes(token.scopes, token.applicationScopes)] };
}

/**
 * The token that a request carries; undefined: none. Empty if there is only an `Authorization` header without a token, since
 * such a request must not pass as one without credentials.
 * @throws CodedProblem invalid_request when it carries two that differ (RFC 6750 §2; contract §4)
 */
export function presentedSecret(request: FastifyRequest): string | undefined {
  const [first, ...others] = tokensIn(request);
  const isOne =
    others.every((token) => token === first) && (first === undefined || typeof first === "string");
  if (!isOne || headerLines(request, "authorization").length > 1) {
    throw new CodedProblem("invalid", "invalid_request", "The request carries more than one access token.");
  }
  return first ?? (request.headers.authorization === undefined ? undefined : "");
}

/**
 * Everything in a request that may be a token, that of the `Authorization` header first: texts, or a list if a parameter is
 * repeated. Other schemes, such as the Basic that a proxy or a ~/.netrc adds, carry no token (RFC 6750 §2).
 */
export function tokensIn({ headers, query }: Pick<FastifyRequest, "headers" | "query">): unknown[] {
  const shown = /^(?:bearer|dpop) +(\S+(?: +\S+)*) *$/i.exec(headers.authorization ?? "")?.[1];
  return [shown, headers["private-token"], ...tokensInAddress(query)].filter(
    (token) => token !== undefined && token !== "",
  );
}
