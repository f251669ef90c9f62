/** `gatehouse rotate-key` with two running processes of the service on one data directory. */
import assert from "node:assert/strict";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";
import { freePort } from "../support/world.ts";

const TOKEN = "token-of-the-first-administrator";
const INTEGRATIONS = "/api/v4/projects/acme%2Frocket/alert_integrations";

it("after rotate-key both processes use the new key at once, and backups restore the keys of their time (reference reliability E and S129; decision 0197)", async () => {
  const here = await newInstallation({
    GATEHOUSE_ADMIN_USERNAME: "root",
    GATEHOUSE_ADMIN_EMAIL: "root@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
    GATEHOUSE_ADMIN_TOKEN: TOKEN,
    GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of some length",
  });
  const port = String(await freePort());
  const there = {
    ...here,
    url: `http://localhost:${port}`,
    environment: { ...here.environment, PORT: port },
  };
  const services = [await startService(here), await startService(there)];
  const call = async (url: string, path: string, json?: unknown) => {
    const reply = await fetch(url + path, {
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    });
    const answer: unknown = await reply.json();
    assert.ok(reply.ok, `${path}: ${reply.status} ${JSON.stringify(answer)}`);
    return answer as { authorization_key: string }[] & { authorization_key: string; id: number };
  };
  const make = (url: string, name: string) => call(url, INTEGRATIONS, { type: "http", name, active: true });
  const shownBy = async ({ url }: { url: string }) =>
    (await call(url, INTEGRATIONS)).map(({ authorization_key }) => authorization_key).sort();
  const keyFile = join(here.dataDir, "master.key");
  const keysOf = async (file: string) => (await readFile(file, "utf8")).trim().split("\n");

  const { id: namespace_id } = await call(here.url, "/api/v4/groups", { name: "Acme", path: "acme" });
  await call(here.url, "/api/v4/projects", { name: "rocket", namespace_id });
  const keys = [(await make(here.url, "One")).authorization_key];
  const [old] = await keysOf(keyFile);
  const backup = join(here.dataDir, "before.backup");
  assert.equal((await runGatehouse(here, ["backup", backup])).code, 0);

  const ran = await runGatehouse(here, ["rotate-key", "--json"]);
  assert.equal(ran.code, 0, ran.stderr);
  const told = JSON.parse(ran.stdout);
  assert.deepEqual([told.new_key, told.unreadable, told.old_keys], [true, 0, 1]);
  keys.push(
    (await make(here.url, "Two")).authorization_key,
    (await make(there.url, "Three")).authorization_key,
  );
  keys.sort();
  for (const process of [here, there]) assert.deepEqual(await shownBy(process), keys);
  const between = join(here.dataDir, "between.backup");
  assert.equal((await runGatehouse(here, ["backup", between])).code, 0);

  // The commands since the rotation may have taken the minute.
  await utimes(keyFile, new Date(), new Date());
  const early = await runGatehouse(here, ["rotate-key", "--finish"]);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /less than a minute old.* Nothing was dropped: run this a day later/);
  const aDayAgo = new Date(Date.now() - 86_400_000);
  await utimes(keyFile, aDayAgo, aDayAgo);
  const finished = await runGatehouse(here, ["rotate-key", "--finish"]);
  assert.equal(finished.code, 0, finished.stderr);
  // Everything encrypted since then uses the new key.
  assert.match(
    finished.stdout,
    /^\d+ encrypted values: 0 needed an older key .*\nThe old key was dropped\. .*\n$/,
  );
  const [fresh, ...others] = await keysOf(keyFile);
  assert.deepEqual(others, []);
  const words = await runGatehouse(here, ["rotate-key", "--finish"]);
  assert.match(
    words.stdout,
    /^There is only one master key; there is no older one to drop\.\n.*0 needed an older key.*\n$/,
  );
  const again = await runGatehouse(here, ["rotate-key", "--finish", "--json"]);
  const { old_keys, dropped_keys, resealed } = JSON.parse(again.stdout);
  assert.deepEqual([old_keys, dropped_keys, resealed], [0, 0, 0]);
  for (const process of [here, there]) assert.deepEqual(await shownBy(process), keys);
  for (const service of services.toReversed()) assert.equal(await service.stop(), 0);

  await writeFile(keyFile, `${old}\n`);
  const doctor = await runGatehouse(here, ["doctor", "--json"]);
  const findings: { name: string; state: string }[] = JSON.parse(doctor.stdout).findings;
  assert.equal(
    findings.find(({ name }) => name === "sealed secrets")?.state,
    "bad",
    "the old key decrypts nothing",
  );

  for (const [file, inIt] of [
    [backup, [old]],
    [between, [fresh, old]],
  ] as const) {
    const { GATEHOUSE_BACKUP_PASSPHRASE = "" } = here.environment;
    const elsewhere = await newInstallation({ GATEHOUSE_BACKUP_PASSPHRASE });
    const restored = await runGatehouse(elsewhere, ["restore", file]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.deepEqual(await keysOf(join(elsewhere.dataDir, "master.key")), inIt);
    const standing = await startService(elsewhere);
    const shown = await shownBy(elsewhere);
    assert.deepEqual(shown, file === backup ? keys.filter((key) => shown.includes(key)) : keys);
    assert.equal(shown.length, file === backup ? 1 : 3);
    await standing.stop();
  }
});
