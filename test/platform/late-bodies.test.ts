/** When the guards of a route run a second time: only for a request whose body came after them (decision 0313). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fastify from "fastify";
import { guardsLateBodies } from "../../src/platform/late-bodies.ts";
import { whenDone } from "../support/cleanup.ts";
import { until } from "../support/until.ts";

let port: number;
/** How often the guards ran, and how often the handler. */
let judged: number;
let handled: number;
/** Whether the guards refuse. */
let refuses: boolean;

before(async () => {
  const app = fastify({ forceCloseConnections: true });
  const refusal = () => Object.assign(new Error("refused"), { statusCode: 401 });
  guardsLateBodies(app);
  app.post(
    "/guarded",
    {
      schema: { body: { type: "object", required: ["a"] } },
      onRequest: async () => {
        // As for an answer of the database.
        await sleep(2);
        judged++;
        if (refuses) throw refusal();
      },
    },
    async () => ({ handled: ++handled }),
  );
  app.post("/open", async () => ({ handled: ++handled }));
  port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
  whenDone(() => app.close());
});

beforeEach(() => {
  judged = 0;
  handled = 0;
  refuses = false;
});

const BODY = '{"a":1}';
const SIZED = [`Content-Length: ${BODY.length}`];
const CHUNKED = ["Transfer-Encoding: chunked"];
const CHUNKS = `3\r\n${BODY.slice(0, 3)}\r\n4\r\n${BODY.slice(3)}\r\n0\r\n\r\n`;

const head = (path: string, headers: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", ...headers, "", ""].join(
    "\r\n",
  );

interface Client {
  socket: Socket;
  read: () => string;
}

async function aClient(): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  let all = "";
  socket.on("data", (chunk) => {
    all += chunk;
  });
  socket.on("error", () => {});
  whenDone(async () => void socket.destroy());
  await once(socket, "connect");
  return { socket, read: () => all };
}

/** The statuses of the final responses, once there are so many. */
async function statuses({ read }: Client, many = 1): Promise<number[]> {
  const all = () =>
    [...read().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)).filter((s) => s >= 200);
  await until(async () => all().length >= many);
  return all();
}

it("a guard runs once for a request that comes in one piece: with a declared length, in chunks, or without a body (decision 0313)", async () => {
  for (const [request, status] of [
    [head("/guarded", SIZED) + BODY, 200],
    [head("/guarded", CHUNKED) + CHUNKS, 200],
    [head("/guarded", ["Content-Length: 0"]), 400],
  ] as const) {
    judged = 0;
    const client = await aClient();
    client.socket.write(request);
    assert.deepEqual([await statuses(client), judged], [[status], 1], request);
  }
});

it("a guard runs once for each of several requests that come at once (RFC 9112 §9.3.2; decision 0313)", async () => {
  const client = await aClient();
  client.socket.write((head("/guarded", SIZED) + BODY + head("/guarded", CHUNKED) + CHUNKS).repeat(5));
  assert.deepEqual(
    await statuses(client, 10),
    Array.from({ length: 10 }, () => 200),
  );
  assert.equal(judged, 10);
});

describe("a guard runs again for a body that comes after it", () => {
  const late: readonly [what: string, headers: readonly string[], first: string, rest: string][] = [
    ["as a whole", SIZED, "", BODY],
    ["in its last byte", SIZED, BODY.slice(0, -1), BODY.slice(-1)],
    ["in chunks", CHUNKED, "", CHUNKS],
    ["whose last chunk alone is missing", CHUNKED, CHUNKS.slice(0, -5), CHUNKS.slice(-5)],
    ["after 100 (Continue)", [...SIZED, "Expect: 100-continue"], "", BODY],
  ];
  for (const [what, headers, first, rest] of late) {
    it(`${what} (contract §4, tokens and roles; decision 0313)`, async () => {
      for (const [refused, status] of [
        [false, 200],
        [true, 401],
      ] as const) {
        judged = 0;
        refuses = false;
        const client = await aClient();
        client.socket.write(head("/guarded", headers) + first);
        await until(async () => judged === 1);
        refuses = refused;
        client.socket.write(rest);
        assert.deepEqual([await statuses(client), judged], [[status], 2]);
      }
      assert.equal(handled, 1);
    });
  }

  it("behind another request on the same connection (RFC 9112 §9.3.2; decision 0313)", async () => {
    const client = await aClient();
    client.socket.write(head("/guarded", SIZED) + BODY + head("/guarded", SIZED));
    await until(async () => judged === 2);
    refuses = true;
    client.socket.write(BODY);
    assert.deepEqual([await statuses(client, 2), judged], [[200, 401], 3]);
  });

  it("before the body is validated, so that 401 comes before 400 (house §2.7; decision 0313)", async () => {
    const client = await aClient();
    client.socket.write(head("/guarded", ["Content-Length: 2"]));
    await until(async () => judged === 1);
    refuses = true;
    client.socket.write("{}");
    assert.deepEqual(await statuses(client), [401]);
  });
});

it("a route without a guard takes a late body as ever (decision 0313)", async () => {
  const client = await aClient();
  client.socket.write(head("/open", SIZED));
  await sleep(20);
  client.socket.write(BODY);
  assert.deepEqual([await statuses(client), judged, handled], [[200], 0, 1]);
});
