/** Effects of commands: mails to the owners of changed accounts, output that cannot be written, and wrong usage. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { addressOf } from "../support/database.ts";
import { newInstallation, runGatehouse } from "../support/installation.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { worldWithMail } from "../support/post-office.ts";
import { startWorld } from "../support/world.ts";

test("users get a mail about changes that commands make to their accounts, without a running service (decision 0110)", async () => {
  const office = await worldWithMail();
  const { connection, platform } = office.world;
  const installation = await newInstallation({
    DATABASE_URL: addressOf(connection),
    GATEHOUSE_SMTP_URL: String(platform.config.mail?.smtpUrl),
    GATEHOUSE_MAIL_FROM: "Gatehouse <gatehouse@example.org>",
  });
  for (const [person, words, told] of [
    ["gus", ["admin", "reset-password", "--username", "gus", "--json"], /A new password was set/],
    [
      "rep",
      ["token", "create", "--user", "rep", "--scopes", "read_api"],
      /A personal access token was created/,
    ],
  ] as const) {
    const ran = await runGatehouse(installation, words);
    assert.equal(ran.code, 0, ran.stderr);
    const mail = await office.mailTo(`${person}@example.org`);
    assert.match(mail.text, told);
    assert.match(mail.text, /From: the console of the service/);
  }
});

test("a database that does not answer in time is not told as a user who does not exist (contract §1)", async () => {
  const world = await startWorld();
  const installation = await newInstallation({ DATABASE_URL: addressOf(world.connection) });
  const words = ["token", "create", "--user", "gus", "--scopes", "read_api"];
  const ran = await whileHeld(world, [["lock table users in access exclusive mode"]], () =>
    runGatehouse(installation, words),
  );
  assert.deepEqual([ran.code, ran.stderr], [1, "The database is not available. Try again shortly.\n"]);
});

test("a command whose output is not read to its end succeeds silently (contract §1)", async () => {
  const gatehouse = join(import.meta.dirname, "../../bin/gatehouse");
  for (const words of [["--help"], ["doctor", "--help"]]) {
    const child = spawn("sh", [gatehouse, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    // As `head` does once it has its lines.
    child.stdout.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.deepEqual([said, code], ["", 0]);
  }
});

test("a command whose output cannot be written, for example to a full disk, fails with one line (contract §1)", () => {
  const gatehouse = join(import.meta.dirname, "../../bin/gatehouse");
  const { status, stderr } = spawnSync("sh", ["-c", `exec sh "${gatehouse}" seed --help > /dev/full`], {
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^gatehouse: the output cannot be written \(ENOSPC: .*\); the work itself was done\n$/,
  );
});

test("wrong arguments are refused before a database is started (contract §1)", async () => {
  const installation = await newInstallation();
  const wrong: [words: string[], code: number, said: RegExp][] = [
    [["token", "create"], 64, /^--user is missing\./],
    [["token", "create", "--user", "ada"], 64, /^--scopes is missing\./],
    [
      ["token", "create", "--user", "ada", "--scopes", "all"],
      1,
      /^Unknown scope all\. Available scopes: api, /,
    ],
    [
      ["token", "create", "--user", "ada", "--scopes", "api", "--expires-at", "May"],
      64,
      /^--expires-at is not a date/,
    ],
    [["token", "drop"], 64, /^Unknown subcommand token drop\./],
    [
      ["token", "create", "--username", "ada"],
      64,
      /^Unknown option '--username'\.\n\nUsage: gatehouse token/,
    ],
    [
      ["token", "create", "--user"],
      64,
      /^Option '--user <value>' argument missing\.\n\nUsage: gatehouse token/,
    ],
    [["admin", "create", "--username", "ada"], 64, /^--email is missing\./],
    [["admin", "reset-password"], 64, /^--username is missing\./],
    [["admin", "disable-2fa"], 64, /^--username is missing\./],
    [["admin", "forget"], 64, /^Unknown subcommand admin forget\./],
    [["events", "forget"], 64, /^Missing or unknown subcommand\. Available: sweep, import, new-epoch/],
    [["doctor", "--all"], 64, /^Unknown option '--all'\.\n\nUsage: gatehouse doctor/],
    [["backup"], 64, /^Usage: gatehouse backup FILE/],
    [["backup", "one", "two"], 64, /^Unexpected argument 'two'\.\n\nUsage: gatehouse backup/],
    [["restore", "one", "--verify", "--all"], 64, /^Unknown option '--all'\.\n\nUsage: gatehouse restore/],
    [["restore", "one", "two", "--verify"], 64, /^Unexpected argument 'two'\.\n\nUsage: gatehouse restore/],
    [["restore", "--verify"], 64, /^Usage: gatehouse restore/],
    [["events", "import", "nowhere.ndjson"], 1, /^There is no file nowhere\.ndjson/],
    [["events", "import", "."], 1, /^\. is a folder/],
    [["events", "import", "-", "--source", "x"], 64, /^--source takes the id/],
  ];
  for (const [words, code, said] of wrong) {
    const ran = await runGatehouse(installation, words);
    assert.equal(ran.code, code, words.join(" "));
    assert.match(ran.stderr, said);
    assert.deepEqual(readdirSync(installation.dataDir), [], words.join(" "));
  }
});
