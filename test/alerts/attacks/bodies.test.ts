/** Attacks on the memory of the receiver: many large bodies at once, and bodies that never end. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../../support/alerts.ts";
import { comesTo, MIB, refusedAtOnce, sendsPart, streamed } from "../../support/slow-bodies.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
let source: Source;
/** How long headers and whole requests may take. */
let limits: readonly number[];
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  const { server } = world.app;
  limits = [server.headersTimeout, server.requestTimeout];
  // What the tests hold must not be cut off before they are done with it, however slow the machine is.
  server.requestTimeout = 0;
});

/** A sender that announces a body and sends a part of it. */
const sends = (sent: number, of: number, key = source.key) =>
  sendsPart({ url: world.url, path: source.path, headers: [`Authorization: Bearer ${key}`] }, sent, of);

test("unfinished bodies hold 64 MiB at most, and who comes then is told to come again (decision 0115; reliability S103)", async () => {
  const holders = await Promise.all(Array.from({ length: 4 }, () => sends(15.5 * MIB, 16 * MIB)));
  // The four hold 62 MiB, so that there is room for small ones only.
  await comesTo(503, async () => refusedAtOnce(await sends(0, 16 * MIB)));
  const refused = await (await sends(0, 16 * MIB)).response;
  assert.match(refused, /\r\nretry-after: 5\r\n/i);
  assert.match(refused, /too many large bodies/);
  assert.equal((await source.send({ title: "Small" })).status, 200);
  // Without a declared length it is refused as soon as it is too much, and gets to read why.
  const large = await streamed(world.url + source.path, 10 * MIB, { authorization: `Bearer ${source.key}` });
  assert.equal(large.status, 503);
  for (const { socket } of holders) socket.destroy();
  // What was held is given back: room for one that is read, found to be no JSON, and refused as such.
  await comesTo(400, async () => (await sends(15 * MIB, 15 * MIB)).status);
});

test("strangers cannot take the room of those who have a key (decision 0115; reliability S103)", async () => {
  const strangers = await Promise.all(Array.from({ length: 40 }, () => sends(0.9 * MIB, MIB, "gak_wrong")));
  await comesTo(503, async () => refusedAtOnce(await sends(0, MIB, "gak_wrong")));
  assert.equal((await source.send({ title: "With a key" })).status, 200);
  assert.equal(await (await sends(8 * MIB, 8 * MIB)).status, 400);
  for (const { socket } of strangers) socket.destroy();
  await comesTo(401, async () => (await sends(MIB, MIB, "gak_wrong")).status);
});

test("bodies and headers that come too slowly are cut off with 408, and what they held is free again (decision 0006; reliability S116)", async () => {
  const { server } = world.app;
  assert.deepEqual(limits, [10_000, 30_000]);
  const slow = await Promise.all(Array.from({ length: 4 }, () => sends(15.5 * MIB, 16 * MIB)));
  // Whoever is cut off while bytes are on their way may not get to read why: by now all were read but one MiB.
  await comesTo(503, async () => refusedAtOnce(await sends(0, 3 * MIB)));
  server.requestTimeout = 1500;
  server.headersTimeout = 1000;
  for (const sender of slow) assert.equal(await sender.status, 408);
  server.requestTimeout = 30_000;
  await comesTo(400, async () => (await sends(15 * MIB, 15 * MIB)).status);
});
