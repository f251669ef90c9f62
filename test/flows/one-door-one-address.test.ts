/** Alternative spellings of paths, and headers and parameters that other software could take for another route or method. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { rawStatus } from "../support/attacks.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Alternative spellings of a path. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replaceAll("/", "//"),
  (path) => path.toUpperCase(),
  (path) => `${path};x=1`,
  (path) => path.replace(/^\/(\w+)/, "/$1;a=b"),
  (path) => `${path}/.`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => path.replace(/(\w)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `${path}.json`,
  (path) => `${path}%2f`,
  (path) => `${path}%20`,
  (path) => `${path}?_method=get&format=json`,
  (path) => path.replaceAll("/", "\\"),
];

test("no alternative spelling of a path opens a route to anonymous requests, users without a role or guests (reference reliability S86)", async () => {
  const closed: Readonly<Record<string, readonly ("gus" | "stan" | undefined)[]>> = {
    "/api/v4/user": [undefined],
    "/api/v4/projects/acme%2Frocket": ["stan", undefined],
    "/api/v4/projects/acme%2Frocket/alert_integrations": ["gus", "stan", undefined],
    "/api/v4/applications": ["gus", undefined],
    "/acme/rocket": ["stan", undefined],
    "/acme/rocket/-/alerts": ["gus", "stan", undefined],
    "/acme/rocket/-/settings/operations": ["gus", "stan", undefined],
    "/admin/users": ["gus", undefined],
    "/admin/audit": ["gus", undefined],
  };
  const visitors = { gus: await signedIn(world, "gus"), stan: await signedIn(world, "stan") };
  const open: string[] = [];
  for (const [path, people] of Object.entries(closed)) {
    for (const person of people) {
      for (const spell of [(plain: string) => plain, ...SPELLINGS]) {
        for (const method of ["GET", "HEAD"]) {
          const address = spell(path);
          // Sent as it is written: HTTP clients would normalize the path.
          const lines = [`${method} ${address} HTTP/1.1`, "Host: x", "Connection: close"];
          const token = person && `Authorization: Bearer ${await world.tokenOf(person, "api")}`;
          const byToken = await rawStatus(world, token ? [...lines, token] : lines);
          const byCookie =
            person && !path.startsWith("/api/") ? (await visitors[person].get(address)).status : 404;
          for (const status of [byToken, byCookie])
            if (status < 300 || status >= 500) open.push(`${method} ${address} as ${person}: ${status}`);
        }
      }
    }
  }
  assert.deepEqual(open, []);
  assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { as: "gus" })).status, 200);
});

test("HEAD returns the status of GET without the body, with and without permission (RFC 9110 §9.3.2; reference reliability S86)", async () => {
  for (const path of [
    "/api/v4/user",
    "/api/v4/projects/acme%2Frocket",
    "/api/v4/applications",
    "/api/v4/nothing",
  ]) {
    for (const as of ["gus", "ada"] as const) {
      const [whole, head] = [await world.call(path, { as }), await world.call(path, { as, method: "HEAD" })];
      assert.deepEqual([head.status, head.text], [whole.status, ""], path);
    }
  }
});

test("no header or parameter overrides the method or the path of a request (reference reliability S86)", async () => {
  const project = "/api/v4/projects/acme%2Frocket";
  for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
    for (const method of ["GET", "POST"]) {
      const options = { as: "olga", method, headers: { [name]: "DELETE" } } as const;
      const { status } = await world.call(`${project}?_method=delete`, options);
      assert.ok([200, 405].includes(status), `${method} ${name}: ${status}`);
      const form = { _method: "delete", name: "Gone" };
      if (method === "POST") assert.equal((await world.call(project, { as: "olga", form })).status, 405);
    }
  }
  for (const [name, value] of [
    ["x-original-url", "/admin/users"],
    ["x-rewrite-url", "/admin/users"],
    ["x-forwarded-prefix", "/admin"],
    ["x-forwarded-uri", "/admin/users"],
  ] as const) {
    const { text } = await world.call("/api/v4/user", { as: "gus", headers: { [name]: value } });
    assert.equal(JSON.parse(text).username, "gus", name);
  }
  const read = await world.call(project, { as: "olga" });
  assert.deepEqual(
    [read.status, read.json.name, read.json.marked_for_deletion_at ?? null],
    [200, "Rocket", null],
  );
});
