/** What commands leave behind: with whose accounts they change, and with whoever reads their words. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { newInstallation, runGatehouse } from "../support/installation.ts";
import { worldWithMail } from "../support/post-office.ts";

test("owners hear of what the console did to their accounts also where no service runs for long (decision 0110)", async () => {
  const office = await worldWithMail();
  const { connection, platform } = office.world;
  const { host, port, user, password, database } = connection;
  const query = new URLSearchParams({ host: String(host), port: String(port) });
  const installation = await newInstallation({
    DATABASE_URL: `postgresql://${user}:${encodeURIComponent(String(password))}@localhost/${database}?${query}`,
    GATEHOUSE_SMTP_URL: String(platform.config.mail?.smtpUrl),
    GATEHOUSE_MAIL_FROM: "Gatehouse <gatehouse@example.org>",
  });
  for (const [person, words, told] of [
    ["gus", ["admin", "reset-password", "--username", "gus", "--json"], /A new password was set/],
    ["rep", ["token", "create", "--user", "rep", "--scopes", "read_api"], /A personal access token was made/],
  ] as const) {
    const ran = await runGatehouse(installation, words);
    assert.equal(ran.code, 0, ran.stderr);
    const mail = await office.mailTo(`${person}@example.org`);
    assert.match(mail.text, told);
    assert.match(mail.text, /From: the console of the service/);
  }
});

test("a command whose words nobody reads to their end is done all the same, without a word of its own (contract §1)", async () => {
  const gatehouse = join(import.meta.dirname, "../../bin/gatehouse");
  for (const words of [["--help"], ["doctor", "--help"]]) {
    const child = spawn("sh", [gatehouse, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    // As `head` does when it has its lines.
    child.stdout.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.deepEqual([said, code], ["", 0]);
  }
});
