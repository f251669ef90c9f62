/** How much each party may ask of each door in a minute (contract §4, rate limits; decisions 0070, 0200). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anyCallerOf, tokensIn } from "../accounts/caller.ts";
import { namedIn } from "../oauth/assertion.ts";
import { type Credentials, isOfNoApplication, readBasic } from "../oauth/basic-credentials.ts";
import { OAuthError } from "../oauth/error.ts";
import type { Config } from "../platform/config.ts";
import { Problem } from "../platform/problem.ts";
import { createBuckets, partyOf, type Standing } from "../platform/rate-limit.ts";
import { digest } from "../platform/secret.ts";
import { wasUnread } from "../platform/unchanged.ts";

/** Requests a minute, and how many may come at once. */
const API_PER_TOKEN = 2000;
const API_ANONYMOUS = 300;
/** Tokens that are refused a minute, per address, before those that were not good there yet wait too. */
const API_REFUSALS = 300;
/** What being told that nothing is new, by a tag alone, costs who brings a good token: a part of a request (decision 0200). */
const UNCHANGED_COST = 0.1;
/** Refusals of the token endpoint a minute, per client and address. */
const TOKEN_REFUSALS = 60;
/** What handing out a token costs, as a part of a refusal: a busy client may have ten times as many. */
const SUCCESS_COST = 0.1;
/** Refusals of all OAuth doors a minute, and what begins unproven, per address, whatever client is named. */
const OAUTH_REFUSALS = 600;
/** Programs that register themselves a minute, per address, refused ones too. */
const REGISTRATIONS = 10;
/** Lists of leaked secrets a minute, per address (decision 0208). */
const LEAK_REPORTS = 30;
/** Posts to the forms by which people come in; thirty sign-ins a minute must pass (contract §4). */
const SIGN_IN_POSTS = 60;
/** Pages looked at a minute by everybody behind one address; crawlers are faster, an office at an incident is not. */
const PAGE_LOOKS = 1800;
/** Posts that make a mail go out to whoever is named. */
const MAIL_POSTS = 10;
const MAIL_FORMS = new Set(["/users/password/new", "/users/sign_up"]);
const SIGN_IN_FORMS = new Set([
  "/users/sign_in",
  "/users/sign_in/passkey",
  "/users/two_factor",
  "/users/password",
  "/users/invitations/:token",
  "/users/prove",
  "/setup/:token",
  "/oauth/device",
]);

/** The OAuth doors that answer well to good credentials alone; others do not look at them. */
const JUDGING = new Set(["/oauth/token", "/oauth/token/info", "/oauth/userinfo", "/oauth/introspect"]);

/** Those of them that take tokens. */
const TOKEN_DOORS = new Set(["/oauth/token/info", "/oauth/userinfo"]);

/** What a device is told that polls with its own code: nothing was guessed (RFC 8628 §3.5). */
const POLLED: ReadonlySet<string> = new Set([
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
]);

const PROVEN_AT_MOST = 50_000;

/**
 * The API: by token, and by address for those who bring none. A token that is refused is charged to its address, so
 * that made-up tokens do not each bring a full bucket; tokens that were good before are not stopped by that, nor new ones by
 * who brings none.
 */
export function limitsApi(app: FastifyInstance, { rateLimits }: Pick<Config, "rateLimits">): void {
  if (!rateLimits) return;
  const tokens = createBuckets(API_PER_TOKEN);
  const anonymous = createBuckets(API_ANONYMOUS);
  const refusals = createBuckets(API_REFUSALS);
  const leaks = createBuckets(LEAK_REPORTS);
  const proven = createProven();
  app.addHook("onRequest", async (request, reply) => {
    if (request.method === "POST" && request.routeOptions.url === "/api/v4/leak_reports") {
      const reporter = partyOf(request.ip);
      admit(reply, leaks.look(reporter, now()));
      leaks.take(reporter, now());
    }
    const credential = credentialOf(request);
    const party = partyOf(request.ip);
    const [buckets, key] = credential === undefined ? [anonymous, party] : [tokens, credential];
    if (credential !== undefined && !proven.has(credential)) admit(reply, refusals.look(party, now()));
    admit(reply, buckets.look(key, now()));
    tell(reply, buckets.take(key, now()));
  });
  app.addHook("onSend", async (request, reply) => {
    const credential = credentialOf(request);
    if (credential === undefined || !wasUnread(reply)) return;
    tell(reply, tokens.take(credential, now(), UNCHANGED_COST - 1));
  });
  app.addHook("onResponse", async (request, reply) => {
    const credential = credentialOf(request);
    if (credential === undefined) return;
    if (reply.statusCode === 401) refusals.take(partyOf(request.ip), now());
    // Preflights and the like are answered whatever they bring.
    if (reply.statusCode === 401 || anyCallerOf(request)) proven.note(credential, reply.statusCode);
  });
}

/**
 * The OAuth doors that speak JSON: refusals count, and handing out a token a little. A lookup of a good token costs
 * nothing, since a service may ask for each of its own requests (reference performance). Charged after the answer, so
 * that what arrives at once is judged by the door itself.
 */
export function limitsOauth(app: FastifyInstance, { rateLimits }: Pick<Config, "rateLimits">): void {
  if (!rateLimits) return;
  const clients = createBuckets(TOKEN_REFUSALS);
  const parties = createBuckets(OAUTH_REFUSALS);
  const registrations = createBuckets(REGISTRATIONS);
  const proven = createProven();
  app.addHook("preHandler", async (request, reply) => {
    if (request.method === "POST" && request.routeOptions.url === "/oauth/register") {
      const party = partyOf(request.ip);
      admit(reply, registrations.look(party, now()));
      tell(reply, registrations.take(party, now()));
    }
    const credential = credentialOf(request);
    // What begins by an id alone begins unproven, whatever token of whomever stands beside it.
    if (credential === undefined || !proven.has(credential) || beginsUnproven(request))
      admit(reply, parties.look(partyOf(request.ip), now()));
    if (!asksForToken(request)) return;
    const standing = clients.look(clientKey(request), now());
    admit(reply, standing);
    tell(reply, standing);
  });
  const toldToWait = new WeakSet<FastifyRequest>();
  app.addHook("onError", async (request, _reply, error) => {
    if (error instanceof OAuthError && POLLED.has(error.code)) toldToWait.add(request);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { statusCode } = reply;
    const isRefusal = statusCode >= 400 && statusCode < 500;
    if (statusCode === 429) return;
    // How often a device may ask that shows its code is judged by its own grant; whoever guesses codes or secrets is no device.
    const isCharged = isRefusal && !toldToWait.has(request);
    // The id of a public application is no secret: whoever knows it can have rows written without end.
    if (isCharged || beginsUnproven(request)) parties.take(partyOf(request.ip), now());
    if (asksForToken(request) && statusCode < 500) {
      clients.take(clientKey(request), now(), isCharged ? 1 : SUCCESS_COST);
    }
    const credential = credentialOf(request);
    const isJudged = statusCode === 401 || JUDGING.has(request.routeOptions.url ?? "");
    if (credential !== undefined && isJudged && request.method !== "OPTIONS")
      proven.note(credential, statusCode);
  });
}

/** Looking at pages, by address. */
export function limitsPages(app: FastifyInstance, { rateLimits }: Pick<Config, "rateLimits">): void {
  if (!rateLimits) return;
  const parties = createBuckets(PAGE_LOOKS);
  app.addHook("onRequest", async (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return;
    const party = partyOf(request.ip);
    admit(reply, parties.look(party, now()));
    parties.take(party, now());
  });
}

/** The forms by which people come in, by address; passwords have throttles of their own, in the database. */
export function limitsSignIn(app: FastifyInstance, { rateLimits }: Pick<Config, "rateLimits">): void {
  if (!rateLimits) return;
  const signIns = createBuckets(SIGN_IN_POSTS);
  const mails = createBuckets(MAIL_POSTS);
  app.addHook("onRequest", async (request, reply) => {
    const { url = "" } = request.routeOptions;
    const parties = SIGN_IN_FORMS.has(url) ? signIns : mails;
    if (request.method !== "POST" || (parties === mails && !MAIL_FORMS.has(url))) return;
    const party = partyOf(request.ip);
    admit(reply, parties.look(party, now()));
    tell(reply, parties.take(party, now()));
  });
}

/** @throws Problem too_many, when the bucket is empty; the error reply adds `Retry-After` */
function admit(reply: FastifyReply, standing: Standing): void {
  const { waitSeconds } = standing;
  if (waitSeconds === 0) return;
  tell(reply, { ...standing, remaining: 0, resetSeconds: waitSeconds });
  throw new Problem("too_many", `429 Too Many Requests. Try again in ${waitSeconds} s.`, {
    retryAfterSeconds: waitSeconds,
    log: "rate limit",
  });
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-03. */
function tell(reply: FastifyReply, { limit, remaining, resetSeconds }: Standing): void {
  reply.headers({
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  });
}

/** Credentials that were good when seen last; forgetting them only means looking closer again. */
function createProven() {
  const known = new Set<string>();
  return {
    has: (credential: string) => known.has(credential),
    note: (credential: string, status: number) => {
      if (status === 401) known.delete(credential);
      if (status >= 400) return;
      if (known.size >= PROVEN_AT_MOST) known.clear();
      known.add(credential);
    },
  };
}

/** What stands for the presented token or client, without keeping it; undefined when nothing is presented. */
function credentialOf(request: FastifyRequest): string | undefined {
  const known = credentials.get(request);
  if (known !== undefined) return known || undefined;
  const { authorization } = request.headers;
  const given = provesApplication(request) ? [authorization] : [...tokensIn(request), authorization];
  // A token is the same one in the header and in the query; what names several is refused by the door.
  const first = given.find((value) => typeof value === "string" && value !== "") as string | undefined;
  const key = first === undefined ? "" : digest(first).toString("base64");
  credentials.set(request, key);
  return key || undefined;
}

const credentials = new WeakMap<FastifyRequest, string>();

/** Whether the door asks for an application's proof, beside which no token counts. */
function provesApplication({ routeOptions: { url = "" } }: FastifyRequest): boolean {
  return url.startsWith("/oauth/") && !TOKEN_DOORS.has(url);
}

function asksForToken(request: FastifyRequest): boolean {
  return request.method === "POST" && request.routeOptions.url === "/oauth/token";
}

function beginsUnproven(request: FastifyRequest): boolean {
  return beginsDevice(request) || pushesUnproven(request);
}

function beginsDevice(request: FastifyRequest): boolean {
  return request.method === "POST" && request.routeOptions.url === "/oauth/authorize_device";
}

/** A push that shows no proof: a public application's. One that shows a wrong one is refused, and charged by that. */
function pushesUnproven(request: FastifyRequest): boolean {
  if (request.method !== "POST" || request.routeOptions.url !== "/oauth/par") return false;
  const { client_secret: secret, client_assertion: assertion } = (request.body ?? {}) as Record<
    string,
    unknown
  >;
  return !secret && !assertion && !basicOf(request)?.secret;
}

/** The client as it calls itself, proven or not, at its address. */
function clientKey(request: FastifyRequest): string {
  const body = (request.body ?? {}) as Record<string, unknown>;
  const basic = basicOf(request)?.id;
  // Libraries leave the id out beside an assertion, which names it (RFC 7523 §3).
  const { client_assertion: assertion = "" } = body;
  const asserted = typeof assertion === "string" ? namedIn(assertion) : undefined;
  const named = basic ?? (typeof body.client_id === "string" ? body.client_id : (asserted ?? ""));
  return `${partyOf(request.ip)} ${named.slice(0, 100)}`;
}

/** Of the header, where it counts: one that names no application would give its sender a bucket for each name (decision 0221). */
function basicOf({ headers, body }: FastifyRequest): Credentials | undefined {
  const { authorization = "" } = headers;
  const { client_id: id, client_assertion: assertion } = (body ?? {}) as Record<string, unknown>;
  return (id || assertion) && isOfNoApplication(authorization) ? undefined : readBasic(authorization)[0];
}

function now(): number {
  return performance.now() / 1000;
}
