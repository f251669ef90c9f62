/** How many alerts a project may send at once, and how soon it may send more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createThrottle } from "../../src/alerts/throttle.ts";

/** Takes until it has to wait; returns how many were had, and how long the wait is. */
function takeAll(throttle: ReturnType<typeof createThrottle>, projectId: number, now: number) {
  for (let taken = 0; ; taken++) {
    const { waitSeconds } = throttle.take(projectId, now);
    if (waitSeconds > 0) return { taken, waitSeconds };
  }
}

test("a project may send a thousand at once and fifty a second, and what it was refused costs nothing (contract-alerts, throttling)", () => {
  const throttle = createThrottle();
  assert.deepEqual(throttle.take(1, 0), { limit: 1000, remaining: 999, resetSeconds: 1, waitSeconds: 0 });
  assert.deepEqual(takeAll(throttle, 1, 0), { taken: 999, waitSeconds: 1 });
  for (let refused = 0; refused < 200; refused++) throttle.take(1, 0);
  assert.equal(takeAll(throttle, 1, 1).taken, 50);
  assert.equal(takeAll(throttle, 2, 1).taken, 1000);
  // However long it was quiet.
  assert.equal(takeAll(throttle, 1, 100_000).taken, 1000);
});

test("processes that share the work share what is allowed (contract-alerts, throttling)", () => {
  const throttle = createThrottle(4);
  assert.equal(takeAll(throttle, 1, 0).taken, 250);
  assert.deepEqual(takeAll(throttle, 1, 2), { taken: 25, waitSeconds: 1 });
  assert.equal(takeAll(createThrottle(5000), 1, 0).taken, 1);
});

test("of very many projects those that sent last are remembered (contract-alerts, throttling)", () => {
  const throttle = createThrottle();
  takeAll(throttle, 1, 0);
  takeAll(throttle, 2, 0);
  throttle.take(1, 0);
  for (let other = 3; other <= 10_001; other++) throttle.take(other, 0);
  assert.ok(throttle.take(1, 0).waitSeconds > 0);
  assert.equal(throttle.take(2, 0).remaining, 999);
});
