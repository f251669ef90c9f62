/** The systemd unit of docs/operations.md. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

test("the documented unit starts the service until its database is there, but not with a wrong configuration (reference reliability E)", async () => {
  const guide = await readFile(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
  const [, unit = "", service = ""] =
    /```\n\[Unit\]\n([^[]*)\[Service\]\n([^[]*)\[Install\]/.exec(guide) ?? [];
  const settingsOf = (section: string) =>
    Object.fromEntries(
      section
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/).slice(0, 2)),
    );
  const { After, Wants, StartLimitIntervalSec } = settingsOf(unit);
  assert.deepEqual([After, Wants], ["network-online.target", "network-online.target"]);
  // By default systemd gives up after five starts in ten seconds, and a refused connection ends a start in less than two.
  assert.equal(StartLimitIntervalSec, "0");
  const { Restart, RestartSec, RestartPreventExitStatus } = settingsOf(service);
  assert.deepEqual([Restart, RestartPreventExitStatus], ["on-failure", "64 78"]);
  assert.ok(Number(RestartSec) >= 1 && Number(RestartSec) <= 10, RestartSec);
});
