/** Rate limits by party and kind of route, per minute (contract §4, rate limits; decisions 0070, 0200). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { anyCallerOf, tokensIn } from "../accounts/caller.ts";
import { namedIn } from "../oauth/assertion.ts";
import { type Credentials, isOfNoApplication, readBasic } from "../oauth/basic-credentials.ts";
import { OAuthError } from "../oauth/error.ts";
import { admit, setLimitHeaders } from "../platform/admit.ts";
import type { Config } from "../platform/config.ts";
import { bringsProof } from "../platform/form-with-proof.ts";
import { createBuckets, partyOf, secondsNow } from "../platform/rate-limit.ts";
import { digest } from "../platform/secret.ts";
import { wasUnread } from "../platform/unchanged.ts";

/** Requests per minute, and the size of a burst. */
const API_PER_TOKEN = 2000;
const API_ANONYMOUS = 300;
/** Refused tokens per minute and address, beyond which tokens that were not accepted before must wait too. */
const API_REFUSALS = 300;
/** The cost of a response "not modified" by tag alone, as part of a request, for callers with a valid token (decision 0200). */
const UNCHANGED_COST = 0.1;
/** Refusals of the token endpoint per minute, client and address. */
const TOKEN_REFUSALS = 60;
/** The cost of issuing a token, as part of a refusal: a busy client may have ten times as many. */
const SUCCESS_COST = 0.1;
/** Refusals of all OAuth routes, and unauthenticated beginnings of flows, per minute and address, whatever client is named. */
const OAUTH_REFUSALS = 600;
/** Client registrations per minute and address, including refused ones. */
const REGISTRATIONS = 10;
/** Lists of leaked secrets per minute and address (decision 0208). */
const LEAK_REPORTS = 30;
/** Posts to sign-in forms per minute and address; thirty sign-ins a minute must pass (contract §4). */
const SIGN_IN_POSTS = 60;
/** Page views per minute and address; crawlers are faster, an office during an incident is not. */
const PAGE_LOOKS = 1800;
/** Posts that send a mail to a given address, per minute and address. */
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
  // Forms of a session whose password is hashed: a right one is not throttled, and hashes wait in one queue with all sign-ins.
  "/profile/password",
  "/profile/two_factor",
  "/profile/two_factor/codes",
  "/profile/two_factor/off",
]);
/** Passwords that a person may send to routes of the API, per minute. */
const API_PASSWORDS = 10;
const API_PASSWORD_ROUTES = new Set(["POST /api/v4/user/two_factor", "DELETE /api/v4/user/two_factor"]);

/** OAuth routes whose success proves the credentials; others ignore them. */
const JUDGING = new Set(["/oauth/token", "/oauth/token/info", "/oauth/userinfo", "/oauth/introspect"]);

/** Those of them that accept tokens. */
const TOKEN_DOORS = new Set(["/oauth/token/info", "/oauth/userinfo"]);

/** Responses to a device that polls with its own code, which guesses nothing (RFC 8628 §3.5). */
const POLLED: ReadonlySet<string> = new Set([
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
]);

const PROVEN_AT_MOST = 50_000;

/**
 * Limits the API: by token, and by address for anonymous requests. A refused token is charged to its address, so that made-up
 * tokens do not each get a full bucket; tokens accepted before are not affected by that, nor are new ones by anonymous requests.
 */
export function limitsApi(app: FastifyInstance, { rateLimits }: Pick<Config, "rateLimits">): void {
  if (!rateLimits) return;
  const tokens = createBuckets(API_PER_TOKEN);
  const anonymous = createBuckets(API_ANONYMOUS);
  const refusals = createBuckets(API_REFUSALS);
  const leaks = createBuckets(LEAK_REPORTS);
  const passwords = createBuckets(API_PASSWORDS);
  const proven = createProven();
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config?.limitsItself) return;
    if (request.method === "POST" && request.routeOptions.url === "/api/v4/leak_reports") {
      const reporter = partyOf(request.ip);
      admit(reply, leaks.look(reporter, secondsNow()));
      leaks.take(reporter, secondsNow());
    }
    const credential = credentialOf(request);
    const party = partyOf(request.ip);
    const [buckets, key] = credential === undefined ? [anonymous, party] : [tokens, credential];
    if (credential !== undefined && !proven.has(credential)) admit(reply, refusals.look(party, secondsNow()));
    admit(reply, buckets.look(key, secondsNow()));
    setLimitHeaders(reply, buckets.take(key, secondsNow()));
  });
  // By person: a person has many tokens, and who has one of them may use many addresses.
  app.addHook("preHandler", async (request, reply) => {
    const caller = anyCallerOf(request);
    if (!caller || !API_PASSWORD_ROUTES.has(`${request.method} ${request.routeOptions.url}`)) return;
    admit(reply, passwords.look(`${caller.id}`, secondsNow()));
    passwords.take(`${caller.id}`, secondsNow());
  });
  app.addHook("onSend", async (request, reply) => {
    const credential = credentialOf(request);
    if (credential === undefined || !wasUnread(reply)) return;
    setLimitHeaders(reply, tokens.take(credential, secondsNow(), UNCHANGED_COST - 1));
  });
  app.addHook("onResponse", async (request, reply) => {
    const credential = credentialOf(request);
    if (credential === undefined || request.routeOptions.config?.limitsItself) return;
    if (reply.statusCode === 401) refusals.take(partyOf(request.ip), secondsNow());
    // Preflights and the like succeed whatever credentials they have.
    if (reply.statusCode === 401 || anyCallerOf(request)) proven.note(credential, reply.statusCode);
  });
}

/**
 * Limits the OAuth routes with JSON: refusals count fully, issued tokens a little. Looking up a valid token costs nothing, since
 * a service may do so for each of its own requests (reference performance). Charged after the response, so concurrent requests
 * are only checked by the route itself.
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
      admit(reply, registrations.look(party, secondsNow()));
      setLimitHeaders(reply, registrations.take(party, secondsNow()));
    }
    const credential = credentialOf(request);
    // A flow that begins with a client id alone is unauthenticated, even if the request also has a valid token.
    if (credential === undefined || !proven.has(credential) || beginsUnproven(request))
      admit(reply, parties.look(partyOf(request.ip), secondsNow()));
    if (!asksForToken(request)) return;
    const standing = clients.look(clientKey(request), secondsNow());
    admit(reply, standing);
    setLimitHeaders(reply, standing);
  });
  const toldToWait = new WeakSet<FastifyRequest>();
  app.addHook("onError", async (request, _reply, error) => {
    if (error instanceof OAuthError && POLLED.has(error.code)) toldToWait.add(request);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { statusCode } = reply;
    const isRefusal = statusCode >= 400 && statusCode < 500;
    if (statusCode === 429) return;
    // The polling rate of a device with a valid code is limited by its grant; guesses of codes or secrets are charged.
    const isCharged = isRefusal && !toldToWait.has(request);
    // The id of a public application is not secret: anybody who knows it could insert rows without limit.
    if (isCharged || beginsUnproven(request)) parties.take(partyOf(request.ip), secondsNow());
    if (asksForToken(request) && statusCode < 500) {
      clients.take(clientKey(request), secondsNow(), isCharged ? 1 : SUCCESS_COST);
    }
    const credential = credentialOf(request);
    const isJudged = statusCode === 401 || JUDGING.has(request.routeOptions.url ?? "");
    if (credential !== undefined && isJudged && request.method !== "OPTIONS")
      proven.note(credential, statusCode);
  });
}

/** Limits page views by address. */
export function limitsPages(app: FastifyInstance, { rateLimits }: Pick<Config, "rateLimits">): void {
  if (!rateLimits) return;
  const parties = createBuckets(PAGE_LOOKS);
  app.addHook("onRequest", async (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return;
    const party = partyOf(request.ip);
    admit(reply, parties.look(party, secondsNow()));
    parties.take(party, secondsNow());
  });
}

/** Limits the sign-in forms by address; passwords are also throttled in the database. */
export function limitsSignIn(app: FastifyInstance, { rateLimits }: Pick<Config, "rateLimits">): void {
  if (!rateLimits) return;
  const signIns = createBuckets(SIGN_IN_POSTS);
  const mails = createBuckets(MAIL_POSTS);
  app.addHook("onRequest", async (request, reply) => {
    const { url = "" } = request.routeOptions;
    const parties = SIGN_IN_FORMS.has(url) ? signIns : mails;
    if (request.method !== "POST" || (parties === mails && !MAIL_FORMS.has(url))) return;
    const party = partyOf(request.ip);
    admit(reply, parties.look(party, secondsNow()));
    setLimitHeaders(reply, parties.take(party, secondsNow()));
  });
  // A form that brings a password along is a sign-in form whatever its address, which is known once its body is read.
  app.addHook("preHandler", async (request, reply) => {
    if (SIGN_IN_FORMS.has(request.routeOptions.url ?? "") || !bringsProof(request)) return;
    const party = partyOf(request.ip);
    admit(reply, signIns.look(party, secondsNow()));
    setLimitHeaders(reply, signIns.take(party, secondsNow()));
  });
}

/** Remembers credentials that were valid at their last use; a forgotten one is only treated like a new one. */
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

/** Returns a hash of the presented token or client credentials; undefined if there are none. */
function credentialOf(request: FastifyRequest): string | undefined {
  const known = credentials.get(request);
  if (known !== undefined) return known || undefined;
  const { authorization } = request.headers;
  const given = provesApplication(request) ? [authorization] : [...tokensIn(request), authorization];
  // A token counts as the same in header and query; a request with several is refused by the route.
  const first = given.find((value) => typeof value === "string" && value !== "") as string | undefined;
  const key = first === undefined ? "" : digest(first).toString("base64");
  credentials.set(request, key);
  return key || undefined;
}

const credentials = new WeakMap<FastifyRequest, string>();

/** Whether the route authenticates applications and ignores tokens. */
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

/** A pushed request without client authentication, from a public application. One with a wrong proof is charged as a refusal. */
function pushesUnproven(request: FastifyRequest): boolean {
  if (request.method !== "POST" || request.routeOptions.url !== "/oauth/par") return false;
  const { client_secret: secret, client_assertion: assertion } = (request.body ?? {}) as Record<
    string,
    unknown
  >;
  return !secret && !assertion && !basicOf(request)?.secret;
}

/** The claimed client id, verified or not, with the address. */
function clientKey(request: FastifyRequest): string {
  const body = (request.body ?? {}) as Record<string, unknown>;
  const basic = basicOf(request)?.id;
  // Libraries omit the id beside an assertion, which contains it (RFC 7523 §3).
  const { client_assertion: assertion = "" } = body;
  const asserted = typeof assertion === "string" ? namedIn(assertion) : undefined;
  const named = basic ?? (typeof body.client_id === "string" ? body.client_id : (asserted ?? ""));
  return `${partyOf(request.ip)} ${named.slice(0, 100)}`;
}

/**
 * Returns the Basic credentials if they count: a header that names no application would give its sender a new bucket for each
 * made-up name (decision 0221).
 */
function basicOf({ headers, body }: FastifyRequest): Credentials | undefined {
  const { authorization = "" } = headers;
  const { client_id: id, client_assertion: assertion } = (body ?? {}) as Record<string, unknown>;
  return (id || assertion) && isOfNoApplication(authorization) ? undefined : readBasic(authorization)[0];
}
