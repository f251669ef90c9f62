/** Records refusals of the OAuth endpoints in the event log of the application they concern. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../accounts/authenticate.ts";
import { presentedSecret } from "../accounts/caller.ts";
import { entryOf } from "../platform/entry-of.ts";
import type { Platform } from "../platform/platform.ts";
import {
  BoundTokenProblem,
  CodedProblem,
  type Problem,
  type ProblemKind,
  ProofProblem,
} from "../platform/problem.ts";
import { DEVICE_GRANT } from "./application.ts";
import type { EventEndpoint } from "./application-event.ts";
import { namedIn } from "./assertion.ts";
import { readBasic } from "./basic-credentials.ts";
import { GrantError } from "./error.ts";
import { explainRefusal, explainToken } from "./explain-refusal.ts";
import { findSettings } from "./find-settings.ts";
import { explainInBackground, flushRefusals, recordRefusal } from "./record-refusal.ts";
import { findApplicationByUid } from "./store.ts";
import { isUid } from "./uid.ts";

const ENDPOINTS: Readonly<Record<string, EventEndpoint>> = {
  "/oauth/par": "par",
  "/oauth/token": "token",
  "/oauth/authorize_device": "device",
  "/oauth/revoke": "revoke",
  "/oauth/introspect": "introspect",
  "/oauth/userinfo": "userinfo",
};

/**
 * Returns an observer for the error handler of the door group, which returns at once and never throws. The reason of a refusal is
 * determined by further statements in the background, so that neither the response nor its timing depends on them.
 */
export function watchRefusals(
  app: FastifyInstance,
  platform: Platform,
): (problem: Problem, request: FastifyRequest) => void {
  app.addHook("onClose", async () => flushRefusals(platform));
  return (problem, request) => {
    const endpoint = ENDPOINTS[request.routeOptions.url ?? ""];
    // A device that polls is told to continue, which is not a refusal.
    if (!endpoint || !RECORDED.has(problem.kind) || answerOf(problem) === "authorization_pending") return;
    explainInBackground(platform, networkOf(request.ip), () =>
      recordRequest(platform, endpoint, problem, request),
    );
  };
}

/**
 * The same for the API, where neither the owner nor a thief can see why a token that is bound to a key is refused. Only refusals
 * of valid tokens are recorded: requests without one cause no work and no entry.
 */
export function watchBoundTokens(platform: Platform): (problem: Problem, request: FastifyRequest) => void {
  return (problem, request) => {
    if (!isOfBinding(problem)) return;
    explainInBackground(platform, networkOf(request.ip), () =>
      recordTokenRequest(platform, "api", problem, request),
    );
  };
}

const isOfBinding = (problem: Problem) =>
  problem instanceof BoundTokenProblem || problem instanceof ProofProblem;

/** The kinds that are recorded: faults of the request, not what makes a client wait or try again. */
const RECORDED: ReadonlySet<ProblemKind> = new Set([
  "invalid",
  "unauthenticated",
  "forbidden",
  "too_large",
  "unsupported",
]);

async function recordRequest(
  platform: Platform,
  endpoint: EventEndpoint,
  problem: Problem,
  request: FastifyRequest,
): Promise<void> {
  if (endpoint === "userinfo") return recordTokenRequest(platform, endpoint, problem, request);
  const base = baseOf(endpoint, problem, request);
  const parameter = parametersOf(request);
  const ids = [parameter("client_id"), namedIn(parameter("client_assertion") ?? "")];
  const application = await applicationOf(platform, request, ids);
  if (!application) return;
  const grantType = endpoint === "token" ? shortGrant(parameter("grant_type") ?? "") : "";
  const log = wordsOf(problem, request);
  const settings = await findSettings(platform);
  const reason = problem instanceof GrantError ? problem.reason : undefined;
  const purpose = endpoint === "par" ? parameter("gl_auth_type") : undefined;
  const asked = { answer: base.answer, reason, log, grantType, purpose, settings, parameter };
  const why = await explainRefusal(platform.db.pooled, application, asked);
  recordRefusal(platform, { ...base, applicationId: application.id, grantType, ...why });
}

async function recordTokenRequest(
  platform: Platform,
  endpoint: EventEndpoint,
  problem: Problem,
  request: FastifyRequest,
): Promise<void> {
  const found = await explainToken(platform.db.pooled, tokenOf(request), wordsBesideToken(problem, request));
  if (found) recordRefusal(platform, { ...baseOf(endpoint, problem, request), grantType: "", ...found });
}

/** What was wrong with the request of a token; undefined: it was the token itself, or its scopes. */
function wordsBesideToken(problem: Problem, request: FastifyRequest): string | undefined {
  if (isOfBinding(problem)) return problem.message;
  const isOfToken = problem.kind === "unauthenticated" || problem.kind === "forbidden";
  return isOfToken ? undefined : wordsOf(problem, request);
}

/** The words for the log; of a wrong media type the response says what is accepted, but not what was sent. */
function wordsOf(problem: Problem, { headers }: FastifyRequest): string {
  const isTyped = problem.kind === "unsupported" && headers["content-encoding"] === undefined;
  if (isTyped) return `media type: sent ${headers["content-type"] ?? "none"}`;
  return problem.log ?? problem.message;
}

function baseOf(endpoint: EventEndpoint, problem: Problem, request: FastifyRequest) {
  return { endpoint, answer: answerOf(problem), requestId: request.id, network: networkOf(request.ip) };
}

function answerOf(problem: Problem): string {
  if (problem instanceof CodedProblem) return problem.code;
  return problem.kind === "unauthenticated" ? "invalid_token" : "invalid_request";
}

function tokenOf(request: FastifyRequest): string {
  try {
    return presentedSecret(request) ?? "";
  } catch {
    // It carries more than one token, so that it is nobody's request.
    return "";
  }
}

/** Returns the strings of the body, whatever else it contains. */
function parametersOf(request: FastifyRequest): (name: string) => string | undefined {
  const body = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  return (name) => {
    const value = entryOf(body, name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
}

async function applicationOf(
  { db }: Platform,
  request: FastifyRequest,
  bodyIds: readonly (string | undefined)[],
) {
  const { authorization } = request.headers;
  const named = authorization === undefined ? [] : readBasic(authorization).map(({ id }) => id);
  const uid = [...named, ...bodyIds].find(isUid);
  return uid === undefined ? undefined : findApplicationByUid(db.pooled, uid);
}

/** The grant type as in the registration; an unknown one is truncated. */
function shortGrant(grantType: string): string {
  return grantType === DEVICE_GRANT ? "device_code" : grantType.slice(0, 64);
}
