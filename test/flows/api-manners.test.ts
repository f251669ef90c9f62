/** What holds for all of the API: unsupported methods, pagination, versions. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { before, test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { about, record } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const API = "/api/v4";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

test("a method that an API address does not support is answered with 405 and an Allow header before the body is read (reference events A1)", async () => {
  const { paths } = JSON.parse((await world.call("/openapi.json")).text);
  const addresses = Object.keys(paths).filter((path) => path.startsWith(`${API}/`));
  assert.ok(addresses.includes(`${API}/events/bulk`));
  for (const path of addresses) {
    const has = Object.keys(paths[path]).map((method) => method.toUpperCase());
    for (const method of METHODS.filter((one) => !has.includes(one))) {
      const address = path.replace(/\{[a-z_]+\}/g, "1");
      const body = method === "GET" || method === "DELETE" ? {} : { headers: BROKEN, body: "{" };
      const reply = await world.call(address, { as: "ada", method, ...body });
      assert.equal(reply.status, 405, `${method} ${address} ${reply.text}`);
      assert.deepEqual(reply.json, { error: "405 Not Allowed" });
      for (const one of has) assert.match(reply.headers.get("allow") ?? "", new RegExp(`\\b${one}\\b`));
    }
  }
});
const BROKEN = { "content-type": "application/json" };

test("a write without a body takes its parameters from the query, except for passwords (decision 0123)", async () => {
  const write = async (method: string, path: string, more = {}) =>
    world.call(API + path, { as: "ada", method, ...more });
  const { json: made } = await write("POST", "/projects?name=Address&path=address&visibility=private");
  assert.deepEqual([made.path, made.visibility], ["address", "private"]);
  const { id } = (await write("GET", "/users?username=dev")).json[0];
  const added = await write("POST", `/projects/${made.id}/members?user_id=${id}&access_level=30`);
  assert.equal(added.status, 201, added.text);
  const raised = await write("PUT", `/projects/${made.id}/members/${id}?access_level=40`);
  assert.equal(raised.json.access_level, 40);
  const token = await write(
    "POST",
    `/users/${id}/personal_access_tokens?name=t&scopes[]=read_user&scopes[]=profile`,
  );
  assert.deepEqual(token.json.scopes, ["read_user", "profile"]);
  const rotated = await write(
    "POST",
    `/personal_access_tokens/${token.json.id}/rotate?expires_at=2199-01-20`,
  );
  assert.equal(rotated.json.expires_at, "2199-01-20");

  const both = await write("PUT", `/projects/${made.id}/members/${id}?access_level=10`, {
    json: { access_level: 20 },
  });
  assert.equal(both.json.access_level, 20);
  const wrong = await write("PUT", `/projects/${made.id}/members/${id}?access_level=x`);
  assert.deepEqual([wrong.status, wrong.json], [400, { error: "access_level does not have a valid value" }]);
  const person = "username=adele&name=Adele&email=adele%40example.org";
  const bare = await write("POST", `/users?${person}&password=a-long-pass-phrase-1`);
  assert.deepEqual([bare.status, bare.json], [400, { error: "password is missing" }]);
});

test("a body that is too large is answered with 413: the rest is read and discarded, and the connection stays usable (contract-events §2; decision 0088)", async () => {
  const { hostname, port } = new URL(world.url);
  const size = 12 * 1024 * 1024;
  const token = await world.tokenOf("dev", "api");
  const head = (type: string) =>
    `POST ${API}/events/bulk HTTP/1.1\r\nHost: ${hostname}:${port}\r\nPRIVATE-TOKEN: ${token}\r\nContent-Type: application/x-ndjson\r\n${type}\r\n\r\n`;
  const piece = Buffer.alloc(1024 * 1024, " ");
  const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
  const ways = {
    [`Content-Length: ${size}`]: { piece, end: "" },
    "Transfer-Encoding: chunked": { piece: chunk, end: "0\r\n\r\n" },
  };
  for (const [type, { piece: part, end }] of Object.entries(ways)) {
    const socket = connect(Number(port), hostname);
    let read = "";
    let fault: Error | undefined;
    socket.setEncoding("utf8").on("data", (text) => {
      read += text;
    });
    socket.on("error", (error) => {
      fault = error;
    });
    const written = (bytes: Buffer | string) =>
      new Promise<void>((done) => {
        socket.write(bytes, () => done());
      });
    await written(head(type));
    for (let sent = 0; sent < size; sent += piece.length) await written(part);
    await written(`${end}GET /-/liveness HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
    await new Promise((done) => socket.once("close", done));
    assert.equal(fault, undefined, type);
    assert.match(read, /^HTTP\/1\.1 413 .*413 Request Entity Too Large.*HTTP\/1\.1 200 OK/s, type);
  }
});

test("HEAD of an export returns the headers of GET, and HEAD of a stream is answered with 405 (RFC 9110 §9.3.2; decision 0107)", async () => {
  for (const path of [
    "/events",
    "/users/dev/events",
    "/projects/acme%2Frocket/events",
    "/groups/acme/events",
  ]) {
    const head = await world.call(`${API}${path}/export?format=csv`, { as: "dev", method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""], path);
    assert.match(head.headers.get("content-type") ?? "", /^text\/csv/);
    assert.match(head.headers.get("content-disposition") ?? "", /events\.csv/);
    assert.ok(head.headers.get("x-next-since"));
  }
  const alerts = `${API}/projects/acme%2Frocket/alert_management_alerts/export`;
  const ofAlerts = await world.call(`${alerts}?format=csv`, { as: "dev", method: "HEAD" });
  assert.deepEqual([ofAlerts.status, ofAlerts.text, ofAlerts.headers.get("content-length")], [200, "", null]);
  assert.match(ofAlerts.headers.get("content-type") ?? "", /^text\/csv/);
  assert.match(ofAlerts.headers.get("content-disposition") ?? "", /alerts-of-acme-rocket\.csv/);
  assert.equal((await world.call(`${alerts}?format=xml`, { as: "dev", method: "HEAD" })).status, 400);
  for (const hidden of [alerts, `${API}/projects/acme%2Frocket/events/export`]) {
    assert.equal((await world.call(hidden, { as: "stan", method: "HEAD" })).status, 404);
  }
  const stream = await world.call(`${API}/events/stream`, { as: "dev", method: "HEAD" });
  assert.deepEqual([stream.status, stream.headers.get("allow")], [405, "GET"]);
});

test("a path with a NUL character is answered with 404 (contract §4, visibility)", async () => {
  for (const path of [
    "/users/%00/events",
    "/projects/%00/events",
    "/projects/acme%2Frocket%00",
    "/groups/%00",
  ]) {
    const reply = await world.call(API + path, { as: "dev" });
    assert.equal(reply.status, 404, `${path} ${reply.text}`);
  }
});

test("hooks, a user's own claims, channels and heartbeats are paginated like every other list (contract §4, statuses)", async () => {
  const hooks = `${API}/projects/acme%2Frocket/hooks`;
  const claims = `${API}/user/outside_identities`;
  const channels = `${API}/projects/acme%2Frocket/alert_channels`;
  const beats = `${API}/projects/acme%2Frocket/alert_heartbeats`;
  for (const name of ["a", "b", "c"]) {
    const hook = { url: `https://hooks.example.org/${name}`, name };
    assert.equal((await world.call(hooks, { as: "max", json: hook })).status, 201);
    const claim = { host: "forge.example.org", username: name };
    assert.equal((await world.call(claims, { as: "max", json: claim })).status, 201);
    const channel = { kind: "webhook", ...hook };
    assert.equal((await world.call(channels, { as: "max", json: channel })).status, 201);
    assert.equal((await world.call(beats, { as: "max", json: { name } })).status, 201);
  }
  for (const path of [hooks, claims, channels, beats]) {
    const whole = await world.call(path, { as: "max" });
    assert.deepEqual([whole.json.length, whole.headers.get("x-total")], [3, "3"], path);
    const second = await world.call(`${path}?per_page=2&page=2`, { as: "max" });
    assert.deepEqual(second.json, whole.json.slice(2));
    assert.deepEqual(
      ["x-page", "x-per-page", "x-total-pages", "x-next-page", "x-prev-page"].map((h) =>
        second.headers.get(h),
      ),
      ["2", "2", "2", "", "1"],
    );
    assert.match(second.headers.get("link") ?? "", /per_page=2&page=1>; rel="prev"/);
    const beyond = await world.call(`${path}?per_page=2&page=7`, { as: "max" });
    assert.deepEqual([beyond.json, beyond.headers.get("x-prev-page")], [[], "2"], "back to the last page");
    assert.match(beyond.headers.get("link") ?? "", /per_page=2&page=2>; rel="prev"/);
    const none = await world.call(`${path}?page=0`, { as: "max" });
    assert.deepEqual([none.status, none.json], [400, { error: "page does not have a valid value" }]);
  }
});

test("the addresses of other pages keep every parameter of the query except a token (RFC 6750 §5.3; reference events A5)", async () => {
  const [projectId, authorId] = [world.rocket.id, world.ids.dev];
  await record(
    world,
    [1, 2, 3].map((n) => ({ projectId, authorId, ...about("created", "Issue", n) }) as never),
  );
  const token = await world.tokenOf("max", "api");
  for (const name of ["access_token", "private_token", "bearer_token"]) {
    for (const query of ["sort=asc&per_page=1&page=2", "sort=asc&per_page=1&pagination=keyset"]) {
      const path = `${API}/projects/acme%2Frocket/events?${query}&${name}=${token}`;
      const { status, headers } = await world.call(path);
      const link = headers.get("link") ?? "";
      assert.deepEqual([status, link.includes("sort=asc")], [200, true], `${path} ${link}`);
      assert.ok(!link.includes(token) && !link.includes(name), link);
    }
  }
});

test("every list of the API is documented as paginated, except the export of alerts (contract §4, statuses)", async () => {
  const { paths } = JSON.parse((await world.call("/openapi.json")).text);
  const lists = Object.keys(paths).filter((path) => {
    const schema = paths[path].get?.responses[200]?.content?.["application/json"]?.schema;
    return path.startsWith(`${API}/`) && schema?.type === "array";
  });
  assert.ok(lists.includes(`${API}/users`));
  const whole = lists.filter((path) => paths[path].get.responses[200].headers?.["X-Total"] === undefined);
  assert.deepEqual(whole, [`${API}/projects/{id}/alert_management_alerts/export`]);
});

test("a member record names who added the member (reference events B3)", async () => {
  const path = `${API}/projects/acme%2Frocket/members`;
  const added = await world.call(path, { as: "max", json: { user_id: world.ids.stan, access_level: 20 } });
  assert.equal(added.status, 201, added.text);
  const one = `${path}/${world.ids.stan}`;
  for (const address of [one, `${path}/all/${world.ids.stan}`]) {
    const { json } = await world.call(address, { as: "dev" });
    assert.deepEqual([json.created_by?.id, json.created_by?.username], [world.ids.max, "max"], address);
    assert.ok(json.created_by.web_url && json.created_by.avatar_url);
  }
  assert.equal((await world.call(one, { as: "max", method: "DELETE" })).status, 204);
});

test("a project record has links to its issues, merge requests, labels, events and members (reference events B2)", async () => {
  const { json } = await world.call(`${API}/projects/acme%2Frocket`, { as: "dev" });
  const words = ["self", "issues", "merge_requests", "labels", "events", "members"];
  assert.deepEqual(Object.keys(json._links), words);
  for (const word of words.slice(1)) assert.equal(json._links[word], `${json._links.self}/${word}`);
});

test("clients of GitLab get a version that they can compare, with any token that may read (decision 0131)", async () => {
  const api = new Gitlab({ host: world.url, token: await world.tokenOf("dev", "read_user") });
  const shown = await api.Metadata.show();
  assert.match(shown.version, /^\d+\.\d+\.\d+-gatehouse$/);
  assert.deepEqual(shown, {
    version: shown.version,
    revision: "0.1.0",
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: false,
  });
  for (const path of ["/version", "/metadata"]) {
    assert.deepEqual((await world.call(API + path, { as: "gus" })).json, shown);
    const nobody = await world.call(API + path);
    assert.deepEqual([nobody.status, nobody.json], [401, { message: "401 Unauthorized" }]);
    for (const [scope, status] of [
      ["read_api", 200],
      ["write_events", 403],
      ["profile", 403],
    ] as const) {
      const headers = { "private-token": await world.tokenOf("dev", scope) };
      assert.equal((await world.call(API + path, { headers })).status, status, `${path} ${scope}`);
    }
  }
});

test("a request to act as another user (sudo) is refused with 403 insufficient_scope, and changes nothing (decision 0138)", async () => {
  const asked: [string, Record<string, string>][] = [
    ["/user", { Sudo: "dev" }],
    ["/user?sudo=dev", {}],
    ["/projects/acme%2Frocket?sudo=1", {}],
    ["/events?scope=all", { sudo: "gus" }],
  ];
  for (const [path, headers] of asked) {
    const { status, json } = await world.call(API + path, { as: "ada", headers });
    assert.deepEqual([status, json.error, json.scope], [403, "insufficient_scope", "sudo"], path);
  }
  const note = await world.call(`${API}/projects/acme%2Frocket/members?sudo=dev`, {
    as: "ada",
    json: { user_id: world.ids.stan, access_level: 30 },
  });
  assert.equal(note.status, 403);
  const added = { user_id: world.ids.stan, access_level: 30, sudo: "dev" };
  for (const sent of [
    { json: added },
    { form: Object.entries(added).map(([k, v]): [string, string] => [k, `${v}`]) },
  ]) {
    const { status, json } = await world.call(`${API}/projects/acme%2Frocket/members`, {
      as: "ada",
      ...sent,
    });
    assert.deepEqual([status, json.scope], [403, "sudo"], "sudo in the body is refused too");
  }
  const members = await world.call(`${API}/projects/acme%2Frocket/members/all?per_page=100`, { as: "ada" });
  assert.ok(members.json.every(({ username }: { username: string }) => username !== "stan"));
  assert.equal((await world.call(`${API}/user?sudo=`, { as: "dev" })).json.username, "dev");
});
