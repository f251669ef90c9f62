/** Attacks on the memory of the receiver: many large bodies at once, and bodies that never end. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { before, test } from "node:test";
import { aSource, type Source } from "../../support/alerts.ts";
import { whenDone } from "../../support/cleanup.ts";
import { startWorld, type World } from "../../support/world.ts";

const MIB = 1024 * 1024;
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

interface Sender {
  socket: Socket;
  /** The answer, up to the end of its headers. */
  answer: Promise<string>;
}

/** Somebody who says how much will come, and sends a part of it. */
async function sends(bytes: number, of: number, key: string | undefined = source.key): Promise<Sender> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  whenDone(async () => void socket.destroy());
  socket.setTimeout(300_000, () => socket.destroy());
  let text = "";
  const answer = new Promise<string>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) resolve(text);
    });
    socket.on("error", () => resolve(text));
    socket.on("close", () => resolve(text));
  });
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
  const lines = [
    `POST ${source.path} HTTP/1.1`,
    "Host: localhost",
    ...authorization,
    `Content-Length: ${of}`,
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  await new Promise((sent) => socket.write(Buffer.concat([head, Buffer.alloc(bytes, " ")]), sent));
  return { socket, answer };
}

/** Asks until the service has read so much that it answers in this way. */
async function until(status: number, ask: () => Promise<number>): Promise<void> {
  for (let asked = 1; ; asked++) {
    const got = await ask();
    if (got === status) return;
    assert.ok(asked < 4000, `${got} instead of ${status}`);
    await new Promise((soon) => setTimeout(soon, 10));
  }
}
const statusOf = async ({ answer }: Sender) => Number((await answer).split(" ")[1]);

/** Whether somebody who sends nothing yet is refused at once; 0: there is still room, and they would be waited for. */
async function atOnce(sender: Sender): Promise<number> {
  const patience = new Promise<number>((given) => setTimeout(given, 500, 0));
  const status = await Promise.race([statusOf(sender), patience]);
  if (status === 0) sender.socket.destroy();
  return status;
}

test("unfinished bodies hold 64 MiB at most, and who comes then is told to come again (decision 0115; reliability S103)", async () => {
  const holders = await Promise.all(Array.from({ length: 4 }, () => sends(15.5 * MIB, 16 * MIB)));
  // The four hold 62 MiB, so that there is room for small ones only.
  await until(503, async () => atOnce(await sends(0, 16 * MIB)));
  const refused = await (await sends(0, 16 * MIB)).answer;
  assert.match(refused, /\r\nretry-after: 5\r\n/i);
  assert.match(refused, /too many large bodies/);
  assert.equal((await source.send({ title: "Small" })).status, 200);
  // Without a declared length it is refused as soon as it is too much, and gets to read why.
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    body: new Blob([new Uint8Array(10 * MIB)]).stream(),
    duplex: "half",
    headers: { authorization: `Bearer ${source.key}` },
  };
  assert.equal((await fetch(world.url + source.path, init)).status, 503);
  for (const { socket } of holders) socket.destroy();
  // What was held is given back: room for one that is read, found to be no JSON, and refused as such.
  await until(400, async () => statusOf(await sends(15 * MIB, 15 * MIB)));
});

test("strangers cannot take the room of those who have a key (decision 0115; reliability S103)", async () => {
  const strangers = await Promise.all(Array.from({ length: 40 }, () => sends(0.9 * MIB, MIB, "gak_wrong")));
  await until(503, async () => atOnce(await sends(0, MIB, "gak_wrong")));
  assert.equal((await source.send({ title: "With a key" })).status, 200);
  assert.equal(await statusOf(await sends(8 * MIB, 8 * MIB)), 400);
  for (const { socket } of strangers) socket.destroy();
  await until(401, async () => statusOf(await sends(MIB, MIB, "gak_wrong")));
});

test("bodies and headers that come too slowly are cut off with 408, and what they held is free again (decision 0006; reliability S116)", async () => {
  const { server } = world.app;
  assert.deepEqual(limits, [10_000, 30_000]);
  const slow = await Promise.all(Array.from({ length: 4 }, () => sends(15.5 * MIB, 16 * MIB)));
  // Whoever is cut off while bytes are on their way may not get to read why: by now all were read but one MiB.
  await until(503, async () => atOnce(await sends(0, 3 * MIB)));
  server.requestTimeout = 1500;
  server.headersTimeout = 1000;
  for (const sender of slow) assert.equal(await statusOf(sender), 408);
  server.requestTimeout = 30_000;
  await until(400, async () => statusOf(await sends(15 * MIB, 15 * MIB)));
});
