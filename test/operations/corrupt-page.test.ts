/** A page of a table that the disk has changed: its checksum keeps wrong rows from being shown or saved. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { AlertReceiver } from "../support/alert-receiver.ts";
import { type Installation, runGatehouse, startService } from "../support/installation.ts";

/** The file of a table, below the data directory. */
async function fileOf({ dataDir }: Installation, table: string): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const { rows } = await client.query<{ path: string }>("select pg_relation_filepath($1) as path", [table]);
  await client.end();
  await postgres.stop();
  return join(dataDir, "postgres", rows[0]?.path ?? "");
}

/** Changes one letter of a text in a file. */
async function damage(file: string, text: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    const at = (await handle.readFile()).indexOf(text);
    assert.ok(at >= 0, `${text} is in ${file}`);
    await handle.write("X", at);
  } finally {
    await handle.close();
  }
}

test("reading a table with a damaged page is an error and never shows wrong rows, the rest of the service works, and no backup is made (reference reliability F17)", async () => {
  const receiver = await AlertReceiver.start({ GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of the backup" });
  const { installation, service } = receiver;
  assert.equal((await receiver.send("Pump stands still")).status, 200);
  const list = "/api/v4/projects/root%2Ffaulty/alert_management_alerts";
  assert.match((await receiver.read(list)).text, /Pump stands still/);
  const file = await fileOf(installation, "alerts");
  assert.equal(await service.stop(), 0);
  await damage(file, "Pump stands still");

  await startService(installation);
  const damaged = await receiver.read(list);
  assert.equal(damaged.status, 500);
  assert.doesNotMatch(damaged.text, /ump stands still/);
  assert.equal((await receiver.read("/api/v4/projects/root%2Ffaulty")).status, 200);
  assert.equal(await receiver.statusOf("/-/readiness"), 200);
  const backup = join(installation.dataDir, "gatehouse.backup");
  const { code, stderr } = await runGatehouse(installation, ["backup", backup]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /invalid page in block 0 of relation/);
  assert.ok(!existsSync(backup));
});
