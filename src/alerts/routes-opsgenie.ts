/** The routes of Opsgenie's alert API by which its clients open and change alerts; the API key is the authorization key. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../platform/problem.ts";
import { ALIAS_HEADER, HASH_HEADER, ROUTE_HEADER } from "./arrival.ts";
import { endpointByKey, signedEndpoint } from "./authenticate-integration.ts";
import { readBody } from "./body.ts";
import { GENERIC_LIMIT_BYTES } from "./body-limits.ts";
import type { Receiver } from "./receive-delivery.ts";
import { began, genieKey, knownBy, took } from "./routes-genie-key.ts";
import { opsgenieReads } from "./routes-opsgenie-reads.ts";
import { opsgenieRequests } from "./routes-opsgenie-requests.ts";
import { receiveRequest, receiverRoute, refuseElse } from "./routes-receive-request.ts";
import { OPSGENIE_ACTIONS, OPSGENIE_DELETED, OPSGENIE_KEPT } from "./senders/opsgenie.ts";
import { findFingerprint } from "./store-responses.ts";

type OfAlert = {
  Params: { identifier: string; action?: string; name?: string };
  Querystring: { identifierType?: string; tags?: string | string[]; keys?: string | string[] };
};

/** The name under which the kept headers hold what a request without a body asked for: the action to run, or what to remove. */
const ASKED_HEADER = ":asked";

/**
 * Registers `POST /opsgenie/v2/alerts`, `…/:identifier/close|acknowledge|unacknowledge|assign|notes`, `DELETE …/:identifier`,
 * and routes that only store a receipt: updates, snoozing, escalating, teams, responders, actions (decisions 0085, 0186).
 */
export function opsgenieRoutes(app: FastifyInstance, receiver: Receiver): void {
  app.addHook("onRequest", async (request) => began(request));
  app.addHook("onSend", async (request, reply, payload) => refusalInItsWords(request, reply, payload));
  refuseElse(app, "/opsgenie/*");
  for (const slash of ["", "/"]) {
    app.post(`/opsgenie/v2/alerts${slash}`, receiverRoute, async (request, reply) => {
      await ask(receiver, request, reply, "create");
      return accepted(request, reply);
    });
    for (const [path, named] of [
      [":action", undefined],
      ["actions/:name", "actions"],
    ] as const) {
      app.route<OfAlert>({
        method: ["POST", "PUT", "DELETE"],
        url: `/opsgenie/v2/alerts/:identifier/${path}${slash}`,
        ...receiverRoute,
        handler: async (request, reply) => {
          const { action = named ?? "", identifier } = request.params;
          if (!isKnown(request.method, action)) throw new Problem("not_found", "404 Not Found");
          const { identifierType: type, tags, keys } = request.query;
          const asked =
            request.params.name ??
            (request.method === "DELETE" ? [tags ?? keys ?? ""].flat().join(",") : undefined);
          await ask(receiver, request, reply, action, { identifier, type, asked });
          return accepted(request, reply);
        },
      });
    }
    app.delete<OfAlert>(`/opsgenie/v2/alerts/:identifier${slash}`, receiverRoute, async (request, reply) => {
      const { identifier } = request.params;
      await ask(receiver, request, reply, "delete", { identifier, type: request.query.identifierType });
      return accepted(request, reply);
    });
  }
  opsgenieReads(app, receiver);
  opsgenieRequests(app, receiver);
}

/**
 * Whether Opsgenie has this action with this method: POST for actions, any for those that only store a receipt; an alert and
 * its tags can be deleted.
 */
function isKnown(method: string, action: string): boolean {
  if (method === "DELETE") return OPSGENIE_DELETED.has(action);
  if (Object.hasOwn(OPSGENIE_KEPT, action)) return true;
  return method === "POST" && action !== "delete" && Object.hasOwn(OPSGENIE_ACTIONS, action);
}

interface Asked {
  identifier: string;
  type: string | undefined;
  asked?: string | undefined;
}

async function ask(
  receiver: Receiver,
  request: FastifyRequest,
  reply: FastifyReply,
  action: string,
  alert?: Asked,
) {
  const { platform } = receiver;
  const key = genieKey(request);
  const who = () => endpointByKey(platform, key);
  const routeHeaders: Record<string, string> = { [ROUTE_HEADER]: `opsgenie/${action}` };
  if (!alert) return receiveRequest(receiver, request, reply, { who, key, routeHeaders });
  const body = await bodyOf(request, reply);
  const candidates = await knownBy(receiver, request, key);
  if (alert.asked !== undefined) routeHeaders[ASKED_HEADER] = storable(alert.asked.slice(0, 600));
  if (alert.type === "alias") routeHeaders[ALIAS_HEADER] = storable(alert.identifier);
  else {
    const iid = /^\d{1,9}$/.test(alert.identifier) ? Number(alert.identifier) : 0;
    const nowSeconds = Date.now() / 1000;
    const endpoint = signedEndpoint(platform, candidates, {
      raw: body,
      headers: request.headers,
      nowSeconds,
    });
    const hash = await findFingerprint(platform.db, endpoint, iid);
    if (hash === undefined) throw new Problem("not_found", "Alert does not exist");
    routeHeaders[HASH_HEADER] = hash;
  }
  return receiveRequest(receiver, request, reply, { who: async () => candidates, key, routeHeaders, body });
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** Reads the body; clients may leave out that of an action. */
async function bodyOf(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
  const body = await readBody({ raw: request.raw, answer: reply.raw }, GENERIC_LIMIT_BYTES, "strangers");
  return body.length === 0 ? Buffer.from("{}") : body;
}

function accepted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(202);
  return reply.send({
    result: "Request will be processed",
    took: took(request),
    requestId: reply.getHeader("x-alert-receipt"),
  });
}

/** Returns an error with `message`, `errors` by member, `took` and `requestId`; its status is that of all other routes. */
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
