import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildApp } from "../../src/app.ts";
import type { Queries } from "../../src/platform/db.ts";
import { whenDone } from "../support/cleanup.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** The same statements, noting how many of them list projects or groups, or count them. */
function noting(queries: Queries, note: () => void): Queries {
  return {
    ...queries,
    many: (shape, statement) => {
      if (/\border by .* limit \$\d+ offset \$\d+/s.test(statement.statement.text)) note();
      return queries.many(shape, statement);
    },
    one: (shape, statement) => {
      if (/select count\(\*\) as n from (projects|namespaces)/.test(statement.statement.text)) note();
      return queries.one(shape, statement);
    },
  };
}

test("lists of projects and groups use pooled connections, and searches those for searches, so that other statements do not wait for them (decision 0192; reference reliability S122)", async () => {
  const used: string[] = [];
  const { db } = world.platform;
  const app = await buildApp({
    ...world.platform,
    db: {
      ...db,
      ...noting(db, () => used.push("pipelined")),
      pooled: noting(db.pooled, () => used.push("pooled")),
      searching: noting(db.searching, () => used.push("searching")),
    },
  });
  whenDone(() => app.close());
  const headers = { authorization: `Bearer ${await world.tokenOf("olga", "api")}` };
  const group = await world.call("/api/v4/groups/acme", { as: "olga" });
  for (const list of [
    "/api/v4/projects",
    `/api/v4/groups/${group.json.id}/projects`,
    "/api/v4/groups",
    `/api/v4/groups/${group.json.id}/subgroups`,
    "/api/v4/namespaces",
    "/projects",
    "/groups",
  ])
    for (const [query, connections] of [
      ["", "pooled"],
      ["?search=acme", "searching"],
    ] as const) {
      used.length = 0;
      const reply = await app.inject({ url: list + query, headers });
      assert.equal(reply.statusCode, 200, list);
      assert.deepEqual(used, [connections, connections], list + query);
    }
});
