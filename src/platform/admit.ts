/** Refuses requests whose bucket is empty, and tells callers what is left of one (decision 0070). */
import type { FastifyReply } from "fastify";
import { Problem } from "./problem.ts";
import type { Standing } from "./rate-limit.ts";

/**
 * `log`: why, for the operator.
 * @throws Problem too_many if the bucket is empty; the error reply adds `Retry-After`
 */
export function admit(reply: FastifyReply, standing: Standing, log = "rate limit"): void {
  const { waitSeconds } = standing;
  if (waitSeconds === 0) return;
  setLimitHeaders(reply, { ...standing, remaining: 0, resetSeconds: waitSeconds });
  throw tooManyRequests(waitSeconds, log);
}

/** The refusal of a request whose bucket is empty; `log`: why, for the operator. */
export function tooManyRequests(waitSeconds: number, log?: string): Problem {
  return new Problem("too_many", `429 Too Many Requests. Try again in ${waitSeconds} s.`, {
    retryAfterSeconds: waitSeconds,
    ...(log === undefined ? {} : { log }),
  });
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-03. */
export function setLimitHeaders(reply: FastifyReply, { limit, remaining, resetSeconds }: Standing): void {
  reply.headers({
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  });
}
