/** How every route handles broken requests, and the form of error responses. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { before, test } from "node:test";
import { buildApp } from "../../src/app.ts";
import { createLog } from "../../src/platform/log.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { counting } from "../support/counting.ts";
import { isWaitedFor } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { freePort, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("an unknown API path returns 404 as JSON, with exactly application/json (contract §4, media types)", async () => {
  const reply = await world.call("/api/v4/nothing");
  assert.equal(reply.status, 404);
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.deepEqual(reply.json, { error: "404 Not Found" });
  assert.match(reply.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
});

test("an API path that cannot be decoded and an unknown method return the same 404 (contract §4, media types; reference events A1)", async () => {
  for (const [method, path] of [
    ["GET", "/api/v4/projects/%zz/events"],
    ["GET", "/api/v4/users/%ff"],
    ["PROPFIND", "/api/v4/user"],
    ["PROPFIND", "/api/v4/nothing"],
  ] as const) {
    const reply = await fetch(world.url + path, { method });
    const told = [reply.status, reply.headers.get("content-type"), await reply.json()];
    assert.deepEqual(told, [404, "application/json", { error: "404 Not Found" }], `${method} ${path}`);
    assert.match(reply.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  }
});

test("an unknown page returns 404 as a page that contains the request id (reference ux 7)", async () => {
  const reply = await world.call("/-/no/such/page");
  assert.equal(reply.status, 404);
  assert.match(reply.headers.get("content-type") ?? "", /^text\/html/);
  assert.ok(reply.text.includes(reply.headers.get("x-request-id") ?? "?"));
});

test("every response has nosniff, and HSTS is sent only if the public URL is https (RFC 6797 §7.2; reference ux 4)", async () => {
  const secure = await startWorld({ GATEHOUSE_PUBLIC_URL: "https://gatehouse.example.org" });
  for (const path of ["/users/sign_in", "/api/v4/nothing", "/assets/app.css", "/%ff", "/-/liveness"]) {
    const [plain, safe] = [await world.call(path), await secure.call(path)];
    for (const { headers } of [plain, safe])
      assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(plain.headers.get("strict-transport-security"), null, path);
    assert.equal(safe.headers.get("strict-transport-security"), "max-age=31536000", path);
  }
});

test("a URL of more than 8 KiB is refused on every route, one of exactly 8 KiB is not (reference reliability E)", async () => {
  const long = (path: string, bytes: number) => `${path}?q=${"x".repeat(bytes - path.length - 3)}`;
  for (const path of ["/-/liveness", "/users/sign_in", "/oauth/discovery/keys"]) {
    for (const [bytes, status] of [
      [8192, 200],
      [8193, 400],
    ] as const) {
      assert.equal((await fetch(world.url + long(path, bytes))).status, status, path);
    }
  }
});

test("a body of more than 100 levels is refused before validation (reference reliability E)", async () => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  for (const [levels, error] of [
    [100, "body is invalid"],
    [101, "The body is nested too deeply"],
  ] as const) {
    const headers = { "content-type": "application/json" };
    const { status, json } = await world.call("/api/v4/projects", {
      ...{ as: "olga", method: "POST", headers },
      body: nested(levels),
    });
    assert.deepEqual([status, json], [400, { error }], String(levels));
  }
});

test("pages have strict security headers (reference ux 4)", async () => {
  const { headers } = await world.call("/-/no/such/page");
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(headers.get("x-frame-options"), "DENY");
  assert.equal(headers.get("cache-control"), "no-store");
});

const broken: [string, Record<string, string>, string | Uint8Array][] = [
  ["JSON that breaks off", { "content-type": "application/json" }, '{"grant_type":'],
  [
    "JSON in Latin-1",
    { "content-type": "application/json" },
    new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]),
  ],
  ["JSON nested 200 levels", { "content-type": "application/json" }, "[".repeat(200) + "]".repeat(200)],
  ["a form with a broken escape", { "content-type": "application/x-www-form-urlencoded" }, "a=%zz"],
  ["a form in broken UTF-8", { "content-type": "application/x-www-form-urlencoded" }, "a=%ff%fe"],
];
for (const [what, headers, body] of broken) {
  test(`refuses ${what} with 400 and an error (reference reliability A18)`, async () => {
    const reply = await world.call("/oauth/token", { method: "POST", headers, body });
    assert.equal(reply.status, 400, reply.text);
    assert.ok(reply.json.error);
  });
}

test("a form of more than 1,000 fields is refused, one of 1,000 is parsed (decision 0006)", async () => {
  const send = (fields: number) =>
    world.call("/oauth/token", {
      form: [
        ["grant_type", "x"],
        ...Array.from({ length: fields - 1 }, (_, n): [string, string] => [`f${n}`, ""]),
      ],
    });
  assert.equal((await send(1000)).json.error, "unsupported_grant_type");
  const { status, json } = await send(1001);
  assert.deepEqual([status, json.error_description], [400, "The form has more than 1000 fields"]);
});

test("a media type that the route does not accept gets 415 (reference reliability S104)", async () => {
  for (const type of ["text/plain", "multipart/form-data; boundary=x", "application/xml"]) {
    const reply = await world.call("/oauth/token", {
      method: "POST",
      headers: { "content-type": type },
      body: "x",
    });
    assert.equal(reply.status, 415, type);
  }
});

test("a body above the limit gets 413 before its end is received, with and without a Content-Length (reference reliability S119)", async () => {
  const reply = await world.call("/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"a":"${"x".repeat(1_100_000)}"}`,
  });
  assert.equal(reply.status, 413);
  // The rest of these bodies is never sent.
  for (const [headers, part] of [
    [{ "content-length": "1100000" }, "{"],
    [{ "transfer-encoding": "chunked" }, `{"a":"${"x".repeat(1_100_000)}`],
  ] as const) {
    const sent = request(`${world.url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    });
    // The server closes the connection after its response.
    sent.on("error", () => {});
    sent.write(part);
    const [{ statusCode }] = (await once(sent, "response")) as [{ statusCode: number }];
    assert.equal(statusCode, 413, JSON.stringify(headers));
    sent.destroy();
  }
});

test("pages of other origins may read API responses, but never with credentials (contract §4, CORS)", async () => {
  const preflight = await world.call("/api/v4/user", {
    method: "OPTIONS",
    headers: {
      origin: "https://spa.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization",
    },
  });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.equal(preflight.headers.get("access-control-allow-credentials"), null);
  const page = await world.call("/users/sign_in", { headers: { origin: "https://spa.example" } });
  assert.equal(page.headers.get("access-control-allow-origin"), null);
});

const raw = (bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(world.platform.config.port, "127.0.0.1", () => socket.end(bytes));
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });

for (const [what, bytes] of [
  ["two lengths", "POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na"],
  [
    "a length beside chunks",
    "POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["two hosts", "GET /-/liveness HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n"],
  ["a broken escape in the path", "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ["an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n"],
] as const) {
  test(`answers ${what} with a 4xx and keeps working (reference reliability S113, S114)`, async () => {
    const answer = await raw(bytes);
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, answer.slice(0, 80));
    assert.equal((await world.call("/-/liveness")).status, 200);
  });
}

test("a client that does not read the response is disconnected when its socket times out after two minutes (decision 0006; reference reliability S117)", async () => {
  const { hostname, port } = new URL(world.url);
  const accepted = once(world.app.server, "connection");
  const socket = connect(Number(port), hostname);
  const [serverSide] = (await accepted) as [Socket];
  const begun = once(world.app.server, "request");
  socket.pause().write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");
  await begun;
  assert.equal(serverSide.timeout, 120_000);
  // The server also limits the time of a slow request (reference reliability S116).
  assert.deepEqual([world.app.server.headersTimeout, world.app.server.requestTimeout], [10_000, 30_000]);
  const cut = once(serverSide, "close");
  serverSide.emit("timeout");
  await cut;
  socket.destroy();
});

test("readiness writes to the database and is 503 if it refuses the write, and liveness does not use the database (contract §2)", async () => {
  const own = await startWorld();
  const beats = async () =>
    (await own.platform.db.find(row({ beats: integer }), sql`select beats from readiness`))?.beats ?? 0;
  const before = await beats();
  assert.equal((await own.call("/-/readiness")).status, 200);
  assert.equal(await beats(), before + 1);
  // As a server that became read-only.
  await own.owner.run(sql`create function refuses() returns trigger language plpgsql
    as $$ begin raise exception 'read-only' using errcode = '25006'; end $$`);
  await own.owner.run(sql`create trigger refuses before insert on readiness execute function refuses()`);
  const refused = await own.call("/-/readiness");
  assert.deepEqual([refused.status, refused.json.reason], [503, "database"]);
  assert.equal((await own.call("/-/liveness")).status, 200);
  const { app, statements } = await counting(own);
  assert.equal((await app.inject("/-/liveness")).statusCode, 200);
  assert.equal(statements(), 0);
});

test("a write for which the disk of the database has no room is 503 with the reason, and an error in the log (decision 0178)", async () => {
  const own = await startWorld();
  const source = await aSource(own);
  // As a server that cannot make a file longer.
  await own.owner.run(sql`create function refuses() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
  await own.owner.run(sql`create trigger refuses before insert on alerts execute function refuses()`);
  const lines: string[] = [];
  const log = createLog(
    { logLevel: "warn" },
    {
      write: (line) => {
        lines.push(line);
      },
    },
  );
  const app = await buildApp({ ...own.platform, log });
  const url = await app.listen({ host: "127.0.0.1", port: await freePort() });
  const refused = await fetch(url + source.path, {
    method: "POST",
    headers: { authorization: `Bearer ${source.key}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Full" }),
  });
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "30"]);
  assert.deepEqual(await refused.json(), { message: "The disk of the database is full. Try again later." });
  app.server.closeAllConnections();
  await app.close();
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "refused");
  assert.deepEqual(
    told.map(({ level, detail }) => [level, detail]),
    [[50, "could not extend file: No space left on device"]],
  );
});

test("an action of a client that disconnected during the request is audited with its address (reference oauth D89)", async () => {
  const { db } = world.platform;
  const token = await world.tokenOf("ada", "api");
  const made = await world.call(`/api/v4/users/${world.ids.dev}/personal_access_tokens`, {
    as: "ada",
    json: { name: "to go", scopes: ["read_user"] },
  });
  const { hostname, port } = new URL(world.url);
  const accepted = once(world.app.server, "connection");
  const socket = connect(Number(port), hostname);
  const [ofService] = await accepted;
  const closed = once(ofService, "close");
  await db.transaction(async (tx) => {
    await tx.run(sql`lock table access_tokens in access exclusive mode`);
    socket.write(
      `DELETE /api/v4/personal_access_tokens/${made.json.id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await until(() => isWaitedFor(tx));
    socket.destroy();
    await closed;
  });
  const entry = await until(() =>
    db.find(
      row({ ip: text }),
      sql`select ip from audit_entries where action = 'token_revoked' and user_id = ${world.ids.dev}`,
    ),
  );
  assert.equal(entry.ip, "127.0.0.1");
});

/** The status of a request whose target is sent as given. */
function statusOf(method: string, address: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(world.url);
    const sent = request({ hostname, port, method, path: address, headers }, (reply) => {
      reply.resume();
      done(reply.statusCode ?? 0);
    });
    sent.on("error", fail);
    sent.end();
  });
}

test("a request target in absolute form works, and does not give access to internal paths (RFC 9112 §3.2.2)", async () => {
  assert.equal(await statusOf("GET", `${world.url}/-/liveness`), 200);
  assert.equal(await statusOf("GET", `${world.url}/api/v4/projects/acme%2Fopen/`), 200);
  const notify = "/acme/rocket/alerts/notify.json";
  assert.equal(await statusOf("POST", `${world.url}${notify}`), await statusOf("POST", notify));
  for (const inner of [`/-/receive${notify}`, `${world.url}/-/receive${notify}`]) {
    assert.equal(await statusOf("POST", inner), 404, inner);
  }
});

test("connections beyond the maximum of a process are closed at once, and accepted again when another one ends (reference reliability S118; decision 0006)", async () => {
  const { app, platform } = await startWorld();
  assert.equal(app.server.maxConnections, 2000);
  app.server.maxConnections = 2;
  const open = async () => {
    const socket = connect(platform.config.port, "127.0.0.1");
    // Closed by the server, with a FIN or a reset, whichever arrives first.
    socket.on("error", () => {});
    socket.write("GET /-/liveness HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const answered = once(socket, "data").then(
      ([data]) => String(data).slice(9, 12),
      () => "closed",
    );
    const closed = once(socket, "close").then(() => "closed");
    return { socket, said: await Promise.race([answered, closed]) };
  };
  const first = await open();
  const second = await open();
  assert.deepEqual([first.said, second.said, (await open()).said], ["200", "200", "closed"]);
  first.socket.destroy();
  const third = await until(async () => {
    const next = await open();
    return next.said === "200" && next;
  });
  for (const { socket } of [second, third]) socket.destroy();
});
