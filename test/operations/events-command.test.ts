/** `gatehouse events sweep` on an installation. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import pg from "pg";
import { feedHooks } from "../../src/events/feed-hooks.ts";
import { hookLetter } from "../../src/events/wire-hooks.ts";
import { jsonb, row } from "../../src/platform/row.ts";
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

it("new-epoch refuses the positions of readers, and webhooks continue where they were (decisions 0108, 0317)", async () => {
  const world = await startWorld();
  const list = "/api/v4/projects/acme%2Frocket/events";
  const made = { projectId: world.rocket.id, authorId: world.ids.dev };
  const json = { url: "https://ci.example.org/" };
  assert.equal((await world.call(`${list.replace("events", "hooks")}`, { as: "max", json })).status, 201);
  const [waiting] = await record(world, [{ ...about("created", "Issue", 1), ...made }]);
  const position = (await world.call(`${list}?since=start`, { as: "dev" })).headers.get("x-next-since");
  const installation = await newInstallation({
    DATABASE_URL: addressOf(world.connection),
    GATEHOUSE_MASTER_KEY: "07".repeat(32),
  });
  const { code, stdout, stderr } = await runGatehouse(installation, ["events", "new-epoch", "--json"]);
  assert.equal(code, 0, stderr);
  const { epoch, renumbered } = JSON.parse(stdout);
  assert.match(epoch, /^[0-9a-f]{8}$/);
  assert.equal(renumbered, false);
  const refused = await world.call(`${list}?since=${position}`, { as: "dev" });
  assert.equal(refused.status, 400);
  assert.match(refused.json.error, /^since is of the time before a restore/);
  const [later = 0] = await record(world, [{ ...about("closed", "Issue", 1), ...made }]);
  assert.ok(
    later > (waiting ?? 0) + 1_000_000,
    "numbers given after the point of the recovery are not given again",
  );
  const anew = await world.call(`${list}?since=start`, { as: "dev" });
  assert.deepEqual([anew.status, anew.json.at(-1).id], [200, later]);
  await feedHooks(world.platform, hookLetter);
  const sent = await world.platform.db.many(
    row({ content: jsonb<{ body: { data: { id: number } } }>() }),
    sql`select content from outbox_deliveries order by id`,
  );
  assert.deepEqual(
    sent.map(({ content }) => content.body.data.id),
    [waiting, later],
  );
});

it("new-epoch renumbers events of another server, and says so if they are locked (decision 0317)", async () => {
  const world = await startWorld();
  await record(world, [
    { ...about("created", "Issue", 1), projectId: world.rocket.id, authorId: world.ids.dev },
  ]);
  await world.owner.run(sql`update events set arrived_in = (arrived_in::text::bigint + 5000000)::text::xid8`);
  const installation = await newInstallation({ DATABASE_URL: addressOf(world.connection) });
  const reader = new pg.Client(world.connection);
  await reader.connect();
  await reader.query("begin; lock table events in access share mode");
  const busy = await runGatehouse(installation, ["events", "new-epoch"]);
  await reader.end();
  assert.deepEqual([busy.code, busy.stdout], [1, ""]);
  assert.match(busy.stderr, /^Something else reads the events, such as a backup\. Nothing was changed/);
  const done = await runGatehouse(installation, ["events", "new-epoch"]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^Began the epoch [0-9a-f]{8}: .* and were renumbered\.\n$/);
  const refused = await runGatehouse(installation, ["events", "new-epoch", "--dry-run"]);
  assert.equal(refused.code, 64);
});

it("a dry run reports what a sweep would remove from projects with shorter retention, and removes nothing (decision 0119)", async () => {
  const world = await startWorld();
  const { rocket, open, ids, connection } = world;
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const issue = { ...about("created", "Issue", 1), authorId: ids.dev };
  await record(world, [
    ...[20, 12, 3].map((days) => ({ ...issue, projectId: rocket.id, createdAt: ago(days) })),
    { ...issue, projectId: open.id, createdAt: ago(20) },
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
