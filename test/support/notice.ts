/** The notice that a service gives before it stops, held open for as long as a test needs: two seconds may pass unnoticed. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenDone } from "./cleanup.ts";
import { until } from "./until.ts";

/** As documented (operations: Stop, crash, start). */
const NOTICE_MS = 2000;

export interface Notice {
  /** For the services whose notice may be held. */
  environment: { NODE_OPTIONS: string };
  /** How many processes have come to the end of their notice since `during` was last called. */
  given(): number;
  /** Sends the signal, and runs `work` once so many processes have given notice; none of them goes on before it is done. */
  during(processes: number, signal: () => void, work: () => Promise<void>): Promise<void>;
}

/** A process waits as usual, says so by a file with its number, and goes on when there is no other file, or it is gone. */
const programOf = (directory: string) => `import timers from "node:timers/promises";
import { existsSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { setTimeout: pause } = timers;
const directory = ${JSON.stringify(directory)};
timers.setTimeout = async (ms, ...more) => {
  const value = await pause(ms, ...more);
  if (ms !== ${NOTICE_MS} || !existsSync(directory)) return value;
  writeFileSync(directory + "/given-" + process.pid, "");
  while (existsSync(directory + "/held")) await pause(20);
  return value;
};
syncBuiltinESMExports();`;

export async function holdableNotice(): Promise<Notice> {
  const directory = await mkdtemp(join(tmpdir(), "gatehouse-notice-"));
  whenDone(() => rm(directory, { recursive: true, force: true }));
  const held = join(directory, "held");
  const given = () => readdirSync(directory).filter((name) => name.startsWith("given-"));
  return {
    environment: {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(programOf(directory))}`,
    },
    given: () => given().length,
    during: async (processes, signal, work) => {
      for (const name of given()) await rm(join(directory, name));
      writeFileSync(held, "");
      try {
        signal();
        await until(async () => given().length === processes);
        await work();
      } finally {
        if (existsSync(held)) await rm(held);
      }
    },
  };
}
