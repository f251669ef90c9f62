/** `/oauth/logout`: an application signs a person out (OpenID Connect RP-Initiated Logout 1.0). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { networkOf } from "../accounts/authenticate.ts";
import { type Browser, browserOf, checkForm, frameOf } from "../accounts/browser.ts";
import { endLeftSession } from "../accounts/sign-out.ts";
import { formList } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { unreadableIn } from "./authorization-parameters.ts";
import { checkLogout, type LogoutParameters, type LogoutRequest } from "./check-logout.ts";
import { isPlainNavigation, leave, repeatByGet } from "./pages-authorize-leave.ts";
import { signedOutPage, signOutPage } from "./pages-logout-views.ts";
import { recordVisitorRefusal } from "./record-visitor-refusal.ts";
import { formActionOf } from "./redirect-uri.ts";
import { signOutFor } from "./sign-out-for.ts";
import { singleParameters } from "./single-parameters.ts";
import { findIdentity } from "./store-openid.ts";
import { logoutParameters } from "./wire.ts";

/** An application may have opened a popup for it, and waits for the result (decision 0123). */
const IN_POPUP = { config: { inPopup: true } };

/**
 * `GET` asks, or ends the session if an identity token names its person; `POST` of our own form ends it. A request that was
 * posted from another site is repeated by GET: such forms are sent without cookies, and nothing is decided by one.
 */
export function logoutPages(app: FastifyInstance, platform: Platform): void {
  app.head("/oauth/logout", async (_request, reply) => {
    reply.header("allow", "GET, POST");
    throw new Problem("not_allowed", "405 Not Allowed");
  });
  app.get("/oauth/logout", { exposeHeadRoute: false, ...IN_POPUP }, async (request, reply) =>
    ask(platform, request, reply),
  );
  app.post("/oauth/logout", IN_POPUP, async (request, reply) => {
    if (formList(request, "csrf_token").length > 0) return answer(platform, request, reply);
    checkState(request);
    const asked = new URLSearchParams();
    for (const given of [logoutParameters(request.query), logoutParameters(request.body)]) {
      for (const [name, value] of Object.entries(given)) {
        for (const one of [value].flat()) asked.append(name, one);
      }
    }
    return repeatByGet(reply, "/oauth/logout", asked);
  });
}

/** @throws Problem invalid: a state that cannot be sent back unchanged (OpenID Connect RP-Initiated Logout §3) */
function checkState(request: FastifyRequest): void {
  const { state = "" } = logoutParameters(request.body);
  // JSON can contain a lone surrogate, which an address would replace by another character.
  const isWhole = [state].flat().every((one) => one.isWellFormed());
  if (!isWhole || unreadableIn(request.url).includes("state")) {
    throw new Problem("invalid", "The state is not valid UTF-8.");
  }
}

async function ask(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  checkState(request);
  const given = logoutParameters(request.query);
  const asked = await checkLogout(platform.db, platform.config.publicUrl, given);
  const browser = await browserOf(platform, request, reply);
  const { viewer } = browser;
  noteFault(platform, request, asked, viewer?.userId);
  if (!viewer) {
    const wasTheirs =
      asked.userId !== undefined &&
      isPlainNavigation(request) &&
      (await endLeftSession(platform, request, reply, asked.userId));
    return afterSignOut(platform, request, reply, browser, asked, wasTheirs);
  }
  const hint = typeof given.logout_hint === "string" ? given.logout_hint : undefined;
  if (asked.userId === viewer.userId && isPlainNavigation(request)) {
    if (hint === undefined || (await isMeant(platform, viewer.userId, hint))) {
      await signOutFor(platform, request, reply, asked.application);
      return afterSignOut(platform, request, reply, browser, asked, true);
    }
  }
  const page = signOutPage(frameOf(browser), {
    asked,
    viewer,
    csrfToken: browser.csrfToken,
    fields: requestFields(asked, given),
  });
  return sendPage(reply, page, {
    status: asked.fault ? 400 : 200,
    formAction: asked.wayBack === undefined ? [] : [formActionOf(asked.wayBack)],
    referrerPolicy: "no-referrer",
  });
}

/** The request as fields of the form, to be checked again; the application may have been named by the identity token only. */
function requestFields(
  { application, wayBack }: LogoutRequest,
  given: LogoutParameters,
): Record<string, string> {
  const { post_logout_redirect_uri: to, state } = singleParameters(given);
  return {
    ...(application ? { client_id: application.uid } : {}),
    ...(wayBack !== undefined && to !== undefined ? { post_logout_redirect_uri: to } : {}),
    ...(wayBack !== undefined && state !== undefined ? { state } : {}),
  };
}

async function answer(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const browser = await checkForm(platform, request, reply);
  const asked = await checkLogout(platform.db, platform.config.publicUrl, logoutParameters(request.body));
  if (browser.viewer) {
    await signOutFor(platform, request, reply, asked.application);
  }
  if (asked.wayBack !== undefined) return leave(platform, request, reply, asked.wayBack, "query");
  return reply.redirect("/oauth/logout", 303);
}

/**
 * Nobody is signed in any more: redirects to the application if the person of the identity token was at this browser, else shows a
 * page with a link back, since anybody may register an application and get an identity token of their own account.
 */
function afterSignOut(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
  asked: LogoutRequest,
  wasTheirs: boolean,
): FastifyReply {
  if (asked.wayBack !== undefined && wasTheirs) {
    return leave(platform, request, reply, asked.wayBack, "query");
  }
  const { theme, messages } = frameOf(browser);
  const page = signedOutPage({ theme, messages }, asked);
  return sendPage(reply, page, { status: asked.fault ? 400 : 200, referrerPolicy: "no-referrer" });
}

/** Whether a `logout_hint` names the person: by username, mail address or number. */
async function isMeant({ db }: Platform, userId: number, hint: string): Promise<boolean> {
  const person = await findIdentity(db, userId);
  const said = hint.toLowerCase();
  return (
    person !== undefined &&
    [person.username, person.email, String(userId)].some((n) => n.toLowerCase() === said)
  );
}

/** Records the fault in the event log of the application (decision 0080). */
function noteFault(
  platform: Platform,
  request: FastifyRequest,
  { application, fault }: LogoutRequest,
  userId: number | undefined,
): void {
  if (!application || !fault) return;
  recordVisitorRefusal(platform, {
    applicationId: application.id,
    endpoint: "logout",
    grantType: "",
    answer: "invalid_request",
    reason: fault.reason,
    requestId: request.id,
    network: networkOf(request.ip),
    userId: userId ?? null,
  });
}
