/** How long the pauses before a restart are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { restartPauseSeconds } from "../../src/platform/restart-pause.ts";

test("a process that ends again and again is restarted after pauses that double up to ten seconds (reference reliability E, process)", () => {
  const pauses: number[] = [];
  for (let restart = 0; restart < 7; restart++)
    pauses.push(restartPauseSeconds({ before: pauses.at(-1) ?? 0, livedSeconds: 1 }));
  assert.deepEqual(pauses, [0.5, 1, 2, 4, 8, 10, 10]);
});

test("a process that has worked for half a minute is replaced at once, however often it was restarted before (reference reliability F9)", () => {
  assert.equal(restartPauseSeconds({ before: 10, livedSeconds: 29 }), 10);
  assert.equal(restartPauseSeconds({ before: 10, livedSeconds: 30 }), 0.5);
});
