/** Memory that the start or a load peak took is returned to the system. */
import assert from "node:assert/strict";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { compactAfterFloods, compactHeap } from "../../src/platform/compact-heap.ts";
import { until } from "../support/until.ts";

test("unreferenced memory is returned to the system, and gc is not exposed to other code (decision 0052)", () => {
  const waste = Array.from({ length: 400_000 }, (_, n) => ({ n, text: `waste ${n}` }));
  const before = process.memoryUsage().heapTotal;
  waste.length = 0;
  compactHeap();
  const freed = before - process.memoryUsage().heapTotal;
  assert.ok(freed > 10 * 1024 * 1024, `${freed} bytes`);
  assert.equal("gc" in globalThis, false);
});

const MIB = 2 ** 20;
/** Objects of about 50 MiB in total. */
const flood = () => Array.from({ length: 600_000 }, (_, n) => ({ n, text: `waste ${n}` }));

test("memory of a load peak is returned once the process is quiet (decision 0176)", async () => {
  compactHeap();
  const stop = compactAfterFloods({ everyMs: 20, worthBytes: 24 * MIB, atWork: 0.5 });
  const waste = flood();
  const before = process.memoryUsage().heapTotal;
  waste.length = 0;
  try {
    await until(async () => process.memoryUsage().heapTotal < before - 24 * MIB);
  } finally {
    stop();
  }
});

/** The number of major collections during about twenty checks; a few may happen without them. */
async function collectionsOf(...when: Parameters<typeof compactAfterFloods>): Promise<number> {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as { detail: { kind: number } }[]) {
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const stop = compactAfterFloods(...when);
  for (let n = 0; n < 20; n++) await new Promise((done) => setTimeout(done, 6));
  stop();
  observer.disconnect();
  return collections;
}

const [nothing, all] = [-10_000 * MIB, 10_000 * MIB];
const never = { worthBytes: all, atWork: -1, looks: 1 };

test("a busy process does not collect, and neither does one that holds little more than before (decision 0176)", async () => {
  const everyMs = 5;
  assert.ok((await collectionsOf({ everyMs, worthBytes: nothing, atWork: -1 }, never)) < 5);
  assert.ok((await collectionsOf({ everyMs, worthBytes: all, atWork: 1 }, never)) < 5);
  assert.ok((await collectionsOf({ everyMs, worthBytes: nothing, atWork: 1 }, never)) >= 10);
});

test("a process that is always busy collects when it has held too much for several checks, if it has some time left (decision 0216)", async () => {
  const busy = { everyMs: 5, worthBytes: all, atWork: -1 };
  const often = await collectionsOf(busy, { worthBytes: nothing, atWork: 1, looks: 1 });
  assert.ok(often >= 10, `${often} collections`);
  const seldom = await collectionsOf(busy, { worthBytes: nothing, atWork: 1, looks: 15 });
  assert.ok(seldom < often / 2, `${seldom} collections compared to ${often}`);
  assert.ok((await collectionsOf(busy, { worthBytes: nothing, atWork: -1, looks: 1 })) < 5);
  assert.ok((await collectionsOf(busy, { worthBytes: all, atWork: 1, looks: 1 })) < 5);
});

test("memory held during a load peak is returned once the process is quiet, even if the heap was compacted in between (decisions 0176, 0216)", async () => {
  compactHeap();
  let isQuiet = false;
  const whenQuiet = {
    ...{ everyMs: 20, worthBytes: 24 * MIB },
    get atWork() {
      return isQuiet ? 1 : -1;
    },
  };
  const whenBusy = {
    ...{ worthBytes: nothing, looks: 1 },
    get atWork() {
      return isQuiet ? -1 : 1;
    },
  };
  const stop = compactAfterFloods(whenQuiet, whenBusy);
  let held = [flood(), flood()];
  for (let n = 0; n < 10; n++) await new Promise((done) => setTimeout(done, 20));
  const before = process.memoryUsage().heapTotal;
  assert.ok(held.length > 0, "memory in use is kept");
  held = [];
  isQuiet = true;
  // Several checks, but shorter than V8 takes for an idle collection of its own.
  for (let n = 0; n < 25; n++) await new Promise((done) => setTimeout(done, 20));
  stop();
  assert.equal(held.length, 0);
  const after = process.memoryUsage().heapTotal;
  assert.ok(after < before - 24 * MIB, `${after} bytes after ${before}`);
});
