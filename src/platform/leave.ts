/** Ends a process without the clean-up of the runtime, which can hang (decision 0182). */
import { spawnSync } from "node:child_process";

/**
 * Ends this process after its "exit" listeners, but without the clean-up of the runtime: its threads sometimes deadlock
 * (nodejs/node#54918), and block whoever waits for the process (decision 0182). Data not yet written to a pipe is lost, as with
 * `process.exit`.
 * @param code the exit code; by default `process.exitCode`
 */
export function leave(code = Number(process.exitCode ?? 0)): never {
  // Windows has no `execve`, nor have versions of Node.js before 22.15.
  if (process.execve === undefined || process.platform === "win32") process.exit(code);
  process.exitCode = code;
  process.emit("exit", code);
  // The runtime makes its pipes non-blocking, also for processes that share them, and undoes that only in its own clean-up. A
  // child process that inherits them makes them blocking again.
  spawnSync("/bin/sh", ["-c", ":"], { stdio: "inherit", env: {} });
  return process.execve("/bin/sh", ["sh", "-c", `exit ${Number(process.exitCode)}`], {});
}
