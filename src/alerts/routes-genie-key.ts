/** Identifies the integration of an Opsgenie client by its API key, and measures how long its requests take. */
import type { FastifyRequest } from "fastify";
import { endpointByKey } from "./authenticate-integration.ts";
import type { Receiver } from "./receive-delivery.ts";
import { chargedFor, onlyAuthorization, presentedKey } from "./routes-receive-request.ts";

const startedAt = new WeakMap<FastifyRequest, number>();

/** Remembers when a request arrived. */
export function began(request: FastifyRequest): void {
  startedAt.set(request, performance.now());
}

/** Returns the seconds since the request arrived. */
export function took(request: FastifyRequest): number {
  return Math.round(performance.now() - (startedAt.get(request) ?? performance.now())) / 1000;
}

/** Returns the key sent as GenieKey, else as on all other routes. */
export function genieKey(request: FastifyRequest): string | undefined {
  return /^geniekey +(\S+) *$/i.exec(onlyAuthorization(request) ?? "")?.[1] ?? presentedKey(request);
}

/**
 * Returns the integration of a key; a wrong one counts as a refusal, as on all other routes. @throws Problem unauthenticated,
 * forbidden
 */
export function knownBy(receiver: Receiver, request: FastifyRequest, key: string | undefined) {
  return endpointByKey(receiver.platform, key).catch((refusal: unknown) => {
    throw chargedFor(receiver, request, refusal);
  });
}
