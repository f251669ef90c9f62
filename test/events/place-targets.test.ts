/** Targets that were known by two numbers before these were merged, and concurrent writers of the same targets. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import pg from "pg";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { NewEvent } from "../../src/events/event.ts";
import { upsertTargets } from "../../src/events/store-targets.ts";
import { upsertWideNumbers } from "../../src/events/store-wide-numbers.ts";
import { migrate } from "../../src/platform/migrate.ts";
import { sql } from "../../src/platform/sql.ts";
import { emptyDatabase } from "../support/database.ts";
import { about, comment, recordOnly } from "../support/events.ts";
import { rowsRead } from "../support/plans.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("after the upgrade, a comment that names a confidential issue only by its id is hidden and counted like the issue (decision 0188)", async () => {
  const file = new URL("../../migrations/0076-targets-by-their-wide-numbers.sql", import.meta.url);
  const statements = await readFile(file, "utf8");
  const [projectId, authorId] = [world.rocket.id, world.ids.max];
  const told = { ...about("created", "Issue", 7), targetId: 4711, confidential: true, projectId, authorId };
  const byId = { ...comment("Issue", 0, { noteableIid: null, noteableId: 4711 }), projectId, authorId };
  const [, note] = await recordOnly(world, [told, byId]);
  const [other] = await recordOnly(world, [{ ...about("created", "Issue", 8), projectId, authorId }]);
  const client = new pg.Client(world.connection);
  await client.connect();
  const seen = async () => {
    await compactEventCounts(world.platform);
    const { json, headers } = await world.call("/api/v4/projects/acme%2Frocket/events", { as: "gus" });
    return [
      json.map(({ id }: { id: number }) => id).filter((id: number) => id === note || id === other),
      headers.get("x-total"),
    ];
  };
  const hidden = await seen();
  assert.deepEqual(hidden[0], [other]);
  try {
    // As before: the comment has a target of its own, visible to everybody, and ids have no rows.
    await client.query("delete from event_targets where same_as is not null");
    await client.query(
      `with alone as (insert into event_targets (project_id, source_id, kind, key, number)
          values ($1, 0, 'issue', '4711', 4711) returning id)
        update events set target_ref = alone.id, cap = 'issue' from alone where events.id = $2`,
      [projectId, note],
    );
    assert.deepEqual((await seen())[0], [other, note]);
    await client.query(statements.slice(statements.indexOf("-- What was told before")));
  } finally {
    await client.end();
  }
  assert.deepEqual(await seen(), hidden);
});

test("the upgrade moves the numbers that the service assigns out of the reach of senders, once, and leaves what it assigned before (decision 0308)", async () => {
  const file = new URL("../../migrations/0110-allotted-target-numbers.sql", import.meta.url);
  const statement = await readFile(file, "utf8");
  const connection = await emptyDatabase();
  await migrate(connection, 109);
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`insert into users (username, name, email) values ('one', 'One', 'one@example.org');
      insert into namespaces (kind, path, full_path, name) values ('group', 'old', 'old', 'Old');
      insert into projects (namespace_id, path, full_path, name, creator_id)
        select n.id, 'a', 'old/a', 'A', u.id from namespaces n, users u where n.path = 'old' and u.username = 'one'`);
    const allot = (iid: number) =>
      client.query(
        `insert into event_targets (project_id, source_id, kind, key) select id, 0, 'issue', $1 from projects`,
        [iid],
      );
    await allot(31);
    await migrate(connection);
    await allot(32);
    await client.query(statement);
    await allot(33);
    const { rows } = await client.query("select key, id::bigint from event_targets order by id");
    assert.deepEqual(
      rows.map(({ key, id }) => [key, Number(id)]),
      [
        ["31", 1],
        ["32", 1_000_000_000_001],
        ["33", 1_000_000_000_002],
      ],
    );
  } finally {
    await client.end();
  }
});

test("concurrent batches that name the same targets by iid and id in different orders are all written (decision 0188)", async () => {
  const rows = Array.from({ length: 12 }, (_, n) => {
    const [iid, id] = [900 + n, 990_000 - n];
    const target_type = "Issue";
    const note = { body: "x", noteable_type: "Issue" };
    return [
      { action: "created", target_type, target_iid: iid, target_id: id, confidential: true },
      { action: "commented", target_type: "Note", note: { ...note, noteable_id: id } },
      { action: "commented", target_type: "Note", note: { ...note, noteable_iid: iid } },
    ].map((row) => ({ ...row, project_id: world.rocket.id }));
  }).flat();
  const turned = (by: number) => rows.map((_, n) => rows[(n * 7 + by) % rows.length]);
  const replies = await Promise.all(
    [0, 11, 23, 30].map((by) =>
      world.call("/api/v4/events/bulk", {
        as: "max",
        json: by % 2 === 0 ? turned(by) : turned(by).reverse(),
      }),
    ),
  );
  for (const { status, text, json } of replies) {
    assert.equal(status, 200, text);
    assert.equal(json.created, rows.length, text);
  }
  const ids: NewEvent["id"][] = replies.flatMap(({ json }) =>
    json.results.map(({ id }: { id: number }) => id),
  );
  const { json } = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "gus" });
  assert.ok(!json.some(({ id }: { id: number }) => ids.includes(id)));
});

test("a target is found by either number without reading the other targets of its project, of which there may be a million (decision 0169; decision 0188)", async () => {
  const [projectId, authorId] = [world.rocket.id, world.ids.max];
  const others = Array.from({ length: 1000 }, (_, n) => ({
    ...about("created", "Issue", 20_000 + n),
    ...(n % 2 === 0 ? { targetId: 2_000_000 + n } : {}),
    projectId,
    authorId,
  }));
  await recordOnly(world, others);
  await world.owner.run(sql`analyze event_targets`);
  const both = { projectId, kind: "issue", key: "20000", number: 2_000_000 } as const;
  const nothing = { title: undefined, confidential: undefined, assigneeIds: undefined, authorId: undefined };
  const read = await rowsRead(world, "event_targets", async (db) => {
    await upsertTargets(db, 0, [{ ...both, ...nothing }], [both]);
    await upsertTargets(
      db,
      0,
      [{ ...both, ...nothing, key: "30000" }],
      [{ ...both, key: "30000", number: 3 }],
    );
    await upsertWideNumbers(db, 0, [both, { ...both, number: 4 }]);
  });
  assert.ok(read < 20, `${read} rows of event_targets were read`);
});
