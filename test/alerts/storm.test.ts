/** When a storm begins and when it has calmed down, at the very edge. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOver, UNHEARD, withOpened } from "../../src/alerts/storm.ts";

const now = new Date("2026-05-01T10:00:00Z");
const clock = { now, threshold: 4, windowSeconds: 60 };
const second = now.getTime() / 1000;
const holding = (opened: number) => ({
  ...UNHEARD,
  since: "2026-05-01T09:59:00Z",
  slots: [[second - 10, opened]] as const,
});

test("a storm begins with one more than the threshold, and lasts while half of it open (decision 0099)", () => {
  assert.equal(withOpened(UNHEARD, clock, 4).since, null);
  assert.equal(withOpened(UNHEARD, clock, 5).since, now.toISOString());
  assert.equal(isOver(holding(2), clock), false);
  assert.equal(isOver(holding(1), clock), true);
});

test("what left the window counts no more (decision 0099)", () => {
  const slots = [
    [second - 60, 9],
    [second - 59, 2],
  ] as const;
  assert.deepEqual(withOpened({ ...UNHEARD, slots }, clock, 1).slots, [
    [second - 59, 2],
    [second, 1],
  ]);
});
