/** Pages far from the beginning of a list, while others write. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { readFarPage } from "../../src/events/store-far-pages.ts";
import type { Db } from "../../src/platform/db.ts";
import { about, recordOnly } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const issues = (count: number, at: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...about("created", "Issue", n + 1),
    ...{ projectId: world.rocket.id, authorId: world.ids.dev, createdAt: new Date(at + n) },
  }));

/** The same database, where others write before each statement after the first. */
function writtenMeanwhile(db: Db, write: () => Promise<unknown>): Db {
  let statements = 0;
  const reads = (of: object) =>
    new Proxy(of, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          if (statements++ > 0) await write();
          return value.apply(target, given);
        };
      },
    });
  return { ...db, pooled: reads(db.pooled) } as Db;
}

test("a page far from the beginning of an ascending list has the events of its place, and the total of its moment, while others write (contract-events §4)", async () => {
  const { db } = world.platform;
  const start = Date.now() - 3_600_000;
  for (let from = 0; from < 1500; from += 500) await recordOnly(world, issues(500, start + from));
  const query = {
    subject: { kind: "reference" as const, reference: "acme/rocket" },
    asker: { id: world.ids.rep, isAdmin: false },
    filter: { sort: "asc" as const },
  };
  for (const [offset, limit] of [
    [1000, 40],
    [1400, 100],
  ] as const) {
    const asked = { ...query, offset, limit };
    const quiet = await readFarPage(db, asked);
    assert.equal(quiet?.events.length, limit);
    let written = 0;
    const busy = writtenMeanwhile(db, async () => {
      written += 7;
      await recordOnly(world, issues(7, start + 100_000));
    });
    const page = await readFarPage(busy, asked);
    assert.ok(written > 0);
    assert.deepEqual(
      page?.events.map(({ id }) => id),
      quiet.events.map(({ id }) => id),
    );
    assert.equal(page?.total, quiet.total + written);
  }
  const last = { ...query, offset: 1514, limit: 10 };
  assert.deepEqual(await readFarPage(db, last).then((page) => page?.events.length), 0);
});
