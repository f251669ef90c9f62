/** What large bodies of events may take of a process (decision 0301). */
import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Forge, sources, startForge } from "../support/forge.ts";
import { comesTo, MIB, refusedAtOnce, sendsPart, streamed } from "../support/slow-bodies.ts";
import type { Reply, World } from "../support/world.ts";

let world: World;
let url: string;
let deliver: Forge["deliver"];
before(async () => {
  ({ world, url, deliver } = await startForge());
});

/** JSON of this many bytes, of the smallest containers. */
const emptyLists = (bytes: number) => `[${"[],".repeat((bytes - 4) / 3)}[]]`;
const bulk = (body: string | Uint8Array, type: string, headers: Record<string, string> = {}) =>
  world.call("/api/v4/events/bulk", {
    ...{ as: "dev", method: "POST", body },
    headers: { "content-type": type, ...headers },
  });

/** Sends a request, and returns its reply with the length of the longest text that was parsed meanwhile. */
async function parsedFor(context: TestContext, send: () => Promise<Reply>) {
  const parse = context.mock.method(JSON, "parse");
  const reply = await send();
  const longest = Math.max(0, ...parse.mock.calls.map(({ arguments: [text] }) => String(text).length));
  parse.mock.restore();
  return { status: reply.status, message: reply.json?.message, longest };
}

const REFUSED = { status: 413, message: "More than 1,048,576 values in one request." };

test("a batch with more than a million values is refused before it is parsed, as an array, as one line or as many (contract-events §2; decision 0301)", async (context) => {
  const array = emptyLists(10 * MIB);
  const gzipped = gzipSync(array);
  assert.ok(gzipped.length < 16 * 1024, `${gzipped.length} bytes`);
  const gzip = { "content-encoding": "gzip" };
  const lines = `${emptyLists(MIB)}\n`.repeat(9);
  const sent: [string, () => Promise<Reply>][] = [
    ["an array", () => bulk(gzipped, "application/json", gzip)],
    ["one line", () => bulk(gzipped, "application/x-ndjson", gzip)],
    ["nine lines", () => bulk(lines, "application/x-ndjson")],
  ];
  for (const [what, send] of sent) {
    const { longest, ...reply } = await parsedFor(context, send);
    assert.deepEqual(reply, REFUSED, what);
    assert.ok(longest <= MIB, `${what}: ${longest} characters were parsed`);
  }
});

test("a push with more than a million values is refused before it is parsed (decision 0301)", async (context) => {
  const { longest, ...reply } = await parsedFor(context, () =>
    world.call("/api/v4/projects/acme%2Frocket/pushes", {
      ...{ as: "dev", method: "POST", body: `{"changes":${emptyLists(8 * MIB)}}` },
      headers: { "content-type": "application/json" },
    }),
  );
  assert.deepEqual(reply, REFUSED);
  assert.ok(longest <= MIB, `${longest} characters were parsed`);
});

test("a signed delivery with more than a million values is refused before it is parsed, and its Maintainers see why (contract-events §3; decisions 0120, 0301)", async (context) => {
  const body = emptyLists(24 * MIB);
  const { longest, ...reply } = await parsedFor(context, () => deliver("issues", undefined, { body }));
  assert.deepEqual(reply, REFUSED);
  assert.ok(longest <= MIB, `${longest} characters were parsed`);
  const [{ id }] = (await world.call(sources, { as: "max" })).json;
  const [noted] = (await world.call(`${sources}/${id}/refusals`, { as: "max" })).json;
  assert.deepEqual([noted.status, noted.reason], [413, REFUSED.message]);
  assert.equal((await deliver("ping", {})).status, 200);
});

test("the JSON in all CloudEvents of a batch has at most a million values (decision 0301)", async (context) => {
  const made = await world.call(sources, { as: "max", json: { name: "Base64", type: "cloudevents" } });
  const data_base64 = Buffer.from(emptyLists(MIB)).toString("base64");
  const event = (n: number) => ({
    ...{ specversion: "1.0", source: "/many", id: String(n), type: "org.example.unknown" },
    data_base64,
  });
  const send = (n: number) => {
    const headers = {
      authorization: `Bearer ${made.json.secret}`,
      "content-type": "application/cloudevents-batch+json",
    };
    const body = JSON.stringify(Array.from({ length: n }, (_, index) => event(index)));
    return world.call(made.json.url.slice(world.url.length), { method: "POST", body, headers });
  };
  assert.equal((await send(1)).status, 202);
  const { status, message } = await parsedFor(context, () => send(4));
  assert.deepEqual({ status, message }, REFUSED);
});

/** A client that announces a body for this path and sends a part of it. */
const begins = (path: string, sent: number, of: number, headers: string[] = []) =>
  sendsPart({ url: world.url, path, headers }, sent, of);

test("unfinished deliveries hold 64 MiB beyond the first of each at most, and ordinary ones are read meanwhile (decision 0301; reliability S103)", async () => {
  world.app.server.requestTimeout = 0;
  const holders = await Promise.all(Array.from({ length: 3 }, () => begins(url, 22 * MIB, 24 * MIB)));
  await comesTo(503, async () => refusedAtOnce(await begins(url, 0, 3 * MIB)));
  const fits = await deliver("ping", { zen: "z".repeat(1.8 * MIB) });
  assert.equal(fits.status, 200, "less than the last MiB is needed, as the first does not count");
  const refused = await streamed(world.url + url, 3 * MIB, { "x-github-event": "ping" });
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
  assert.equal(((await refused.json()) as { message: string }).message.includes("too many large"), true);
  assert.equal((await deliver("ping", { zen: "z".repeat(900_000) })).status, 200);
  const written = await bulk(" ".repeat(3 * MIB), "application/x-ndjson");
  assert.equal(written.status, 200, "batches have room of their own");
  for (const { socket } of holders) socket.destroy();
  await comesTo(200, async () => (await deliver("ping", { zen: "z".repeat(3 * MIB) })).status);
});

test("unfinished batches and pushes hold 64 MiB at most, and compressed ones count inflated (decision 0301; reliability S103)", async () => {
  world.app.server.requestTimeout = 0;
  const authorization = `Authorization: Bearer ${await world.tokenOf("dev", "api")}`;
  const lines = [authorization, "Content-Type: application/json"];
  const paths = ["/api/v4/events/bulk", "/api/v4/projects/acme%2Frocket/pushes"];
  const holders = await Promise.all(
    Array.from({ length: 7 }, (_, n) => begins(paths[n % 2] ?? "", 9.9 * MIB, 10 * MIB, lines)),
  );
  for (const path of paths)
    await comesTo(503, async () => refusedAtOnce(await begins(path, 0, 3 * MIB, lines)));
  const inflated = gzipSync(`[${" ".repeat(5 * MIB)}]`);
  const gzip = { "content-encoding": "gzip" };
  const refused = await bulk(inflated, "application/json", gzip);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
  assert.equal((await bulk("[]", "application/json")).status, 200);
  for (const { socket } of holders) socket.destroy();
  await comesTo(200, async () => (await bulk(inflated, "application/json", gzip)).status);
});

test("a body beyond the limit of its route is refused with 413, also without a declared length (contract-events §3)", async () => {
  const sign = { "x-github-event": "ping", "content-type": "application/json" };
  assert.equal((await streamed(world.url + url, 26 * MIB, sign)).status, 413);
  assert.equal((await deliver("ping", {}, { body: "z".repeat(26 * MIB) })).status, 413);
  assert.equal((await deliver("ping", { zen: "z".repeat(20 * MIB) })).status, 200);
});
