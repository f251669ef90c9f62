/** Commands end with their exit code, whatever a thread of their process still waits for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const PATIENCE_MS = 60_000;
const main = new URL("../../src/main.ts", import.meta.url).pathname;
let folder: string;
let waits: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-leave-"));
  // As nobody opens it for writing, it blocks a thread of any process that opens it for reading, and with it an ordinary exit.
  assert.equal(spawnSync("mkfifo", [join(folder, "pipe")]).status, 0);
  waits = join(folder, "waits.mjs");
  writeFileSync(
    waits,
    `import { open } from "node:fs"; open(${JSON.stringify(join(folder, "pipe"))}, "r", () => {});`,
  );
});

after(() => rmSync(folder, { recursive: true }));

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    env: { ...process.env, GATEHOUSE_DATA_DIR: folder, ...env },
  });

test("an invalid configuration ends the command with 78 while a thread is blocked, and the errors are printed (decision 0182)", () => {
  const { signal, status, stderr } = run(["--import", waits, main, "serve"], { PORT: "no number" });
  assert.deepEqual([signal, status], [null, 78], stderr);
  assert.match(stderr, /PORT/);
});

test("a failed command ends with 1 while a thread is blocked, and says why (decision 0182)", () => {
  const { signal, status, stderr } = run(["--import", waits, main, "migrate"], {
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
  });
  assert.deepEqual([signal, status], [null, 1], stderr);
  assert.match(stderr, /The database cannot be used/);
});

test("a command that is done ends with its exit code and prints all of its output (decision 0182)", () => {
  const { signal, status, stdout } = run([main, "--help"]);
  assert.deepEqual([signal, status], [null, 0]);
  assert.match(stdout, /doctor/);
  assert.equal(run([main, "nonsense"]).status, 64);
});

test("a command that waits for something that never happens fails with a message (decision 0182)", () => {
  const stuck = join(folder, "stuck.mjs");
  const source = "export const migrateCommand = () => new Promise(() => {});";
  writeFileSync(
    stuck,
    `import { registerHooks } from "node:module";
     registerHooks({ load: (url, context, next) => url.endsWith("/commands/migrate.ts")
       ? { format: "module", shortCircuit: true, source: ${JSON.stringify(source)} } : next(url, context) });`,
  );
  const { signal, status, stderr } = run(["--import", stuck, main, "migrate"]);
  assert.deepEqual([signal, status], [null, 1], stderr);
  assert.match(stderr, /it was not done/);
});

test("exit listeners are called, and can still change the exit code (decision 0182)", () => {
  const leave = JSON.stringify(new URL("../../src/platform/leave.ts", import.meta.url).href);
  const program = join(folder, "listens.mjs");
  writeFileSync(
    program,
    `import { leave } from ${leave};
     process.on("exit", (code) => { console.log("left with", code); process.exitCode = 5; });
     leave(3);`,
  );
  const { status, stdout } = run(["--import", waits, program]);
  assert.deepEqual([status, stdout], [5, "left with 3\n"]);
});

test("pipes shared with other processes are blocking again after the process has left (decision 0182)", () => {
  const leave = JSON.stringify(new URL("../../src/platform/leave.ts", import.meta.url).href);
  const program = join(folder, "shares.mjs");
  writeFileSync(
    program,
    `import { leave } from ${leave};
     process.stdin.on("data", () => {}).on("end", () => leave());
     process.stdout.write("");
     process.stderr.write("");`,
  );
  const flags = "for fd in 0 1 2; do sed -n s/^flags:.//p /proc/self/fdinfo/$fd; done";
  const { stdout } = spawnSync("sh", ["-c", `"$0" "$1"; ${flags}`, process.execPath, program], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
  const refusing = stdout
    .trim()
    .split("\n")
    .map((octal) => Number.parseInt(octal, 8) & constants.O_NONBLOCK);
  assert.deepEqual(refusing, [0, 0, 0]);
});
