/** What large bodies of events may take of a process (decision 0301). */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { before, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { whenDone } from "../support/cleanup.ts";
import { type Forge, sources, startForge } from "../support/forge.ts";
import { until } from "../support/until.ts";
import type { Reply, World } from "../support/world.ts";

let world: World;
let url: string;
let deliver: Forge["deliver"];
before(async () => {
  ({ world, url, deliver } = await startForge());
});

const MIB = 1024 * 1024;
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

interface Sender {
  socket: Socket;
  /** The status of the response; 0: the connection was closed without one. */
  status: Promise<number>;
}

/** A client that announces a body and sends a part of it. */
async function begins(path: string, sent: number, of: number, headers: string[] = []): Promise<Sender> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  whenDone(async () => void socket.destroy());
  let text = "";
  const status = new Promise<number>((resolve) => {
    const end = () => resolve(Number(text.split(" ")[1] ?? 0));
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) end();
    });
    socket.on("error", end);
    socket.on("close", end);
  });
  const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", ...headers, `Content-Length: ${of}`];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  await new Promise((done) => socket.write(Buffer.concat([head, Buffer.alloc(sent, " ")]), done));
  return { socket, status };
}

/** Whether a client that sends nothing yet is refused at once; 0: it is waited for. */
async function atOnce({ socket, status }: Sender): Promise<number> {
  const got = await Promise.race([status, new Promise<number>((given) => setTimeout(given, 500, 0))]);
  socket.destroy();
  return got;
}

/** Asks until the service has read so much, or given so much back, that it answers in this way. */
async function comesTo(status: number, ask: () => Promise<number>): Promise<void> {
  await until(async () => (await ask()) === status);
}

/** A request without a declared length. */
function streamed(path: string, bytes: number, headers: Record<string, string>): Promise<Response> {
  const init: RequestInit & { duplex: "half" } = {
    ...{ method: "POST", body: new Blob([new Uint8Array(bytes)]).stream(), duplex: "half" },
    headers,
  };
  return fetch(world.url + path, init);
}

test("unfinished deliveries hold 64 MiB beyond the first of each at most, and ordinary ones are read meanwhile (decision 0301; reliability S103)", async () => {
  world.app.server.requestTimeout = 0;
  const holders = await Promise.all(Array.from({ length: 3 }, () => begins(url, 22 * MIB, 24 * MIB)));
  await comesTo(503, async () => atOnce(await begins(url, 0, 3 * MIB)));
  const fits = await deliver("ping", { zen: "z".repeat(1.8 * MIB) });
  assert.equal(fits.status, 200, "less than the last MiB is needed, as the first does not count");
  const refused = await streamed(url, 3 * MIB, { "x-github-event": "ping" });
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
  for (const path of paths) await comesTo(503, async () => atOnce(await begins(path, 0, 3 * MIB, lines)));
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
  assert.equal((await streamed(url, 26 * MIB, sign)).status, 413);
  assert.equal((await deliver("ping", {}, { body: "z".repeat(26 * MIB) })).status, 413);
  assert.equal((await deliver("ping", { zen: "z".repeat(20 * MIB) })).status, 200);
});
