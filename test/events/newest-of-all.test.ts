/** Lists over many projects first scan the newest of all events, and read further back if these belong to others. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { EventQuery } from "../../src/events/filter.ts";
import { findEvents, listPiece } from "../../src/events/store-lists.ts";
import { lookAtRoles } from "../../src/events/store-many-roles.ts";
import { readPageApart } from "../../src/events/store-pages.ts";
import { noting } from "../support/counting.ts";
import { about, push, recordOnly } from "../support/events.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

/** More than are scanned for a list of which nothing is known. */
const OF_OTHERS = 2100;
const SECOND = 1000;
const now = Date.now();

let world: World;
let acme: number;
before(async () => {
  world = await startWorld();
  acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  const others = Array.from({ length: OF_OTHERS }, (_, index) => ({
    ...push,
    projectId: world.free.id,
    authorId: world.ids.olga,
    createdAt: new Date(now - (index + 60) * SECOND),
  }));
  for (let from = 0; from < OF_OTHERS; from += 700) await recordOnly(world, others.slice(from, from + 700));
  await recordOnly(world, ofRocket(25, 3600));
});

/** This many events of the project in which Rep and Dev are members, the newest of them this many seconds ago. */
function ofRocket(many: number, secondsAgo: number) {
  return Array.from({ length: many }, (_, index) => ({
    ...(index % 3 === 0 ? push : about("created", "Issue", index)),
    projectId: world.rocket.id,
    authorId: world.ids.dev,
    createdAt: new Date(now - (index + secondsAgo) * SECOND),
  }));
}

const asks = (person: Person, subject: EventQuery["subject"], limit = 20): EventQuery => ({
  subject,
  asker: { id: world.ids[person], isAdmin: false },
  filter: {},
  limit,
  offset: 0,
});

const idsOf = (events: readonly { id: number }[] = []) => events.map(({ id }) => id);
const walked = async (query: EventQuery) => idsOf(await listPiece(world.platform.db, query, "time"));

test("a list with two thousand newer events of others is as complete as without them (decision 0183)", async () => {
  const { db } = world.platform;
  const floor = new Date(now - 86_400_000);
  const tried = await readPageApart(db, asks("rep", { kind: "memberships" }), {
    floor,
    way: "time",
    most: 2000,
  });
  assert.equal(tried.rows.length, 0);
  for (const subject of [{ kind: "memberships" }, { kind: "group", groupId: acme }] as const) {
    const query = asks("rep", subject);
    // Once while nothing is known about it, and once with what was learned.
    for (let times = 0; times < 2; times++) {
      const found = await findEvents(db, query);
      assert.equal(found?.total, 25);
      assert.equal(found.events.length, 20);
      assert.deepEqual(idsOf(found.events), await walked(query));
    }
  }
});

test("a list whose page is among the newest of all events is read by one statement, in order and with its total (decision 0183)", async () => {
  const { db } = world.platform;
  await recordOnly(world, ofRocket(12, 30));
  const query = asks("dev", { kind: "memberships" }, 10);
  // Roles are counted beforehand, as a slow statement would be followed by one that counts them.
  await lookAtRoles(db, query.asker);
  const noted = noting(db);
  const found = await findEvents(noted.db, query);
  assert.equal(noted.statements.length, 1);
  assert.equal(found?.total, 37);
  assert.deepEqual(idsOf(found.events), await walked(query));
  // A page that needs more events than are among the newest reads further back.
  const longer = await findEvents(db, asks("dev", { kind: "memberships" }, 30));
  assert.equal(longer?.events.length, 30);
  assert.deepEqual(idsOf(longer?.events), await walked(asks("dev", { kind: "memberships" }, 30)));
});
