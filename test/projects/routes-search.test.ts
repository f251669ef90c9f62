/** The searches of the API for projects and users, as the GitLab v4 API has them (decisions 0192, 0293). */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  const people = [
    { username: "max.hidden", name: "Maxine", private_profile: true },
    { username: "max.blocked", name: "Maxim" },
  ];
  for (const person of people) {
    const json = { ...person, email: `${person.username}@example.org`, password: "correct horse battery" };
    const made = await world.call("/api/v4/users", { as: "ada", json });
    assert.equal(made.status, 201, made.text);
    if (person.name === "Maxim")
      await world.call(`/api/v4/users/${made.json.id}/block`, { as: "ada", method: "POST" });
  }
});

const search = (as: Person, query: string) => world.call(`/api/v4/search?${query}`, { as });

describe("GET /search", () => {
  it("finds the projects that the caller may see, in the form of the project list (GitLab v4 API, search; contract §4, visibility)", async () => {
    for (const [who, paths] of [
      ["olga", ["free/plan", "acme/open", "acme/rocket"]],
      ["ada", ["free/plan", "acme/open", "acme/rocket"]],
      ["gus", ["acme/open", "acme/rocket"]],
      ["stan", ["acme/open"]],
    ] as const) {
      const { status, json, headers } = await search(who, "scope=projects&search=E");
      assert.equal(status, 200);
      const found = json.map((one: { path_with_namespace: string }) => one.path_with_namespace);
      assert.deepEqual(found.sort(), [...paths].sort(), who);
      assert.equal(headers.get("x-total"), String(paths.length));
    }
    const listed = await world.call("/api/v4/projects?search=rocket", { as: "dev" });
    assert.deepEqual((await search("dev", "scope=projects&search=ROCKET")).json, listed.json);
  });

  it("finds users, but blocked users and private profiles only for administrators (GitLab v4 API, search; decision 0192)", async () => {
    const names = async (as: Person, query: string) =>
      (await search(as, `scope=users&${query}`)).json.map((one: { username: string }) => one.username);
    assert.deepEqual(await names("stan", "search=Max"), ["max"]);
    assert.deepEqual(await names("ada", "search=Max"), ["max.blocked", "max.hidden", "max"]);
    assert.deepEqual(await names("ada", "search=max&sort=asc"), ["max", "max.hidden", "max.blocked"]);
    assert.deepEqual(await names("stan", "search=max@example.org"), []);
    assert.deepEqual(await names("ada", "search=max@example.org"), ["max"]);
    const listed = await world.call("/api/v4/users?username=max", { as: "stan" });
    assert.deepEqual((await search("stan", "scope=users&search=max")).json, listed.json);
  });

  it("is paginated like every list, newest first (contract §4, pages)", async () => {
    const { json, headers } = await search("olga", "scope=projects&search=e&per_page=1&page=2");
    assert.equal(json[0].path_with_namespace, "acme/open");
    assert.deepEqual([headers.get("x-total"), headers.get("x-next-page")], ["3", "3"]);
  });

  it("names the valid scopes, and reports missing, empty or too long parameters (GitLab v4 API, search)", async () => {
    const scopes = "projects, users and issues can be searched";
    for (const [query, error] of [
      ["scope=merge_requests&search=a", `scope does not have a valid value: ${scopes}`],
      ["search=a", "scope is missing"],
      ["scope=users", "search is missing"],
      ["scope=users&search=+", "search is empty"],
      [`scope=users&search=${"x".repeat(256)}`, "search is too long (maximum is 255 characters)"],
    ] as const) {
      const reply = await search("dev", query);
      assert.deepEqual([reply.status, reply.json], [400, { error }], query);
    }
  });

  it("requires a token that may read the API (GitLab v4 API, search)", async () => {
    const path = "/api/v4/search?scope=projects&search=open";
    assert.equal((await world.call(path)).status, 401);
    for (const [scope, status] of [
      ["read_api", 200],
      ["api", 200],
      ["read_user", 403],
    ] as const) {
      const token = await world.tokenOf("dev", scope);
      assert.equal((await world.call(path, { token })).status, status, scope);
    }
  });
});

describe("GET /groups/:id/search", () => {
  it("finds the projects in the group and below it that the caller may see (GitLab v4 API, search; decision 0293)", async () => {
    const acme = await world.call("/api/v4/groups/acme", { as: "olga" });
    const json = { name: "Pad", path: "pad", parent_id: acme.json.id, visibility: "private" };
    const pad = await world.call("/api/v4/groups", { as: "olga", json });
    const below = { name: "Deep", path: "deep", namespace_id: pad.json.id };
    assert.equal((await world.call("/api/v4/projects", { as: "olga", json: below })).status, 201);
    for (const [who, paths] of [
      ["olga", ["acme/pad/deep", "acme/open", "acme/rocket"]],
      ["ada", ["acme/pad/deep", "acme/open", "acme/rocket"]],
      ["gus", ["acme/open", "acme/rocket"]],
      ["stan", ["acme/open"]],
    ] as const) {
      for (const path of ["search", "-/search"]) {
        const found = await world.call(`/api/v4/groups/acme/${path}?scope=projects&search=E`, { as: who });
        assert.equal(found.status, 200, found.text);
        const names = found.json.map((one: { path_with_namespace: string }) => one.path_with_namespace);
        assert.deepEqual(names, paths, `${who} ${path}`);
        assert.equal(found.headers.get("x-total"), String(paths.length));
      }
    }
    const hidden = await world.call("/api/v4/groups/acme%2Fpad/search?scope=projects&search=E", {
      as: "dev",
    });
    assert.deepEqual([hidden.status, hidden.json], [404, { message: "404 Group Not Found" }]);
  });

  it("names the scopes that can be searched in a group and in a project, and requires a token (GitLab v4 API, search)", async () => {
    for (const [place, words] of [
      ["groups/acme", "projects and issues"],
      ["projects/acme%2Fopen", "issues"],
    ]) {
      for (const path of ["search", "-/search"]) {
        const address = `/api/v4/${place}/${path}`;
        const { status, json } = await world.call(`${address}?scope=users&search=a`, { as: "dev" });
        const error = `scope does not have a valid value: ${words} can be searched`;
        assert.deepEqual([status, json], [400, { error }], address);
        assert.equal((await world.call(`${address}?scope=issues&search=a`)).status, 401, address);
        const token = await world.tokenOf("dev", "read_user");
        assert.equal((await world.call(`${address}?scope=issues&search=a`, { token })).status, 403, address);
      }
    }
  });
});
