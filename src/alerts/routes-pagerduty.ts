/** The routes that clients of PagerDuty send events to; the routing key in the body is the authorization key. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isObject } from "../platform/json-object.ts";
import { Problem } from "../platform/problem.ts";
import { ROUTE_HEADER } from "./arrival.ts";
import { endpointByKey } from "./authenticate-integration.ts";
import { inflate, readBody } from "./body.ts";
import { GENERIC_LIMIT_BYTES } from "./body-limits.ts";
import { readJson } from "./payload.ts";
import type { Receiver } from "./receive-delivery.ts";
import { receiveRequest, receiverRoute, refuseElse } from "./routes-receive-request.ts";

const CUT = "[authorization key]";

/** Registers `POST /v2/enqueue`, `POST /v2/change/enqueue`, `POST /generic/2010-04-15/create_event.json` (decision 0085). */
export function pagerDutyRoutes(app: FastifyInstance, receiver: Receiver): void {
  app.addHook("onSend", async (_request, reply, payload) => refusalInItsWords(reply, payload));
  refuseElse(app, "/v2/*");
  for (const [path, route] of [
    ["/v2/enqueue", "events"],
    ["/v2/change/enqueue", "change"],
    ["/generic/2010-04-15/create_event.json", "generic"],
  ] as const) {
    for (const address of [path, `${path}/`]) {
      app.post(address, receiverRoute, async (request, reply) => {
        const dedupKey = await enqueue(receiver, request, reply, route);
        const named = dedupKey === undefined ? {} : keyMember(route, dedupKey);
        reply.code(route === "generic" ? 200 : 202);
        return reply.send({ status: "success", message: "Event processed", ...named });
      });
    }
  }
}

function keyMember(route: string, key: string): Record<string, string> {
  return route === "generic" ? { incident_key: key } : { dedup_key: key };
}

async function enqueue(receiver: Receiver, request: FastifyRequest, reply: FastifyReply, route: string) {
  const exchange = { raw: request.raw, answer: reply.raw };
  const raw = await readBody(exchange, GENERIC_LIMIT_BYTES, "strangers");
  // An event is never larger; the limit applies to everybody, since the key is known only after reading the body.
  const sent = { from: "strangers", answer: reply.raw, limit: GENERIC_LIMIT_BYTES } as const;
  const { value } = readJson(await inflate(raw, request.headers["content-encoding"], sent));
  if (!isObject(value)) throw new Problem("invalid", "The body is not a JSON object.");
  const { routing_key: routing, service_key: service, ...event } = value;
  const header = request.headers["x-routing-key"];
  const key = [route === "generic" ? service : routing, header].find((one) => typeof one === "string" && one);
  if (typeof key !== "string") {
    throw new Problem(
      "invalid",
      `${route === "generic" ? "service_key" : "routing_key"} is missing or blank`,
    );
  }
  const { reading } = await receiveRequest(receiver, request, reply, {
    who: () => endpointByKey(receiver.platform, key),
    key,
    routeHeaders: { [ROUTE_HEADER]: `pagerduty/${route}` },
    body: Buffer.from(withoutKey(event, key)),
    wrongHeaders: ["content-encoding"],
  });
  return reading.dedupKey;
}

/**
 * Removes the key from all of the event, so that it is never stored or shown. A key shorter than its replacement cannot be
 * valid; replacing one of a single letter would make an event twenty times as large.
 */
function withoutKey(event: object, key: string): string {
  const written = JSON.stringify(event);
  return key.length < CUT.length ? written : written.replaceAll(JSON.stringify(key).slice(1, -1), CUT);
}

/** Returns an error as `{status, message, errors}`; its status is that of all other routes. */
function refusalInItsWords(reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode < 400 || typeof payload !== "string") return payload;
  const { message } = JSON.parse(payload) as { message?: string | Record<string, string[]> };
  const errors =
    typeof message === "object"
      ? Object.entries(message).flatMap(([name, faults]) => faults.map((fault) => `${name} ${fault}`))
      : [
          reply.statusCode === 401
            ? "routing_key is not the key of an integration"
            : (message ?? "cannot be read"),
        ];
  if (reply.statusCode === 429) {
    return JSON.stringify({ status: "throttle exceeded", message: errors[0], errors });
  }
  if (reply.statusCode >= 500) return JSON.stringify({ status: "unavailable", message: errors[0], errors });
  return JSON.stringify({ status: "invalid event", message: "Event object is invalid", errors });
}
