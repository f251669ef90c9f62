/** Processes that a test stops or kills, on Linux. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { whenDone } from "./cleanup.ts";
import type { Service } from "./installation.ts";

/** The children of a process. */
export function childrenOf(pid: number): number[] {
  const words = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return words === "" ? [] : words.split(" ").map(Number);
}

/** The postmaster of the cluster in this data directory. */
export function postmasterOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
}

/** Stops processes with SIGSTOP; returns a function that continues them, which happens at the latest when the file is done. */
export function freeze(pids: readonly number[]): () => void {
  const send = (signal: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended by itself.
      }
    }
  };
  const goOn = () => send("SIGCONT");
  whenDone(async () => goOn());
  send("SIGSTOP");
  return goOn;
}

/** The worker processes of a service. */
export function workersOf({ process: { pid } }: Service): number[] {
  return childrenOf(pid ?? 0).filter((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, "utf8").includes("serve.mjs");
    } catch {
      // It has ended since it was listed.
      return false;
    }
  });
}
