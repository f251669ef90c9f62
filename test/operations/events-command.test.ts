/** `gatehouse events sweep` on an installation. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { addressOf } from "../support/database.ts";
import { about, record } from "../support/events.ts";
import { newInstallation, runGatehouse } from "../support/installation.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { startWorld } from "../support/world.ts";

it("lists expired months, drops them once, and refuses unknown subcommands (contract §1; spec: Limits 1)", async () => {
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

it("drops each month once where two sweeps run at the same time, as beside that of a service (contract-events §4; decision 0163)", async () => {
  const world = await startWorld();
  await world.owner.run(sql`select ensure_event_partitions(40, 3)`);
  const installation = await newInstallation({ DATABASE_URL: addressOf(world.connection) });
  const sweep = () => runGatehouse(installation, ["events", "sweep", "--json"]);
  const sweeps = await whileHeld(
    world,
    [["lock table events in access share mode"]],
    async (isWaitedFor, watcher) => {
      const both = [sweep(), sweep()];
      await until(isWaitedFor);
      // The other one waits for its turn, or for the same month.
      await watcher.query("select pg_sleep(4)");
      return both;
    },
  );
  const swept = await Promise.all(sweeps);
  assert.deepEqual(
    swept.map(({ code }) => code),
    [0, 0],
    swept.map(({ stderr }) => stderr).join("\n"),
  );
  const dropped = swept.flatMap(({ stdout }) => JSON.parse(stdout).dropped as string[]);
  assert.ok(dropped.length >= 10);
  assert.equal(new Set(dropped).size, dropped.length);
});

it("a dry run reports what a sweep would remove from projects with shorter retention, and removes nothing (decision 0119)", async () => {
  const world = await startWorld();
  const { rocket, open, ids, connection } = world;
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const row = { ...about("created", "Issue", 1), authorId: ids.dev };
  await record(world, [
    ...[20, 12, 3].map((days) => ({ ...row, projectId: rocket.id, createdAt: ago(days) })),
    { ...row, projectId: open.id, createdAt: ago(20) },
  ]);
  await world.platform.db.run(sql`update projects set event_retention_days = 10 where id = ${rocket.id}`);
  const installation = await newInstallation({
    DATABASE_URL: addressOf(connection),
  });
  const asked = await runGatehouse(installation, ["events", "sweep", "--dry-run", "--json"]);
  assert.equal(asked.code, 0, asked.stderr);
  const told = JSON.parse(asked.stdout);
  assert.equal(told.removed, 2);
  assert.deepEqual(told.projects, [{ project: "acme/rocket", days: 10, removed: 2 }]);
  const words = await runGatehouse(installation, ["events", "sweep", "--dry-run"]);
  assert.match(words.stdout, /Would delete 2 events.*:\n {2}acme\/rocket \(retention of 10 days\): 2\n/);
  const swept = JSON.parse((await runGatehouse(installation, ["events", "sweep", "--json"])).stdout);
  assert.equal(swept.removed, 2);
  const again = JSON.parse(
    (await runGatehouse(installation, ["events", "sweep", "--dry-run", "--json"])).stdout,
  );
  assert.deepEqual([again.removed, again.projects], [0, []]);
});

it("an import from a corrupt source ends, even while the source is still open (contract §1)", async () => {
  const installation = await newInstallation();
  const command = join(import.meta.dirname, "../../bin/gatehouse");
  const child = spawn("sh", [command, "events", "import", "-"], { env: installation.environment });
  // The process may have exited before all of it was written.
  child.stdin.on("error", () => {});
  child.stdin.write(Buffer.from("1f8b0800", "hex"));
  child.stdin.write("this is no gzip, and more may come");
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  // Output can arrive after the exit, but not after the close.
  const [code] = await once(child, "close", { signal: AbortSignal.timeout(180_000) }).finally(() =>
    child.kill(),
  );
  assert.equal(code, 1, said);
  assert.match(said, /damaged or incomplete/);
});

it("an import continues when nobody reads its messages about refused lines (contract §1)", async () => {
  const world = await startWorld();
  const installation = await newInstallation({
    DATABASE_URL: addressOf(world.connection),
  });
  const row = { action: "created", target_type: "issue", target_iid: 7, target_title: "Read on" };
  const command = join(import.meta.dirname, "../../bin/gatehouse");
  const words = ["events", "import", "-", "--project", "acme/rocket", "--author", "dev", "--json"];
  const unheard = spawn("sh", [command, ...words], { env: installation.environment });
  // As `2>&1 | head -1` does after the first line.
  unheard.stderr.destroy();
  unheard.stdin.end(`${"{}\n".repeat(2000)}${JSON.stringify(row)}\n`);
  const [told, [code]] = await Promise.all([text(unheard.stdout), once(unheard, "exit")]);
  assert.equal(code, 65);
  assert.equal(JSON.parse(told).created, 1);
});

it("an import whose author is removed meanwhile says so, and goes on when it is run again (decisions 0103, 0151)", async () => {
  const world = await startWorld();
  const installation = await newInstallation({ DATABASE_URL: addressOf(world.connection) });
  const line = `${JSON.stringify({ action: "created", target_type: "issue", target_iid: 7, author_username: "stan" })}\n`;
  // The first is the most lines of a batch.
  const parts = [line.repeat(20_000), line];
  const words = ["events", "import", "-", "--project", "acme/rocket", "--json"];
  const command = join(import.meta.dirname, "../../bin/gatehouse");
  const importing = spawn("sh", [command, ...words], { env: installation.environment });
  importing.stdin.write(parts[0]);
  const written = sql`select from events limit 1`;
  await until(async () => (await world.platform.db.run(written)) > 0);
  const removed = await world.call(`/api/v4/users/${world.ids.stan}`, { as: "ada", method: "DELETE" });
  assert.equal(removed.status, 204);
  importing.stdin.end(parts[1]);
  const [told, [code]] = await Promise.all([text(importing.stderr), once(importing, "exit")]);
  assert.equal(code, 1);
  // A slow import tells how far it is.
  assert.match(
    told,
    /^(?:.* refused\n)*A user or project that the file names was removed during the import\..*\n$/,
  );
  const again = await runGatehouse(installation, words, parts.join(""));
  assert.equal(again.code, 65, again.stderr);
  const { resumed_after, created, invalid } = JSON.parse(again.stdout);
  assert.deepEqual({ resumed_after, created, invalid }, { resumed_after: 20_000, created: 0, invalid: 1 });
});
