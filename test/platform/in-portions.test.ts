/** What is done in portions: until nothing is left, or as many as a round may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inPortions } from "../../src/platform/in-portions.ts";

/** Something of which so much is left; keeps what it was asked for. */
function aHeap(left: number) {
  const asked: number[] = [];
  const takeSome = async (most: number) => {
    asked.push(most);
    const some = Math.min(left, most);
    left -= some;
    return some;
  };
  return { asked, takeSome };
}

test("portions follow one another until one is smaller than it might be, and the sum is told (decision 0119)", async () => {
  for (const [left, times] of [
    [0, 1],
    [9, 1],
    [10, 2],
    [35, 4],
  ] as const) {
    const { asked, takeSome } = aHeap(left);
    assert.equal(await inPortions(takeSome, { portion: 10 }), left);
    assert.deepEqual(asked, Array(times).fill(10));
  }
});

test("a round of portions ends at its bound, and the next one goes on (decision 0119)", async () => {
  const { asked, takeSome } = aHeap(35);
  assert.equal(await inPortions(takeSome, { portion: 10, mostPortions: 2 }), 20);
  assert.equal(asked.length, 2);
  assert.equal(await inPortions(takeSome, { portion: 10, mostPortions: 2 }), 15);
});

test("what knows its own portion is repeated until nothing was done (decision 0119)", async () => {
  const heap = aHeap(7);
  let times = 0;
  const takeThree = async () => {
    times++;
    return heap.takeSome(3);
  };
  assert.equal(await inPortions(takeThree), 7);
  assert.equal(times, 4);
});
