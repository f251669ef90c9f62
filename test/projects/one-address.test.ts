/** Concurrent requests for the same path: by a group and a project, or for a path that is just being given up. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { updateUsername } from "../../src/accounts/store-namespaces.ts";
import { sql } from "../../src/platform/sql.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let acme: number;
before(async () => {
  world = await startWorld();
  acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
});

const make = (things: "groups" | "projects", path: string) => {
  const place = things === "groups" ? { parent_id: acme } : { namespace_id: acme };
  return world.call(`/api/v4/${things}`, { as: "olga", json: { name: path, path, ...place } });
};
const rename = (things: "groups" | "projects", id: number, path: string) =>
  world.call(`/api/v4/${things}/${id}`, { as: "olga", method: "PUT", json: { path } });

const aProject = (path: string) =>
  sql`insert into projects (namespace_id, path, full_path, name)
    values (${acme}, ${path}, 'acme/' || ${path}::text, 'Project')`;
const aGroup = (path: string) =>
  sql`insert into namespaces (kind, parent_id, path, full_path, name)
    values ('group', ${acme}, ${path}, 'acme/' || ${path}::text, 'Group')`;

test("a group cannot be created at the path of a project that is being created (decision 0245)", async () => {
  const { worked } = await whileDoing(
    world,
    (tx) => tx.run(aProject("crane")),
    () => make("groups", "crane"),
  );
  const later = await make("groups", "crane");
  assert.equal(later.status, 400);
  assert.deepEqual([worked.status, worked.json], [later.status, later.json]);
});

test("a project cannot be created at the path of a group that is being created (decision 0245)", async () => {
  const { worked } = await whileDoing(
    world,
    (tx) => tx.run(aGroup("quay")),
    () => make("projects", "quay"),
  );
  const later = await make("projects", "quay");
  assert.equal(later.status, 400);
  assert.deepEqual([worked.status, worked.json], [later.status, later.json]);
});

test("neither can be renamed to a path that is being taken (decision 0245)", async () => {
  for (const [things, other] of [
    ["groups", aProject],
    ["projects", aGroup],
  ] as const) {
    const { id } = (await make(things, `old-${things}`)).json;
    const { worked } = await whileDoing(
      world,
      (tx) => tx.run(other(`new-${things}`)),
      () => rename(things, id, `new-${things}`),
    );
    const later = await rename(things, id, `new-${things}`);
    assert.equal(later.status, 400, things);
    assert.deepEqual([worked.status, worked.json], [later.status, later.json], things);
  }
});

test("of many concurrent requests for the same path, exactly one succeeds (decision 0245)", async () => {
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, i) => make(i % 2 ? "groups" : "projects", "pier")),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(11).fill(400)]);
});

test("a username that its owner is just giving up cannot be taken (decision 0122)", async () => {
  const asGroup = () => world.call("/api/v4/groups", { as: "olga", json: { name: "Rep", path: "rep" } });
  const person = { username: "rep", name: "Rep", email: "other@example.org", password: PASSWORD };
  const asPerson = () => world.call("/api/v4/users", { as: "ada", json: person });
  for (const take of [asGroup, asPerson]) {
    const { worked } = await whileDoing(world, (tx) => updateUsername(tx, world.ids.rep, "reporter"), take);
    const later = await take();
    assert.deepEqual([worked.status, worked.json], [later.status, later.json]);
    assert.ok([400, 409].includes(later.status), later.text);
    await world.platform.db.transaction((tx) => updateUsername(tx, world.ids.rep, "rep"));
  }
});

test("a path that a group is just giving up cannot be taken (decision 0122)", async () => {
  const { id } = (await world.call("/api/v4/groups", { as: "olga", json: { name: "Old", path: "old" } }))
    .json;
  const take = () => world.call("/api/v4/groups", { as: "stan", json: { name: "Taken", path: "old" } });
  const moved = sql`update namespaces set path = 'older', full_path = 'older' where id = ${id}`;
  const { worked } = await whileDoing(world, (tx) => tx.run(moved), take);
  const later = await take();
  assert.equal(later.status, 400);
  assert.deepEqual([worked.status, worked.json], [later.status, later.json]);
});
