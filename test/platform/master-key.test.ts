/** The file of the master keys: created once, and watched for as long as a process runs. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, open, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { readMasterKeys } from "../../src/platform/master-key.ts";

const room = await mkdtemp(join(tmpdir(), "gatehouse-key-"));
after(() => rm(room, { recursive: true, force: true }));

const start = (dataDir: string) =>
  readMasterKeys({ dataDir, masterKey: undefined, databaseUrl: "postgres://db.example/gatehouse" });

test("of two concurrent first starts one creates the key, and the other waits until it is written (contract §1; decision 0197)", async () => {
  const dataDir = join(room, "first");
  await mkdir(dataDir, { mode: 0o700 });
  const path = join(dataDir, "master.key");
  const other = await open(path, "wx", 0o600);
  const started = start(dataDir);
  const early = await Promise.race([started.then(String, String), pause(200, "waits")]);
  await other.writeFile(`${"cd".repeat(32)}\n`);
  await other.close();
  assert.equal(early, "waits");
  assert.equal((await started)()[0].toString("hex"), "cd".repeat(32));
});

test("the first start creates its own key, in a file that only its owner can read (contract §1)", async () => {
  const [one, other] = [join(room, "one"), join(room, "other")];
  const keys = [(await start(one))(), (await start(other))()];
  assert.equal((await stat(join(one, "master.key"))).mode & 0o777, 0o600);
  assert.deepEqual(
    keys.map(([key]) => key.length),
    [32, 32],
  );
  assert.notDeepEqual(keys[0], keys[1]);
});

test("if the key file cannot be read, the known keys stay in use (decision 0197)", async () => {
  const dataDir = join(room, "lost");
  const keys = await start(dataDir);
  const known = keys();
  const path = join(dataDir, "master.key");
  await rm(path);
  assert.equal(keys(), known);
  // A link to itself causes an error other than a missing file (ELOOP), like a faulty disk.
  await symlink(path, path);
  assert.equal(keys(), known);
  await rm(path);
  await writeFile(path, `${"ab".repeat(32)}\n`);
  assert.equal(keys()[0].toString("hex"), "ab".repeat(32));
});
