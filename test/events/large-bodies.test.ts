/** What large bodies of events may take of a process (decision 0301). */
import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Forge, sources, startForge } from "../support/forge.ts";
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
