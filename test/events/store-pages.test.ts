/** Lists that share a statement: each has the same result as alone. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { SoughtQuery } from "../../src/events/filter.ts";
import { findEvents } from "../../src/events/store-lists.ts";
import type { SoughtSubject } from "../../src/events/subject.ts";
import type { Db } from "../../src/platform/db.ts";
import type { Sql } from "../../src/platform/sql.ts";
import { MANY_KINDS, recordOnly } from "../support/events.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  // A list that took 40 ms is no longer read together with others.
  stopsMeasuring();
  world = await startWorld();
  const authors: Person[] = ["dev", "rep", "gus", "stan"];
  for (const project of [world.rocket, world.open]) {
    for (const [index, kind] of MANY_KINDS.entries()) {
      for (const author of authors) {
        const given = { projectId: project.id, authorId: world.ids[author], assigneeIds: [world.ids.gus] };
        await recordOnly(world, [{ ...kind, ...given, createdAt: new Date(Date.now() - index * 3_600_000) }]);
      }
    }
  }
});

/** The database, and how many lists each statement that read pages was for. */
function counted(): { db: Db; together: number[] } {
  const together: number[] = [];
  const { db } = world.platform;
  const many: Db["many"] = (shape, statement: Sql) => {
    if (statement.statement.text.includes(" page as materialized")) {
      const isShared = statement.statement.text.includes("as q (asker, number, name, place)");
      together.push(isShared ? (statement.values[0] as unknown[]).length : 1);
    }
    return db.many(shape, statement);
  };
  return { db: { ...db, many }, together };
}

/** Every subject and asker, including subjects that do not exist or are not visible. */
function lists(filter: SoughtQuery["filter"], limit: number): SoughtQuery[] {
  const names: Person[] = ["ada", "olga", "dev", "rep", "gus", "stan"];
  const askers = [undefined, ...names.map((name) => ({ id: world.ids[name], isAdmin: name === "ada" }))];
  const subjects: SoughtSubject[] = [
    ...names.flatMap((name): SoughtSubject[] => [
      { kind: "person", person: name },
      { kind: "person", person: name.toUpperCase() },
      { kind: "person", person: String(world.ids[name]) },
      { kind: "author", authorId: world.ids[name] },
    ]),
    ...["nobody", "0", "99999999999999999999", "a\0b", "x".repeat(300)].map(
      (person): SoughtSubject => ({ kind: "person", person }),
    ),
    ...[world.rocket, world.open].flatMap(({ id, fullPath }): SoughtSubject[] => [
      { kind: "reference", reference: String(id) },
      { kind: "reference", reference: fullPath },
      { kind: "reference", reference: fullPath.toUpperCase() },
    ]),
    ...["nothing", "no/thing", "7\0/x", "99999999999999999999"].map(
      (reference): SoughtSubject => ({ kind: "reference", reference }),
    ),
  ];
  const queries = askers.flatMap((asker) => [
    ...subjects.map((subject) => ({ subject, asker })),
    ...(asker ? [{ subject: { kind: "memberships" as const }, asker }] : []),
  ]);
  return queries.map((query) => ({ ...query, filter, limit, offset: 0 }));
}

function day(fromNow: number): string {
  return new Date(Date.now() + fromNow * 86_400_000).toISOString().slice(0, 10);
}

for (const [words, filter, limit] of [
  ["without filters", {}, 20],
  ["of three events, oldest first,", { sort: "asc" }, 3],
  ["of one action", { action: "commented" }, 5],
  ["of two target types", { target: ["issue", "merge_request"] }, 20],
  ["between two dates", { after: day(-400), before: day(2) }, 20],
  ["of one action after a date", { action: "commented", after: day(-400) }, 12],
] as const) {
  test(`lists ${words} that are requested concurrently have the same result as alone, for every asker (decisions 0093, 0167, 0215)`, async () => {
    const asked = lists(filter, limit);
    const apart = counted();
    const alone: Awaited<ReturnType<typeof findEvents>>[] = [];
    for (const query of asked) alone.push(await findEvents(apart.db, query));
    assert.ok(
      apart.together.every((n) => n === 1),
      "sequential requests share nothing",
    );
    const shared = counted();
    const together = await Promise.all(asked.map((query) => findEvents(shared.db, query)));
    asked.forEach((query, index) => {
      assert.deepEqual(plain(together[index]), plain(alone[index]), JSON.stringify(query));
    });
    assert.ok(shared.together.filter((n) => n > 1).length > 10, `${shared.together}`);
    assert.ok(shared.together.length < apart.together.length / 3, `${shared.together.length} statements`);
    const found = alone.filter((list) => list && list.events.length > 0);
    assert.ok(
      found.length > asked.length / 4 && found.length < asked.length,
      "some lists have events and some do not",
    );
  });
}

test("concurrent requests with different filters each get their own result (decision 0167)", async () => {
  const { db } = world.platform;
  const filters: SoughtQuery["filter"][] = [
    {},
    { action: "commented" },
    { target: "issue" },
    { sort: "asc" },
  ];
  const asked = filters.flatMap((filter) =>
    [3, 20].flatMap((limit) =>
      (["ada", "rep", "gus"] as const).flatMap((name) =>
        ["dev", "rep"].map((person): SoughtQuery => {
          const asker = { id: world.ids[name], isAdmin: name === "ada" };
          return { subject: { kind: "person", person }, asker, filter, limit, offset: 0 };
        }),
      ),
    ),
  );
  let alone: Awaited<ReturnType<typeof findEvents>>[] = [];
  // Lists that were quick once share a statement from then on.
  for (let times = 0; times < 2; times++) {
    alone = [];
    for (const query of asked) alone.push(await findEvents(db, query));
  }
  const together = await Promise.all(asked.map((query) => findEvents(db, query)));
  asked.forEach((query, index) => {
    assert.deepEqual(plain(together[index]), plain(alone[index]), JSON.stringify(query));
  });
});

/** Without the place of an event in its statement. */
function plain(list: Awaited<ReturnType<typeof findEvents>>) {
  return list && { ...list, events: list.events.map((event) => ({ ...event, place: undefined })) };
}
