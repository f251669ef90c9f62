/** Commands in another shell use the address of the service that runs on their data directory. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "../../src/platform/config.ts";
import {
  besideService,
  forgetAddress,
  noteAddress,
  serviceRuns,
} from "../../src/platform/service-address.ts";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";
import { until } from "../support/until.ts";
import { freePort } from "../support/world.ts";

test("setup-link without PORT and public URL prints the port of the running service (reference ux §2)", async () => {
  const installation = await newInstallation();
  const service = await startService(installation);
  const { PORT: _, ...elsewhere } = installation.environment;
  const shell = { ...installation, environment: elsewhere };
  const link = await runGatehouse(shell, ["setup-link", "--json"]);
  assert.equal(link.code, 0, link.stderr);
  assert.ok(JSON.parse(link.stdout).url.startsWith(`${installation.url}/setup/`), link.stdout);
  const told = { ...shell, environment: { ...elsewhere, GATEHOUSE_PUBLIC_URL: "https://gate.example.org" } };
  const named = await runGatehouse(told, ["setup-link", "--json"]);
  assert.match(named.stdout, /https:\/\/gate\.example\.org\/setup\//);
  const seeded = await runGatehouse(shell, ["seed", "--demo", "--json"]);
  assert.equal(JSON.parse(seeded.stdout).url, installation.url);
  await service.stop();
  const config = readConfig(elsewhere);
  assert.equal((await besideService(config, elsewhere)).publicUrl, config.publicUrl, "the note is removed");
});

const notesIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith("service"));

test("with two services on one data directory, commands find the older one that still runs (operations: The data directory)", async () => {
  const older = await newInstallation();
  const port = String(await freePort());
  const newer = {
    ...older,
    url: `http://localhost:${port}`,
    environment: { ...older.environment, PORT: port },
  };
  const { PORT: _, ...elsewhere } = older.environment;
  const config = readConfig(elsewhere);
  const found = async () => (await besideService(config, elsewhere)).publicUrl;
  const [first, second] = [await startService(older), await startService(newer)];
  await until(async () => notesIn(older.dataDir).length === 2);
  assert.equal(await found(), older.url);
  await first.stop();
  assert.equal(await found(), newer.url);
  const again = await startService(older);
  await until(async () => notesIn(older.dataDir).length === 2);
  assert.equal(await found(), newer.url);
  await second.stop();
  assert.equal(await found(), older.url, "stopping one does not remove the other's note");
  assert.equal(await serviceRuns(config), true);
  await again.stop();
  assert.deepEqual([await serviceRuns(config), notesIn(older.dataDir)], [false, []]);
});

test("a malformed note or one of a process that has ended is ignored (reference ux §2)", async () => {
  const { dataDir } = await newInstallation();
  const config = readConfig({ GATEHOUSE_DATA_DIR: dataDir });
  const ask = async (env = {}) => (await besideService(config, env)).publicUrl;
  const note = (text: string) => writeFileSync(join(dataDir, "service-4.json"), text);
  for (const text of [
    "",
    "null",
    "{",
    '{"public_url":"http://localhost:4","pid":-1,"since":1}',
    '{"public_url":"http://localhost:4","pid":1}',
    '{"public_url":"javascript:x","pid":1,"since":1}',
  ]) {
    note(text);
    assert.equal(await ask(), "http://localhost:3000", text);
  }
  note(JSON.stringify({ public_url: "http://localhost:4", pid: 2 ** 22 + 1, since: 1 }));
  assert.equal(await ask(), "http://localhost:3000");
  await noteAddress({ dataDir, publicUrl: "https://gate.example.org" });
  assert.equal(await ask(), "https://gate.example.org");
  assert.deepEqual(
    notesIn(dataDir),
    [`service-${process.pid}.json`],
    "the note of an ended process is removed",
  );
  assert.equal((await besideService(config, {})).secure, true);
  assert.equal(await ask({ PORT: "3000" }), "http://localhost:3000");
  await forgetAddress({ dataDir, publicUrl: "https://gate.example.org" });
  assert.equal(await ask(), "http://localhost:3000");
  await noteAddress({ dataDir: join(dataDir, "absent"), publicUrl: "https://gate.example.org" });
});

test("the note of a killed service counts for nothing once another process has its id, as in a container (reference ux §2)", async () => {
  const installation = await newInstallation();
  const service = await startService(installation);
  const { PORT: _, ...elsewhere } = installation.environment;
  const config = readConfig(elsewhere);
  const path = (pid: number | undefined) => join(installation.dataDir, `service-${pid}.json`);
  await until(async () => notesIn(installation.dataDir).length === 1);
  const noted = JSON.parse(readFileSync(path(service.process.pid), "utf8"));
  assert.equal(await serviceRuns(config), true);
  service.process.kill("SIGKILL");
  await once(service.process, "exit");
  writeFileSync(path(process.pid), JSON.stringify({ ...noted, pid: process.pid }));
  assert.equal(await serviceRuns(config), false);
  assert.equal((await besideService(config, elsewhere)).publicUrl, config.publicUrl);
  const { identity: _unknown, ...older } = noted;
  writeFileSync(path(process.pid), JSON.stringify({ ...older, pid: process.pid }));
  assert.equal(await serviceRuns(config), true, "a version that notes no more is believed");
});
