/** Memory that starting took is given back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compactHeap } from "../../src/platform/compact-heap.ts";

test("what nobody holds any more is given back to the system, and nobody else can collect (decision 0052)", () => {
  const waste = Array.from({ length: 400_000 }, (_, n) => ({ n, text: `waste ${n}` }));
  const before = process.memoryUsage().heapTotal;
  waste.length = 0;
  compactHeap();
  const freed = before - process.memoryUsage().heapTotal;
  assert.ok(freed > 10 * 1024 * 1024, `${freed} bytes`);
  assert.equal("gc" in globalThis, false);
});
