/** Gives back the memory that starting or a flood took and serving does not need (decisions 0052, 0176 and 0216). */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Collects everything, and moves what is left together, so that pages of the heap become empty and go back to the system:
 * by itself that comes late or never. Takes about a tenth of a second, in which nothing else runs.
 */
export function compactHeap(): void {
  setFlagsFromString("--expose-gc");
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

const MIB = 2 ** 20;
/** How often it is looked, from how many bytes on more than before, and what of the time the process may be at work. */
const WHEN_QUIET = { everyMs: 10_000, worthBytes: 64 * MIB, atWork: 0.02 };
/** The same where it is never quiet: so much, at so many looks one after another, each of them with time to spare. */
const WHEN_BUSY = { worthBytes: 128 * MIB, atWork: 0.5, looks: 6 };

/**
 * Compacts when the process holds much more than it did and nobody is kept waiting by it, or has held very much more for a minute:
 * what a flood took would stay, since a process with little work hardly collects. Returns how to stop.
 */
export function compactAfterFloods(quiet = WHEN_QUIET, busy = WHEN_BUSY): () => void {
  // What each rule measures by: since it was last compacted by that rule or in quiet, or lower where less was held meanwhile.
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
    // What could not be given back is no reason to try again. What a flood still holds goes once it is quiet.
    heldWhenBusy = process.memoryUsage.rss();
    if (isQuiet) heldInQuiet = heldWhenBusy;
  }, quiet.everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
