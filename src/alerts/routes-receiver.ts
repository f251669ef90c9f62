/** The doors of the alert receiver (reference alerts A1; contract-alerts). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { allowEvents } from "../platform/event-handshake.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { createBuckets } from "../platform/rate-limit.ts";
import { RECEIVER_PREFIX } from "../platform/receiver-address.ts";
import { possibleEndpoints } from "./authenticate-integration.ts";
import { acceptedStatus, type Outcome } from "./delivery.ts";
import { doorOf } from "./door.ts";
import { createInbox } from "./inbox.ts";
import { KEY_PARAMETER } from "./integration.ts";
import { DOOR_HEADER } from "./read-delivery.ts";
import type { Receiver } from "./receive-delivery.ts";
import type { Reading } from "./report.ts";
import { answerPing } from "./routes-heartbeat-ping.ts";
import { opsgenieRoutes } from "./routes-opsgenie.ts";
import { pagerDutyRoutes } from "./routes-pagerduty.ts";
import { presentedKey, receiveRequest, receiverRoute } from "./routes-receive-request.ts";
import { serviceAnswer } from "./service-answers.ts";
import { createThrottle } from "./throttle.ts";

/** Wrong keys that one party may show in a minute; beyond that it is told to wait, and right ones still come in. */
const REFUSALS_PER_MINUTE = 300;

/** Alerts that a project takes in a minute (contract-alerts, throttling), as a sender of CloudEvents is told. */
const ALERTS_PER_MINUTE = 3000;

/**
 * `POST <project>/alerts/notify[.json]`, `…/notify/<name>/<identifier>[.json]`, `…/prometheus/alerts/notify[.json]`,
 * `…/alertmanager/api/v2/alerts`, and the addresses that clients of PagerDuty and Opsgenie expect.
 */
export function receiverRoutes(app: FastifyInstance, platform: Platform): void {
  const receiver: Receiver = {
    platform,
    inbox: createInbox(platform),
    throttle: platform.config.rateLimits ? createThrottle(platform.config.workers) : undefined,
    refusals: platform.config.rateLimits ? createBuckets(REFUSALS_PER_MINUTE) : undefined,
  };
  // The door itself judges size, key and media type, in this order, so nothing may read the body before it.
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
    if (!doorOf(request.url.slice(RECEIVER_PREFIX.length))) throw new Problem("not_found", "404 Not Found");
    return allowEvents(request, reply, ALERTS_PER_MINUTE);
  });
  app.post(`${RECEIVER_PREFIX}/*`, receiverRoute, async (request, reply) => {
    const answered = await answerPing(receiver, request, reply);
    if (answered) return reply.send(answered);
    const door = doorOf(request.url.slice(RECEIVER_PREFIX.length));
    if (!door) throw new Problem("not_found", "404 Not Found");
    const shown = presentedKey(request);
    const key = shown ?? addressedKey(request);
    const isInAddress = shown === undefined && key !== undefined;
    const { reading, outcome } = await receiveRequest(receiver, request, reply, {
      who: () => possibleEndpoints(platform, door, key, { isInAddress }),
      key,
      ...(door.isManager ? { door: { [DOOR_HEADER]: "prometheus" } } : {}),
    });
    return answer(request, reply, reading, outcome);
  });
  // Each in a group of its own, for they word their refusals in their own ways.
  void app.register(async (group) => pagerDutyRoutes(group, receiver));
  void app.register(async (group) => opsgenieRoutes(group, receiver));
}

/** The key as a parameter of the address; of several none can be right. */
function addressedKey({ url }: FastifyRequest): string | undefined {
  const at = url.indexOf("?");
  if (at < 0) return undefined;
  const given = new URLSearchParams(url.slice(at)).getAll(KEY_PARAMETER);
  return given.length > 1 ? "" : given[0];
}

/** Whatever is not posted to an endpoint: nothing is asked of the database, so that it says nothing of what exists. */
function refuseMethod(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!doorOf(request.url.slice(RECEIVER_PREFIX.length))) throw new Problem("not_found", "404 Not Found");
  // In the API this refusal has an `error`; each of the receiver's has a `message` (contract-alerts, order of refusal).
  return reply
    .code(405)
    .header("allow", "POST")
    .send({ message: "405 Method Not Allowed: alerts are posted here." });
}

/**
 * A list of the alerts touched, and of what could not be read of many; nothing to those tools that read nothing, and what it
 * asked for to one that asked, be it by its address (decision 0190).
 */
function answer(
  { url }: FastifyRequest,
  reply: FastifyReply,
  reading: Reading,
  outcome: Outcome,
): FastifyReply {
  const status = acceptedStatus(reading);
  reply.code(status);
  if (reading.reply) return reply.send(reading.reply);
  if (status === 201 || reading.shape === "prometheus") return reply.send();
  const asked = serviceAnswer(url, outcome);
  if (!asked) return reply.send([...outcome.alerts, ...(reading.refused ?? [])]);
  if (asked.type) reply.type(asked.type);
  return reply.code(asked.status).send(asked.body);
}
