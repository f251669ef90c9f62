import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { whenDone } from "../support/cleanup.ts";

/** Starts the service with an invalid configuration, which ends it after all modules are loaded. */
function startWrongly(dataDir: string): string {
  const environment = { PATH: process.env.PATH ?? "", GATEHOUSE_DATA_DIR: dataDir, PORT: "none" };
  const { status, stderr } = spawnSync("sh", ["bin/gatehouse", "serve"], {
    cwd: join(import.meta.dirname, "../.."),
    env: environment,
    encoding: "utf8",
  });
  assert.equal(status, 78, stderr);
  return stderr;
}

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "gatehouse-kept-"));
  whenDone(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test("the first start caches every module without its types, readable for its owner only (decision 0173)", async () => {
  const dataDir = await newDirectory();
  assert.match(startWrongly(dataDir), /^The configuration has 1 fault/);
  const directory = join(dataDir, "stripped");
  const kept = await readdir(directory);
  const modules = await readdir("src", { recursive: true });
  assert.deepEqual(
    kept.map(decodeURIComponent).toSorted(),
    modules.filter((name) => name.endsWith(".ts")).toSorted(),
  );
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.equal((await stat(join(directory, "main.ts"))).mode & 0o777, 0o600);
});

test("later starts run the cached modules, and rebuild one only when its source or Node.js changed (decision 0173)", async () => {
  const dataDir = await newDirectory();
  startWrongly(dataDir);
  const file = join(dataDir, "stripped", "main.ts");
  const kept = await readFile(file, "utf8");
  const [origin = ""] = kept.split("\n");

  await writeFile(file, kept.replace("\n", '\nprocess.stderr.write("kept\\n");'));
  assert.match(startWrongly(dataDir), /^kept$/m);

  await writeFile(
    file,
    `${origin.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}\nthrow new Error();`,
  );
  startWrongly(dataDir);
  assert.equal(await readFile(file, "utf8"), kept);
});

test("cached modules of another user are not run (decision 0173)", async (context) => {
  const dataDir = await newDirectory();
  startWrongly(dataDir);
  const { readStripped } = await import(new URL("../../bin/stripped.mjs", import.meta.url).href);
  const root = new URL("../../src/", import.meta.url);
  const read = (): string | undefined =>
    readStripped(new URL("main.ts", root).href, root, join(dataDir, "stripped"));
  assert.match(read() ?? "", /await main/);
  const owner = process.getuid?.() ?? 0;
  context.mock.method(process as { getuid(): number }, "getuid", () => owner + 1);
  assert.equal(read(), undefined);
});

test("the service starts even if nothing can be cached (decision 0173)", async () => {
  const dataDir = await newDirectory();
  await writeFile(join(dataDir, "stripped"), "");
  assert.match(startWrongly(dataDir), /^The configuration has 1 fault/);
});
