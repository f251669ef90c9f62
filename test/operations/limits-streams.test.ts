/** How many streams one reader may have open (decision 0297). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const MOST = 100;
const PUBLIC = "/api/v4/projects/acme%2Fopen/events/stream";

let world: World;
before(async () => {
  world = await startWorld({ GATEHOUSE_RATE_LIMITS: "on", GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1" });
});

// Streams whose readers have left end while the database is still there.
after(() => world.app.close());

/** Every test uses its own addresses, forwarded by a trusted proxy. */
const from = (address: string) => ({ "x-forwarded-for": address });

interface Asked {
  status: number;
  retryAfter: string | null;
  leave(): Promise<void>;
}

/** Asks for a stream, and keeps it open if it is granted. */
async function ask(path: string, headers: Record<string, string>, of = world): Promise<Asked> {
  const reply = await fetch(of.url + path, { headers });
  const leave = async () => void (await reply.body?.cancel());
  if (reply.status !== 200) await leave();
  return { status: reply.status, retryAfter: reply.headers.get("retry-after"), leave };
}

const granted = (asked: readonly Asked[]) => asked.filter(({ status }) => status === 200);

/** Asks for two streams more than one reader may have, all at once; returns those that were granted. */
async function fill(path: string, headers: Record<string, string>): Promise<Asked[]> {
  const asked = await Promise.all(Array.from({ length: MOST + 2 }, () => ask(path, headers)));
  assert.equal(granted(asked).length, MOST);
  for (const { status, retryAfter } of asked)
    if (status !== 200) assert.deepEqual([status, retryAfter], [429, "30"]);
  return granted(asked);
}

test("visitors of one network have a hundred streams together, and leave the others to everybody else (decision 0297)", async () => {
  const held = await fill(PUBLIC, from("2001:db8:1:1::1"));
  assert.equal((await ask(PUBLIC, from("2001:db8:1:1:f::2"))).status, 429);
  const authorization = `Bearer ${await world.tokenOf("rep", "api")}`;
  for (const headers of [from("2001:db8:1:2::1"), { ...from("2001:db8:1:1::1"), authorization }]) {
    const other = await ask(PUBLIC, headers);
    assert.equal(other.status, 200);
    await other.leave();
  }
  await held[0]?.leave();
  await until(async () => {
    const again = await ask(PUBLIC, from("2001:db8:1:1::1"));
    if (again.status === 200) held.push(again);
    return again.status === 200;
  });
  for (const { leave } of held) await leave();
});

test("without rate limits one reader may have all five hundred streams of a process, and the next gets 503 until one ends (decisions 0027, 0297)", async () => {
  const own = await startWorld({ GATEHOUSE_RATE_LIMITS: "off" });
  const askOwn = () => ask(PUBLIC, {}, own);
  const held = await Promise.all(Array.from({ length: 500 }, askOwn));
  assert.equal(granted(held).length, 500);
  const refused = await askOwn();
  assert.deepEqual([refused.status, refused.retryAfter], [503, "30"]);
  await held.pop()?.leave();
  held.push(
    await until(async () => {
      const again = await askOwn();
      return again.status === 200 && again;
    }),
  );
  assert.equal((await askOwn()).status, 503, "only one has ended");
  for (const { leave } of held) await leave();
  await own.app.close();
});

test("a person has a hundred streams of events, with whatever tokens (decision 0297)", async () => {
  const bearer = async () => ({ authorization: `Bearer ${await world.tokenOf("dev", "api")}` });
  const held = await fill("/api/v4/events/stream", await bearer());
  assert.equal((await ask(PUBLIC, await bearer())).status, 429);
  for (const { leave } of held) await leave();
});

test("a person has a hundred streams of alerts, with whatever sessions (decision 0297)", async () => {
  const path = "/acme/rocket/-/alerts/stream";
  const cookies = async () => ({ cookie: `session=${(await signedIn(world, "max")).cookie("session")}` });
  const held = await fill(path, await cookies());
  assert.equal((await ask(path, await cookies())).status, 429);
  for (const { leave } of held) await leave();
});
