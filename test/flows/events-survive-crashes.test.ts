/** Clients that follow events by `since` while PostgreSQL is killed with SIGKILL and reuses transaction ids. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf } from "../support/database.ts";
import { newInstallation, startService } from "../support/installation.ts";
import { until } from "../support/until.ts";

const TOKEN = "test-administrator-token";
const EVENTS = "/projects/root%2Fout/events";

test("a client that follows by since misses no event that is written after PostgreSQL has crashed (contract-events §4, gap-free tail; decision 0026)", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "gatehouse-database-"));
  whenDone(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  whenDone(() => postgres.stop());
  const installation = await newInstallation({
    GATEHOUSE_ADMIN_USERNAME: "root",
    GATEHOUSE_ADMIN_EMAIL: "root@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
    GATEHOUSE_ADMIN_TOKEN: TOKEN,
    GATEHOUSE_RATE_LIMITS: "off",
    GATEHOUSE_LOG_LEVEL: "silent",
    DATABASE_URL: addressOf(postgres.connection),
  });
  await startService(installation);
  const call = (path: string, json?: unknown) =>
    fetch(`${installation.url}/api/v4${path}`, {
      method: json === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  const written = async (title: string) => {
    const reply = await call(EVENTS, { action: "created", target_type: "Issue", target_title: title });
    return reply.status === 201 ? ((await reply.json()) as { id: number }).id : undefined;
  };
  const follow = async (since: string) => {
    const reply = await call(`${EVENTS}?since=${since}`);
    const body = (await reply.json()) as { id: number; target_title: string }[];
    assert.equal(reply.status, 200, JSON.stringify(body));
    const titles = new Set(body.map((event) => event.target_title));
    return { ids: body.map(({ id }) => id), titles, next: reply.headers.get("x-next-since") ?? "" };
  };
  /** Takes transaction ids and rolls them back. */
  const waste = async (many: number) => {
    const client = new pg.Client(postgres.connection);
    client.on("error", () => {});
    await client.connect();
    for (let n = 0; n < many; n++) await client.query("begin; select pg_current_xact_id(); rollback");
    await client.end();
  };

  const postmaster = async () => {
    const file = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8").catch(() => "");
    return Number(file.split("\n")[0]);
  };

  assert.equal((await call("/projects", { name: "Out", path: "out" })).status, 201);
  let since = "start";
  for (let round = 0; round < 3; round++) {
    const before = await written(`Before ${round}`);
    await waste(100);
    const told = await follow(since);
    assert.ok(before !== undefined && told.ids.includes(before));
    const lost = await postmaster();
    process.kill(lost, "SIGKILL");
    // Its backends outlive it for a moment, and could accept requests meant for the restarted database.
    await until(async () => ![0, lost].includes(await postmaster()));
    let after: number | undefined;
    await until(async () => {
      after = await written(`After ${round}`);
      return after !== undefined;
    });
    await waste(200);
    const { ids, titles, next } = await follow(told.next);
    // A write that was answered with an error may have been committed nevertheless.
    assert.deepEqual(titles, new Set([`After ${round}`]));
    assert.ok(after !== undefined && ids.includes(after));
    since = next;
  }
});
