/** What a rate limit answers. */
import assert from "node:assert/strict";
import type { Reply } from "./world.ts";

/** Asserts that a reply is the refusal of a limit of this many requests, with headers that agree (contract §4, rate limits). */
export function assertLimited(reply: Reply | undefined, limit: string): void {
  assert.equal(reply?.status, 429, reply?.text);
  const wait = Number(reply.headers.get("retry-after"));
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
  assert.equal(reply.headers.get("ratelimit-limit"), limit);
  assert.equal(reply.headers.get("ratelimit-remaining"), "0");
  assert.equal(reply.headers.get("ratelimit-reset"), String(wait));
}
