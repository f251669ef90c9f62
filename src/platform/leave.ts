/** Ends a process without the clean-up of its runtime, which can hang (decision 0182). */
import { spawnSync } from "node:child_process";

/**
 * Ends this process after its listeners for "exit", but without the clean-up of the runtime, whose threads now and then wait
 * for each other for ever (nodejs/node#54918), and whoever waits for the process with them: decision 0182. What has not been
 * written to a pipe by then is lost, as with `process.exit`.
 *
 * @param code that of `process.exitCode` where none is given
 */
export function leave(code = Number(process.exitCode ?? 0)): never {
  // Windows has no such call, nor have versions of Node.js before 22.15.
  if (process.execve === undefined || process.platform === "win32") process.exit(code);
  process.exitCode = code;
  process.emit("exit", code);
  // The runtime lets its pipes refuse what they have no room for, also when others share them, and takes that back at its own
  // end only. A process that is handed them on finds them as they should be, and so does whoever writes there next.
  spawnSync("/bin/sh", ["-c", ":"], { stdio: "inherit", env: {} });
  return process.execve("/bin/sh", ["sh", "-c", `exit ${Number(process.exitCode)}`], {});
}
