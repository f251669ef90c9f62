/**
 * A process whose master key does not belong to its database stops before it changes anything, unless the right key is
 * declared lost.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { currentSigningKey } from "../../src/oauth/current-signing-key.ts";
import { checkMasterKey, markMasterKey } from "../../src/operations/check-master-key.ts";
import { ConfigError, readConfig } from "../../src/platform/config.ts";
import { openDb } from "../../src/platform/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { migrate, readMigrations } from "../../src/platform/migrate.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { keysFrom } from "../../src/platform/secret.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf, emptyDatabase, freshDatabase, PATIENCE_MS } from "../support/database.ts";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";

const OURS = "ab".repeat(32);
const ANOTHER = "cd".repeat(32);

/** A process with this master key. */
function processWith(connection: pg.ClientConfig, masterKey: string): Platform {
  const config = readConfig({ GATEHOUSE_MASTER_KEY: masterKey, GATEHOUSE_LOG_LEVEL: "silent" });
  const db = openDb({ connection, checkRows: true, patienceMs: PATIENCE_MS });
  whenDone(() => db.close());
  return { config, db, log: createLog(config), keys: keysFrom(Buffer.from(masterKey, "hex")) };
}

async function asked(connection: pg.ClientConfig, question: string): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query({ text: question, rowMode: "array" })).rows.map(([one]) => String(one));
  } finally {
    await client.end();
  }
}
const kidsIn = (connection: pg.ClientConfig) => asked(connection, "select kid from signing_keys order by 1");

test("starting with a wrong or missing master key exits with 78, names the wrong source, and changes nothing (reference reliability S129; decision 0211)", async () => {
  const connection = await emptyDatabase();
  const newest = (await readMigrations()).at(-1)?.number ?? 0;
  await migrate(connection, newest - 1);
  await currentSigningKey(processWith(connection, OURS), "ES256");
  const stateOf = async () => [
    ...(await kidsIn(connection)),
    ...(await asked(connection, "select number from schema_migrations order by 1")),
  ];
  const before = await stateOf();
  const there = await newInstallation({ DATABASE_URL: addressOf(connection) });
  // A start that is not refused fails with this, and with another exit code.
  const nowhere = { HOST: "no-host.invalid" };
  const file = join(there.dataDir, "master.key");
  const refused = async (commands: string[][], more: Record<string, string>, named: RegExp) => {
    const from = { ...there, environment: { ...there.environment, ...nowhere, ...more } };
    for (const command of commands) {
      const { code, stdout, stderr } = await runGatehouse(from, command);
      assert.equal(code, 78, command[0] + stdout + stderr);
      assert.match(stderr, named);
      assert.match(stderr, /Nothing was changed\. .*gatehouse admin accept-key/);
      assert.equal(/[0-9a-f]{16}/.test(stdout + stderr), false, "no part of a key is printed");
    }
    assert.deepEqual(await stateOf(), before);
  };
  const serve = ["serve"];
  await refused([serve], {}, /\S+\/master\.key is missing, and this database already uses a master key/);
  assert.equal(existsSync(file), false, "none was created");
  await writeFile(file, `${ANOTHER}\n`, { mode: 0o600 });
  const others = [["setup-link"], ["backup", join(there.dataDir, "of-no-use.backup")]];
  const phrase = { GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of some length" };
  await refused([serve, ...others], phrase, /\n {2}\S+\/master\.key is not the master key of this database/);
  await refused([serve], { GATEHOUSE_MASTER_KEY: ANOTHER }, / {2}GATEHOUSE_MASTER_KEY is not the master key/);

  // The doctor still examines the database, and migrating needs no key.
  const migrated = await runGatehouse(there, ["migrate", "--json"]);
  assert.equal(JSON.parse(migrated.stdout).applied.length, 1, migrated.stderr);
  const doctor = await runGatehouse(there, ["doctor", "--json"]);
  const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; state: string }[] };
  assert.equal(findings.find(({ name }) => name === "sealed secrets")?.state, "bad");
  // During a key rotation both keys are accepted, in any order.
  await writeFile(file, `${ANOTHER}\n${OURS}\n`);
  const service = await startService(there);
  assert.equal(await service.stop(), 0);
});

test("of two concurrent first starts with different keys one is refused (decision 0211)", async () => {
  const connection = await freshDatabase();
  const both = [processWith(connection, OURS), processWith(connection, ANOTHER)];
  // Both check before either has sealed anything.
  for (const { config } of both) assert.equal(await checkMasterKey(connection, config), false);
  const ends = await Promise.allSettled(
    lookingTogether(both).map((platform) => markMasterKey(platform, connection)),
  );
  const [refused, ...others] = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  assert.ok(refused instanceof ConfigError, String(refused));
  assert.match(refused.message, /decrypts none of the encrypted values/);
  assert.deepEqual(others, []);
  const fits = await Promise.allSettled(both.map(({ config }) => checkMasterKey(connection, config)));
  assert.deepEqual(
    fits.map(({ status }) => status),
    ends.map(({ status }) => status),
  );
  assert.equal((await kidsIn(connection)).length, 1);
});

/** Processes of which none stores a signing key before all have looked for one. */
function lookingTogether(platforms: readonly Platform[]): Platform[] {
  let looking = platforms.length;
  let allHaveLooked = () => {};
  const looked = new Promise<void>((done) => {
    allHaveLooked = done;
  });
  return platforms.map((platform) => {
    const many: Platform["db"]["many"] = async (shape, statement) => {
      const found = await platform.db.many(shape, statement);
      looking -= 1;
      if (looking === 0) allHaveLooked();
      await looked;
      return found;
    };
    return { ...platform, db: { ...platform.db, many } };
  });
}

test("admin accept-key replaces a lost master key once, and the service starts again (decision 0211)", async () => {
  const connection = await freshDatabase();
  await currentSigningKey(processWith(connection, ANOTHER), "ES256");
  const there = await newInstallation({ DATABASE_URL: addressOf(connection) });
  assert.equal((await runGatehouse(there, ["setup-link"])).code, 78);
  const accepted = await runGatehouse(there, ["admin", "accept-key", "--json"]);
  assert.deepEqual([accepted.code, accepted.stdout], [0, '{"changed":true}\n'], accepted.stderr);
  const service = await startService(there);
  const reply = await fetch(`${there.url}/oauth/discovery/keys`);
  const { keys } = (await reply.json()) as { keys: { kid: string }[] };
  for (const kid of await kidsIn(connection))
    assert.ok(
      keys.some((key) => key.kid === kid),
      "both keys are published",
    );
  assert.equal(await service.stop(), 0);
  const again = await runGatehouse(there, ["admin", "accept-key", "--json"]);
  assert.equal(again.stdout, '{"changed":false}\n');
  const noted = await asked(connection, "select action from audit_entries where action like 'master_key%'");
  assert.deepEqual(noted, ["master_key_accepted"]);
});
