/** How many alerts a project may send at once, and how long it has to wait for more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createThrottle } from "../../src/alerts/throttle.ts";

/** An integration of a project; its only one, if no other is given. */
const of = (projectId: number, integrationId = projectId) => ({ projectId, integrationId });

/** Takes until a wait is required; returns how many were taken, and the wait. */
function takeAll(
  throttle: ReturnType<typeof createThrottle>,
  projectId: number,
  now: number,
  integrationId = projectId,
) {
  for (let taken = 0; ; taken++) {
    const { waitSeconds } = throttle.take(of(projectId, integrationId), now);
    if (waitSeconds > 0) return { taken, waitSeconds };
  }
}

test("a project may send 1,000 alerts at once and 50 per second, and refused requests do not count (contract-alerts, throttling)", () => {
  const throttle = createThrottle();
  assert.deepEqual(throttle.take(of(1), 0), { limit: 1000, remaining: 999, resetSeconds: 1, waitSeconds: 0 });
  assert.deepEqual(takeAll(throttle, 1, 0), { taken: 999, waitSeconds: 1 });
  for (let refused = 0; refused < 200; refused++) throttle.take(of(1), 0);
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
  throttle.take(of(1), 0);
  for (let other = 3; other <= 10_001; other++) throttle.take(of(other), 0);
  assert.ok(throttle.take(of(1), 0).waitSeconds > 0);
  assert.equal(throttle.take(of(2), 0).remaining, 999);
});

test("an integration that sends little gets through when another has used up the project's alerts, which the others wait for (reference reliability E, S103; decision 0310)", () => {
  const throttle = createThrottle();
  const [busy, quiet] = [of(1, 10), of(1, 11)];
  assert.equal(takeAll(throttle, 1, 0, 10).taken, 1000);
  assert.deepEqual(throttle.take(busy, 0), { limit: 1000, remaining: 0, resetSeconds: 20, waitSeconds: 1 });
  assert.deepEqual(throttle.take(quiet, 0), { limit: 1000, remaining: 0, resetSeconds: 21, waitSeconds: 0 });
  // A hundred at once, and then ten a second.
  assert.equal(takeAll(throttle, 1, 0, 11).taken, 99);
  assert.equal(takeAll(throttle, 1, 1, 11).taken, 10);
  // The two together have had 1,110, of which 60 were not refilled after a second.
  assert.equal(takeAll(throttle, 1, 4, 10).taken, 90);
});

test("an integration has no allowance of its own beside a project's that is not empty (contract-alerts, throttling; decision 0310)", () => {
  const throttle = createThrottle();
  let taken = 0;
  for (let tenth = 0; tenth < 600; tenth++) {
    for (let at = 0; at < 10; at++) if (throttle.take(of(1), tenth / 10).waitSeconds === 0) taken++;
  }
  assert.ok(taken >= 1000 + 2990 && taken <= 1000 + 3000, `${taken} in the first minute, at 100 a second`);
});

test("a request whose body is refused does not count, but an integration may send no more of those than a project alerts (contract-alerts, throttling; decision 0310)", () => {
  const throttle = createThrottle();
  const [broken, other] = [of(1, 10), of(1, 11)];
  for (let sent = 0; sent < 1000; sent++) {
    assert.equal(throttle.take(broken, 0).waitSeconds, 0);
    throttle.giveBack(broken, 0);
  }
  assert.deepEqual(throttle.take(broken, 0), {
    limit: 1000,
    remaining: 1000,
    resetSeconds: 0,
    waitSeconds: 1,
  });
  assert.equal(throttle.take(other, 0).remaining, 999);
  assert.equal(throttle.take(broken, 1).waitSeconds, 0);
});
