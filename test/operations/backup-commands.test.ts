/** `gatehouse backup` and `gatehouse restore`, from a running service to a new installation. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { whenDone } from "../support/cleanup.ts";
import { addressOf, emptyDatabase } from "../support/database.ts";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";
import { until } from "../support/until.ts";

const TOKEN = "token-of-the-first-administrator";
const first = {
  GATEHOUSE_ADMIN_USERNAME: "root",
  GATEHOUSE_ADMIN_EMAIL: "root@example.org",
  GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
  GATEHOUSE_ADMIN_TOKEN: TOKEN,
};

it("a running service is backed up and restored into a new installation, master key included (reference reliability A14; contract §1)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-commands-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  const secret = join(folder, "passphrase");
  const file = join(folder, "all.backup");
  await writeFile(secret, "a passphrase of some length\n");
  const phrase = { GATEHOUSE_BACKUP_PASSPHRASE_FILE: secret };

  const old = await newInstallation({ ...first, ...phrase });
  const service = await startService(old);
  const call = (url: string, path: string, json?: unknown) =>
    fetch(url + path, {
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    });
  const group = await call(old.url, "/api/v4/groups", { name: "Acme", path: "acme" });
  // Not a number known beforehand: about a second after its start the service makes an account of its own, with a namespace.
  const { id: namespace_id } = (await group.json()) as { id: number };
  await call(old.url, "/api/v4/projects", { name: "rocket", namespace_id });
  const integration = { type: "http", name: "Sender", active: true };
  const made = await call(old.url, "/api/v4/projects/acme%2Frocket/alert_integrations", integration);
  const { authorization_key } = (await made.json()) as { authorization_key: string };

  const written = await runGatehouse(old, ["backup", file, "--json"]);
  assert.equal(written.code, 0, written.stderr);
  assert.ok(JSON.parse(written.stdout).rows > 5);
  const again = await runGatehouse(old, ["backup", file]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /exists already/);
  const refused = await runGatehouse(old, ["restore", file]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /not empty/);
  assert.equal(await service.stop(), 0);

  const proven = await runGatehouse({ ...old, environment: { PATH: process.env.PATH ?? "", ...phrase } }, [
    "restore",
    file,
    "--verify",
  ]);
  assert.equal(proven.code, 0, proven.stderr);
  assert.match(proven.stdout, /is complete and undamaged: \d+ rows/);

  const fresh = await newInstallation(phrase);
  const restored = await runGatehouse(fresh, ["restore", file]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /^Restored .*: \d+ rows of \d+ tables/);
  const keyOf = (dataDir: string) => readFile(join(dataDir, "master.key"), "utf8");
  assert.equal(await keyOf(fresh.dataDir), await keyOf(old.dataDir));
  assert.deepEqual(
    (await readdir(fresh.dataDir)).filter((name) => name.startsWith("master.key")),
    ["master.key"],
  );

  const standing = await startService(fresh);
  assert.equal((await call(fresh.url, "/api/v4/user")).status, 200);
  const listed = await call(fresh.url, "/api/v4/projects/acme%2Frocket/alert_integrations");
  const [found] = (await listed.json()) as { authorization_key: string }[];
  assert.equal(found?.authorization_key, authorization_key);
  assert.equal(await standing.stop(), 0);
});

it("backup and restore have a --help, and need a passphrase (contract §1)", async () => {
  const installation = await newInstallation();
  for (const command of ["backup", "restore"]) {
    const help = await runGatehouse(installation, [command, "--help"]);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Usage: gatehouse/);
    assert.match(help.stdout, /Exit codes:/);
    const bare = await runGatehouse(installation, [command, "nowhere.backup"]);
    assert.equal(bare.code, 78, bare.stderr);
    assert.match(bare.stderr, /GATEHOUSE_BACKUP_PASSPHRASE/);
    assert.equal((await runGatehouse(installation, [command])).code, 64);
    const short = {
      ...installation,
      environment: { ...installation.environment, GATEHOUSE_BACKUP_PASSPHRASE: "short" },
    };
    assert.equal((await runGatehouse(short, [command, "nowhere.backup"])).code, 78);
  }
});

it("backup fails without a master key, and restore fails if GATEHOUSE_MASTER_KEY is not the backup's (decision 0072)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-commands-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "all.backup");
  const phrase = { GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of some length" };
  const old = await newInstallation(phrase);
  assert.equal((await runGatehouse(old, ["migrate"])).code, 0);
  assert.equal((await runGatehouse(old, ["backup", file])).code, 0);
  await rm(join(old.dataDir, "master.key"));
  const keyless = await runGatehouse(old, ["backup", join(folder, "keyless.backup")]);
  assert.equal(keyless.code, 1);
  assert.match(keyless.stderr, /no master\.key/);
  const serving = await newInstallation(phrase);
  const service = await startService(serving);
  // The first account is the system account in whose name alerts are resolved.
  await until(async () => (await fetch(`${serving.url}/-/avatars/1.svg`)).status === 200);
  const beside = await runGatehouse(serving, ["restore", file]);
  assert.equal(beside.code, 1);
  assert.match(beside.stderr, /A service is running on this data directory/);
  assert.equal(await service.stop(), 0);
  assert.equal((await runGatehouse(serving, ["restore", file])).code, 0);
  const names = (await readdir(serving.dataDir)).filter((name) => name.startsWith("master.key")).sort();
  assert.deepEqual(names, ["master.key", "master.key.before-restore"]);
  for (const name of names) {
    assert.equal(
      (await stat(join(serving.dataDir, name))).mode & 0o777,
      0o600,
      `${name} is readable for its owner only`,
    );
  }
  const other = await newInstallation({ ...phrase, GATEHOUSE_MASTER_KEY: "ab".repeat(32) });
  const refused = await runGatehouse(other, ["restore", file]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /GATEHOUSE_MASTER_KEY is not the key/);
});

it("nothing is restored under a running service, also where it has the key of the backup (operations: Back up)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-commands-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "all.backup");
  const given = {
    GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of some length",
    GATEHOUSE_MASTER_KEY: "ab".repeat(32),
  };
  const old = await newInstallation(given);
  assert.equal((await runGatehouse(old, ["migrate"])).code, 0);
  assert.equal((await runGatehouse(old, ["backup", file])).code, 0);
  const serving = await newInstallation(given);
  const service = await startService(serving);
  await until(async () => /serves at/.test(service.output()));
  const beside = await runGatehouse(serving, ["restore", file]);
  assert.deepEqual(
    [beside.code, beside.stderr],
    [1, "A service is running on this data directory. Stop it, then restore again.\n"],
  );
  assert.equal(await service.stop(), 0);
  assert.equal((await runGatehouse(serving, ["restore", file])).code, 0);
});

it("nothing is restored under a service of another machine on the same database, used or not, whatever name its address gives it (operations: Back up)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-commands-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "all.backup");
  const phrase = { GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of some length" };
  const old = await newInstallation({ ...phrase, GATEHOUSE_MASTER_KEY: "ab".repeat(32) });
  assert.equal((await runGatehouse(old, ["migrate"])).code, 0);
  assert.equal((await runGatehouse(old, ["backup", file])).code, 0);
  const DATABASE_URL = addressOf(await emptyDatabase());
  // Each machine has its own data directory, and the service a key of its own.
  const named = { DATABASE_URL: `${DATABASE_URL}&application_name=the+name+of+a+team` };
  const service = await startService(await newInstallation(named));
  const other = await newInstallation({ ...phrase, DATABASE_URL });
  const beside = await runGatehouse(other, ["restore", file]);
  assert.equal(beside.code, 1);
  assert.match(beside.stderr, /^A service uses this database .* Stop it, then restore again\.\n$/);
  await assert.rejects(stat(join(other.dataDir, "master.key")), { code: "ENOENT" });
  assert.equal(await service.stop(), 0);
  assert.equal((await runGatehouse(other, ["restore", file])).code, 0);
});

it("a full disk, and a folder given instead of a file, get a one-sentence error (contract §1; decision 0072)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-commands-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  const installation = await newInstallation({ GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of some length" });
  const service = await startService(installation);
  const gatehouse = join(import.meta.dirname, "../../bin/gatehouse");
  const file = join(folder, "all.backup");
  // The file may have one block, which fails like a full disk.
  const limited = spawnSync("sh", ["-c", `ulimit -f 1; exec sh "${gatehouse}" backup "${file}"`], {
    env: installation.environment,
    encoding: "utf8",
  });
  assert.deepEqual(
    [limited.status, limited.stderr],
    [1, `${file} cannot be written: EFBIG. The incomplete file was deleted.\n`],
  );
  assert.deepEqual(await readdir(folder), []);
  const proven = await runGatehouse(installation, ["restore", folder, "--verify"]);
  assert.deepEqual([proven.code, proven.stderr], [1, `${folder} is a directory, not a backup file.\n`]);
  assert.equal(await service.stop(), 0);
});

it("log output of a command goes to stderr, its result to stdout (contract §1, --json)", async () => {
  const installation = await newInstallation();
  assert.equal((await runGatehouse(installation, ["migrate"])).code, 0);
  // As after a crash, when another program has the server's process id by now.
  const lines = [process.pid, installation.dataDir, 0, 5432, "/tmp", "", 0, "ready"];
  await writeFile(join(installation.dataDir, "postgres/postmaster.pid"), `${lines.join("\n")}\n`);
  const { code, stdout, stderr } = await runGatehouse(installation, ["migrate", "--json"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { applied: [] });
  assert.match(stderr, /stale postmaster\.pid/);
});
