/** The routes of the alert receiver (reference alerts A1; contract-alerts). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { allowEvents } from "../platform/event-handshake.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { createBuckets } from "../platform/rate-limit.ts";
import { RECEIVER_PREFIX } from "../platform/receiver-address.ts";
import { ROUTE_HEADER } from "./arrival.ts";
import { possibleEndpoints } from "./authenticate-integration.ts";
import { acceptedStatus, type Outcome } from "./delivery.ts";
import { endpointAddressOf } from "./endpoint-address.ts";
import { createInbox } from "./inbox.ts";
import { KEY_PARAMETER } from "./integration.ts";
import type { Receiver } from "./receive-delivery.ts";
import type { Reading } from "./report.ts";
import { answerPing } from "./routes-heartbeat-ping.ts";
import { opsgenieRoutes } from "./routes-opsgenie.ts";
import { pagerDutyRoutes } from "./routes-pagerduty.ts";
import { presentedKey, receiveRequest, receiverRoute } from "./routes-receive-request.ts";
import { serviceAnswer } from "./service-answers.ts";
import { createThrottle } from "./throttle.ts";

/** Wrong keys that one address may send per minute; beyond that it gets 429, while valid keys are still accepted. */
const REFUSALS_PER_MINUTE = 300;

/** Alerts per project and minute (contract-alerts, throttling), as announced to senders of CloudEvents. */
const ALERTS_PER_MINUTE = 3000;

/**
 * Registers `POST <project>/alerts/notify[.json]`, `…/notify/<name>/<identifier>[.json]`,
 * `…/prometheus/alerts/notify[.json]`, `…/alertmanager/api/v2/alerts`, and the routes that clients of PagerDuty and Opsgenie
 * expect.
 */
export function receiverRoutes(app: FastifyInstance, platform: Platform): void {
  const receiver: Receiver = {
    platform,
    inbox: createInbox(platform),
    throttle: platform.config.rateLimits ? createThrottle(platform.config.workers) : undefined,
    refusals: platform.config.rateLimits ? createBuckets(REFUSALS_PER_MINUTE) : undefined,
  };
  // The handlers check size, key and media type, in this order, so the body must not be parsed before.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.get(`${RECEIVER_PREFIX}/*`, receiverRoute, async (request, reply) => {
    const answered = await answerPing(receiver, request, reply);
    return answered ? reply.send(answered) : refuseMethod(request, reply);
  });
  app.route({
    method: ["PUT", "PATCH", "DELETE"],
    url: `${RECEIVER_PREFIX}/*`,
    ...receiverRoute,
    handler: async (request, reply) => refuseMethod(request, reply),
  });
  app.options(`${RECEIVER_PREFIX}/*`, receiverRoute, async (request, reply) => {
    if (!endpointAddressOf(request.url.slice(RECEIVER_PREFIX.length)))
      throw new Problem("not_found", "404 Not Found");
    return allowEvents(request, reply, ALERTS_PER_MINUTE);
  });
  app.post(`${RECEIVER_PREFIX}/*`, receiverRoute, async (request, reply) => {
    const answered = await answerPing(receiver, request, reply);
    if (answered) return reply.send(answered);
    const address = endpointAddressOf(request.url.slice(RECEIVER_PREFIX.length));
    if (!address) throw new Problem("not_found", "404 Not Found");
    const shown = presentedKey(request);
    const key = shown ?? addressedKey(request);
    const isInAddress = shown === undefined && key !== undefined;
    const { reading, outcome } = await receiveRequest(receiver, request, reply, {
      who: () => possibleEndpoints(platform, address, key, { isInAddress }),
      key,
      ...(address.isManager ? { routeHeaders: { [ROUTE_HEADER]: "prometheus" } } : {}),
    });
    return answer(request, reply, reading, { outcome, isManager: address.isManager });
  });
  // Each in a plugin of its own, since their errors have formats of their own.
  void app.register(async (group) => pagerDutyRoutes(group, receiver));
  void app.register(async (group) => opsgenieRoutes(group, receiver));
}

/** Returns the key in the address; an invalid one if the parameter is repeated. */
function addressedKey({ url }: FastifyRequest): string | undefined {
  const at = url.indexOf("?");
  if (at < 0) return undefined;
  const given = new URLSearchParams(url.slice(at)).getAll(KEY_PARAMETER);
  return given.length > 1 ? "" : given[0];
}

/** Refuses methods other than POST without a query, so that the response does not reveal what exists. */
function refuseMethod(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!endpointAddressOf(request.url.slice(RECEIVER_PREFIX.length)))
    throw new Problem("not_found", "404 Not Found");
  // Elsewhere in the API this response has an `error`; those of the receiver have a `message` (contract-alerts, order of
  // refusal).
  return reply
    .code(405)
    .header("allow", "POST")
    .send({ message: "405 Method Not Allowed: alerts are posted here." });
}

/**
 * Answers with the touched alerts and the items that could not be read; with an empty body for tools that ignore it; or with
 * what the payload or the address asks for (decision 0190).
 */
function answer(
  { url }: FastifyRequest,
  reply: FastifyReply,
  reading: Reading,
  { outcome, isManager }: { outcome: Outcome; isManager: boolean },
): FastifyReply {
  const status = acceptedStatus(reading);
  reply.code(status);
  if (reading.reply) return reply.send(reading.reply);
  if (status === 201 || isManager) return reply.send();
  const asked = serviceAnswer(url, outcome);
  if (!asked) return reply.send([...outcome.alerts, ...(reading.refused ?? [])]);
  if (asked.type) reply.type(asked.type);
  return reply.code(asked.status).send(asked.body);
}
