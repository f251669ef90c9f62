/** Handles a refusal at `/oauth/authorize`: redirects it to the application, explains it to its owner, or shows it as a page. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { networkOf } from "../accounts/authenticate.ts";
import { browserOf, frameOf } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import type { Application } from "./application.ts";
import { AuthorizationError, StateTooLong } from "./authorization-error.ts";
import type { GivenParameters } from "./authorization-parameters.ts";
import { RedirectRefused } from "./check-authorization.ts";
import { isPlainNavigation, leave, TO_ANY_SITE } from "./pages-authorize-leave.ts";
import { notedPushed, readRequest } from "./pages-authorize-pushed.ts";
import { outOfBandRefusedPage, redirectRefusedPage, strangerRefusedPage } from "./pages-authorize-refused.ts";
import { answeredMeanwhile, PushedRefused } from "./pushed-request.ts";
import { recordVisitorRefusal } from "./record-visitor-refusal.ts";
import { isOnOwnMachine } from "./redirect-uri.ts";
import { sentScope } from "./requested-scope.ts";
import { shownResource } from "./resource.ts";
import { spendPushedRequest } from "./store-pushed.ts";

/** Redirects every refusal that the application may get to it; every other one is shown as a page. */
export async function catchRefusals(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PushedRefused) throw await notePushedRefused(platform, request, reply, error);
    if (error instanceof RedirectRefused) return explain(platform, request, reply, error);
    if (error instanceof StateTooLong) throw await noteStateTooLong(platform, request, reply, error);
    if (!(error instanceof AuthorizationError)) throw error;
    const { parameters } = await readRequest(platform, request);
    request.log.info({ kind: error.kind, code: error.code, detail: error.message }, "refused");
    // A refusal is an answer, and each pushed request gets one only; a prefetched or framed one must not use it up.
    const isAnswer = request.method !== "GET" || isPlainNavigation(request);
    const pushed = isAnswer ? notedPushed(request) : undefined;
    if (pushed && (await spendPushedRequest(platform.db, pushed)) === 0) {
      const refused = answeredMeanwhile(error.application);
      throw await notePushedRefused(platform, request, reply, refused);
    }
    // Not earlier, since only now it is certain that this is the answer.
    await noteRefusal(platform, request, reply, {
      application: error.application,
      given: parameters,
      answer: error.code,
      reason: reasonOf(error, parameters),
    });
    if (couldBeOpenRedirect(request, error)) {
      const frame = frameOf(await browserOf(platform, request, reply));
      const formAction = error.mode === "form_post" ? TO_ANY_SITE : [];
      const options = { status: 400, formAction, referrerPolicy: "no-referrer" } as const;
      return sendPage(reply, strangerRefusedPage(frame, error), options);
    }
    if (!error.outOfBand) return leave(platform, request, reply, error.location, error.mode);
    return sendPage(reply, outOfBandRefusedPage(frameOf(await browserOf(platform, request, reply)), error), {
      status: error.code === "access_denied" ? 200 : 400,
      referrerPolicy: "no-referrer",
    });
  }
}

/** Records that a pushed request cannot be used; returns the refusal. */
async function notePushedRefused(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  refused: PushedRefused,
): Promise<PushedRefused> {
  const { application, reason } = refused;
  await noteRefusal(platform, request, reply, {
    application,
    given: {},
    answer: "invalid_request_uri",
    reason,
  });
  return refused;
}

/** Records that a state is too long to be sent back; returns the refusal. */
async function noteStateTooLong(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  refused: StateTooLong,
): Promise<StateTooLong> {
  const { application, message: reason } = refused;
  const { parameters: given } = await readRequest(platform, request);
  await noteRefusal(platform, request, reply, { application, given, answer: "invalid_request", reason });
  return refused;
}

/**
 * Whether a mere link would redirect people to a site that nobody here has checked; not in a frame, which does not show our
 * address.
 */
function couldBeOpenRedirect(
  request: FastifyRequest,
  { application, location }: AuthorizationError,
): boolean {
  const isByLink = request.method === "GET" && isPlainNavigation(request);
  return application.selfRegistered && isByLink && !isOnOwnMachine(location);
}

/** Shows the sent and the registered redirect URIs to the application's owner and to administrators only. */
async function explain(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  refused: RedirectRefused,
): Promise<FastifyReply> {
  const browser = await browserOf(platform, request, reply);
  const { viewer } = browser;
  const { application, sent } = refused;
  const { parameters } = await readRequest(platform, request);
  await noteRefusal(platform, request, reply, {
    application,
    given: parameters,
    answer: "invalid_redirect_uri",
    reason: refused.reason,
  });
  const owns = viewer !== undefined && viewer.userId === application.ownerId;
  if (!owns && !viewer?.isAdmin) throw refused;
  request.log.info({ kind: refused.kind, application: application.uid }, "refused");
  const page = redirectRefusedPage(frameOf(browser), { application, sent, owns, requestId: request.id });
  return sendPage(reply, page, { status: 400, referrerPolicy: "no-referrer" });
}

interface NotedRefusal {
  application: Application;
  given: GivenParameters;
  /** The error code, as the application gets it, or would. */
  answer: string;
  reason: string;
}

/** Records the refusal in the event log of the application (decision 0080). */
async function noteRefusal(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { application, given, answer, reason }: NotedRefusal,
): Promise<void> {
  const { viewer } = await browserOf(platform, request, reply);
  const { response_type: asked } = given;
  recordVisitorRefusal(platform, {
    applicationId: application.id,
    endpoint: "authorize",
    grantType: typeof asked === "string" ? asked.slice(0, 64) : "",
    answer,
    reason,
    requestId: request.id,
    network: networkOf(request.ip),
    userId: viewer?.userId ?? null,
  });
}

/** The description of the error, with what was sent if the description does not say it. */
function reasonOf({ code, message, application }: AuthorizationError, given: GivenParameters): string {
  const { scope, resource, gl_auth_type: purpose } = given;
  if (code === "invalid_target") return `resource: sent ${shownResource([resource].flat())}`;
  if (code !== "invalid_scope") return message;
  return `scope: sent ${sentScope(scope, purpose)}; the application is registered for ${application.scopes.join(" ")}`;
}
