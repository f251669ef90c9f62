/** The addresses of Opsgenie's alert API that its clients use; the API key is the authorization key. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../platform/problem.ts";
import { endpointByKey, signedEndpoint } from "./authenticate-integration.ts";
import { readBody } from "./body.ts";
import { ALIAS_HEADER, DOOR_HEADER, GENERIC_LIMIT_BYTES, HASH_HEADER } from "./read-delivery.ts";
import { readReceipt } from "./read-receipt.ts";
import type { Receipt } from "./receipt.ts";
import type { Receiver } from "./receive-delivery.ts";
import {
  chargedFor,
  knock,
  onlyAuthorization,
  presentedKey,
  receiverRoute,
  refuseElse,
} from "./routes-knock.ts";
import { OPSGENIE_ACTIONS, OPSGENIE_UPDATES } from "./senders/opsgenie.ts";
import type { Endpoint } from "./store-integrations.ts";
import { findReceipt } from "./store-receipts.ts";
import { findFingerprint } from "./store-responses.ts";

type OfAlert = { Params: { identifier: string; action?: string }; Querystring: { identifierType?: string } };

const startedAt = new WeakMap<FastifyRequest, number>();

/**
 * `POST /opsgenie/v2/alerts`, `…/:identifier/close|acknowledge|notes`, `DELETE …/:identifier`, updates that are kept as
 * receipts, and `GET …/requests/:id` (decision 0085).
 */
export function opsgenieRoutes(app: FastifyInstance, receiver: Receiver): void {
  app.addHook("onRequest", async (request) => {
    startedAt.set(request, performance.now());
  });
  app.addHook("onSend", async (request, reply, payload) => refusalInItsWords(request, reply, payload));
  refuseElse(app, "/opsgenie/*");
  for (const slash of ["", "/"]) {
    app.post(`/opsgenie/v2/alerts${slash}`, receiverRoute, async (request, reply) => {
      await ask(receiver, request, reply, "create");
      return accepted(request, reply);
    });
    app.route<OfAlert>({
      method: ["POST", "PUT"],
      url: `/opsgenie/v2/alerts/:identifier/:action${slash}`,
      ...receiverRoute,
      handler: async (request, reply) => {
        const { action = "", identifier } = request.params;
        if (!isKnown(request.method, action)) throw new Problem("not_found", "404 Not Found");
        await ask(receiver, request, reply, action, { identifier, type: request.query.identifierType });
        return accepted(request, reply);
      },
    });
    app.delete<OfAlert>(`/opsgenie/v2/alerts/:identifier${slash}`, receiverRoute, async (request, reply) => {
      const { identifier } = request.params;
      await ask(receiver, request, reply, "delete", { identifier, type: request.query.identifierType });
      return accepted(request, reply);
    });
    app.get<{ Params: { id: string } }>(
      `/opsgenie/v2/alerts/requests/:id${slash}`,
      { config: { undocumented: true } },
      async (request, reply) => {
        const [endpoint] = await knownBy(receiver, request, genieKey(request));
        return reply.send(await requestRecord(receiver, request, endpoint));
      },
    );
  }
}

/** Whether this is asked for by this method: actions are posted, updates put or posted; only an alert can be deleted. */
function isKnown(method: string, action: string): boolean {
  if (OPSGENIE_UPDATES.has(action)) return true;
  return method === "POST" && action !== "delete" && Object.hasOwn(OPSGENIE_ACTIONS, action);
}

interface Identifier {
  identifier: string;
  type: string | undefined;
}

async function ask(
  receiver: Receiver,
  request: FastifyRequest,
  reply: FastifyReply,
  action: string,
  alert?: Identifier,
) {
  const { platform } = receiver;
  const key = genieKey(request);
  const who = () => endpointByKey(platform, key);
  const door: Record<string, string> = { [DOOR_HEADER]: `opsgenie/${action}` };
  if (!alert) return knock(receiver, request, reply, { who, key, door });
  const body = await bodyOf(request, reply);
  const candidates = await knownBy(receiver, request, key);
  if (alert.type === "alias") door[ALIAS_HEADER] = alert.identifier.toWellFormed().replaceAll("\0", "\ufffd");
  else {
    const iid = /^\d{1,9}$/.test(alert.identifier) ? Number(alert.identifier) : 0;
    const nowSeconds = Date.now() / 1000;
    const { projectId } = signedEndpoint(platform, candidates, {
      raw: body,
      headers: request.headers,
      nowSeconds,
    });
    const hash = await findFingerprint(platform.db, projectId, iid);
    if (hash === undefined) throw new Problem("not_found", "Alert does not exist");
    door[HASH_HEADER] = hash;
  }
  return knock(receiver, request, reply, { who: async () => candidates, key, door, body });
}

/** The integration of a key; a wrong one counts as guessed, as at every door. */
function knownBy(receiver: Receiver, request: FastifyRequest, key: string | undefined) {
  return endpointByKey(receiver.platform, key).catch((refusal: unknown) => {
    throw chargedFor(receiver, request, refusal);
  });
}

/** Clients may leave the body of an action out. */
async function bodyOf(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
  const body = await readBody({ raw: request.raw, answer: reply.raw }, GENERIC_LIMIT_BYTES, "strangers");
  return body.length === 0 ? Buffer.from("{}") : body;
}

function genieKey(request: FastifyRequest): string | undefined {
  return /^geniekey +(\S+) *$/i.exec(onlyAuthorization(request) ?? "")?.[1] ?? presentedKey(request);
}

function accepted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(202);
  return reply.send({
    result: "Request will be processed",
    took: took(request),
    requestId: reply.getHeader("x-alert-receipt"),
  });
}

/** Seconds that the request took so far. */
function took(request: FastifyRequest): number {
  return Math.round(performance.now() - (startedAt.get(request) ?? performance.now())) / 1000;
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  created: "Created alert",
  counted: "Deduplicated alert",
  resolved: "Closed alert",
  acknowledged: "Acknowledged alert",
  noted: "Note added",
  orphan: "Alert does not exist",
  nothing: "Nothing to change",
};

/** What became of a request: it was decided before it was answered. @throws Problem not_found */
async function requestRecord({ platform }: Receiver, request: FastifyRequest, endpoint: Endpoint) {
  const { id } = request.params as { id: string };
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
  const receipt: Receipt | undefined = isUuid
    ? await findReceipt(platform.db, endpoint.projectId, id)
    : undefined;
  if (receipt?.integrationId !== endpoint.id) throw new Problem("not_found", "Request not found");
  const reading = await readReceipt(receipt);
  const { decision } = receipt;
  const isSuccess = decision !== "refused" && decision !== "orphan";
  return {
    data: {
      success: isSuccess,
      isSuccess,
      action: receipt.headers[DOOR_HEADER]?.split("/")[1] ?? "create",
      processedAt: receipt.receivedAt.toISOString(),
      integrationId: String(endpoint.id),
      status: STATUS_WORDS[decision] ?? decision,
      alertId: String(receipt.alertIids[0] ?? ""),
      alias: reading?.dedupKey ?? "",
    },
    took: took(request),
    requestId: receipt.id,
  };
}

/** A refusal with `message`, `errors` by member, `took` and `requestId`; its status stays what every door gives it. */
function refusalInItsWords(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode < 400 || typeof payload !== "string") return payload;
  const { message } = JSON.parse(payload) as { message?: string | Record<string, string[]> };
  const errors =
    typeof message === "object"
      ? Object.fromEntries(Object.entries(message).map(([name, faults]) => [name, faults.join(", ")]))
      : undefined;
  return JSON.stringify({
    message: errors ? "Request body is not processable. Please check the errors." : (message ?? ""),
    ...(errors ? { errors } : {}),
    took: took(request),
    requestId: reply.getHeader("x-alert-receipt") ?? request.id,
  });
}
