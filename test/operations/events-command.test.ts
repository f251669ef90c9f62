/** `gatehouse events sweep` on an installation. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { newInstallation, runGatehouse } from "../support/installation.ts";

it("says which months are over, drops them once, and refuses other words (contract §1; spec: Limits 1)", async () => {
  const installation = await newInstallation();
  const asked = await runGatehouse(installation, ["events", "sweep", "--dry-run", "--json"]);
  assert.equal(asked.code, 0, asked.stderr);
  const { dropped, dry_run } = JSON.parse(asked.stdout);
  assert.equal(dry_run, true);
  const swept = JSON.parse((await runGatehouse(installation, ["events", "sweep", "--json"])).stdout);
  assert.deepEqual(swept, { made: 0, dropped, removed: 0, dry_run: false });
  const again = await runGatehouse(installation, ["events", "sweep"]);
  assert.match(again.stdout, /Dropped: nothing/);
  assert.equal((await runGatehouse(installation, ["events", "forget"])).code, 64);
});
