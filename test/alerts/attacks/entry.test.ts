/** Attacks on the way in: keys, places that moved or went, guessing, and what leaks from one project to another. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { before, test } from "node:test";
import { aSource, type Source } from "../../support/alerts.ts";
import { stopsMeasuring } from "../../support/measuring.ts";
import { startWorld, type World } from "../../support/world.ts";

const rocket = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

/** Writes to the socket as it is and returns the status of the first answer. */
function rawRequest(lines: readonly string[], body = "", rest = ""): Promise<number> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      if (status === "100" && !/\r\n\r\nHTTP\/1\.1 (\d{3})/.test(answer)) return;
      const final = /HTTP\/1\.1 (?!100)(\d{3})/.exec(answer)?.[1];
      if (final) {
        resolve(Number(final));
        socket.destroy();
      }
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(0));
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    if (rest) socket.write(rest);
  });
}
const head = (...more: string[]) => [
  `POST ${source.path} HTTP/1.1`,
  "Host: localhost",
  "Content-Type: application/json",
  ...more,
];
const BODY = '{"title":"By hand"}';

test("of two Authorization headers none counts, whichever is right (reference alerts D21; reference reliability S91)", async () => {
  const right = `Authorization: Bearer ${source.key}`;
  const length = `Content-Length: ${BODY.length}`;
  assert.equal(await rawRequest(head(right, length), BODY), 200);
  assert.equal(await rawRequest(head(right, "Authorization: Bearer x", length), BODY), 401);
  assert.equal(await rawRequest(head("Authorization: Bearer x", right, length), BODY), 401);
  assert.equal(await rawRequest(head(`${right} `, length), BODY), 200);
  assert.equal(await rawRequest(head(`Authorization: Bearer ${source.key}\tx`, length), BODY), 401);
});

test("lengths that contradict each other are refused, chunks and expectations are not (reference alerts D19; reference reliability S119)", async () => {
  const key = `Authorization: Bearer ${source.key}`;
  const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  assert.equal(await rawRequest(head(key, "Transfer-Encoding: chunked"), chunked), 200);
  const expecting = head(key, `Content-Length: ${BODY.length}`, "Expect: 100-continue");
  assert.equal(await rawRequest(expecting, BODY), 200);
  const two = head(key, `Content-Length: ${BODY.length}`, "Content-Length: 3");
  assert.equal(await rawRequest(two, BODY), 400);
  const both = head(key, `Content-Length: ${BODY.length}`, "Transfer-Encoding: chunked");
  assert.equal(await rawRequest(both, chunked), 400);
  const hidden = head(key, "Transfer-Encoding: gzip, identity");
  assert.notEqual(await rawRequest(hidden, chunked), 200);
  const oneMore = JSON.stringify({ title: "x", filler: "a".repeat(1024 * 1024) });
  const chunks = `${oneMore.length.toString(16)}\r\n${oneMore}\r\n0\r\n\r\n`;
  assert.equal(await rawRequest(head(key, "Transfer-Encoding: chunked"), chunks), 413);
});

test("a deleted integration answers like none at all, an archived project refuses the right key and says why; a moved one is found (reference alerts D23; decision 0153)", async () => {
  const project = await world.call("/api/v4/projects", {
    as: "olga",
    json: { name: "Moving", path: "moving" },
  });
  const api = `/api/v4/projects/${project.json.id}`;
  const made = await world.call(`${api}/alert_integrations`, { as: "olga", json: { type: "generic" } });
  const path = new URL(made.json.url).pathname;
  const send = () =>
    world.call(path, {
      json: { title: "Still there" },
      headers: { authorization: `Bearer ${made.json.authorization_key}` },
    });
  assert.equal((await send()).status, 200);
  assert.equal((await world.call(api, { method: "PUT", as: "olga", json: { path: "moved" } })).status, 200);
  assert.equal((await send()).status, 200, "at the address of before");
  await world.call(`${api}/archive`, { as: "olga", method: "POST" });
  const archived = await send();
  const stranger = await world.call(path, {
    json: { title: "Guessed" },
    headers: { authorization: "Bearer guessed" },
  });
  assert.deepEqual([stranger.status, stranger.json], [401, { message: "401 Unauthorized" }]);
  await world.call(`${api}/unarchive`, { as: "olga", method: "POST" });
  assert.equal((await send()).status, 200);
  await world.call(`${api}/alert_integrations/${made.json.id}`, { method: "DELETE", as: "olga" });
  const deleted = await send();
  assert.deepEqual([deleted.status, deleted.json], [403, { message: "403 Forbidden" }]);
  const why = "403 Forbidden - The project is archived or marked for deletion and accepts no alerts.";
  assert.deepEqual([archived.status, archived.json], [403, { message: why }]);
});

test("two rotations at once leave the integration with one key that works (reference alerts D24)", async () => {
  const spare = await aSource(world, "http", { name: "Rotated twice" });
  const rotate = () =>
    world.call(`${rocket}/alert_integrations/${spare.id}/rotate_key`, {
      as: "max",
      json: { grace_seconds: 0 },
    });
  const keys = (await Promise.all([rotate(), rotate(), rotate()])).map(({ json }) => json.authorization_key);
  const statuses = await Promise.all(
    keys.map(async (key) => (await spare.send({ title: "x" }, { authorization: `Bearer ${key}` })).status),
  );
  assert.deepEqual(statuses.sort(), [200, 401, 401]);
  const shown = await world.call(`${rocket}/alert_integrations/${spare.id}`, { as: "max" });
  const reply = await spare.send({ title: "x" }, { authorization: `Bearer ${shown.json.authorization_key}` });
  assert.equal(reply.status, 200);
});

test("the receipt says which of two valid keys came (reference alerts D24)", async () => {
  const spare = await aSource(world, "http", { name: "Two keys" });
  const path = `${rocket}/alert_integrations/${spare.id}/rotate_key`;
  const { authorization_key: next } = (await world.call(path, { as: "max", json: { grace_seconds: 60 } }))
    .json;
  for (const key of [spare.key, next]) {
    const reply = await spare.send({ title: "x" }, { authorization: `Bearer ${key}` });
    const receipt = `${rocket}/alert_receipts/${reply.headers.get("x-alert-receipt")}`;
    assert.equal((await world.call(receipt, { as: "max" })).json.key_hint, `…${key.slice(-4)}`);
  }
});

test("whoever guesses keys is told to wait, and right keys from the same address still come in (reference alerts D27)", async () => {
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  const own = await aSource(limited);
  stopsMeasuring();
  const guess = (path: string) =>
    limited.call(path, { json: { title: "x" }, headers: { authorization: "Bearer guessed" } });
  const statuses: number[] = [];
  for (let batch = 0; batch < 6; batch++) {
    const path = batch % 2 ? "/acme/nowhere/alerts/notify.json" : own.path;
    const replies = await Promise.all(Array.from({ length: 60 }, () => guess(path)));
    statuses.push(...replies.map(({ status }) => status));
  }
  assert.ok(statuses.slice(0, 60).every((status) => status === 401));
  const refused = await guess(own.path);
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  const sent = await own.send({ title: "Still heard" });
  assert.equal(sent.status, 200);
  assert.equal(sent.headers.get("ratelimit-limit"), "1000");
});

test("keys are guessed at no door of another service without being told to wait (reference alerts D27)", async () => {
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  stopsMeasuring();
  const authorization = "GenieKey guessed";
  const doors = {
    close: () =>
      limited.call("/opsgenie/v2/alerts/x/close?identifierType=alias", {
        json: {},
        headers: { authorization },
      }),
    request: () =>
      limited.call(`/opsgenie/v2/alerts/requests/${crypto.randomUUID()}`, { headers: { authorization } }),
    create: () => limited.call("/opsgenie/v2/alerts", { json: { message: "x" }, headers: { authorization } }),
    events: () => limited.call("/v2/enqueue", { json: { routing_key: "guessed", event_action: "trigger" } }),
    ping: () =>
      limited.call("/acme/rocket/heartbeats/0123456789abcdef", {
        method: "POST",
        headers: { authorization },
      }),
  };
  const statuses: number[] = [];
  for (let batch = 0; batch < 4; batch++) {
    const replies = await Promise.all(Array.from({ length: 75 }, doors[batch % 2 ? "close" : "request"]));
    statuses.push(...replies.map(({ status }) => status));
  }
  assert.ok(statuses.slice(0, 75).every((status) => status === 401));
  for (const [name, guess] of Object.entries(doors)) assert.equal((await guess()).status, 429, name);
});

test("an alert of one project is not found by its number in another, nor by a token of a narrower scope (reference alerts D28; reference reliability S94)", async () => {
  const { json } = await source.send({ title: "Of the rocket", fingerprint: "rocket/1" });
  const { iid } = json[0];
  const of = (project: string) => `/api/v4/projects/acme%2F${project}/alert_management_alerts/${iid}`;
  assert.equal((await world.call(of("rocket"), { as: "dev" })).status, 200);
  assert.equal((await world.call(of("open"), { as: "dev" })).status, 404);
  const token = await world.tokenOf("dev", "read_user");
  assert.equal((await world.call(of("rocket"), { token })).status, 403);
  const elsewhere = await aSource(world, "generic", {}, "acme/open");
  await elsewhere.send({ title: "x", fingerprint: "rocket/1", end_time: "2030-01-01T00:00:00Z" });
  assert.equal((await world.call(of("rocket"), { as: "dev" })).json.status, "triggered");
});

test("no answer and no receipt holds the key that was shown (reference alerts D21; reference reliability S106)", async () => {
  const replies = [
    await source.send({ title: "x" }),
    await source.sendBytes("{", { "content-type": "application/json" }),
    await world.call(`${rocket}/alert_integrations/${source.id}/test`, {
      as: "dev",
      json: { payload: { title: "x" } },
    }),
    await world.call(`${rocket}/alert_receipts`, { as: "max" }),
  ];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 400, 200, 200],
  );
  for (const { text } of replies) assert.ok(!text.includes(source.key));
});
