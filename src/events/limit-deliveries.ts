/** Limits deliveries to event sources: proven ones by source, and refused ones by the sender's address (decision 0300). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { admit, setLimitHeaders } from "../platform/admit.ts";
import type { Config } from "../platform/config.ts";
import type { Problem } from "../platform/problem.ts";
import { createBuckets, partyOf, secondsNow } from "../platform/rate-limit.ts";
import type { Source } from "./source.ts";

/** Proven deliveries to one source per minute, as senders of CloudEvents are told (contract §4, rate limits). */
export const DELIVERIES_PER_MINUTE = 2000;

/** Deliveries of one address per minute that are refused as such; beyond that it gets 429, while proven ones are still accepted. */
const REFUSALS_PER_MINUTE = 300;

/** The reason, for Maintainers of the source. */
const TOO_MANY = `More than ${DELIVERIES_PER_MINUTE.toLocaleString("en")} deliveries came within a minute.`;

export interface DeliveryLimits {
  /** @throws Problem too_many if the source has received as many deliveries as it may */
  check(source: Source, reply: FastifyReply): void;
  /** Counts a proven delivery. @throws Problem too_many, as `check` */
  count(source: Source, reply: FastifyReply): void;
  /** Counts a refusal against its sender's address. @throws Problem the refusal; too_many in its place after too many of them */
  refuse(request: FastifyRequest, reply: FastifyReply, refusal: Problem): never;
}

/** Returns the limits of this process. */
export function limitDeliveries({ rateLimits }: Pick<Config, "rateLimits">): DeliveryLimits {
  if (!rateLimits) return UNLIMITED;
  const sources = createBuckets(DELIVERIES_PER_MINUTE);
  const refusals = createBuckets(REFUSALS_PER_MINUTE);
  const check = ({ id }: Source, reply: FastifyReply) =>
    admit(reply, sources.look(`${id}`, secondsNow()), TOO_MANY);
  return {
    check,
    count: (source, reply) => {
      check(source, reply);
      setLimitHeaders(reply, sources.take(`${source.id}`, secondsNow()));
    },
    refuse: (request, reply, refusal) => {
      const party = partyOf(request.ip);
      // Maintainers of the source read why it is refused, not how often.
      admit(reply, refusals.look(party, secondsNow()), refusal.log ?? refusal.message);
      refusals.take(party, secondsNow());
      throw refusal;
    },
  };
}

const UNLIMITED: DeliveryLimits = {
  check: () => {},
  count: () => {},
  refuse: (_request, _reply, refusal) => {
    throw refusal;
  },
};
