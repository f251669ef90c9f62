/** Consumers of events notice a restore: earlier cursors are refused, and new events are delivered at once. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { buildApp } from "../../src/app.ts";
import { feedHooks } from "../../src/events/feed-hooks.ts";
import { hookLetter } from "../../src/events/wire-hooks.ts";
import { makeBackup } from "../../src/operations/make-backup.ts";
import { restoreBackup } from "../../src/operations/restore-backup.ts";
import { openDb } from "../../src/platform/db.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { jsonb, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { whenDone } from "../support/cleanup.ts";
import { emptyDatabase, PATIENCE_MS } from "../support/database.ts";
import { about, allArrived, record } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

const HOOKS = "/api/v4/projects/acme%2Frocket/hooks";
const LIST = "/api/v4/projects/acme%2Frocket/events";
let world: World;
let restored: { app: FastifyInstance; platform: Platform };
let position: string;
let token: string;
let lastOfBackup: number;
const DeliveryRow = row({ content: jsonb<{ body: { data: { id: number } } }>() });

const get = async (url: string) => {
  const answer = await restored.app.inject({ url, headers: { authorization: `Bearer ${token}` } });
  return { status: answer.statusCode, headers: answer.headers, json: JSON.parse(answer.body) };
};

before(async () => {
  world = await startWorld();
  token = await world.tokenOf("dev", "api");
  const made = { projectId: world.rocket.id, authorId: world.ids.dev };
  await record(world, [{ ...about("created", "Issue", 1), ...made }]);
  await record(world, [{ ...about("created", "Issue", 2), ...made }]);
  const json = { url: "https://ci.example.org/" };
  assert.equal((await world.call(HOOKS, { as: "max", json })).status, 201);
  await feedHooks(world.platform, hookLetter);
  const first = await world.call(`${LIST}?since=start&per_page=100`, { as: "dev" });
  position = first.headers.get("x-next-since") ?? "";
  lastOfBackup = Math.max(...first.json.map(({ id }: { id: number }) => id));
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-restored-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "whole.backup");
  const passphrase = "a passphrase of some length";
  await makeBackup(world.connection, {
    path,
    passphrase,
    masterKeys: async () => [Buffer.alloc(32, 7)],
    version: "0.1.0",
  });
  const connection = await emptyDatabase();
  await restoreBackup(connection, path, passphrase);
  const db = openDb({ connection, checkRows: true, patienceMs: PATIENCE_MS });
  const platform = { ...world.platform, db };
  restored = { app: await buildApp(platform), platform };
  await allArrived(db);
  whenDone(async () => {
    await restored.app.close();
    await db.close();
  });
});

test("a cursor from before a restore is refused with an explanation, by lists and streams (decision 0108)", async () => {
  assert.equal((await world.call(`${LIST}?since=${position}`, { as: "dev" })).status, 200);
  const answer = await get(`${LIST}?since=${position}`);
  assert.equal(answer.status, 400);
  assert.match(answer.json.error, /^since is of the time before a restore; .*since=start/);
  const stream = await get(`${LIST}/stream?since=${position}`);
  assert.deepEqual([stream.status, stream.json], [400, answer.json]);
});

test("after a restore, since=start returns every event of the backup once, and new ones at once (decision 0108)", async () => {
  const count = Number((await get(`${LIST}?per_page=1`)).headers["x-total"]);
  const ids: number[] = [];
  let since = "start";
  for (let page = 0; page < 20; page++) {
    const answer = await get(`${LIST}?since=${since}&per_page=1`);
    assert.equal(answer.status, 200);
    since = String(answer.headers["x-next-since"]);
    if (answer.json.length === 0) break;
    ids.push(answer.json[0].id);
  }
  assert.equal(ids.length, count);
  assert.equal(new Set(ids).size, count);
  const made = { projectId: world.rocket.id, authorId: world.ids.dev, ...about("closed", "Issue", 1) };
  const [recorded] = await record(restored, [made]);
  const next = await get(`${LIST}?since=${since}`);
  assert.deepEqual(
    next.json.map(({ id }: { id: number }) => id),
    [recorded],
  );
});

test("a cursor ahead of the database is refused too, as after a restore by other means (decision 0108)", async () => {
  const since = String((await get(`${LIST}?since=start`)).headers["x-next-since"]);
  const [epoch] = Buffer.from(since, "base64url").toString().split(".");
  const ahead = Buffer.from(`${epoch}.999999999999.0`).toString("base64url");
  assert.equal((await get(`${LIST}?since=${since}`)).status, 200);
  assert.equal((await get(`${LIST}?since=${ahead}`)).status, 400);
});

test("a webhook continues after a restore and is not sent restored events (decision 0108)", async () => {
  const sent = async () => {
    const rows = await restored.platform.db.many(DeliveryRow, sql`select content from outbox_deliveries`);
    return rows.map(({ content }) => content.body.data.id);
  };
  const made = { projectId: world.rocket.id, authorId: world.ids.dev, ...about("closed", "Issue", 2) };
  const [recorded] = await record(restored, [made]);
  await feedHooks(restored.platform, hookLetter);
  const ids = await sent();
  assert.ok(ids.includes(recorded as number));
  // Only events that the earlier tests recorded after the restore.
  assert.ok(ids.every((id) => id > lastOfBackup));
});
