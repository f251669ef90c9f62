/** Whole lists read in pieces: the same result as in one read, whether the events are close together or far apart. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { EventFilter } from "../../src/events/filter.ts";
import { listEvents } from "../../src/events/store-lists.ts";
import type { Subject } from "../../src/events/subject.ts";
import { walkList } from "../../src/events/walk-list.ts";
import { about, push, recordOnly } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let acme: number;
const DAY = 86_400_000;
before(async () => {
  world = await startWorld();
  acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  const now = Date.now();
  // At even intervals, then many in the same millisecond, then nothing for a year, then a few.
  const moments = [
    ...Array.from({ length: 900 }, (_, n) => now - n * 60_000),
    ...Array.from({ length: 700 }, () => now - DAY),
    ...Array.from({ length: 300 }, (_, n) => now - 2 * DAY - n * n * 1000),
    ...Array.from({ length: 40 }, (_, n) => now - 400 * DAY - n * 3_600_000),
  ];
  const places = [world.rocket, world.open];
  await recordOnly(
    world,
    moments.map((at, n) => ({
      ...(n % 3 ? push : about("created", "Issue", n + 1)),
      projectId: (places[n % 2] as { id: number }).id,
      authorId: world.ids.dev,
      createdAt: new Date(at),
    })),
  );
});

test("reading a list in pieces returns every event once and in order, in both directions (decision 0107)", async () => {
  const { db } = world.platform;
  const subjects: Subject[] = [
    { kind: "memberships" },
    { kind: "group", groupId: acme },
    { kind: "author", authorId: world.ids.dev },
  ];
  const filters: EventFilter[] = [
    {},
    { sort: "asc" },
    { action: "created", sort: "asc" },
    { from: new Date(Date.now() - 3 * DAY), to: new Date(Date.now() - DAY / 2) },
    { search: "issue" },
    // With many events just outside of the interval.
    { from: new Date(Date.now() - DAY / 2) },
    { sort: "asc", from: new Date(Date.now() - 3 * DAY), to: new Date(Date.now() - DAY / 2) },
  ];
  for (const subject of subjects) {
    for (const filter of filters) {
      const asker = { id: world.ids.rep, isAdmin: false };
      const whole = await listEvents(db, { subject, asker, filter, limit: 10_000, offset: 0 });
      const walked: number[] = [];
      for await (const piece of walkList(db, async () => ({ subject, asker }), filter)) {
        walked.push(...piece.map(({ id }) => id));
      }
      assert.deepEqual(
        walked,
        whole.events.map(({ id }) => id),
      );
      assert.equal(walked.length, whole.total);
      assert.ok(walked.length > 500);
    }
  }
});
