/** The lineage of a project, as stored in its own row. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("a project has the lineage of its namespace, even after either of them changes (decision 0134)", async () => {
  const { db } = world.platform;
  const astray = async () =>
    (
      await db.one(
        row({ n: integer }),
        sql`select count(*) as n from projects p join namespaces n on n.id = p.namespace_id where p.lineage <> n.lineage`,
      )
    ).n;
  const { id: inner } = await made("/groups", {
    name: "inner",
    path: "inner",
    parent_id: await idOf("acme"),
  });
  const { id } = await made("/projects", { name: "deep", namespace_id: inner });
  assert.equal(await astray(), 0);
  const ofDeep = async () =>
    (await db.one(row({ n: integer }), sql`select cardinality(lineage) as n from projects where id = ${id}`))
      .n;
  assert.equal(await ofDeep(), 2);

  await db.run(
    sql`update projects set namespace_id = (select id from namespaces where full_path = 'acme') where id = ${id}`,
  );
  assert.deepEqual([await astray(), await ofDeep()], [0, 1]);
  await db.run(sql`update projects set namespace_id = ${inner} where id = ${id}`);
  await db.run(sql`update namespaces set lineage = array[id] where id = ${inner}`);
  assert.deepEqual([await astray(), await ofDeep()], [0, 1]);
});

async function made(path: string, json: object): Promise<{ id: number }> {
  const reply = await world.call(`/api/v4${path}`, { as: "olga", json });
  assert.equal(reply.status, 201, reply.text);
  return reply.json;
}

async function idOf(group: string): Promise<number> {
  return (await world.call(`/api/v4/groups/${group}`, { as: "olga" })).json.id;
}
