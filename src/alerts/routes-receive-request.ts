/** Receives requests for all routes of the receiver, with checks in the order of contract-alerts: size, key, rate, body. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setLimitHeaders, tooManyRequests } from "../platform/admit.ts";
import { awaitsBody } from "../platform/late-bodies.ts";
import { Problem } from "../platform/problem.ts";
import { partyOf, secondsNow } from "../platform/rate-limit.ts";
import { ROUTE_HEADER } from "./arrival.ts";
import { checkTakesAlerts, signedEndpoint } from "./authenticate-integration.ts";
import { checkSizeOfRefused, readBody } from "./body.ts";
import { GENERIC_LIMIT_BYTES, GROUP_LIMIT_BYTES } from "./body-limits.ts";
import { newReceiptId } from "./receipt.ts";
import { type PresentedRequest, type Receiver, receiveDelivery } from "./receive-delivery.ts";
import type { Endpoint } from "./store-integrations.ts";
import { type AlertSender, retriesOnlyServerErrors } from "./throttle.ts";

/** Headers that help to understand a request later; never one with a key or a signature. */
const KEPT_HEADERS = [
  "content-type",
  "content-encoding",
  "user-agent",
  "idempotency-key",
  "x-request-id",
  "webhook-id",
  "webhook-timestamp",
  "x-amz-sns-message-type",
  "x-amz-sns-topic-arn",
  "sentry-hook-resource",
  "sentry-hook-timestamp",
  "request-id",
];

/** The kinds of refusal of a body that cannot be read: 400, 415 and 422. */
const UNREAD: ReadonlySet<string> = new Set(["invalid", "unsupported", "unprocessable"]);

const contentTypes = new WeakMap<FastifyRequest, string | undefined>();

/** Options of every route of the receiver: an unsupported media type is refused in its turn, after size and key. */
export const receiverRoute = {
  config: { undocumented: true },
  onRequest: async (request: FastifyRequest): Promise<void> => {
    contentTypes.set(request, request.headers["content-type"]);
    delete request.headers["content-type"];
  },
};

/**
 * Answers 404 for all other paths of another service's API, in that service's format instead of as a page. No namespace can
 * have a name that begins like these paths.
 */
export function refuseElse(app: FastifyInstance, url: string): void {
  app.route({
    method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    url,
    ...receiverRoute,
    handler: async () => {
      throw new Problem("not_found", "404 Not Found");
    },
  });
}

type Candidates = readonly [Endpoint, ...Endpoint[]];

export interface Entry {
  /** Finds the integrations that may be calling, before the body is read. */
  who: () => Promise<Candidates>;
  key: string | undefined;
  /** What the route adds to the request's headers. */
  routeHeaders?: Readonly<Record<string, string>>;
  /** The body if the route has read it already, and the headers that no longer apply to it. */
  body?: Buffer;
  wrongHeaders?: readonly string[];
}

/**
 * Receives one request and returns its reading, the outcome, and the integration.
 * @throws Problem of every kind of refusal
 */
export async function receiveRequest(
  receiver: Receiver,
  request: FastifyRequest,
  reply: FastifyReply,
  entry: Entry,
) {
  const exchange = { raw: request.raw, answer: reply.raw };
  let candidates = await entry.who().catch(async (refusal: unknown) => {
    const charged = chargedFor(receiver, request, refusal);
    const takesGroups = entry.routeHeaders?.[ROUTE_HEADER] === "prometheus";
    if (!entry.body) await checkSizeOfRefused(exchange, { takesGroups });
    throw charged;
  });
  const isLate = awaitsBody(request);
  // A request without a key is unauthenticated until its body is read, so a smaller limit applies.
  const [limit, room] =
    entry.key === undefined
      ? ([GENERIC_LIMIT_BYTES, "strangers"] as const)
      : ([GROUP_LIMIT_BYTES, "known"] as const);
  const raw = entry.body ?? (await readBody(exchange, limit, room));
  // The key may have ended since the headers were read (decision 0313).
  if (isLate) {
    candidates = await entry.who().catch((refusal: unknown) => {
      throw chargedFor(receiver, request, refusal);
    });
  }
  const receivedAt = new Date();
  const signed = { raw, headers: request.headers, nowSeconds: receivedAt.getTime() / 1000 };
  const endpoint = signedOne(receiver, request, () => signedEndpoint(receiver.platform, candidates, signed));
  checkTakesAlerts(endpoint);
  checkThrottle(receiver, endpoint, request, reply);
  const receiptId = newReceiptId(receivedAt.getTime());
  reply.header("x-alert-receipt", receiptId);
  const headers = { ...keptHeaders(request), ...entry.routeHeaders };
  for (const name of entry.wrongHeaders ?? []) delete headers[name];
  const idempotencyKey = request.headers["idempotency-key"];
  const presented: PresentedRequest = {
    endpoint,
    receiptId,
    receivedAt,
    key: entry.key,
    raw,
    mediaType: contentTypes.get(request),
    headers,
    idempotencyKey: typeof idempotencyKey === "string" && idempotencyKey !== "" ? idempotencyKey : undefined,
    answer: reply.raw,
  };
  const received = await receiveDelivery(receiver, presented).catch((refusal: unknown) => {
    // Only accepted alerts count (contract-alerts, throttling).
    if (refusal instanceof Problem && UNREAD.has(refusal.kind)) {
      receiver.throttle?.giveBack(senderOf(endpoint), secondsNow());
    }
    // Nothing was stored, so there is no receipt either.
    if (!(refusal instanceof Problem) || refusal.kind === "unavailable")
      reply.removeHeader("x-alert-receipt");
    throw refusal;
  });
  reply.header("x-alert-receipt", received.outcome.receiptId);
  // A repeat has the receipt of the first request, and opened nothing (reference alerts A3).
  const isRepeat = received.outcome.receiptId !== receiptId;
  if (isRepeat || received.outcome.isCounted) reply.header("x-alert-deduplicated", "true");
  return { ...received, endpoint };
}

function signedOne(receiver: Receiver, request: FastifyRequest, find: () => Endpoint): Endpoint {
  try {
    return find();
  } catch (refusal) {
    throw chargedFor(receiver, request, refusal);
  }
}

/** Counts a refusal against its sender; after too many of them, returns a 429 in its place. */
export function chargedFor({ refusals }: Receiver, request: FastifyRequest, refusal: unknown): unknown {
  if (!refusals || !(refusal instanceof Problem) || refusal.kind === "unavailable") return refusal;
  const { waitSeconds } = refusals.take(partyOf(request.ip), secondsNow());
  if (waitSeconds === 0) return refusal;
  return tooManyRequests(waitSeconds, "wrong authorization keys");
}

/**
 * Returns the key sent as Bearer, as `Key` (decision 0270), or as the password of Basic with any user. Undefined without an
 * Authorization header; several of them, or an unknown scheme, yield a key that is never valid.
 */
export function presentedKey(request: FastifyRequest): string | undefined {
  const first = onlyAuthorization(request);
  if (first === undefined) return undefined;
  const bare = /^(?:bearer|key) +(\S+) *$/i.exec(first)?.[1];
  if (bare !== undefined) return bare;
  const basic = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(first)?.[1];
  if (basic === undefined) return "";
  const pair = Buffer.from(basic, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? "" : pair.slice(colon + 1);
}

/** Returns the only Authorization header; undefined if it is absent or empty, an invalid one if there are several. */
export function onlyAuthorization(request: FastifyRequest): string | undefined {
  const given = request.raw.headersDistinct.authorization ?? [];
  const [first] = given;
  if (first === undefined || first.trim() === "") return undefined;
  return given.length > 1 ? "several" : first;
}

function checkThrottle(
  { throttle }: Receiver,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (!throttle) return;
  const standing = throttle.take(senderOf(endpoint), secondsNow());
  setLimitHeaders(reply, standing);
  if (standing.waitSeconds === 0) return;
  const isPatient = retriesOnlyServerErrors(request.headers["user-agent"]);
  throw new Problem(
    isPatient ? "unavailable" : "too_many",
    "This project sends more than 3,000 alerts a minute. Try again shortly.",
    { retryAfterSeconds: standing.waitSeconds },
  );
}

function senderOf({ projectId, id }: Endpoint): AlertSender {
  return { projectId, integrationId: id };
}

function keptHeaders(request: FastifyRequest): Record<string, string> {
  const kept: Record<string, string> = {};
  const events = Object.keys(request.headers).filter((name) => name.startsWith("ce-"));
  for (const name of [...KEPT_HEADERS, ...events.slice(0, 20)]) {
    const value = name === "content-type" ? contentTypes.get(request) : request.headers[name];
    if (typeof value === "string") kept[name] = value.slice(0, 600).replaceAll("\0", "\ufffd").toWellFormed();
  }
  return kept;
}
