/** How many statements lists take: events that do not exist are not searched for in two years of events. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { EventFilter, SoughtQuery } from "../../src/events/filter.ts";
import { findEvents, listPiece } from "../../src/events/store-lists.ts";
import { readPageApart } from "../../src/events/store-pages.ts";
import { noting } from "../support/counting.ts";
import { about, push, recordOnly } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const DAY = 86_400_000;
const asked = async (subject: SoughtQuery["subject"], filter: EventFilter) => {
  const { db, statements } = noting(world.platform.db);
  const asker = { id: world.ids.rep, isAdmin: false };
  const found = await findEvents(db, { subject, asker, filter, limit: 20, offset: 0 });
  return { found: found?.events.length, statements: statements.length };
};

test("an empty list is recognized by its counts with few statements, and a single old event is found (decision 0093)", async () => {
  const place = { projectId: world.rocket.id, authorId: world.ids.dev };
  await recordOnly(world, [
    { ...push, ...place },
    { ...about("created", "Milestone", 1), ...place, createdAt: new Date(Date.now() - 700 * DAY) },
  ]);
  const rocket = { kind: "reference" as const, reference: "acme/rocket" };
  for (const [subject, filter, found] of [
    [rocket, { target: "merge_request" }, 0],
    [rocket, { action: ["merged", "approved"] }, 0],
    [{ kind: "person", person: "stan" }, {}, 0],
    [{ kind: "person", person: "nobody-at-all" }, {}, undefined],
    [{ kind: "reference", reference: "acme/nothing" }, {}, undefined],
  ] as [SoughtQuery["subject"], EventFilter, number | undefined][]) {
    const answer = await asked(subject, filter);
    assert.equal(answer.found, found);
    assert.ok(
      answer.statements <= 3,
      `${JSON.stringify([subject, filter])}: ${answer.statements} statements`,
    );
  }
  assert.equal((await asked(rocket, { target: "milestone" })).found, 1);
  assert.equal((await asked({ kind: "person", person: "dev" }, { target: "milestone" })).found, 1);
});

test("a page far back shows exactly what its asker may see, in either order (contract §4, visibility; reference events F4)", async () => {
  const { db } = world.platform;
  const now = Date.now();
  const events = Array.from({ length: 2200 }, (_, n) => ({
    ...(n % 2 ? push : about("created", "Issue", n + 1)),
    projectId: world.rocket.id,
    authorId: world.ids.max,
    // Several at the same moment.
    createdAt: new Date(now - 60_000 - Math.floor(n / 3) * 1000),
  }));
  for (let from = 0; from < events.length; from += 550)
    await recordOnly(world, events.slice(from, from + 550));
  const subject = { kind: "author" as const, authorId: world.ids.max };
  const asker = { id: world.ids.gus, isAdmin: false };
  for (const sort of ["desc", "asc"] as const) {
    const query = { subject, asker, filter: { sort }, offset: 0 };
    const whole = (await listPiece(db, { ...query, limit: 5000 }, "time")).map(({ id }) => id);
    assert.equal(whole.length, 1100);
    for (const [offset, limit] of [
      [1000, 40],
      [1040, 100],
      [1095, 20],
    ] as const) {
      const found = await findEvents(db, { ...query, limit, offset });
      assert.deepEqual(
        found?.events.map(({ id }) => id),
        whole.slice(offset, offset + limit),
        `${sort} ${offset}`,
      );
      assert.equal(found?.total, 1100);
    }
  }
});

test("concurrent requests of one user for the same slow page share one read, and each sees what existed when it was sent (decision 0214)", async () => {
  const { db, statements } = noting(world.platform.db);
  const [gus, stan] = [world.ids.gus, world.ids.stan].map((id) => ({ id, isAdmin: false }));
  const page = {
    subject: { kind: "author" as const, authorId: world.ids.max },
    filter: {},
    limit: 20,
    offset: 1000,
  };
  const ask = (asker: typeof gus, offset = page.offset) => findEvents(db, { ...page, asker, offset });
  const before = ask(gus);
  await recordOnly(world, [{ ...push, projectId: world.open.id, authorId: world.ids.max }]);
  // The first of them perhaps alone, the others together; the other page, and the user who sees only this event, separately.
  const behind = Array.from({ length: 7 }, () => ask(gus));
  const found = await Promise.all([...behind, ask(gus, 1001), ask(stan), before]);
  assert.deepEqual(
    found.slice(0, -1).map((list) => list?.total),
    [...Array(8).fill(1101), 1],
  );
  // Three for the page, one for the other, and two where there is no such page; without sharing there would be eleven.
  assert.ok(statements.length <= 6, `${statements.length} statements`);
});

test("an event that only its author may see is listed even if everything that others may see was found before it (decision 0093; reference events A9)", async () => {
  const { db } = world.platform;
  const by = { projectId: world.open.id, authorId: world.ids.gus };
  const ago = (days: number) => ({ createdAt: new Date(Date.now() - days * DAY) });
  const hidden = { ...about("created", "Issue", 9001), ...by, confidential: true, ...ago(200) };
  const ids = await recordOnly(world, [
    hidden,
    ...[3, 2, 1].map((n) => ({ ...about("created", "Issue", 9001 + n), ...by, ...ago(n) })),
  ]);
  for (const [name, expected] of [
    ["gus", [...ids].reverse()],
    ["stan", ids.slice(1).reverse()],
  ] as const) {
    const asker = { id: world.ids[name], isAdmin: false };
    const project = {
      kind: "project" as const,
      projectId: world.open.id,
      visibility: "public",
      access: name === "gus" ? 10 : 0,
    };
    for (const [subject, filter] of [
      [{ kind: "author", authorId: world.ids.gus }, {}],
      [project, { authorIds: [world.ids.gus] }],
    ] as [SoughtQuery["subject"], EventFilter][]) {
      const found = await findEvents(db, { subject, asker, filter, limit: 20, offset: 0 });
      assert.deepEqual([found?.events.map(({ id }) => id), found?.total], [expected, expected.length], name);
    }
  }
});

test("a filter that ends within a day includes events up to that moment, both by scanning and by days (decision 0175)", async () => {
  const { db } = world.platform;
  const by = { projectId: world.open.id, authorId: world.ids.dev };
  const noon = Math.floor(Date.now() / DAY - 5) * DAY + DAY / 2;
  const times = [noon - DAY, noon - 1000, noon, noon + 1000];
  const ids = await recordOnly(
    world,
    times.map((at, n) => ({ ...about("created", "Snippet", n + 1), ...by, createdAt: new Date(at) })),
  );
  for (const sort of ["asc", "desc"] as const) {
    const filter: EventFilter = { target: "snippet", to: new Date(noon), sort };
    const query = {
      subject: { kind: "author" as const, authorId: by.authorId },
      asker: undefined,
      filter,
      limit: 20,
      offset: 0,
    };
    const expected = sort === "asc" ? ids.slice(0, 2) : ids.slice(0, 2).reverse();
    for (const way of ["time", "days"] as const) {
      const { rows } = await readPageApart(db, query, { floor: undefined, way });
      assert.deepEqual(
        rows.map(({ id }) => id),
        expected,
        `${sort} ${way}`,
      );
    }
  }
});

test("a search finds events about a project by the name of the project, which is the title of such events (decision 0181)", async () => {
  const { db } = world.platform;
  const by = { projectId: world.open.id, authorId: world.ids.olga };
  const [made] = await recordOnly(world, [{ action: "created", targetType: "Project", ...by }]);
  const subject = { kind: "author" as const, authorId: by.authorId };
  for (const [search, expected] of [
    ["OPE", [made]],
    ["rocket", []],
  ] as const) {
    const found = await findEvents(db, {
      subject,
      asker: undefined,
      filter: { search },
      limit: 20,
      offset: 0,
    });
    assert.deepEqual([found?.events.map(({ id }) => id), found?.total], [expected, expected.length]);
  }
});
