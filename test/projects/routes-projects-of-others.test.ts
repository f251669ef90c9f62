/** Projects that administrators create for a user, and those that owners move into a group. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4";
let world: World;
before(async () => {
  world = await startWorld();
});

test("an administrator creates a project in a user's namespace, which is the user's from then on (GitLab v4 API, POST /projects/user/:user_id; decision 0286)", async () => {
  const json = { name: "Sea Crane", description: "Lifts" };
  const made = await world.call(`${API}/projects/user/${world.ids.stan}`, { as: "ada", json });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    [made.json.path_with_namespace, made.json.visibility, made.json.creator_id],
    ["stan/sea-crane", "private", world.ids.ada],
  );
  const changed = await world.call(`${API}/projects/${made.json.id}`, {
    as: "stan",
    method: "PUT",
    json: { description: "Lifts more" },
  });
  assert.equal(changed.status, 200, changed.text);
  const byName = await world.call(`${API}/projects/user/stan`, { as: "ada", json: { path: "buoy" } });
  assert.equal(byName.json.path_with_namespace, "stan/buoy", byName.text);
});

test("what the body says of a namespace does not count beside the user of the address (GitLab v4 API, POST /projects/user/:user_id; decision 0286)", async () => {
  const { id } = (await world.call(`${API}/groups/acme`, { as: "olga" })).json;
  const json = { name: "Raft", namespace_id: id };
  const made = await world.call(`${API}/projects/user/stan`, { as: "ada", json });
  assert.equal(made.json.path_with_namespace, "stan/raft", made.text);
});

test("projects for users need an administrator, a user and a name (GitLab v4 API, POST /projects/user/:user_id; decision 0286)", async () => {
  const path = `${API}/projects/user/${world.ids.olga}`;
  for (const as of ["olga", "stan"] as const)
    assert.equal((await world.call(path, { as, json: { name: "x" } })).status, 403, as);
  const missing = await world.call(`${API}/projects/user/99999999`, { as: "ada", json: { name: "x" } });
  assert.deepEqual([missing.status, missing.json], [404, { message: "404 User Not Found" }]);
  assert.equal((await world.call(path, { as: "ada", json: {} })).status, 400);
});

test("an owner of both moves a project into a group, as by its transfer (GitLab v4 API, POST /groups/:id/projects/:project_id; decisions 0140, 0286)", async () => {
  const { id } = (await world.call(`${API}/projects`, { as: "olga", json: { name: "Sloop" } })).json;
  const into = `${API}/groups/acme/projects/olga%2Fsloop`;
  const moved = await world.call(into, { as: "olga", method: "POST" });
  assert.equal(moved.status, 201, moved.text);
  assert.equal(moved.json.full_path, "acme");
  const { json } = await world.call(`${API}/projects/${id}`, { as: "olga" });
  assert.equal(json.path_with_namespace, "acme/sloop");
  const again = await world.call(into, { as: "olga", method: "POST" });
  assert.deepEqual(
    [again.status, again.json.message],
    [400, "Transfer failed: the project is there already."],
  );
});

test("whoever owns only one of the two moves nothing (decisions 0140, 0286)", async () => {
  const own = (await world.call(`${API}/projects`, { as: "max", json: { name: "Dinghy" } })).json.id;
  const move = (group: string, project: number | string) =>
    world.call(`${API}/groups/${group}/projects/${project}`, { as: "max", method: "POST" });
  assert.equal((await move("acme", own)).status, 403);
  assert.equal(
    (await world.call(`${API}/groups`, { as: "max", json: { name: "Quay", path: "quay" } })).status,
    201,
  );
  assert.equal((await move("quay", world.rocket.id)).status, 403);
  assert.equal((await move("quay", 99_999_999)).status, 404);
  const { json } = await world.call(`${API}/projects/${world.rocket.id}`, { as: "max" });
  assert.equal(json.path_with_namespace, "acme/rocket");
});
