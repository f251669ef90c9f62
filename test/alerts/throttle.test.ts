/** How many alerts a project may send at once, and how long it has to wait for more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createThrottle } from "../../src/alerts/throttle.ts";

/** Takes until a wait is required; returns how many were taken, and the wait. */
function takeAll(throttle: ReturnType<typeof createThrottle>, projectId: number, now: number) {
  for (let taken = 0; ; taken++) {
    const { waitSeconds } = throttle.take(projectId, now);
    if (waitSeconds > 0) return { taken, waitSeconds };
  }
}

test("a project may send 1,000 alerts at once and 50 per second, and refused requests do not count (contract-alerts, throttling)", () => {
  const throttle = createThrottle();
  assert.deepEqual(throttle.take(1, 0), { limit: 1000, remaining: 999, resetSeconds: 1, waitSeconds: 0 });
  assert.deepEqual(takeAll(throttle, 1, 0), { taken: 999, waitSeconds: 1 });
  for (let refused = 0; refused < 200; refused++) throttle.take(1, 0);
  assert.equal(takeAll(throttle, 1, 1).taken, 50);
  assert.equal(takeAll(throttle, 2, 1).taken, 1000);
  // Not more after any pause.
  assert.equal(takeAll(throttle, 1, 100_000).taken, 1000);
});

test("several processes divide the limits among them (contract-alerts, throttling)", () => {
  const throttle = createThrottle(4);
  assert.equal(takeAll(throttle, 1, 0).taken, 250);
  assert.deepEqual(takeAll(throttle, 1, 2), { taken: 25, waitSeconds: 1 });
  assert.equal(takeAll(createThrottle(5000), 1, 0).taken, 1);
});

test("with very many projects, only those that sent most recently are remembered (contract-alerts, throttling)", () => {
  const throttle = createThrottle();
  takeAll(throttle, 1, 0);
  takeAll(throttle, 2, 0);
  throttle.take(1, 0);
  for (let other = 3; other <= 10_001; other++) throttle.take(other, 0);
  assert.ok(throttle.take(1, 0).waitSeconds > 0);
  assert.equal(throttle.take(2, 0).remaining, 999);
});
