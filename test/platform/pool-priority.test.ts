/** The threads that hash passwords have a lower priority than the main thread. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { passwordMatches } from "../../src/accounts/password.ts";

test("after the first password hash, the threads of the libuv pool have a lower priority than the main thread (reference performance §7)", async () => {
  await passwordMatches(null, "any password");
  const tasks = "/proc/self/task";
  const workers = existsSync(tasks)
    ? readdirSync(tasks).filter(
        (thread) => readFileSync(`${tasks}/${thread}/comm`, "utf8").trim() === "libuv-worker",
      )
    : [];
  if (process.platform === "linux") assert.ok(workers.length > 0, "the pool has threads");
  // Tests that run with the lowest priority have none below it.
  const most = Math.min(19, getPriority() + 1);
  for (const thread of workers) assert.ok(getPriority(Number(thread)) >= most, thread);
});
