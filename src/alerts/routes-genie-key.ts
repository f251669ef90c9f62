/** Identifies the integration of an Opsgenie client by its API key, and measures how long its requests take. */
import type { FastifyRequest } from "fastify";
import { tooManyRequests } from "../platform/admit.ts";
import { createBuckets, secondsNow } from "../platform/rate-limit.ts";
import { endpointByKey, signedEndpoint } from "./authenticate-integration.ts";
import type { Receiver } from "./receive-delivery.ts";
import { chargedFor, onlyAuthorization, presentedKey } from "./routes-receive-request.ts";
import type { Endpoint } from "./store-integrations.ts";

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

/** Authenticates a read. @throws Problem unauthenticated, forbidden; too_many: too many reads */
export type Authenticate = (request: FastifyRequest) => Promise<Endpoint>;

/** For integrations that each may read so often a minute; one that requires signatures, only with that of an empty body. */
export function authenticatorOf(receiver: Receiver, perMinute: number): Authenticate {
  const looks = receiver.refusals && createBuckets(perMinute);
  return async (request) => {
    const candidates = await knownBy(receiver, request, genieKey(request));
    const nowSeconds = Date.now() / 1000;
    const signed = { raw: Buffer.alloc(0), headers: request.headers, nowSeconds };
    const endpoint = signedEndpoint(receiver.platform, candidates, signed);
    const { waitSeconds } = looks?.take(`${endpoint.id}`, secondsNow()) ?? { waitSeconds: 0 };
    if (waitSeconds === 0) return endpoint;
    throw tooManyRequests(waitSeconds);
  };
}
