/** Malformed requests that no client library sends: bytes that a proxy could parse differently than this service does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { before, test } from "node:test";
import { rawStatus, rawStatuses } from "../support/attacks.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const HEAD = ["Host: x", "Connection: close"];
const CHUNKED = ["Host: x", "Content-Type: application/json", "Transfer-Encoding: chunked"];
const POST = "POST /oauth/token HTTP/1.1";
const GET = "GET /-/liveness HTTP/1.1";

/** Checks the status of the response to these lines, and that the service still answers afterwards. */
async function answers(status: number, lines: readonly (string | Buffer)[], what: string): Promise<void> {
  assert.equal(await rawStatus(world, lines), status, what);
  assert.equal((await world.call("/-/liveness")).status, 200, what);
}

const SMUGGLED: Readonly<Record<string, readonly string[]>> = {
  "an unknown transfer encoding": [POST, "Host: x", "Transfer-Encoding: xchunked", "", "0", ""],
  "a transfer encoding whose last coding is not chunked": [
    POST,
    "Host: x",
    "Transfer-Encoding: chunked, identity",
    "",
    "0",
    "",
  ],
  "two Transfer-Encoding headers": [POST, ...CHUNKED, "Transfer-Encoding: identity", "", "0", ""],
  "a space before the colon of a header": [POST, "Host: x", "Transfer-Encoding : chunked", "", "0", ""],
  "a vertical tab before the transfer encoding": [
    POST,
    "Host: x",
    "Transfer-Encoding: \u000bchunked",
    "",
    "0",
    "",
  ],
  "a Content-Length with a sign": [POST, "Host: x", "Content-Length: +1", "", "a"],
  "a negative Content-Length": [POST, "Host: x", "Content-Length: -1", "", "a"],
  "a list in Content-Length": [POST, "Host: x", "Content-Length: 1, 1", "", "a"],
  "lines that end in LF without CR": [`${GET}\nHost: x\n`],
  "one line that ends in LF without CR": [GET, "Host: x\nX-Other: y"],
  "a CR within a line": [GET, "X-Other: a\rHost: y", "Host: x"],
  "a header folded over two lines": [GET, "X-Other: a", " b", "Host: x"],
  "a NUL in a header": [GET, "X-Other: a\0b", "Host: x"],
  "a space in the request target": ["GET /-/live ness HTTP/1.1", "Host: x"],
  "a chunk with a megabyte of extensions": [POST, ...CHUNKED, "", `1;${"e".repeat(1_000_000)}`, "a", "0", ""],
  "a negative chunk size": [POST, ...CHUNKED, "", "-1", "a", "0", ""],
  "a chunk size that exceeds 64 bits": [POST, ...CHUNKED, "", "fffffffffffffffff", "a", "0", ""],
  "a chunk size that ends in LF without CR": [POST, ...CHUNKED, "", "1\na", "0", ""],
  "a chunk longer than its size": [POST, ...CHUNKED, "", "1", "aa", "0", ""],
};
for (const [what, lines] of Object.entries(SMUGGLED)) {
  test(`${what}: 400, nothing after it is parsed as a request, and the service still answers (RFC 9112 §6.3, §11.2; reference reliability S113)`, async () => {
    assert.deepEqual(await rawStatuses(world, [...lines, "", GET, ...HEAD]), [400]);
    assert.equal((await world.call("/-/liveness")).status, 200);
  });
}

test("a request that follows a body is parsed as the next request, but not one that follows a request with ambiguous length (RFC 9112 §9.3; reference reliability S113)", async () => {
  const answered = async (first: string) => {
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (part) => {
      text += part.toString("latin1");
    });
    socket.write(`${first}${GET}\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, "close");
    return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
  };
  const post = (length: string, body: string) =>
    `${POST}\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n\r\n${body}`;
  assert.deepEqual(await answered(post("Content-Length: 2", "{}")), ["400", "200"]);
  assert.deepEqual(await answered(post("Content-Length: 2\r\nContent-Length: 3", "{}")), ["400"]);
  assert.deepEqual(await answered(post("Content-Length: 2\r\nTransfer-Encoding: chunked", "{}")), ["400"]);
});

test("a missing or repeated Host header is refused with 400, TRACE and OPTIONS * are 404, and CONNECT closes the connection (RFC 9112 §3.2; RFC 9110 §9.3.6, §9.3.8; reference reliability S114)", async () => {
  await answers(400, [GET, "Connection: close"], "no host");
  await answers(400, [GET, "Host: localhost", "Host: evil.example", "Connection: close"], "two hosts");
  await answers(400, [GET, "host: localhost", "HOST: localhost", "Connection: close"], "twice the same");
  for (const path of ["/", "/api/v4/user", "/acme/rocket"])
    await answers(404, [`TRACE ${path} HTTP/1.1`, ...HEAD, "Authorization: Bearer x"], `TRACE ${path}`);
  await answers(0, ["CONNECT inner.example:22 HTTP/1.1", ...HEAD], "CONNECT");
  await answers(400, ["PRI * HTTP/2.0", ...HEAD], "another protocol");
  await answers(404, ["OPTIONS * HTTP/1.1", ...HEAD], "OPTIONS of everything");
});

test("an Upgrade header is ignored: the request is answered as usual, whatever its Origin (RFC 9110 §7.8; reference reliability S76)", async () => {
  for (const protocol of ["websocket", "h2c"]) {
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    const upgrade = `Upgrade: ${protocol}\r\nConnection: Upgrade\r\nOrigin: https://evil.example`;
    socket.write(`GET /api/v4/events/stream HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`);
    const [first] = (await once(socket, "data")) as [Buffer];
    assert.match(first.toString("latin1"), /^HTTP\/1\.1 401 /, protocol);
    socket.destroy();
  }
});

test("headers of 20 KB and requests with 3,000 header lines are refused with 431, and no header is dropped silently (reference reliability S115)", async () => {
  await answers(431, [GET, ...HEAD, `X-Other: ${"a".repeat(20_000)}`], "20 KB");
  const many = (lines: number) => Array.from({ length: lines }, () => "a:");
  await answers(431, [GET, ...HEAD, ...many(3000)], "3,000 lines");
  // Of the headers that are accepted, the last one is still read.
  const two = ["Authorization: Bearer x", "Authorization: Bearer y"];
  await answers(400, ["GET /oauth/token/info HTTP/1.1", ...HEAD, ...many(900), ...two], "behind 900 lines");
});

test("a thousand idle connections do not delay other requests, and are closed after the header timeout (reference reliability S118)", async () => {
  const { server } = world.app;
  const { hostname, port } = new URL(world.url);
  const silent: Socket[] = [];
  for (let i = 0; i < 1000; i++) {
    const socket = connect(Number(port), hostname);
    silent.push(socket);
    await once(socket, "connect");
  }
  for (const path of ["/-/liveness", "/-/readiness"])
    assert.equal((await world.call(path)).status, 200, path);
  let open = silent.length;
  for (const socket of silent) {
    socket.on("error", () => undefined);
    socket.on("close", () => {
      open--;
    });
    socket.resume();
  }
  assert.equal(server.headersTimeout, 10_000);
  server.headersTimeout = 1;
  await until(async () => open === 0);
  server.headersTimeout = 10_000;
});
