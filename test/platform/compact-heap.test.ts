/** Memory that starting or a flood took is given back. */
import assert from "node:assert/strict";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { compactHeap, compactWhenQuiet } from "../../src/platform/compact-heap.ts";
import { until } from "../support/until.ts";

test("what nobody holds any more is given back to the system, and nobody else can collect (decision 0052)", () => {
  const waste = Array.from({ length: 400_000 }, (_, n) => ({ n, text: `waste ${n}` }));
  const before = process.memoryUsage().heapTotal;
  waste.length = 0;
  compactHeap();
  const freed = before - process.memoryUsage().heapTotal;
  assert.ok(freed > 10 * 1024 * 1024, `${freed} bytes`);
  assert.equal("gc" in globalThis, false);
});

const MIB = 2 ** 20;
/** Objects that take some 50 MiB. */
const flood = () => Array.from({ length: 600_000 }, (_, n) => ({ n, text: `waste ${n}` }));

test("what a flood took is given back once nobody is kept waiting by it (decision 0176)", async () => {
  compactHeap();
  const stop = compactWhenQuiet({ everyMs: 20, worthBytes: 24 * MIB, atWork: 0.5 });
  const waste = flood();
  const before = process.memoryUsage().heapTotal;
  waste.length = 0;
  try {
    await until(async () => process.memoryUsage().heapTotal < before - 24 * MIB);
  } finally {
    stop();
  }
});

test("a process at work is left alone, and one that holds little more than before (decision 0176)", async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as { detail: { kind: number } }[]) {
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  /** Lets it look some twenty times. */
  const look = async (when: { worthBytes: number; atWork: number }) => {
    const stop = compactWhenQuiet({ everyMs: 5, ...when });
    for (let n = 0; n < 20; n++) await new Promise((done) => setTimeout(done, 6));
    stop();
    const seen = collections;
    collections = 0;
    return seen;
  };
  // A few may come by themselves.
  assert.ok((await look({ worthBytes: -10_000 * MIB, atWork: -1 })) < 5);
  assert.ok((await look({ worthBytes: 10_000 * MIB, atWork: 1 })) < 5);
  assert.ok((await look({ worthBytes: -10_000 * MIB, atWork: 1 })) >= 10);
  observer.disconnect();
});
