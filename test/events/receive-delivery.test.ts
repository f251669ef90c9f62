/** The cost of a delivery from a forge. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { recordAll } from "../../src/events/receive-delivery.ts";
import type { Reading } from "../../src/events/source.ts";
import { readGithub } from "../../src/events/sources/github.ts";
import { findSource } from "../../src/events/store-sources.ts";
import { noting } from "../support/counting.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const pages = (n: number): Reading =>
  readGithub("gollum", {
    pages: Array.from({ length: n }, (_, at) => ({ page_name: `page-${at}`, action: "edited" })),
    sender: { login: "grace", html_url: "https://github.com/grace" },
  });

test("a delivery with many wiki pages takes no more statements than one with two (contract-events §3; decision 0159)", async () => {
  const made = await world.call("/api/v4/projects/acme%2Frocket/event_sources", {
    as: "max",
    json: { name: "GitHub" },
  });
  const source = await findSource(world.platform.db, world.rocket.id, made.json.id);
  assert.ok(source);
  const statementsOf = async (n: number) => {
    const reading = pages(n);
    assert.ok(reading.result === "events");
    const { events } = reading;
    return world.platform.db.transaction(async (tx) => {
      const { db, statements } = noting({ ...world.platform.db, ...tx, pooled: tx });
      assert.equal((await recordAll(db, source, events, undefined)).eventIds.length, n);
      return statements.length;
    });
  };
  await statementsOf(1);
  assert.equal(await statementsOf(100), await statementsOf(2));
});

test("a delivery with more than 10,000 wiki pages is ignored with a reason (contract-events §3; decision 0159)", () => {
  assert.equal(pages(10_000).result, "events");
  const more = pages(10_001);
  assert.ok(more.result === "ignored");
  assert.equal(more.reason, "A change of more than 10,000 pages of a wiki at once");
});
