import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createGatherings, type Ended } from "../../src/alerts/gathering.ts";

/** A batch of one project that took long; what is given differs. */
const ended = (change: Partial<Ended> = {}): Ended => ({
  projects: new Set([1]),
  answered: 8,
  here: 0,
  tookMs: 60_000,
  ...change,
});

test("the next batch begins when three quarters of those who were answered have sent again (decision 0212)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gatherings = createGatherings();
  let begun = 0;
  gatherings.begin(ended(), () => begun++);
  for (let i = 0; i < 5; i++) gatherings.arrived(1);
  await turn();
  assert.equal(begun, 0);
  gatherings.arrived(1);
  // Those who arrive in the same turn of the event loop still join.
  assert.equal(begun, 0);
  gatherings.arrived(1);
  await turn();
  assert.equal(begun, 1);
  t.mock.timers.tick(60_000);
  gatherings.arrived(1);
  await turn();
  assert.equal(begun, 1);
});

test("those who came while a batch was under way count, and who is elsewhere does not (decision 0212)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gatherings = createGatherings();
  let begun = 0;
  // Twelve of the sixteen are awaited, and eleven are here.
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

test("senders who stay away are waited for as long as their batch took, and no more than 10 ms (decision 0212)", (t) => {
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

test("a gathering that is over by its time begins nothing again when its last sender came in the same moment (decision 0212)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gatherings = createGatherings();
  let begun = 0;
  gatherings.begin(ended({ answered: 4 }), () => begun++);
  for (let i = 0; i < 3; i++) gatherings.arrived(1);
  t.mock.timers.tick(10);
  await turn();
  assert.equal(begun, 1);
});

test("few senders are not waited for (decision 0212)", () => {
  const gatherings = createGatherings();
  let begun = 0;
  gatherings.begin(ended({ answered: 3 }), () => begun++);
  gatherings.begin(ended({ answered: 1, here: 2 }), () => begun++);
  assert.equal(begun, 2);
});
