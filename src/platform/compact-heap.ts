/** Returns to the system the memory that the start or a burst of requests took (decisions 0052, 0176 and 0216). */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Collects all garbage and compacts the heap, so that its pages become empty and return to the system; V8 by itself does so late
 * or never. Blocks the event loop for about a tenth of a second.
 */
export function compactHeap(): void {
  setFlagsFromString("--expose-gc");
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

const MIB = 2 ** 20;
/** How often memory is checked, how many bytes of growth are worth compacting, and the highest event loop utilization for it. */
const WHEN_QUIET = { everyMs: 10_000, worthBytes: 64 * MIB, atWork: 0.02 };
/** For a process that is never quiet: the growth and utilization that must hold at so many checks in a row. */
const WHEN_BUSY = { worthBytes: 128 * MIB, atWork: 0.5, looks: 6 };

/**
 * Compacts the heap when the process has grown much and is idle, or has been grown even more for a minute: after a burst, a
 * process with little work hardly collects garbage. Returns a function that stops this.
 */
export function compactAfterFloods(quiet = WHEN_QUIET, busy = WHEN_BUSY): () => void {
  // The memory from which each rule measures growth: that after the last compaction, or the least since then. A compaction of a
  // busy process does not reset the measure of the idle rule.
  let [heldInQuiet, heldWhenBusy] = [process.memoryUsage.rss(), process.memoryUsage.rss()];
  let before = performance.eventLoopUtilization();
  let looks = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const rss = process.memoryUsage.rss();
    heldInQuiet = Math.min(heldInQuiet, rss);
    heldWhenBusy = Math.min(heldWhenBusy, rss);
    const isMuch = rss - heldWhenBusy >= busy.worthBytes && utilization <= busy.atWork;
    looks = isMuch ? looks + 1 : 0;
    const isQuiet = utilization <= quiet.atWork && rss - heldInQuiet >= quiet.worthBytes;
    if (!isQuiet && looks < busy.looks) return;
    compactHeap();
    looks = 0;
    // Memory that could not be freed is no reason to try again. What a burst still uses is freed once the process is idle.
    heldWhenBusy = process.memoryUsage.rss();
    if (isQuiet) heldInQuiet = heldWhenBusy;
  }, quiet.everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
