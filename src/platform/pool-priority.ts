/** Lets the threads of the pool, on which passwords are hashed, give way to the thread that answers requests. */
import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

const TASKS = "/proc/self/task";
/** Beside the process: a tenth of the share of the others when all want the processor; all of it when nobody else does. */
const NICER = 10;
const NICEST = 19;

/** Once the pool has worked, since its threads begin then. Does nothing where threads have no priority of their own. */
export function lowerPoolPriority(): void {
  try {
    const niceness = Math.min(NICEST, getPriority() + NICER);
    for (const thread of readdirSync(TASKS)) {
      if (readFileSync(`${TASKS}/${thread}/comm`, "utf8").trim() === "libuv-worker") {
        setPriority(Number(thread), niceness);
      }
    }
  } catch {
    // Without /proc, or where it is forbidden, hashing is only less polite.
  }
}
