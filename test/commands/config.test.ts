/** What an operator can learn about the settings before the service starts. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";

const SECRET = "correct horse battery";
const TYPED = {
  GATEHOUSE_ADMIN_USERNAME: "ada",
  GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
  GATEHOUSE_ADMIN_PASSWORD: SECRET,
};

test("config check prints each setting with its origin and no secrets, writes nothing to the data directory, and reports unknown GATEHOUSE_ variables (reference ux §1, CLI)", async () => {
  const installation = await newInstallation({ ...TYPED, GATEHOUSE_PUBLIC_URI: "https://x.example.org" });
  const key = join(installation.dataDir, "key");
  writeFileSync(key, "ab".repeat(32));
  installation.environment.GATEHOUSE_MASTER_KEY_FILE = key;
  // Only secrets are read from files.
  installation.environment.HOST_FILE = key;
  const told = await runGatehouse(installation, ["config", "check"]);
  assert.equal(told.code, 0, told.stderr);
  const port = installation.environment.PORT;
  for (const line of [
    /^HOST +127\.0\.0\.1 +default +address to listen on$/m,
    new RegExp(`^PORT +${port} +environment +`, "m"),
    new RegExp(`^GATEHOUSE_PUBLIC_URL +http://localhost:${port} +default +`, "m"),
    /^GATEHOUSE_ADMIN_USERNAME +ada +environment +/m,
    /^GATEHOUSE_ADMIN_PASSWORD +\(secret\) +environment +/m,
    /^GATEHOUSE_MASTER_KEY +\(secret\) +file +/m,
    /^GATEHOUSE_RATE_LIMITS +on +default +/m,
  ]) {
    assert.match(told.stdout, line);
  }
  assert.match(told.stderr, /^GATEHOUSE_PUBLIC_URI is not a setting of Gatehouse\.$/m);
  const json = await runGatehouse(installation, ["config", "check", "--json"]);
  const { ok, settings, unknown } = JSON.parse(json.stdout);
  assert.deepEqual([ok, unknown], [true, ["GATEHOUSE_PUBLIC_URI"]]);
  assert.deepEqual(
    settings.find(({ name }: { name: string }) => name === "GATEHOUSE_ADMIN_EMAIL"),
    {
      name: "GATEHOUSE_ADMIN_EMAIL",
      value: "ada@example.org",
      from: "environment",
      about: "first administrator",
    },
  );
  for (const { stdout, stderr } of [told, json]) {
    assert.ok(!`${stdout}${stderr}`.includes(SECRET) && !`${stdout}${stderr}`.includes("abab"));
  }
  assert.deepEqual(readdirSync(installation.dataDir), ["key"]);
});

test("config check reports five errors at once and exits with 78, and wrong usage exits with 64 (reference ux §9, 15)", async () => {
  const installation = await newInstallation({
    PORT: "70000",
    GATEHOUSE_WORKERS: "none",
    GATEHOUSE_PUBLIC_URL: "gatehouse.example.org",
    GATEHOUSE_LOG_LEVEL: "loud",
    GATEHOUSE_ADMIN_USERNAME: "ada",
  });
  const wrong = [
    "PORT",
    "GATEHOUSE_WORKERS",
    "GATEHOUSE_PUBLIC_URL",
    "GATEHOUSE_LOG_LEVEL",
    "GATEHOUSE_ADMIN_",
  ];
  const told = await runGatehouse(installation, ["config", "check"]);
  assert.deepEqual([told.code, told.stdout], [78, ""]);
  for (const name of wrong) assert.match(told.stderr, new RegExp(`^ {2}${name}`, "m"));
  const json = await runGatehouse(installation, ["config", "check", "--json"]);
  const { ok, faults } = JSON.parse(json.stdout);
  assert.deepEqual([json.code, ok, faults.length], [78, false, wrong.length]);
  for (const [words, fault] of [
    [["config"], ""],
    [["config", "--json"], ""],
    [["config", "print"], "Unknown subcommand config print.\n\n"],
    [["config", "check", "--all"], "Unknown option '--all'.\n\n"],
  ] as const) {
    const misused = await runGatehouse(installation, words);
    assert.equal(misused.code, 64, words.join(" "));
    assert.ok(misused.stderr.startsWith(`${fault}Usage: gatehouse config check`), misused.stderr);
  }
});

const REFUSED = [
  "GATEHOUSE_ADMIN_USERNAME is a reserved name",
  "GATEHOUSE_ADMIN_EMAIL is invalid",
  "GATEHOUSE_ADMIN_PASSWORD is too short (minimum is 12 characters)",
];

test("config check names the values that the first administrator may not have, without a database (contract §1)", async () => {
  const installation = await newInstallation({
    GATEHOUSE_ADMIN_USERNAME: "oauth",
    GATEHOUSE_ADMIN_EMAIL: "x",
    GATEHOUSE_ADMIN_PASSWORD: "short",
  });
  const told = await runGatehouse(installation, ["config", "check", "--json"]);
  assert.deepEqual([told.code, JSON.parse(told.stdout).faults], [78, REFUSED]);
  assert.deepEqual(readdirSync(installation.dataDir), []);
});

test("a start names the faults of the first administrator's values beside all others, before any database (contract §1)", async () => {
  const installation = await newInstallation({
    PORT: "x",
    GATEHOUSE_ADMIN_USERNAME: "oauth",
    GATEHOUSE_ADMIN_EMAIL: "x",
    GATEHOUSE_ADMIN_PASSWORD: "short",
  });
  const started = await runGatehouse(installation, ["serve"]);
  assert.equal(started.code, 78);
  for (const fault of ["PORT must be a whole number", ...REFUSED])
    assert.ok(started.stderr.includes(fault), fault);
  assert.ok(!readdirSync(installation.dataDir).includes("postgres"));
  const half = await newInstallation({ GATEHOUSE_ADMIN_PASSWORD: "short" });
  const both = JSON.parse((await runGatehouse(half, ["config", "check", "--json"])).stdout);
  assert.equal(both.faults.length, 2, both.faults.join(" | "));
});

test("values that no first administrator may have stop no service that has one, which does not read them (contract §1)", async () => {
  const installation = await newInstallation(TYPED);
  assert.equal(await (await startService(installation)).stop(), 0);
  installation.environment.GATEHOUSE_ADMIN_PASSWORD = "short";
  assert.equal(await (await startService(installation)).stop(), 0);
});

test("a start logs variables that look like settings but are unknown (reference ux §1, CLI)", async () => {
  const installation = await newInstallation({ ...TYPED, GATEHOUSE_WORKER: "4" });
  const service = await startService(installation);
  const lines = service
    .output()
    .split("\n")
    .filter((line) => line.includes("unknown setting"));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).variable),
    ["GATEHOUSE_WORKER"],
  );
  assert.equal(await service.stop(), 0);
});
