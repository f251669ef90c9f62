/** The end of a process that nobody has to wait for. */

/**
 * Ends this process without the clean-up of the runtime, whose threads now and then wait for each other for ever
 * (nodejs/node#54918), and whoever waits for the process with them.
 */
export function leave(): void {
  const code = Number(process.exitCode ?? 0);
  if (process.execve === undefined || process.platform === "win32") process.exit(code);
  process.emit("exit", code);
  process.execve("/bin/sh", ["sh", "-c", `exit ${Number(process.exitCode ?? 0)}`], {});
}
