/** What is changed, created or filtered by the former path of a group goes to the group that had it (decision 0122). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let group: number;
let inner: number;
before(async () => {
  world = await startWorld();
  group = (await api("/groups", { json: { name: "Old", path: "old", visibility: "private" } })).id;
  inner = (await api("/groups", { json: { name: "In", path: "in", parent_id: group } })).id;
  assert.equal((await api("/groups/old", { method: "PUT", json: { path: "new" } }, 200)).full_path, "new");
});

/** Calls the API as Olga, who owns the group, and returns the JSON of the response. */
async function api(path: string, options: { method?: string; json?: object }, status = 201) {
  const reply = await world.call(`/api/v4${path}`, { as: "olga", ...options });
  assert.equal(reply.status, status, `${path} ${reply.text}`);
  return reply.json;
}

test("a group and its subgroups are changed by a former path, and whoever does not see the group gets 404 (decision 0122; contract §4, visibility)", async () => {
  const { gus, rep } = world.ids;
  await api("/groups/old/members", { json: { user_id: gus, access_level: 30 } });
  await api("/groups/Old%2FIn/members", { json: { user_id: rep, access_level: 20 } });
  const change = { method: "PUT", json: { access_level: 20 } };
  assert.equal((await api(`/groups/old/members/${gus}`, change, 200)).access_level, 20);
  await api(`/groups/old/members/${gus}`, { method: "DELETE" }, 204);
  const described = { method: "PUT", json: { description: "Renamed" } };
  assert.equal((await api("/groups/old%2Fin", described, 200)).id, inner);
  await api("/groups/old/archive", { method: "POST" }, 200);
  await api("/groups/old/unarchive", { method: "POST" }, 200);
  for (const [path, options] of [
    ["/groups/old/members", { json: { user_id: gus, access_level: 30 } }],
    ["/groups/old", described],
    ["/groups/old", { method: "DELETE" }],
    ["/projects", { json: { name: "P", namespace_id: "old" } }],
  ] as const) {
    const reply = await world.call(`/api/v4${path}`, { as: "stan", ...options });
    assert.equal(reply.status, 404, path);
  }
});

test("projects and groups are created in a group, moved into it and found in it by its former path (decision 0122)", async () => {
  const made = await api("/projects", { json: { name: "Made", path: "made", namespace_id: "old/in" } });
  assert.equal(made.path_with_namespace, "new/in/made");
  const moved = await api(
    `/projects/${made.id}/transfer`,
    { method: "PUT", json: { namespace: "old" } },
    200,
  );
  assert.equal(moved.path_with_namespace, "new/made");
  const lists = await world.call("/api/v4/events?scope=all&group_id=old", { as: "olga" });
  assert.deepEqual([lists.status, lists.json.length > 0], [200, true], lists.text);
  assert.equal((await world.call("/api/v4/events?scope=all&group_id=old", { as: "stan" })).status, 404);
  const other = await api("/groups", { json: { name: "Other", path: "other", visibility: "private" } });
  const into = await api(`/groups/${other.id}/transfer`, { json: { group_id: "old" } });
  assert.equal(into.full_path, "new/other");
  const out = await api("/groups/old%2Fin/transfer", { method: "POST" });
  assert.deepEqual([out.id, out.full_path], [inner, "in"]);
  assert.equal((await api("/groups/old%2Fin", { method: "PUT", json: { name: "In" } }, 200)).id, inner);
});

test("reads by a former path still redirect, and a path of digits is an id (decision 0122; GitLab v4 API)", async () => {
  const read = async (path: string, as: Person) => {
    const { status, headers } = await world.call(`/api/v4${path}`, { as });
    return [status, headers.get("location")];
  };
  assert.deepEqual(await read("/groups/old/members", "olga"), [301, `/api/v4/groups/${group}/members`]);
  assert.deepEqual(await read("/groups/old/events", "olga"), [301, `/api/v4/groups/${group}/events`]);
  assert.deepEqual(await read("/groups/old", "stan"), [404, null]);
  const digits = await api("/groups", { json: { name: "Digits", path: "987654", visibility: "private" } });
  await api(`/groups/${digits.id}`, { method: "PUT", json: { path: "digits" } }, 200);
  await api("/groups/987654", { method: "PUT", json: { name: "x" } }, 404);
});

test("reads by the former name of a user or namespace are 404, and changes of the namespace are accepted (decision 0122; GitLab v4 API)", async () => {
  const renamed = { method: "PUT", json: { username: "repo" } };
  const reply = await world.call(`/api/v4/users/${world.ids.rep}`, { as: "ada", ...renamed });
  assert.equal(reply.status, 200, reply.text);
  for (const path of ["/users/rep/events", "/users/rep/calendar", "/namespaces/rep", "/namespaces/old"]) {
    assert.equal((await world.call(`/api/v4${path}`, { as: "ada" })).status, 404, path);
  }
  const plan = { method: "PUT", json: { plan: "premium" } };
  for (const [path, now] of [
    ["/namespaces/old", "new"],
    ["/namespaces/rep", "repo"],
  ] as const) {
    const changed = await world.call(`/api/v4${path}`, { as: "ada", ...plan });
    assert.deepEqual([changed.status, changed.json.full_path], [200, now], changed.text);
  }
});

test("a form that was opened before the group was renamed is accepted, and so are forms that name the group by its former path (decision 0122)", async () => {
  const olga = await signedIn(world, "olga");
  const member = { username: "dev", access_level: "30" };
  const added = await olga.submit("/groups/old/-/members", member, "/groups/new/-/members");
  assert.deepEqual([added.status, added.location], [303, "/groups/new/-/members#main"], added.text);
  const about = { name: "Within", path: "within", visibility: "private", description: "" };
  const subgroup = await olga.submit("/groups", { ...about, parent: "old" }, "/groups/new");
  assert.deepEqual([subgroup.status, subgroup.location], [303, "/new/within"], subgroup.text);
  const made = await olga.submit("/projects", { ...about, path: "tool", namespace: "old" }, "/projects/new");
  assert.deepEqual([made.status, made.location], [303, "/new/tool"], made.text);
  const moving = { place: "old", confirm: "digits" };
  const moved = await olga.submit("/groups/digits/-/settings/move", moving);
  assert.deepEqual([moved.status, moved.location], [303, "/new/digits"], moved.text);
  const stan = await signedIn(world, "stan");
  assert.equal((await stan.submit("/groups/old/-/members", member, "/groups/new")).status, 404);
});

test("a project that got the former path of a group has its page, which the redirect of the group does not hide (decision 0122)", async () => {
  await api("/groups", { json: { name: "Sub", path: "sub", parent_id: group, visibility: "private" } });
  await api("/groups/new%2Fsub", { method: "PUT", json: { path: "moved" } }, 200);
  const olga = await signedIn(world, "olga");
  assert.equal((await olga.get("/new/sub")).location, "/new/moved");
  await api("/projects", { json: { name: "Sub", path: "sub", namespace_id: group } });
  const page = await olga.get("/new/sub");
  assert.deepEqual([page.status, /<h1[^>]*>Sub</.test(page.text)], [200, true], page.text);
});
