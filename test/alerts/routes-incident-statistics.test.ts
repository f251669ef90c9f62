/** The numbers of incidents, as clients of issues ask for them. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
const API = "/api/v4";
const ROCKET = "/projects/acme%2Frocket/issues_statistics";

before(async () => {
  world = await startWorld();
  for (const [as, project, title] of [
    ["dev", "acme/rocket", "Pump stops"],
    ["max", "acme/rocket", "Valve leaks"],
    ["rep", "acme/rocket", "Pump hums"],
    ["olga", "acme/open", "Door is shut"],
    ["olga", "free/plan", "Plan is lost"],
  ] as const) {
    const issues = `${API}/projects/${encodeURIComponent(project)}/issues`;
    assert.equal((await world.call(issues, { as, json: { title } })).status, 201);
  }
  const closed = await world.call(`${API}/projects/acme%2Frocket/issues/2`, {
    as: "dev",
    method: "PUT",
    json: { state_event: "close" },
  });
  assert.equal(closed.status, 200, closed.text);
});

/** All, closed and open ones. */
async function counted(path: string, as: Person): Promise<number[]> {
  const { status, json, text } = await world.call(API + path, { as });
  assert.equal(status, 200, text);
  const { all, closed, opened } = json.statistics.counts;
  assert.deepEqual(json, { statistics: { counts: { all, closed, opened } } });
  return [all, closed, opened];
}

describe("GET /projects/:id/issues_statistics", () => {
  test("counts the incidents of a project by their state (GitLab v4 API, GET /projects/:id/issues_statistics; decision 0286)", async () => {
    assert.deepEqual(await counted(ROCKET, "rep"), [3, 1, 2]);
  });

  test("counts what the list with the same filters has, whatever its state and page (GitLab v4 API, GET /projects/:id/issues_statistics; decision 0286)", async () => {
    for (const [query, counts] of [
      ["search=pump", [2, 0, 2]],
      ["iids[]=2", [1, 1, 0]],
      ["author_username=max", [1, 1, 0]],
      ["scope=created_by_me", [1, 0, 1]],
      ["not[author_username]=max", [2, 0, 2]],
      ["search=pump&in=description", [0, 0, 0]],
      ["milestone_id=Any", [0, 0, 0]],
      ["labels=incident", [3, 1, 2]],
      ["labels=other", [0, 0, 0]],
      ["issue_type=task", [0, 0, 0]],
      ["created_after=2100-01-01T00:00:00Z", [0, 0, 0]],
      ["state=closed&per_page=1&page=9&order_by=title", [3, 1, 2]],
    ] as const)
      assert.deepEqual(await counted(`${ROCKET}?${query}`, "rep"), counts, query);
  });

  test("needs the role of a Reporter (decision 0037)", async () => {
    assert.equal((await world.call(API + ROCKET, { as: "gus" })).status, 403);
    assert.equal((await world.call(API + ROCKET, { as: "stan" })).status, 404);
    assert.equal((await world.call(API + ROCKET)).status, 401);
  });
});

describe("GET /issues_statistics", () => {
  test("counts the incidents that the caller opened, and with scope=all those that the caller may read (GitLab v4 API, GET /issues_statistics; decision 0286)", async () => {
    assert.deepEqual(await counted("/issues_statistics", "dev"), [1, 0, 1]);
    assert.deepEqual(await counted("/issues_statistics?scope=all", "dev"), [4, 1, 3]);
    assert.deepEqual(await counted("/issues_statistics?scope=all", "olga"), [5, 1, 4]);
    assert.deepEqual(await counted("/issues_statistics?scope=all", "ada"), [5, 1, 4]);
    assert.deepEqual(await counted("/issues_statistics?scope=all", "stan"), [0, 0, 0]);
    assert.deepEqual(await counted("/issues_statistics?scope=all&search=pump", "olga"), [2, 0, 2]);
    assert.deepEqual(await counted("/issues_statistics?scope=assigned_to_me", "olga"), [0, 0, 0]);
    assert.equal((await world.call(`${API}/issues_statistics`)).status, 401);
  });

  test("leaves out projects that are archived, unless non_archived=false (decisions 0278, 0286)", async () => {
    const archived = await world.call(`${API}/projects/free%2Fplan/archive`, { as: "olga", method: "POST" });
    assert.equal(archived.status, 201, archived.text);
    assert.deepEqual(await counted("/issues_statistics?scope=all", "olga"), [4, 1, 3]);
    assert.deepEqual(await counted("/issues_statistics?scope=all&non_archived=false", "olga"), [5, 1, 4]);
  });
});

describe("GET /groups/:id/issues_statistics", () => {
  test("counts the incidents of a group that the caller may read (GitLab v4 API, GET /groups/:id/issues_statistics; decision 0286)", async () => {
    assert.deepEqual(await counted("/groups/acme/issues_statistics", "olga"), [4, 1, 3]);
    assert.deepEqual(await counted("/groups/acme/issues_statistics", "gus"), [0, 0, 0]);
    assert.deepEqual(await counted("/groups/acme/issues_statistics?search=door", "olga"), [1, 0, 1]);
    const shed = { name: "Shed", path: "shed", visibility: "private" };
    assert.equal((await world.call(`${API}/groups`, { as: "olga", json: shed })).status, 201);
    const unseen = await world.call(`${API}/groups/shed/issues_statistics`, { as: "stan" });
    const missing = await world.call(`${API}/groups/nowhere/issues_statistics`, { as: "stan" });
    assert.deepEqual([missing.status, missing.json], [404, { message: "404 Group Not Found" }]);
    assert.deepEqual([unseen.status, unseen.json], [missing.status, missing.json]);
  });
});
