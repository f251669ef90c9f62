/** Lowers the priority of the thread pool, which hashes passwords, below that of the thread that answers requests. */
import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

const TASKS = "/proc/self/task";
/**
 * Added to the niceness of the process: the pool gets a tenth of a full share when the processor is busy, and all of it when
 * idle.
 */
const NICER = 10;
const NICEST = 19;

/** Call after the pool's first task, which starts its threads. Does nothing where threads have no priorities of their own. */
export function lowerPoolPriority(): void {
  try {
    const niceness = Math.min(NICEST, getPriority() + NICER);
    for (const thread of readdirSync(TASKS)) {
      if (readFileSync(`${TASKS}/${thread}/comm`, "utf8").trim() === "libuv-worker") {
        setPriority(Number(thread), niceness);
      }
    }
  } catch {
    // Without access to /proc, hashing keeps its normal priority.
  }
}
