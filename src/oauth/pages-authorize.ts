/** `/oauth/authorize`: asks the person, and redirects the response to the application (spec: GET /oauth/authorize). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Browser, browserOf, checkForm, frameOf, SignInNeeded } from "../accounts/browser.ts";
import { formList, formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import { digest, newIdentifier } from "../platform/secret.ts";
import { approveAuthorization } from "./approve-authorization.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import { unreadableIn } from "./authorization-parameters.ts";
import { type AuthorizationRequest, checkAuthorization } from "./check-authorization.ts";
import { forgottenScopes, mayGoOnUnasked } from "./consent.ts";
import { denyAuthorization } from "./deny-authorization.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import { findSettings } from "./find-settings.ts";
import { catchRefusals } from "./pages-authorize-catch.ts";
import { expectedPerson } from "./pages-authorize-hint.ts";
import { isPlainNavigation, leave, repeatByGet } from "./pages-authorize-leave.ts";
import {
  hasSignedInFor,
  noteParameters,
  notePushed,
  pushedRequestPath,
  readRequest,
} from "./pages-authorize-pushed.ts";
import { mustSignIn, refusal, signInFirst } from "./pages-authorize-sign-in.ts";
import { type Consent, consentPage } from "./pages-consent.ts";
import { formActionOf, isOutOfBand } from "./redirect-uri.ts";
import { mayNotActForAdministrators, type Settings } from "./settings.ts";
import { signOutFor } from "./sign-out-for.ts";
import { singleParameters } from "./single-parameters.ts";
import { findApplicationByUid } from "./store.ts";
import { findConsent, insertRequest, takeRequest, type WaitingRequest } from "./store-authorizations.ts";
import { findOwner } from "./store-owners.ts";
import { authorizationParameters, waitingParameters } from "./wire.ts";
import { scopesAllowed } from "./wire-consent.ts";

/** Browser-based applications may open a popup for the consent page and wait for its response. */
const IN_POPUP = { config: { inPopup: true } };

/** `GET` asks, `POST` answers; `DELETE`, or `_method=delete` in the form, denies (reference oauth A1). */
export function authorizePages(app: FastifyInstance, platform: Platform): void {
  // A HEAD must not use anything up, and must not match the wildcard of another route.
  app.head("/oauth/authorize", async (_request, reply) => {
    reply.header("allow", "GET, POST, DELETE");
    throw new Problem("not_allowed", "405 Not Allowed");
  });
  app.get("/oauth/authorize", { exposeHeadRoute: false, ...IN_POPUP }, (request, reply) =>
    catchRefusals(platform, request, reply, () => ask(platform, request, reply)),
  );
  app.post("/oauth/authorize", IN_POPUP, (request, reply) => {
    const asked = postedQuestion(request);
    if (asked) return repeatByGet(reply, "/oauth/authorize", asked);
    return catchRefusals(platform, request, reply, () =>
      answer(platform, request, reply, decisionOf(request)),
    );
  });
  app.delete("/oauth/authorize", (request, reply) =>
    catchRefusals(platform, request, reply, () => answer(platform, request, reply, "deny")),
  );
}

async function ask(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = platform;
  const { parameters, unreadable, pushed } = await readRequest(platform, request);
  const settings = await findSettings(platform);
  const context = { issuer: config.publicUrl, settings, wasPushed: pushed !== undefined, unreadable };
  const asked = await checkAuthorization(db, context, parameters);
  // `resource` was checked and has no further effect (decision 0195); it is the only parameter that may be a list.
  const { resource: _judged, ...rest } = parameters;
  const given = singleParameters(rest);
  const browser = await browserOf(platform, request, reply);
  const { viewer } = browser;
  const hasSignedIn = await hasSignedInFor(platform, browser, pushed);
  const person = await expectedPerson(platform, asked, given);
  const expected = person && pushed ? { ...person, wasAsked: hasSignedIn } : person;
  if (await mustSignIn(platform, browser, asked, expected, hasSignedIn)) {
    return signInFirst(platform, request, reply, { asked, given, expected, pushed });
  }
  if (!viewer) throw new SignInNeeded();
  const allowed = await findConsent(db, viewer.userId, asked.application.id);
  const isSpared = isSparedAdministrator(settings, viewer, asked);
  const mayGoOn = !isSpared && !wantsQuestion(asked) && mayGoOnUnasked(asked, allowed);
  if (mayGoOn && isPlainNavigation(request)) {
    const approval = { ...settings, userId: viewer.userId, session: browser.digest, pushed: pushed?.digest };
    const location = await approveAuthorization(db, approval, asked);
    if (location !== undefined) return leave(platform, request, reply, location, asked.redirect.mode);
    // The session or the consent has ended since they were read, so the request is checked again.
    const again = new URLSearchParams(given);
    return reply.redirect(pushed?.path ?? `/oauth/authorize?${again}`, 303);
  }
  if (asked.prompts.includes("none")) throw unaskedRefusal(settings, asked, mayGoOn);
  const maySwitch = expected === undefined;
  const spared: Consent["spared"] = isSpared && "told";
  const shown = { asked, allowed, maySwitch, spared, requestUri: pushed?.requestUri };
  return sendQuestion(platform, reply, browser, shown, pushed?.digest ?? null);
}

/** @param pushedDigest the digest of the pushed request, if it is one */
async function sendQuestion(
  platform: Platform,
  reply: FastifyReply,
  browser: Browser,
  shown: Pick<Consent, "asked" | "allowed" | "maySwitch" | "tickedNothing" | "spared" | "requestUri">,
  pushedDigest: Buffer | null,
): Promise<FastifyReply> {
  const { viewer } = browser;
  if (!viewer) throw new SignInNeeded();
  const { asked } = shown;
  const requestId = await storeRequest(platform, browser, viewer.userId, asked, pushedDigest);
  const page = consentPage({
    ...shown,
    lifetimes: await findLifetimes(platform, asked.application),
    owner: await findOwner(platform.db, asked.application.id, viewer.userId),
    viewer,
    requestId,
    csrfToken: browser.csrfToken,
    frame: frameOf(browser),
  });
  return sendPage(reply, page, {
    failed: shown.tickedNothing === true || shown.spared === "refused",
    formAction: isOutOfBand(asked.redirect.uri) ? [] : [formActionOf(asked.redirect.uri)],
    referrerPolicy: "no-referrer",
  });
}

function wantsQuestion({ prompts }: AuthorizationRequest): boolean {
  return prompts.includes("consent") || prompts.includes("select_account");
}

/**
 * Stores the checked request under an id that the browser’s session can use once, so that the form's values need not be trusted.
 */
async function storeRequest(
  { db }: Platform,
  browser: Browser,
  userId: number,
  asked: AuthorizationRequest,
  pushedDigest: Buffer | null,
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
    boundKey: asked.boundKey ?? null,
    nonce: asked.nonce ?? null,
    pushedDigest,
  });
  return requestId;
}

/**
 * Returns the parameters of an authorization request that was posted (OpenID Connect Core §3.1.2.1: GET and POST are allowed);
 * undefined: the form is the answer to a consent page. The request is repeated by GET, which needs no form token, like a link. A
 * parameter in both the address and the body counts as repeated.
 * @throws ParameterProblem: not UTF-8, so that no address can repeat it
 */
function postedQuestion(request: FastifyRequest): URLSearchParams | undefined {
  const isAnswer = ["csrf_token", "request_id", "decision", "_method"].some(
    (n) => formList(request, n).length > 0,
  );
  if (isAnswer || formText(request, "client_id") === "") return undefined;
  const asked = [request.query, request.body].flatMap((given) =>
    Object.entries(authorizationParameters(given)).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  );
  // JSON can hold a lone surrogate, which an address would replace by another character.
  const broken = unreadableIn(request.url)[0] ?? asked.find(([, one]) => !one.isWellFormed())?.[0];
  if (broken) throw new ParameterProblem([`${broken} is not valid UTF-8`]);
  return new URLSearchParams(asked);
}

type Decision = "allow" | "deny" | "switch";

/** A form without a `decision` allows, as programs send it (reference oauth A1); an unknown or contradictory one denies. */
function decisionOf(request: FastifyRequest): Decision {
  const said = formList(request, "decision");
  if (formList(request, "_method").some((method) => method.toLowerCase() === "delete")) return "deny";
  if (said.every((word) => word === "allow")) return "allow";
  return said.every((word) => word === "switch") ? "switch" : "deny";
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
  const waiting = await takeRequest(db, {
    digest: digest(formText(request, "request_id")),
    sessionDigest: browser.digest,
    userId,
  });
  if (!waiting) {
    throw new Problem(
      "invalid",
      "This question was answered before, or was open for too long. Go back to the application and start again.",
    );
  }
  if (decision === "switch") return switchAccount(platform, request, reply, waiting);
  const parameters = waitingParameters(waiting);
  const { pushedDigest } = waiting;
  noteParameters(request, parameters);
  notePushed(request, pushedDigest);
  // Checked again: the application or the settings may have been changed while the page was open.
  const settings = await findSettings(platform);
  const context = { issuer: config.publicUrl, settings, wasPushed: pushedDigest !== null };
  const asked = await checkAuthorization(db, context, parameters);
  const act = { actorId: userId, ip: request.ip };
  if (decision === "deny") {
    await denyAuthorization(db, act, asked.application, pushedDigest);
    notePushed(request, null);
    throw refusal(asked, "access_denied", "The person denied the request.");
  }
  const scopes = scopesAllowed(request, asked.application, asked.scopes);
  const isBeyond = isSparedAdministrator(settings, browser.viewer, { ...asked, scopes });
  if (scopes.length === 0 || isBeyond) {
    const allowed = await findConsent(db, userId, asked.application.id);
    const isSpared = isSparedAdministrator(settings, browser.viewer, asked);
    const spared: Consent["spared"] = isBeyond ? "refused" : isSpared && "told";
    const shown = { asked, allowed, maySwitch: false, tickedNothing: scopes.length === 0, spared };
    return sendQuestion(platform, reply, browser, shown, pushedDigest);
  }
  const forgotten = forgottenScopes(asked.scopes, scopes);
  const approval = { ...settings, userId, session: browser.digest, act, forgotten, pushed: pushedDigest };
  const location = await approveAuthorization(db, approval, { ...asked, scopes });
  if (location === undefined) throw new SignInNeeded();
  return leave(platform, request, reply, location, asked.redirect.mode);
}

/** Signs the person out, and asks the same of whoever signs in next. */
async function switchAccount(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  waiting: WaitingRequest,
): Promise<FastifyReply> {
  const { applicationUid, pushedDigest } = waiting;
  await signOutFor(platform, request, reply, await findApplicationByUid(platform.db, applicationUid));
  // Neither is stored; they come from the page, and are checked as in any address.
  const [prompt, requestUri] = [formText(request, "prompt"), formText(request, "request_uri")];
  const again = new URLSearchParams({ ...waitingParameters(waiting), ...(prompt && { prompt }) });
  const path = pushedDigest ? pushedRequestPath(applicationUid, requestUri) : `/oauth/authorize?${again}`;
  return reply.redirect(path, 303);
}

/**
 * The refusal where nobody may be asked. Neither the application nor its owner, who reads the words in its events, learns who
 * administers the server: they get the same code and words for everybody (decision 0149).
 */
function unaskedRefusal(
  settings: Settings,
  asked: AuthorizationRequest,
  mayGoOn: boolean,
): AuthorizationError {
  const words = "The person must be asked, and prompt is none";
  if (mayGoOn) return refusal(asked, "interaction_required", `${words}.`);
  const isGuarded = mayNotActForAdministrators(settings, asked.application, asked.scopes);
  const further = isGuarded ? "; or the server spares its administrators what is not trusted" : "";
  return refusal(asked, "consent_required", `${words}${further}.`);
}

/**
 * If the settings say so, only trusted applications get full access to administrators' accounts. They are asked like everybody, so
 * that the application learns only what they answer.
 */
function isSparedAdministrator(
  settings: Settings,
  { isAdmin }: { isAdmin: boolean },
  { application, scopes }: AuthorizationRequest,
): boolean {
  return isAdmin && mayNotActForAdministrators(settings, application, scopes);
}
