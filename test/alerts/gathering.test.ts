import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createGatherings, type Ended } from "../../src/alerts/gathering.ts";

/** A batch of one project that took long, with the given changes. */
const ended = (change: Partial<Ended> = {}): Ended => ({
  projects: new Set([1]),
  answered: 8,
  here: 0,
  tookMs: 60_000,
  ...change,
});

test("the next batch starts when three quarters of the answered senders have sent again (decision 0212)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gatherings = createGatherings();
  let begun = 0;
  gatherings.begin(ended(), () => begun++);
  for (let i = 0; i < 5; i++) gatherings.arrived(1);
  await turn();
  assert.equal(begun, 0);
  gatherings.arrived(1);
  // Those who arrive in the same turn of the event loop are still included.
  assert.equal(begun, 0);
  gatherings.arrived(1);
  await turn();
  assert.equal(begun, 1);
  t.mock.timers.tick(60_000);
  gatherings.arrived(1);
  await turn();
  assert.equal(begun, 1);
});

test("senders that arrived during the batch count as well, and those of other projects do not (decision 0212)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gatherings = createGatherings();
  let begun = 0;
  // Twelve of the sixteen are awaited, and eleven have arrived.
  gatherings.begin(ended({ answered: 5, here: 11 }), () => begun++);
  gatherings.arrived(2);
  await turn();
  assert.equal(begun, 0);
  gatherings.arrived(1);
  await turn();
  assert.equal(begun, 1);
  gatherings.begin(ended({ answered: 1, here: 15 }), () => begun++);
  assert.equal(begun, 2);
});

test("missing senders are awaited for as long as their batch took, but not longer than 10 ms (decision 0212)", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gatherings = createGatherings();
  let begun = 0;
  gatherings.begin(ended({ tookMs: 3 }), () => begun++);
  t.mock.timers.tick(2);
  assert.equal(begun, 0);
  t.mock.timers.tick(1);
  assert.equal(begun, 1);
  gatherings.begin(ended(), () => begun++);
  t.mock.timers.tick(9);
  assert.equal(begun, 1);
  t.mock.timers.tick(1);
  assert.equal(begun, 2);
});

test("a gathering that times out while its last sender arrives starts only one batch (decision 0212)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gatherings = createGatherings();
  let begun = 0;
  gatherings.begin(ended({ answered: 4 }), () => begun++);
  for (let i = 0; i < 3; i++) gatherings.arrived(1);
  t.mock.timers.tick(10);
  await turn();
  assert.equal(begun, 1);
});

test("few senders are not awaited (decision 0212)", () => {
  const gatherings = createGatherings();
  let begun = 0;
  gatherings.begin(ended({ answered: 3 }), () => begun++);
  gatherings.begin(ended({ answered: 1, here: 2 }), () => begun++);
  assert.equal(begun, 2);
});
