/** The doors of the alert receiver (reference alerts A1; contract-alerts). */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { RECEIVER_PREFIX } from "../platform/receiver-address.ts";
import { authenticateIntegration } from "./authenticate-integration.ts";
import { checkMediaType, inflate, readBody } from "./body.ts";
import { acceptedStatus, type Outcome } from "./delivery.ts";
import { type Door, doorOf } from "./door.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { readDelivery } from "./read-delivery.ts";
import { keyHint, newReceiptId } from "./receipt.ts";
import type { Reading } from "./report.ts";
import { insertReceipts } from "./store-history.ts";
import type { Endpoint } from "./store-integrations.ts";
import { createThrottle, retriesOnlyServerErrors, type Throttle } from "./throttle.ts";

/** Headers that help to understand a request later; never those that carry a key. */
const KEPT_HEADERS = ["content-type", "content-encoding", "user-agent", "idempotency-key", "x-request-id"];
/** How much of a refused body is kept. */
const KEPT_OF_REFUSED_BYTES = 64 * 1024;

/** What a receiver shares between its requests. */
interface Receiver {
  platform: Platform;
  inbox: Inbox;
  throttle: Throttle | undefined;
}

/** `POST <project>/alerts/notify[.json]`, `…/notify/<name>/<identifier>[.json]`, `…/prometheus/alerts/notify[.json]`. */
export function receiverRoutes(app: FastifyInstance, platform: Platform): void {
  const receiver: Receiver = {
    platform,
    inbox: createInbox(platform),
    throttle: platform.config.rateLimits ? createThrottle(platform.config.workers) : undefined,
  };
  // The door itself judges size, key and media type, in this order, so nothing may read the body before it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.post(
    `${RECEIVER_PREFIX}/*`,
    {
      config: { undocumented: true },
      onRequest: async (request) => {
        // A media type that cannot be parsed is refused in its turn, after the key.
        contentTypes.set(request, request.headers["content-type"]);
        delete request.headers["content-type"];
      },
    },
    async (request, reply) => {
      const door = doorOf(request.url.slice(RECEIVER_PREFIX.length));
      if (!door) throw new Problem("not_found", "404 Not Found");
      return receive(receiver, request, reply, door);
    },
  );
}

const contentTypes = new WeakMap<FastifyRequest, string | undefined>();

/** Judges one request in the order of contract-alerts: size, key and integration, body. */
async function receive(
  receiver: Receiver,
  request: FastifyRequest,
  reply: FastifyReply,
  door: Door,
): Promise<FastifyReply> {
  const key = presentedKey(request);
  const entry = await authenticateIntegration(receiver.platform, door, key).catch((error: unknown) => error);
  const isIn = !(entry instanceof Error);
  const raw = await readBody(request.raw, !isIn);
  if (!isIn) throw entry;
  const endpoint = entry as Endpoint;
  checkThrottle(receiver.throttle, endpoint.projectId, request);
  const receiptId = newReceiptId(Date.now());
  reply.header("x-alert-receipt", receiptId);
  const knock = { endpoint, receiptId, raw, keyHint: keyHint(key ?? ""), headers: keptHeaders(request) };
  let reading: Reading;
  try {
    checkMediaType(contentTypes.get(request), request.headers["x-amz-sns-message-type"] !== undefined);
    const body = await inflate(raw, request.headers["content-encoding"]);
    reading = readDelivery(body, endpoint);
  } catch (error) {
    await keepRefusal(receiver.platform, knock, error);
    throw error;
  }
  const outcome = await receiver.inbox.submit({
    ...knock,
    projectId: endpoint.projectId,
    projectPath: endpoint.projectPath,
    integrationId: endpoint.id,
    integrationName: endpoint.name,
    groupsByPayload: endpoint.grouping && endpoint.plan === "premium",
    createsIncidents: endpoint.createIncident,
    reading,
    idempotencyHash: idempotencyHash(request),
  });
  return answer(reply, reading, outcome);
}

function answer(reply: FastifyReply, reading: Reading, outcome: Outcome): FastifyReply {
  const status = acceptedStatus(reading);
  reply.code(status).header("x-alert-receipt", outcome.receiptId);
  return status === 201 ? reply.send() : reply.send(outcome.alerts);
}

/** The key as Bearer, or as the password of Basic whatever its user; undefined when there is none, or two. */
function presentedKey(request: FastifyRequest): string | undefined {
  const given = request.raw.headersDistinct.authorization ?? [];
  const [first] = given;
  if (first === undefined || given.length > 1) return undefined;
  const bearer = /^bearer +(\S+) *$/i.exec(first)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(first)?.[1];
  if (basic === undefined) return undefined;
  const pair = Buffer.from(basic, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? undefined : pair.slice(colon + 1);
}

function checkThrottle(throttle: Throttle | undefined, projectId: number, request: FastifyRequest): void {
  const waitSeconds = throttle?.take(projectId, performance.now() / 1000) ?? 0;
  if (waitSeconds === 0) return;
  const isPatient = retriesOnlyServerErrors(request.headers["user-agent"]);
  throw new Problem(
    isPatient ? "unavailable" : "too_many",
    "This project sends more than 3,000 alerts a minute. Try again shortly.",
    { retryAfterSeconds: waitSeconds },
  );
}

function keptHeaders(request: FastifyRequest): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = name === "content-type" ? contentTypes.get(request) : request.headers[name];
    if (typeof value === "string") kept[name] = value.slice(0, 500).toWellFormed();
  }
  return kept;
}

function idempotencyHash(request: FastifyRequest): Buffer | undefined {
  const key = request.headers["idempotency-key"];
  return typeof key === "string" && key !== "" ? createHash("sha256").update(key).digest() : undefined;
}

interface Knock {
  endpoint: Endpoint;
  receiptId: string;
  raw: Buffer;
  keyHint: string;
  headers: Readonly<Record<string, string>>;
}

const REFUSED_STATUS: Readonly<Record<string, number>> = {
  unsupported: 415,
  unprocessable: 422,
  too_large: 413,
};

/** A refused body stands in the list of receipts too, so that whoever set up the sender can see why. */
async function keepRefusal(platform: Platform, knock: Knock, error: unknown): Promise<void> {
  if (!(error instanceof Problem)) return;
  const { endpoint, receiptId, raw, keyHint: hint, headers } = knock;
  await insertReceipts(platform.db, [
    {
      id: receiptId,
      projectId: endpoint.projectId,
      integrationId: endpoint.id,
      keyHint: hint,
      headers,
      raw: raw.subarray(0, KEPT_OF_REFUSED_BYTES),
      status: REFUSED_STATUS[error.kind] ?? 400,
      decision: "refused",
      warnings: [error.message],
      alertIids: [],
    },
  ]);
}
