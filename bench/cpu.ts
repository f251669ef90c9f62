/** Processor time and memory of a process and its descendants, read from /proc (Linux; undefined elsewhere). */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

interface ProcessState {
  parent: number;
  /** Its own time and that of children it has waited for, in clock ticks. */
  ticks: number;
  residentPages: number;
}

const ticksPerSecond = readTicksPerSecond();
const PAGE_BYTES = 4096;

/** Seconds of processor time that each process tree has used since its start; undefined without /proc. */
export function cpuSecondsOf(roots: readonly number[]): number[] | undefined {
  const processes = readProcesses();
  if (!processes || ticksPerSecond === undefined) return undefined;
  return roots.map((root) => sumTree(processes, root, ({ ticks }) => ticks) / ticksPerSecond);
}

/** Seconds that all processors of the machine have been busy since boot; undefined without /proc. */
export function busySeconds(): number | undefined {
  try {
    const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n");
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = line.split(/ +/).slice(1).map(Number);
    return ticksPerSecond && (user + nice + system + irq + softIrq) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** Resident memory of one process, without its children, in MiB. */
export function residentMebibytes(pid: number): number | undefined {
  const state = readProcesses()?.get(pid);
  return state && (state.residentPages * PAGE_BYTES) / 2 ** 20;
}

function sumTree(
  processes: ReadonlyMap<number, ProcessState>,
  root: number,
  value: (state: ProcessState) => number,
): number {
  let sum = 0;
  for (const [pid, state] of processes) {
    if (descendsFrom(processes, pid, root)) sum += value(state);
  }
  return sum;
}

function descendsFrom(processes: ReadonlyMap<number, ProcessState>, pid: number, root: number): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = processes.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

function readProcesses(): Map<number, ProcessState> | undefined {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return undefined;
  }
  const found = new Map<number, ProcessState>();
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      // The program's name is in parentheses and may contain blanks.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
      found.set(Number(name), { parent: Number(fields[1]), ticks, residentPages: Number(fields[21]) });
    } catch {
      // The process ended meanwhile.
    }
  }
  return found;
}

function readTicksPerSecond(): number | undefined {
  try {
    return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  } catch {
    return undefined;
  }
}
