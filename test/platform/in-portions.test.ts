/** Work in batches: until nothing is left, or up to the limit of one run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inPortions } from "../../src/platform/in-portions.ts";

/** A number of items to take; records each requested batch size. */
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

test("batches follow one another until one is not full, and their sum is returned (decision 0119)", async () => {
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

test("a run ends at its maximum number of batches, and the next one continues (decision 0119)", async () => {
  const { asked, takeSome } = aHeap(35);
  assert.equal(await inPortions(takeSome, { portion: 10, mostPortions: 2 }), 20);
  assert.equal(asked.length, 2);
  assert.equal(await inPortions(takeSome, { portion: 10, mostPortions: 2 }), 15);
});

test("without a batch size, the work is repeated until nothing was done (decision 0119)", async () => {
  const heap = aHeap(7);
  let times = 0;
  const takeThree = async () => {
    times++;
    return heap.takeSome(3);
  };
  assert.equal(await inPortions(takeThree), 7);
  assert.equal(times, 4);
});
