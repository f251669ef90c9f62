/** The only place that turns a refusal into a status and a body: API JSON, OAuth JSON, or a page. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  browserOf,
  keepReturnPath,
  knownBrowserOf,
  ProofNeeded,
  SignInNeeded,
  StaleForm,
} from "./accounts/browser.ts";
import { isShownWithProof } from "./accounts/check-binding.ts";
import { lateFormOf, waitingFormOf } from "./accounts/late-form.ts";
import { proofAskedOf } from "./accounts/proof-asked.ts";
import { viewerNow } from "./accounts/viewer-now.ts";
import { OAuthError } from "./oauth/error.ts";
import { isDiskFull, isMissingReference } from "./platform/db-errors.ts";
import { SIGNATURE_ALGORITHMS } from "./platform/jwt.ts";
import { sendPage } from "./platform/page-reply.ts";
import type { Platform } from "./platform/platform.ts";
import {
  BoundTokenProblem,
  CodedProblem,
  FieldProblem,
  KeyNeeded,
  ParameterProblem,
  Problem,
  type ProblemKind,
  ProofProblem,
  ScopeProblem,
  UnknownToken,
} from "./platform/problem.ts";
import { NotReady } from "./platform/readiness.ts";
import { withoutSecrets } from "./platform/secret.ts";
import { errorPage } from "./ui/error-page.ts";
import { lateFormPage } from "./ui/late-form-page.ts";
import { themeOf } from "./ui/navigation.ts";
import { PROVE, proofPage } from "./ui/proof-page.ts";
import { durationWords } from "./ui/time.ts";

const STATUS: Readonly<Record<ProblemKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  unprocessable: 422,
  too_many: 429,
  unavailable: 503,
};

const BEARER = 'Bearer realm="Gatehouse"';
const DPOP = `DPoP realm="Gatehouse", algs="${SIGNATURE_ALGORITHMS.join(" ")}"`;
const BASIC = 'Basic realm="Gatehouse"';

/** Sets the form of a group's error responses; `told` is called with each problem, and does not delay the response. */
export function speaksErrors(
  app: FastifyInstance,
  speak: "api" | "oauth",
  told?: (problem: Problem, request: FastifyRequest) => void,
): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, request);
    told?.(problem, request);
    reply.code(statusOf(problem));
    if (problem.retryAfterSeconds !== undefined)
      reply.header("retry-after", String(problem.retryAfterSeconds));
    reply.header("cache-control", "no-store");
    // Fastify would close the connection while the rest of the body is being sent, and most senders read an answer only after
    // they have sent everything (decision 0088). Node.js reads and discards the rest, for as long as a request may take.
    if (problem.kind === "too_large" || problem.kind === "unavailable") reply.removeHeader("connection");
    // As RFC 6749 §5.2 shows it, for HTTP/1.0 caches.
    if (speak === "oauth") reply.header("pragma", "no-cache");
    const challenge = challengeOf(problem, isShownWithProof(request));
    if (challenge) reply.header("www-authenticate", challenge);
    return sendJson(reply, speak === "oauth" ? oauthBody(problem) : apiBody(problem));
  });
}

/** No route has this address. */
class NoRoute extends Problem {
  constructor() {
    super("not_found", "404 Not Found");
  }
}

/** Answers requests without a route. */
export async function noRoute(): Promise<never> {
  throw new NoRoute();
}

/** Sets the error responses of pages: the sign-in form for visitors, else a page with the request's id. */
export function speaksPages(app: FastifyInstance, platform: Platform): void {
  app.setErrorHandler(async (error, request, reply) => {
    const problem = problemOf(error, request);
    if (problem instanceof SignInNeeded) {
      if (loadsPage(request)) await keepReturnPath(platform, request, reply, request.url);
      return reply.redirect("/users/sign_in", 302);
    }
    if (problem instanceof ProofNeeded) return askProof(platform, request, reply);
    const late = problem instanceof StaleForm && lateFormOf(platform, request);
    if (late) {
      const page = lateFormPage({ ...late, ...(await browserOf(platform, request, reply)) });
      return sendPage(reply, page, { status: statusOf(problem) });
    }
    return sendErrorPage(platform, request, reply, problem);
  });
}

async function sendErrorPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): Promise<FastifyReply> {
  const status = statusOf(problem);
  if (problem.retryAfterSeconds !== undefined) reply.header("retry-after", String(problem.retryAfterSeconds));
  const page = errorPage({
    status,
    signedIn: status === 404 && (await isSignedIn(platform, request)),
    requestId: request.id,
    next: nextWords(problem),
    message: problem instanceof Bug || problem.kind === "not_found" ? undefined : pageWords(problem),
    theme: themeOf(request.cookies),
    overviewHref: problem.kind === "forbidden" ? overviewOf(problem, request.url) : undefined,
  });
  // The address of a refused OAuth request contains a state, or a code that may still be redeemed.
  const isOauth = request.url.startsWith("/oauth/");
  return sendPage(reply, page, { status, referrerPolicy: isOauth ? "no-referrer" : "same-origin" });
}

function statusOf(problem: Problem): number {
  return problem instanceof Bug ? 500 : STATUS[problem.kind];
}

/** Whether a browser shows the answer as a page. A stream or image is not what people want to see after they have signed in. */
function loadsPage({ method, headers }: FastifyRequest): boolean {
  if (method !== "GET") return false;
  const destination = headers["sec-fetch-dest"];
  if (destination !== undefined) return destination === "document";
  // Old browsers do not say it, and others only on a trustworthy connection.
  return !/^(?:text\/event-stream|image\/)/.test(headers.accept ?? "");
}

/** Asks for the password at once, and keeps the form meanwhile; a form that must not be offered again is left (decision 0289). */
async function askProof(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const waiting = waitingFormOf(platform, request);
  if (!waiting) return reply.redirect(PROVE, 303);
  const asked = await proofAskedOf(platform, request, reply);
  return sendPage(reply, proofPage({ ...asked, waiting }), { status: STATUS.forbidden });
}

/**
 * The project or group of the page (`/acme/rocket` of `/acme/rocket/-/settings`), which its viewer can see if only the page itself is
 * refused; undefined: it has none, or the form is refused whether there is such a place or not.
 */
function overviewOf(problem: Problem, url: string): string | undefined {
  return problem instanceof StaleForm ? undefined : /^(\/[^/?#][^?#]*?)\/-\//.exec(url)?.[1];
}

/** What to do next, if the refusal knows more than its status: when to try again (reference ux §7, 429). */
function nextWords(problem: Problem): string | undefined {
  if (problem instanceof StaleForm) return "Go back, reload the page and try again.";
  const { kind, retryAfterSeconds = 0 } = problem;
  return kind === "too_many" && retryAfterSeconds > 0
    ? `Try again in ${durationWords(retryAfterSeconds)}.`
    : undefined;
}

/** The message without the status with which messages of the API begin (`404 Not Found - …`); undefined: there is no more. */
function pageWords({ message }: Problem): string | undefined {
  const words = message.replace(/^\d{3} [A-Z][a-z]+(?: [A-Z][a-z]+)*(?: - |$)/, "");
  // The default message of the rate limits says no more than the status and when to try again.
  return words === "" || words.startsWith("429 ") ? undefined : words;
}

/** Only for the text of the page: if the session cannot be read, it is the text for visitors. */
async function isSignedIn(platform: Platform, request: FastifyRequest): Promise<boolean> {
  // The request may have replaced the session that its cookie names.
  const known = knownBrowserOf(request);
  if (known) return known.viewer !== undefined;
  return viewerNow(platform, request).then(
    (viewer) => viewer !== undefined,
    () => false,
  );
}

/** Sends JSON. The framework adds a charset, which the doors of the API remove again (`answersPlainJson`). */
function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header("content-type", "application/json").send(JSON.stringify(body));
}

class Bug extends Problem {
  constructor(cause: unknown) {
    super("unavailable", "500 Internal Server Error", { cause });
  }
}

/** Converts whatever was thrown to a Problem, and logs it: bugs with their cause, refusals by kind and code. */
function problemOf(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) {
    const code = error instanceof CodedProblem ? error.code : undefined;
    // A message may quote a token that was sent in the wrong place.
    const detail = error.log === undefined ? undefined : withoutSecrets(error.log);
    // Only an operator can end it, and nothing else in the log may tell that it began.
    const level = isDiskFull(error) ? "error" : "info";
    request.log[level]({ kind: error.kind, code, route: request.routeOptions.url, detail }, "refused");
    return error;
  }
  const fault = error as FastifyError;
  if (fault.validation) return new ParameterProblem(["The request is not valid"]);
  const kind = (Object.keys(STATUS) as ProblemKind[]).find((name) => STATUS[name] === fault.statusCode);
  if (kind && kind !== "unavailable") {
    request.log.info({ kind, code: fault.code, route: request.routeOptions.url }, "refused");
    return new Problem(kind, frameworkWords(kind));
  }
  if (isMissingReference(error)) {
    request.log.warn({ err: error, route: request.routeOptions.url }, "removed meanwhile");
    return new Problem("conflict", "The resource was removed during the request.");
  }
  request.log.error({ err: error, route: request.routeOptions.url }, "bug");
  return new Bug(error);
}

function frameworkWords(kind: ProblemKind): string {
  switch (kind) {
    case "too_large":
      return "413 Request Entity Too Large";
    case "unsupported":
      return "415 Unsupported Media Type. Send application/json.";
    default:
      return "400 Bad Request";
  }
}

function apiBody(problem: Problem): unknown {
  if (problem instanceof ScopeProblem) {
    return { error: problem.code, error_description: problem.message, scope: problem.accepted.join(" ") };
  }
  if (problem instanceof CodedProblem) return { error: problem.code, error_description: problem.message };
  if (problem instanceof ParameterProblem) return { error: problem.message };
  if (problem instanceof FieldProblem) return { message: problem.fields };
  if (problem.kind === "not_allowed" || problem instanceof NoRoute) return { error: problem.message };
  if (problem instanceof NotReady) return { message: problem.message, reason: problem.reason };
  return { message: problem.message };
}

function oauthBody(problem: Problem): unknown {
  if (problem instanceof ScopeProblem) return apiBody(problem);
  if (problem instanceof CodedProblem) return { error: problem.code, error_description: problem.message };
  switch (problem.kind) {
    case "too_many":
    case "unavailable":
      return {
        error: problem instanceof Bug ? "server_error" : "temporarily_unavailable",
        error_description: problem.message,
      };
    case "unsupported":
      return { error: "invalid_request", error_description: unsupportedWords(problem) };
    case "unauthenticated":
      return { error: "invalid_token", error_description: "The access token is missing or not valid." };
    default:
      return { error: "invalid_request", error_description: problem.message.replaceAll('"', "'") };
  }
}

/** The media types that these doors accept, unless the refusal itself names the reason. */
function unsupportedWords({ message }: Problem): string {
  return message === frameworkWords("unsupported")
    ? "415 Unsupported Media Type. Send application/x-www-form-urlencoded or application/json."
    : message;
}

/**
 * A request without a token gets no error code, only the challenge (RFC 6750 §3.1). The scheme is the one that the request used,
 * or the one that its token needs (RFC 9449 §7.1, §7.2).
 */
function challengeOf(problem: Problem, withProof: boolean): string | string[] | undefined {
  if (problem instanceof OAuthError) return problem.code === "invalid_client" ? BASIC : undefined;
  // Programs that are given a user and a password send them only after a challenge for Basic (RFC 9110 §11.6.1).
  if (problem instanceof KeyNeeded) return [BEARER, BASIC];
  const needsProof = problem instanceof BoundTokenProblem || problem instanceof ProofProblem;
  const scheme = withProof || needsProof ? DPOP : BEARER;
  if (problem instanceof ScopeProblem) {
    return `${scheme}, error="insufficient_scope", scope="${problem.accepted.join(" ")}"`;
  }
  if (problem.kind !== "unauthenticated") return undefined;
  if (problem instanceof ProofProblem) return `${scheme}, error="${problem.code}"`;
  const presented = problem instanceof CodedProblem || problem instanceof UnknownToken;
  return presented ? `${scheme}, error="invalid_token"` : scheme;
}
