/** The end of a process, without what nobody has to wait for. */

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
  return process.execve("/bin/sh", ["sh", "-c", `exit ${Number(process.exitCode)}`], {});
}
