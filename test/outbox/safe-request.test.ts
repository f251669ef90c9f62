/** Where outgoing requests may go, checked before and after name resolution, and how much of a response is read. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { isPublicAddress } from "../../src/outbox/public-address.ts";
import {
  RequestFailed,
  type RequestPolicy,
  safeRequest,
  targetFault,
} from "../../src/outbox/safe-request.ts";
import { whenDone } from "../support/cleanup.ts";
import { startReceiver } from "../support/receivers.ts";

const nowhere: RequestPolicy = { allowPrivateTargets: [] };
const asks = (url: string, policy: RequestPolicy = nowhere) => safeRequest({ url }, policy);
/** `mayRecover`: whether a later try may succeed, since the same name may resolve otherwise. */
const failsWith = (words: RegExp, mayRecover?: boolean) => (error: unknown) => {
  assert.ok(error instanceof RequestFailed, String(error));
  assert.match(error.message, words);
  if (mayRecover !== undefined) assert.equal(error.mayRecover, mayRecover, error.message);
  return true;
};

test("every notation of a private address is refused (reference reliability S125)", async () => {
  const hosts = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "１２７.0.0.1",
    "0.0.0.0",
    "0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[fd00::1]",
    "[fc00::1]",
    "[fe80::1]",
    "[ff02::1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[2001:db8::1]",
    "localhost",
    "LOCALHOST.",
    "db.localhost",
    "metadata.google.internal",
    "printer.local",
  ];
  for (const host of hosts) {
    assert.match(targetFault(`http://${host}/`, nowhere) ?? "", /private network/, host);
    await assert.rejects(asks(`https://${host}/x`), failsWith(/private network/, false), host);
  }
});

/** The first and last address of each range that is not public, and the public ones right before and after, if any. */
const BORDERS: readonly (readonly [first: string, last: string, ...neighbours: string[]])[] = [
  ["0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "255.255.255.255", "223.255.255.255"],
  ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff::", "2001:200::"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::", "2003::"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"],
  ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff::"],
];

test("every range that is not public is refused from its first to its last address, and its public neighbours are allowed (reference reliability S125)", () => {
  for (const [first, last, ...neighbours] of BORDERS) {
    for (const address of [first, last]) assert.ok(!isPublicAddress(address), address);
    for (const address of neighbours) assert.ok(isPublicAddress(address), address);
  }
});

test("other schemes, credentials in the URL and ports of other services are refused (reference reliability S125)", () => {
  for (const url of [
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org",
    "javascript:1",
    "//x",
    "",
  ]) {
    assert.match(targetFault(url, nowhere) ?? "", /http or https/, url);
  }
  for (const given of ["user:pass", "user", ":pass"])
    assert.match(targetFault(`https://${given}@example.org/`, nowhere) ?? "", /username/, given);
  assert.match(targetFault("https://example.org@10.0.0.1/", nowhere) ?? "", /username/);
  for (const port of [22, 25, 53, 81, 587, 3306, 5432, 6379, 11211]) {
    assert.match(targetFault(`http://example.org:${port}/`, nowhere) ?? "", /port/, String(port));
  }
});

test("public addresses and web ports are allowed (reference reliability S125)", () => {
  for (const url of [
    "https://example.org/hook?x=1",
    "http://8.8.8.8/",
    "https://example.org:8443/",
    "http://[2606:4700::1111]/",
  ]) {
    assert.equal(targetFault(url, nowhere), undefined, url);
  }
  for (const address of ["8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.255.255", "2606:4700::1111"]) {
    assert.ok(isPublicAddress(address), address);
  }
  assert.equal(isPublicAddress("not an address"), false);
});

test("a name is refused if one of its addresses is private (reference reliability S125)", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  for (const addresses of [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"]]) {
    const resolve = async () => addresses.map((address) => ({ address }));
    const policy = { ...nowhere, resolve };
    await assert.rejects(
      asks(`http://hook.example.org:${port}/`, policy),
      failsWith(/resolves to a private address/, true),
    );
  }
  const none = { ...nowhere, resolve: async () => [] };
  await assert.rejects(asks("http://hook.example.org/", none), failsWith(/does not resolve/));
  assert.equal(receiver.requests.length, 0);
});

test("a name is resolved once, and the connection uses the checked address (reference reliability S126)", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  let asked = 0;
  // A second resolution would return another address.
  const resolve = async () => [{ address: asked++ === 0 ? "127.0.0.1" : "127.0.0.2" }];
  const policy = { allowPrivateTargets: ["127.0.0.1/32"], resolve };
  const reply = await asks(`http://hook.example.org:${port}/a?b=c`, policy);
  assert.deepEqual([reply.status, reply.address, asked], [200, "127.0.0.1", 1]);
  assert.equal(receiver.requests[0]?.headers.host, `hook.example.org:${port}`);
  assert.equal(receiver.requests[0]?.path, "/a?b=c");
  await assert.rejects(asks(`http://hook.example.org:${port}/`, policy), failsWith(/private address/));
});

test("if one of the checked addresses refuses the connection, the next one is tried (decision 0049)", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  const resolve = async () => [{ address: "::1" }, { address: "127.0.0.1" }];
  const policy = { allowPrivateTargets: ["127.0.0.1", "::1"], resolve };
  const reply = await asks(`http://hook.example.org:${port}/`, policy);
  assert.deepEqual([reply.status, reply.address], [200, "127.0.0.1"]);
});

/** Listens on a port of this address, and leaves connections to the system, which drops the packets of those beyond the first two. */
async function dropsPackets(address: string, port: number): Promise<void> {
  const listens = `
    const { parentPort } = require("node:worker_threads");
    require("node:net").createServer().listen({ host: "${address}", port: ${port}, backlog: 1 }, () => {
      parentPort.postMessage("listens");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(listens, { eval: true });
  await once(worker, "message");
  const sockets = [1, 2].map(() => connect(port, address));
  whenDone(async () => {
    for (const socket of sockets) socket.destroy();
    await worker.terminate();
  });
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
}

test("if nothing comes of the connection to one of the checked addresses, the next one is tried in time (decision 0049)", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  await dropsPackets("127.0.0.2", Number(port));
  const resolve = async () => [{ address: "127.0.0.2" }, { address: "127.0.0.1" }];
  const policy = { allowPrivateTargets: ["127.0.0.0/8"], resolve };
  const reply = await asks(`http://hook.example.org:${port}/`, policy);
  assert.deepEqual([reply.status, reply.address], [200, "127.0.0.1"]);
});

test("connections are not reused, since a name may resolve to another address later (reference reliability S126)", async () => {
  const seen = new Set<unknown>();
  const url = await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, seen);
  const policy = { allowPrivateTargets: ["127.0.0.1"] };
  for (const connections of [1, 2]) {
    assert.equal((await asks(url, policy)).status, 200);
    assert.equal(seen.size, connections);
  }
});

test("private targets are allowed by the operator by name, port or range (decision 0049)", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  for (const allowed of ["127.0.0.1", "127.0.0.0/8", `127.0.0.1:${port}`]) {
    assert.equal((await asks(receiver.url, { allowPrivateTargets: [allowed] })).status, 200);
  }
  assert.equal(
    (await asks(`http://localhost:${port}/`, { allowPrivateTargets: [`localhost:${port}`] })).status,
    200,
  );
  const others = { allowPrivateTargets: ["127.0.0.1:1", "10.0.0.0/8", "::1"] };
  await assert.rejects(asks(receiver.url, others), failsWith(/private network/));
});

test("at most 64 KiB of a response are read, and redirects are not followed (reference reliability S126)", async () => {
  const receiver = await startReceiver();
  const policy = { allowPrivateTargets: ["127.0.0.1"] };
  receiver.answers(
    { status: 200, body: "x".repeat(5_000_000) },
    { status: 307, headers: { location: "/there" } },
  );
  const large = await asks(receiver.url, policy);
  assert.deepEqual([large.body.length, large.isCut], [65_536, true]);
  const begun = `HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n${"x".repeat(70_000)}`;
  const endless = await asks(await answering(begun), policy);
  assert.deepEqual([endless.body.length, endless.isCut], [65_536, true], "the rest is not awaited");
  const redirect = await asks(receiver.url, policy);
  assert.deepEqual([redirect.status, redirect.isCut, receiver.requests.length], [307, false, 2]);
});

test("a target that does not respond within 5 seconds is given up (reference reliability S126)", async () => {
  const receiver = await startReceiver();
  receiver.delays(60_000);
  const never = { ...nowhere, resolve: () => new Promise<never>(() => {}) };
  await Promise.all([
    assert.rejects(asks(receiver.url, { allowPrivateTargets: ["127.0.0.1"] }), failsWith(/within 5 seconds/)),
    assert.rejects(asks("http://hook.example.org/", never), failsWith(/within 5 seconds/)),
  ]);
});

test("a header with a line break is refused and nothing is sent, and a given Host header is replaced (reference reliability S109, S125)", async () => {
  const receiver = await startReceiver();
  const broken = { url: receiver.url, headers: { "x-a": "1\r\nx-b: 2" } };
  await assert.rejects(
    safeRequest(broken, { allowPrivateTargets: ["127.0.0.1"] }),
    failsWith(/header cannot be sent/),
  );
  assert.equal(receiver.requests.length, 0);
  const elsewhere = { url: receiver.url, headers: { host: "elsewhere.example" } };
  await safeRequest(elsewhere, { allowPrivateTargets: ["127.0.0.1"] });
  assert.equal(receiver.requests[0]?.headers.host, new URL(receiver.url).host, "the target's own host");
});

/**
 * A server that responds to any request with these bytes, and continues with single bytes if `drips`.
 * @param seen collects its connections
 */
async function answering(bytes: string, drips = false, seen = new Set<unknown>()): Promise<string> {
  const server = createServer((socket) => {
    seen.add(socket);
    const timer = setInterval(() => drips && socket.write("x"), 300);
    socket.on("error", () => {}).on("close", () => clearInterval(timer));
    socket.on("data", () => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenDone(async () => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("a response that switches protocols or never ends fails within 5 seconds (reference reliability S126)", async () => {
  const policy = { allowPrivateTargets: ["127.0.0.1"] };
  const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
  const other = /another protocol|not HTTP|within 5 seconds|closed unexpectedly/;
  await Promise.all([
    assert.rejects(
      asks(await answering(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}`), policy),
      failsWith(other),
    ),
    assert.rejects(asks(await answering(`HTTP/1.1 200 OK\r\n${upgrade}`), policy), failsWith(other)),
    assert.rejects(
      asks(await answering("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)), policy),
      failsWith(/within 5/),
    ),
    assert.rejects(
      asks(await answering("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", true), policy),
      failsWith(/within 5/),
    ),
  ]);
});
