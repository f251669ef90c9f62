/** A data directory of another user, as after a first start as root. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openDataDirectory } from "../../src/platform/data-directory.ts";

const PATIENCE_MS = 60_000;
const MODULE = new URL("../../src/platform/data-directory.ts", import.meta.url).href;
const KEY_MODULE = new URL("../../src/platform/master-key.ts", import.meta.url).href;
const isRoot = process.getuid?.() === 0;
const uid = isRoot ? 12_345 : process.getuid?.();
const gid = isRoot ? 12_345 : process.getgid?.();
const room = await mkdtemp(join(tmpdir(), "gatehouse-data-"));
after(() => rm(room, { recursive: true, force: true }));

/**
 * What a process of an ordinary user prints about the directory; started by root, it drops its rights after loading the program.
 */
function heard(directory: string, call = `openDataDirectory(${JSON.stringify(directory)})`): string {
  const program = `const { openDataDirectory } = await import(${JSON.stringify(MODULE)});
    const { readMasterKeys } = await import(${JSON.stringify(KEY_MODULE)});
    ${isRoot ? `process.setgroups([]); process.setgid(${gid}); process.setuid(${uid});` : ""}
    console.log(await ${call}.catch((error) => error.message));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  return stdout.trim();
}

/** Runs a command as the current user. */
function run(args: readonly string[], directory: string, environment: Record<string, string> = {}) {
  return spawnSync("sh", ["bin/gatehouse", ...args], {
    cwd: join(import.meta.dirname, "../.."),
    env: { PATH: process.env.PATH ?? "", GATEHOUSE_DATA_DIR: directory, PORT: "0", ...environment },
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
}

/**
 * Makes it unreadable for the ordinary user, as files of root are; an ordinary user can only make it unreadable for everybody.
 */
const close = (path: string) => chmod(path, isRoot ? 0o600 : 0o000);

test("an unreadable file is reported by name, with the command that makes it readable (contract §1; operations: The data directory)", async () => {
  const directory = join(room, "data");
  await chmod(room, 0o755);
  if (isRoot) await chown(room, 12_345, 12_345);
  assert.equal(heard(directory), directory, "created if missing");
  for (const name of ["postgres.lock", "postgres.password", "postgres-service.password", "master.key"]) {
    const path = join(directory, name);
    await writeFile(path, "");
    await close(path);
    assert.equal(
      heard(directory),
      `user ${uid} has no access to ${path} (EACCES). Make the user that runs Gatehouse the owner of the data directory, as root: install -d -m 700 ${directory} && chown -R ${uid}:${gid} ${directory}`,
    );
    await rm(path);
  }
  await writeFile(join(directory, "not-ours"), "");
  await close(join(directory, "not-ours"));
  assert.equal(heard(directory), directory, "other files are ignored");
});

test("a path that cannot be a directory is reported with the variable GATEHOUSE_DATA_DIR (operations: When something is wrong)", async () => {
  const directory = join(room, "a-file");
  await writeFile(directory, "");
  assert.match(
    heard(directory),
    /^the data directory cannot be used \(EEXIST: .*a-file'\): check GATEHOUSE_DATA_DIR$/,
  );
  assert.match(heard(join(directory, "below")), /\(ENOTDIR: .*\): check GATEHOUSE_DATA_DIR$/);
});

test("a start without a usable data directory ends at once, and names the variable (contract §1; operations: When something is wrong)", async () => {
  const lost = join(room, "lost");
  await symlink(join(room, "not-mounted"), lost);
  const told =
    /^gatehouse: the data directory cannot be used \((ENOENT|EEXIST): .*\): check GATEHOUSE_DATA_DIR$/;
  for (const [directory, expected] of [
    ["/proc/gatehouse/data", told],
    // For other users its mode forbids access.
    ["/proc", isRoot ? told : /^gatehouse: user \d+ has no access to \/proc/],
    [lost, told],
    [join(lost, "data"), told],
  ] as const) {
    const { status, stderr } = run(["serve"], directory);
    assert.equal(status, 1, `${directory}: ${stderr}`);
    assert.match(stderr.trimEnd().split("\n").at(-1) ?? "", expected);
  }
});

test("a directory shared by everybody, such as /tmp, is refused and keeps its mode (contract §1; operations: When something is wrong; reference reliability S128)", async () => {
  const shared = join(room, "shared");
  await mkdir(shared);
  await chmod(shared, 0o1777);
  await writeFile(join(shared, "of-somebody"), "");
  const refusal = `the data directory cannot be used (${shared} is shared by all users, choose a directory below it): check GATEHOUSE_DATA_DIR`;
  assert.equal(heard(shared), refusal);
  assert.equal((await stat(shared)).mode & 0o7777, 0o1777);
  assert.equal(heard(join(shared, "below")), join(shared, "below"));
  const volume = join(room, "volume");
  await mkdir(volume);
  await chmod(volume, 0o1777);
  if (isRoot) await chown(volume, 12_345, 12_345);
  assert.equal(heard(volume), volume, "an empty one, such as a volume in memory, is accepted");
  assert.equal((await stat(volume)).mode & 0o777, 0o700);
});

test("a directory that others can read and that contains only foreign files is refused and keeps its mode, also by the doctor (contract §1; decision 0241)", async () => {
  const foreign = join(room, "foreign");
  await mkdir(foreign);
  await chmod(foreign, 0o755);
  await writeFile(join(foreign, "of-somebody"), "");
  const reason = `${foreign} is accessible to other users and contains files of other programs`;
  const { status, stderr } = run(["serve"], foreign);
  assert.equal(status, 1, stderr);
  assert.equal(
    stderr.trimEnd().split("\n").at(-1),
    `gatehouse: the data directory cannot be used (${reason}, choose a directory below it): check GATEHOUSE_DATA_DIR`,
  );
  const doctor = run(["doctor", "--json"], foreign);
  assert.equal(doctor.status, 1, doctor.stderr);
  const { findings } = JSON.parse(doctor.stdout);
  assert.deepEqual(
    findings.find(({ name }: { name: string }) => name === "data directory"),
    {
      name: "data directory",
      state: "bad",
      text: reason,
      remedy: "Set GATEHOUSE_DATA_DIR to a directory used only by Gatehouse.",
    },
  );
  assert.equal((await stat(foreign)).mode & 0o7777, 0o755);
  assert.deepEqual(await readdir(foreign), ["of-somebody"]);
  await writeFile(join(foreign, "master.key"), "");
  await openDataDirectory(foreign, false);
  assert.equal(
    (await stat(foreign)).mode & 0o7777,
    0o700,
    "one of Gatehouse that was made readable becomes private again",
  );
});

test("a start accepts an empty volume that everybody may write to, although it puts its own JavaScript there first (contract §1; decision 0173)", async () => {
  const volume = join(room, "memory");
  await mkdir(join(volume, "lost+found"), { recursive: true });
  await chmod(volume, 0o1777);
  // Nobody has this address, so a start that gets this far ends here.
  const { status, stderr } = run(["serve"], volume, { HOST: "192.0.2.1" });
  assert.equal(status, 1, stderr);
  assert.match(stderr.trimEnd().split("\n").at(-1) ?? "", /^Nothing can listen at 192\.0\.2\.1:0 /);
  assert.equal((await stat(volume)).mode & 0o777, 0o700);
});

test("the password of an embedded database may be unreadable if DATABASE_URL is set (operations: The data directory)", async () => {
  const dataDir = join(room, "before");
  assert.equal(heard(dataDir), dataDir);
  await writeFile(join(dataDir, "postgres.password"), "");
  await close(join(dataDir, "postgres.password"));
  const read = (config: object) =>
    heard(dataDir, `readMasterKeys(${JSON.stringify(config)}).then((keys) => keys()[0].length)`);
  assert.equal(read({ dataDir, databaseUrl: "postgres://db.example/gatehouse" }), "32");
  assert.match(read({ dataDir }), /user \d+ has no access to \S+postgres\.password/);
});
