/** `/oauth/authorize`: asks the person, and sends the answer back to the application (spec: GET /oauth/authorize). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type Browser,
  browserOf,
  checkForm,
  endSession,
  frameOf,
  SignInNeeded,
} from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newIdentifier } from "../platform/secret.ts";
import { approveAuthorization } from "./approve-authorization.ts";
import { AuthorizationError } from "./authorization-error.ts";
import {
  type AuthorizationRequest,
  checkAuthorization,
  type GivenParameters,
  RedirectRefused,
} from "./check-authorization.ts";
import { mayGoOnUnasked } from "./consent.ts";
import { redirectRefusedPage } from "./pages-authorize-refused.ts";
import { consentPage, formPostPage, onwardPage } from "./pages-consent.ts";
import { formActionOf, isWebAddress, type ResponseMode } from "./redirect-uri.ts";
import { findConsent, insertRequest, takeRequest } from "./store-authorizations.ts";
import { findSessionAge } from "./store-openid.ts";
import { authorizationParameters, waitingParameters } from "./wire.ts";

/** `GET` asks, `POST` answers; `DELETE`, or `_method=delete` in the form, denies (reference oauth A1). */
export function authorizePages(app: FastifyInstance, platform: Platform): void {
  // A HEAD must not spend anything, and must not fall to another door's wildcard.
  app.head("/oauth/authorize", async (_request, reply) => {
    reply.header("allow", "GET, POST, DELETE");
    throw new Problem("not_allowed", "405 Not Allowed");
  });
  app.get("/oauth/authorize", { exposeHeadRoute: false }, (request, reply) =>
    telling(platform, request, reply, () => ask(platform, request, reply)),
  );
  app.post("/oauth/authorize", (request, reply) =>
    telling(platform, request, reply, () => answer(platform, request, reply, decisionOf(request))),
  );
  app.delete("/oauth/authorize", (request, reply) =>
    telling(platform, request, reply, () => answer(platform, request, reply, "deny")),
  );
}

/** What may be told to the application is told to it; every other refusal becomes a page. */
async function telling(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RedirectRefused) return explain(platform, request, reply, error);
    if (!(error instanceof AuthorizationError)) throw error;
    request.log.info({ kind: error.kind, code: error.code, detail: error.message }, "refused");
    return leave(platform, request, reply, error.location, error.mode);
  }
}

/** Shows what was sent and what is registered, to the application's owner and to administrators; to others neither. */
async function explain(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  refused: RedirectRefused,
): Promise<FastifyReply> {
  const browser = await browserOf(platform, request, reply);
  const { viewer } = browser;
  const { application, sent } = refused;
  const owns = viewer !== undefined && viewer.userId === application.ownerId;
  if (!owns && !viewer?.isAdmin) throw refused;
  request.log.info({ kind: refused.kind, application: application.uid }, "refused");
  const page = redirectRefusedPage(frameOf(browser), { application, sent, owns, requestId: request.id });
  return sendPage(reply, page, { status: 400, referrerPolicy: "no-referrer" });
}

async function ask(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = platform;
  const given = authorizationParameters(request.query);
  const asked = await checkAuthorization(db, config.publicUrl, given);
  const browser = await browserOf(platform, request, reply);
  const { viewer } = browser;
  if (await mustSignIn(platform, browser, asked)) return signInFirst(platform, request, reply, asked, given);
  if (!viewer) throw new SignInNeeded();
  const allowed = await findConsent(db, viewer.userId, asked.application.id);
  const mayGoOn = !wantsQuestion(asked) && mayGoOnUnasked(asked.application, asked.scopes, allowed);
  if (mayGoOn && isPlainNavigation(request)) {
    return leave(
      platform,
      request,
      reply,
      await approve(platform, browser, viewer.userId, asked),
      asked.redirect.mode,
    );
  }
  if (asked.prompts.includes("none")) {
    const code = mayGoOn ? "interaction_required" : "consent_required";
    throw new AuthorizationError(asked.redirect, code, "The person must be asked, and prompt is none.");
  }
  const requestId = await keep(platform, browser, viewer.userId, asked);
  const page = consentPage({
    asked,
    viewer,
    requestId,
    csrfToken: browser.csrfToken,
    frame: frameOf(browser),
  });
  return sendPage(reply, page, {
    formAction: [formActionOf(asked.redirect.uri)],
    referrerPolicy: "no-referrer",
  });
}

/** Whether nobody is signed in, or only somebody who proved it too long ago (OpenID Connect Core §3.1.2.1, §3.1.2.3). */
async function mustSignIn({ db }: Platform, browser: Browser, asked: AuthorizationRequest): Promise<boolean> {
  const { prompts, maxAgeSeconds } = asked;
  if (!browser.viewer || prompts.includes("login")) return true;
  if (maxAgeSeconds === undefined) return false;
  const age = await findSessionAge(db, browser.digest);
  return age === undefined || age.ageSeconds > maxAgeSeconds;
}

function wantsQuestion({ prompts }: AuthorizationRequest): boolean {
  return prompts.includes("consent") || prompts.includes("select_account");
}

/** Ends the session and begins again without what the new sign-in fulfils, so that it is asked once. */
async function signInFirst(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: AuthorizationRequest,
  given: GivenParameters,
): Promise<FastifyReply> {
  const { viewer } = await browserOf(platform, request, reply);
  // What is fetched ahead or framed must not sign anybody out.
  if (asked.prompts.includes("none") || (viewer && !isPlainNavigation(request))) {
    throw new AuthorizationError(asked.redirect, "login_required", "The person must sign in first.");
  }
  if (viewer) await endSession(platform, request, reply);
  const { prompt: _prompt, max_age: _maxAge, ...rest } = given as Readonly<Record<string, string>>;
  const prompts = asked.prompts.filter((word) => word !== "login").join(" ");
  const parameters = new URLSearchParams(prompts === "" ? rest : { ...rest, prompt: prompts });
  if (viewer || given.prompt !== undefined || given.max_age !== undefined) {
    return reply.redirect(`/oauth/authorize?${parameters}`, 303);
  }
  throw new SignInNeeded();
}

/** Keeps the checked request under an id that the browser’s session can use once; nothing is trusted again from the form. */
async function keep(
  { db }: Platform,
  browser: Browser,
  userId: number,
  asked: AuthorizationRequest,
): Promise<string> {
  const requestId = newIdentifier(64);
  await insertRequest(db, {
    digest: digest(requestId),
    sessionDigest: browser.digest,
    applicationId: asked.application.id,
    userId,
    responseType: asked.responseType,
    responseMode: asked.redirect.mode,
    redirectUri: asked.redirect.uri,
    scopes: asked.scopes,
    state: asked.redirect.state ?? null,
    codeChallenge: asked.codeChallenge ?? null,
    nonce: asked.nonce ?? null,
  });
  return requestId;
}

type Decision = "allow" | "deny" | "switch";

function decisionOf(request: FastifyRequest): Decision {
  const decision = formText(request, "decision");
  if (decision === "deny" || formText(request, "_method").toLowerCase() === "delete") return "deny";
  return decision === "switch" ? "switch" : "allow";
}

async function answer(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  decision: Decision,
): Promise<FastifyReply> {
  const { db, config } = platform;
  const browser = await checkForm(platform, request, reply);
  if (!browser.viewer) throw new SignInNeeded();
  const { userId } = browser.viewer;
  const waiting = await takeRequest(db, digest(formText(request, "request_id")), browser.digest, userId);
  if (!waiting) {
    throw new Problem(
      "invalid",
      "This question was answered before, or was open for too long. Go back to the application and start again.",
    );
  }
  const parameters = waitingParameters(waiting);
  if (decision === "switch") {
    await endSession(platform, request, reply);
    return reply.redirect(`/oauth/authorize?${new URLSearchParams(parameters)}`, 303);
  }
  // Judged once more: the application may have been changed while the page was open.
  const asked = await checkAuthorization(db, config.publicUrl, parameters);
  if (decision === "deny") {
    throw new AuthorizationError(asked.redirect, "access_denied", "The person denied the request.");
  }
  return leave(
    platform,
    request,
    reply,
    await approve(platform, browser, userId, asked),
    asked.redirect.mode,
  );
}

async function approve(
  { db }: Platform,
  { digest: session }: Browser,
  userId: number,
  asked: AuthorizationRequest,
) {
  const age = await findSessionAge(db, session);
  return approveAuthorization(db, { userId, authenticatedAt: age?.authenticatedAt ?? null }, asked);
}

/** Not fetched ahead, not in a frame, not by a script: only then may a code come without a question (S13). */
function isPlainNavigation({ headers }: FastifyRequest): boolean {
  const ahead = headers["sec-purpose"] ?? headers.purpose ?? headers["x-moz"];
  const destination = headers["sec-fetch-dest"];
  return ahead === undefined && (destination === undefined || destination === "document");
}

/**
 * Sends the browser back to the application: by 303, or from a page of ours where the way here began at one of our
 * forms, since browsers hold the whole chain of redirects against that form's `form-action` (decision 0011).
 */
function leave(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  location: string,
  mode: ResponseMode,
): FastifyReply {
  reply.headers({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  if (mode === "form_post") {
    // The application may send its people on to wherever it likes (decision 0011).
    const formAction = ["https:", "http:"];
    return sendPage(reply, formPostPage(location), { formAction, referrerPolicy: "no-referrer" });
  }
  // The consent form names an application's own scheme, and such an address needs the click that led here.
  const ownScheme = request.method !== "GET" && !isWebAddress(location);
  if (ownScheme || !beganHere(platform, request)) return reply.redirect(location, 303);
  reply.header("refresh", `0; url=${location}`);
  return sendPage(reply, onwardPage(location), { referrerPolicy: "no-referrer" });
}

/** Whether a browser says that this navigation began on a page of ours. */
function beganHere({ config }: Platform, { headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  // Browsers say it only where the connection is trustworthy, old ones never; all of them send this one.
  if (headers["upgrade-insecure-requests"] !== "1") return false;
  return URL.parse(headers.referer ?? "")?.origin === config.publicUrl;
}
