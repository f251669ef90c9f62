/** A group and a project that are to have one address, at the same moment. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { startWorld, type World } from "../support/world.ts";

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

test("a group is not made at the address of a project that is made at the same moment (decision 0245)", async () => {
  const { worked } = await whileDoing(
    world,
    (tx) => tx.run(aProject("crane")),
    () => make("groups", "crane"),
  );
  const later = await make("groups", "crane");
  assert.equal(later.status, 400);
  assert.deepEqual([worked.status, worked.json], [later.status, later.json]);
});

test("a project is not made at the address of a group that is made at the same moment (decision 0245)", async () => {
  const { worked } = await whileDoing(
    world,
    (tx) => tx.run(aGroup("quay")),
    () => make("projects", "quay"),
  );
  const later = await make("projects", "quay");
  assert.equal(later.status, 400);
  assert.deepEqual([worked.status, worked.json], [later.status, later.json]);
});

test("neither is renamed to an address that is taken at the same moment (decision 0245)", async () => {
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

test("many that want one address at once are one (decision 0245)", async () => {
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, i) => make(i % 2 ? "groups" : "projects", "pier")),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(11).fill(400)]);
});
