/** A database for each test file: a clone of one migrated template on a temporary server. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { migrate } from "../../src/platform/migrate.ts";
import { allowService, type ServiceAccess } from "../../src/platform/service-role.ts";
import { whenDone } from "./cleanup.ts";

export const TEMPLATE = "gatehouse_template";
/** Set by `npm test`, so that all files share one server and one template. */
export const SERVER_VARIABLE = "GATEHOUSE_TEST_SERVER";

/** Enough for a connection and for bursts of requests, however slow the machine. */
export const PATIENCE_MS = 60_000;

/** Connections to a server: as the owner of the tables, and as the service's role. */
export interface Ways {
  connection: pg.ClientConfig;
  service: ServiceAccess;
}

export interface TestServer {
  ways: Ways;
  stop(): Promise<void>;
}

/** Starts a server without durability (test data need not survive) and migrates the template once. */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_connections: "200" },
    log: () => {},
  });
  const stop = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { connection, service } = postgres;
    if (!service) throw new Error("the server has no role that serves");
    await onServer(connection, `create database ${TEMPLATE}`);
    const template = { ...connection, database: TEMPLATE };
    await migrate(template);
    const connectionOfService = { ...service.connection, database: TEMPLATE };
    await allowService(template, { ...service, connection: connectionOfService });
    return { ways: { connection, service }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

let own: Promise<TestServer> | undefined;

/** Creates a clone of the template and returns its connection as the owner; dropped when the file's tests are done. */
export function freshDatabase(): Promise<pg.ClientConfig> {
  return database(TEMPLATE);
}

/** A database without any schema. */
export function emptyDatabase(): Promise<pg.ClientConfig> {
  return database("template1");
}

/** The connection to the same database as the service's role. */
export async function asService({ database }: pg.ClientConfig): Promise<pg.ClientConfig> {
  const { service } = await findWays();
  return { ...service.connection, database };
}

async function findWays(): Promise<Ways> {
  const shared = process.env[SERVER_VARIABLE];
  if (shared) return JSON.parse(shared) as Ways;
  own ??= startTestServer().then((started) => {
    whenDone(() => started.stop());
    return started;
  });
  return (await own).ways;
}

async function database(template: string): Promise<pg.ClientConfig> {
  const { connection: server } = await findWays();
  const name = `test_${process.pid}_${counter++}`;
  await onServer(server, `create database ${name} template ${template}`);
  whenDone(() => dropDatabase(server, name));
  return { ...server, database: name };
}

let counter = 0;

/** Other files create and drop theirs on the same server at the same time, so a drop may have to be retried. */
export async function dropDatabase(server: pg.ClientConfig, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await onServer(server, `drop database if exists ${name} with (force)`);
    } catch (error) {
      if (attempt >= 10) throw error;
      await new Promise((done) => setTimeout(done, 100 * attempt));
    }
  }
}

async function onServer(connection: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    // Clones of one template block each other; retrying is cheaper than a queue across processes.
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query(statement);
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== "55006" || attempt >= 100) throw error;
        await new Promise((done) => setTimeout(done, 50));
      }
    }
  } finally {
    await client.end();
  }
}

/** The value of `DATABASE_URL` for this connection. */
export function addressOf({ user, host, port, database, password }: pg.ClientConfig): string {
  const query = new URLSearchParams({ host: String(host), port: String(port) });
  const secret = password ? `:${encodeURIComponent(String(password))}` : "";
  return `postgres://${user}${secret}@localhost/${database}?${query}`;
}
