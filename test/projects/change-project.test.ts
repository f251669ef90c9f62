import assert from "node:assert/strict";
import { before, test } from "node:test";
import { jsonb, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const put = (path: string, json: object) => world.call(`/api/v4${path}`, { as: "olga", method: "PUT", json });

const Entry = row({ details: jsonb<Record<string, string>>() });
const audited = (action: string) =>
  world.platform.db.many(Entry, sql`select details from audit_entries where action = ${action} order by id`);

test("a change of a project or group is audited with what it changed, and one that changes nothing is not (decision 0147)", async () => {
  const { id } = world.open;
  assert.equal((await put(`/projects/${id}`, { visibility: "private", name: "Open" })).status, 200);
  assert.equal((await put(`/projects/${id}`, { visibility: "private" })).status, 200);
  assert.deepEqual(
    (await audited("project_changed")).map(({ details }) => details),
    [{ project: "acme/open", changed: "visibility", visibility: "private" }],
  );
  await put(`/projects/${id}`, { visibility: "public" });
  assert.equal((await put("/groups/free", { description: "Ours", path: "free" })).status, 200);
  assert.equal((await put("/groups/free", { description: "Ours" })).status, 200);
  assert.deepEqual(
    (await audited("group_changed")).map(({ details }) => details),
    [{ group: "free", changed: "description" }],
  );
});

test("a project may not be more visible than its group, and the error names both visibilities (GitLab v4 API, PUT /projects/:id)", async () => {
  assert.equal((await put("/groups/free", { visibility: "internal" })).status, 200);
  const loud = await put(`/projects/${world.free.id}`, { visibility: "public" });
  assert.deepEqual(
    [loud.status, loud.json.message],
    [400, { visibility_level: ["public is not allowed in a internal group."] }],
  );
});

test("renaming a project or group does not overwrite other fields that were changed in the meantime (reference reliability S54)", async () => {
  const { id } = world.open;
  const hidden = ["update projects set visibility = 'private' where id = $1", id] as const;
  const renamed = await meanwhile(world, [hidden], () => put(`/projects/${id}`, { name: "Opened" }));
  assert.equal(renamed.json.name, "Opened");
  assert.equal(renamed.json.visibility, "private");
  const described = ["update namespaces set description = 'Ours' where full_path = 'acme'"] as const;
  const group = await meanwhile(world, [described], () => put("/groups/acme", { name: "Acme Ltd" }));
  assert.equal(group.json.name, "Acme Ltd");
  assert.equal(group.json.description, "Ours");
});
