/** A test file that exits does end, whatever its process still waits for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const PATIENCE_MS = 60_000;
let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-ends-"));
  // A pipe without a writer blocks a thread of any process that opens it for reading, and an ordinary exit with it.
  assert.equal(spawnSync("mkfifo", [join(folder, "pipe")]).status, 0);
});

after(() => rmSync(folder, { recursive: true }));

for (const [what, last, code] of [
  ["that exits after passing", "process.exit();", 0],
  ["that exits with its own code", "process.exit(3);", 3],
  [
    "whose exit listener sets the code",
    "process.on('exit', () => { process.exitCode = 4; }); process.exit();",
    4,
  ],
] as const) {
  test(`a file ${what} ends although a thread of its process is blocked, and its output is complete (decision 0182)`, () => {
    const file = join(folder, `ends-${code}.mjs`);
    const told = "a".repeat(300_000);
    const open = `open(${JSON.stringify(join(folder, "pipe"))}, "r", () => {});`;
    writeFileSync(
      file,
      `import { open } from "node:fs"; ${open} process.stdout.write("a".repeat(300_000));
       setTimeout(() => { ${last} }, 100);`,
    );
    const args = ["--import", import.meta.resolve("../../scripts/flush-reports.ts"), file];
    const ended = spawnSync(process.execPath, args, { encoding: "utf8", timeout: PATIENCE_MS });
    assert.deepEqual([ended.signal, ended.status, ended.stdout === told], [null, code, true], ended.stderr);
  });
}
