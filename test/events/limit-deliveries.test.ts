/** Limits of deliveries to event sources, on a service that has rate limits on. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Forge, SECRET, sources, startForge } from "../support/forge.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { assertLimited } from "../support/rate-limits.ts";
import type { Reply, World } from "../support/world.ts";

let world: World;
let url: string;
let deliver: Forge["deliver"];
before(async () => {
  stopsMeasuring();
  const settings = { GATEHOUSE_RATE_LIMITS: "on", GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1" };
  ({ world, url, deliver } = await startForge(settings));
});

const from = (address: string) => ({ "x-forwarded-for": address });
const ping = (address: string, options: { to?: string; secret?: string } = {}) =>
  deliver("ping", { zen: "Keep it logically awesome." }, { ...options, headers: from(address) });

/** Repeats a request, a few at a time. */
async function times(n: number, ask: () => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = [];
  while (replies.length < n) {
    replies.push(...(await Promise.all(Array.from({ length: Math.min(8, n - replies.length) }, ask))));
  }
  return replies;
}

/** How many replies had each status. */
function statuses(replies: Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function refusals(of: string): Promise<{ status: number; reason: string }[]> {
  const id = (await world.call(sources, { as: "max" })).json.find((source: { url: string }) =>
    source.url.endsWith(of),
  ).id;
  return (await world.call(`${sources}/${id}/refusals`, { as: "max" })).json;
}

test("deliveries of one address are not anonymous requests of the API, and do not wait for them (decision 0300)", async () => {
  const forge = "198.51.100.1";
  const visits = await times(310, () => world.call("/api/v4/version", { headers: from(forge) }));
  assert.equal(statuses(visits)[429], 10, "the anonymous requests of the address are used up");
  const delivered = await times(310, () => ping(forge));
  assert.deepEqual(statuses(delivered), { 200: 310 });
  assert.equal(delivered[0]?.headers.get("ratelimit-limit"), "2000");
  const visitor = await world.call("/api/v4/version", { headers: from("198.51.100.2") });
  assert.equal(visitor.headers.get("ratelimit-limit"), "300");
});

test("refused deliveries count against their address, which may go on with proven ones; those of a known source are shown (decisions 0120, 0300)", async () => {
  const address = "198.51.100.3";
  const unknown = `${url.slice(0, url.lastIndexOf("/event_sources"))}/event_sources/none/receive`;
  const guesses = await times(300, () => ping(address, { to: unknown }));
  assert.deepEqual(statuses(guesses), { 404: 300 });
  assertLimited(await ping(address, { to: unknown }), "300");
  assertLimited(await ping(address, { secret: "another secret of theirs" }), "300");
  assert.equal((await ping(address)).status, 200);
  const [noted] = await refusals(url);
  assert.equal(noted?.status, 429);
  assert.match(noted.reason, /^X-Hub-Signature-256 does not fit/);
  assert.equal((await ping("198.51.100.4", { to: unknown })).status, 404, "another address");
});

test("a source accepts 2,000 deliveries a minute from all addresses, of which unproven ones use up none (contract §4, rate limits; decision 0300)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Busy", secret: `${SECRET} of Busy` } });
  const to = made.json.url.slice(world.url.length);
  const secret = `${SECRET} of Busy`;
  const unproven = await times(5, () => ping("198.51.100.5", { to }));
  assert.deepEqual(statuses(unproven), { 401: 5 });
  const first = await ping("198.51.100.6", { to, secret });
  assert.equal(first.headers.get("ratelimit-remaining"), "1999");
  const others = await times(1999, () => ping("198.51.100.7", { to, secret }));
  assert.deepEqual(statuses(others), { 200: 1999 });
  const last = await ping("198.51.100.8", { to, secret });
  assertLimited(last, "2000");
  const [noted] = await refusals(to);
  assert.deepEqual([noted?.status, noted?.reason], [429, "More than 2,000 deliveries came within a minute."]);
  assert.equal((await ping("198.51.100.7")).status, 200, "another source");
});
