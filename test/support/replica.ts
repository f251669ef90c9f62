/** A primary and standbys, run with the embedded PostgreSQL programs, and an address that moves between them. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, cp, lchown, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  findPostgresBinaries,
  postgresPackageVersion,
  preparePostgresBinaries,
} from "../../src/platform/embedded-postgres-binaries.ts";
import { clusterArgument } from "../../src/platform/embedded-postgres-cluster.ts";
import {
  chooseServerIdentity,
  runAs,
  type ServerIdentity,
  serverEnvironment,
} from "../../src/platform/embedded-postgres-privileges.ts";
import { whenDone } from "./cleanup.ts";
import { until } from "./until.ts";
import { freePort } from "./world.ts";

/** The password of every role. */
const PASSWORD = "a password of the cluster";
const HBA = `host all all 127.0.0.1/32 scram-sha-256
host replication replicator 127.0.0.1/32 scram-sha-256
`;

/** One server of a cluster, reached over TCP. */
export interface ClusterNode {
  port: number;
  /** Runs a statement as superuser and returns its rows; `database` defaults to postgres. */
  query<R extends object = Record<string, unknown>>(text: string, database?: string): Promise<R[]>;
  start(): Promise<void>;
  /** Like a loss of power: connections are not closed. */
  kill(): Promise<void>;
}

interface Programs {
  native: string;
  identity: ServerIdentity;
}

/** The `DATABASE_URL` of the service's database at a port. */
export function addressAt(port: number): string {
  return `postgres://gatehouse:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/gatehouse`;
}

/** Starts a primary with the service's role and database, and a role for replication. */
export async function startPrimary(): Promise<ClusterNode> {
  const programs = await programsOfServer();
  const { native, identity } = programs;
  const directory = await newDirectory(identity);
  const place = clusterArgument(directory);
  const made = await runAs(
    identity,
    [
      join(native, "bin", "initdb"),
      "-D",
      place,
      "-U",
      "postgres",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
    ],
    { cwd: directory },
  );
  assert.ok(made.ok, made.output);
  await writeFile(join(directory, "pg_hba.conf"), HBA);
  const roles = [
    `alter role postgres password '${PASSWORD}';`,
    `create role gatehouse login password '${PASSWORD}';`,
    `create role replicator login replication password '${PASSWORD}';`,
    "create database gatehouse owner gatehouse;",
  ];
  const alone = await runAs(
    identity,
    [join(native, "bin", "postgres"), "--single", "-D", place, "postgres"],
    {
      cwd: directory,
      input: roles.map((statement) => `${statement}\n`).join(""),
    },
  );
  assert.ok(alone.ok && !/ERROR|FATAL/.test(alone.output), alone.output);
  const node = nodeIn(directory, programs, await freePort());
  await node.start();
  return node;
}

/**
 * Starts a standby of `primary` with this name: does what `pg_basebackup -R -S` does, which is not among the embedded
 * programs.
 */
export async function startStandby(primary: ClusterNode, name: string): Promise<ClusterNode> {
  const programs = await programsOfServer();
  const directory = await newDirectory(programs.identity);
  const source = directories.get(primary) as string;
  await primary.query(`select pg_create_physical_replication_slot('${name}', true)`);
  const client = await superuser(primary.port);
  try {
    await client.query("select pg_backup_start($1, fast => true)", [name]);
    const left = /\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+)$/;
    await cp(source, directory, { recursive: true, filter: (path) => !left.test(path) });
    const { rows } = await client.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
    await writeFile(join(directory, "backup_label"), rows[0].labelfile);
  } finally {
    await client.end();
  }
  const conninfo = `host=127.0.0.1 port=${primary.port} user=replicator password=''${PASSWORD}'' application_name=${name}`;
  await appendFile(
    join(directory, "postgresql.auto.conf"),
    `primary_conninfo = '${conninfo}'\nprimary_slot_name = '${name}'\n`,
  );
  await writeFile(join(directory, "standby.signal"), "");
  await give(directory, programs.identity);
  const node = nodeIn(directory, programs, await freePort());
  await node.start();
  await until(async () => {
    const rows = await primary.query(
      `select from pg_stat_replication where application_name = '${name}' and state = 'streaming'`,
    );
    return rows.length > 0;
  });
  return node;
}

const directories = new WeakMap<ClusterNode, string>();

async function programsOfServer(): Promise<Programs> {
  const identity = await chooseServerIdentity("auto");
  const found = findPostgresBinaries();
  const failure = async (place: string) => {
    const { ok, output } = await runAs(identity, [join(place, "bin", "postgres"), "--version"], { cwd: "/" });
    return ok ? undefined : output;
  };
  const copy = join(tmpdir(), `gatehouse-postgresql-${postgresPackageVersion(found)}`);
  return { identity, native: await preparePostgresBinaries(found, [copy], failure) };
}

async function newDirectory(identity: ServerIdentity): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "gatehouse-cluster-"));
  whenDone(() => rm(parent, { recursive: true, force: true }));
  const directory = join(parent, "data");
  await mkdir(directory, { mode: 0o700 });
  await give(directory, identity);
  return directory;
}

async function give(directory: string, { owner }: ServerIdentity): Promise<void> {
  await chmod(directory, 0o700);
  if (owner === undefined) return;
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), owner, owner);
  await lchown(directory, owner, owner);
}

function nodeIn(directory: string, { native, identity }: Programs, port: number): ClusterNode {
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  const node: ClusterNode = {
    port,
    query: async <R extends object>(text: string, database = "postgres") => {
      const client = await superuser(port, database);
      try {
        return (await client.query(text)).rows as R[];
      } finally {
        await client.end();
      }
    },
    start: async () => {
      // Only servers are killed, not machines, so that data in the system's cache is not lost.
      const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off" };
      const words = [
        ...identity.lifetimePrefix,
        ...[join(native, "bin", "postgres"), "-D", clusterArgument(directory)],
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ];
      const [file, ...args] = words as [string, ...string[]];
      child = spawn(file, args, {
        cwd: directory,
        ...identity.spawnOptions,
        env: serverEnvironment(),
        stdio: "ignore",
        detached: true,
      });
      const started = child;
      await until(async () => {
        assert.equal(started.exitCode, null, "the server has ended");
        return node.query("select").then(
          () => true,
          () => false,
        );
      });
    },
    kill: () => end("SIGKILL"),
  };
  directories.set(node, directory);
  whenDone(() => end("SIGQUIT"));
  return node;
}

async function superuser(port: number, database = "postgres"): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", password: PASSWORD, database });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** An address that follows the primary, like a virtual one or a proxy. */
export interface MovingAddress {
  port: number;
  /** New connections go to this port or socket; open ones are closed unless `keepOpen` is set. */
  pointTo(place: number | string | undefined, options?: { keepOpen?: boolean }): void;
}

/** It leads nowhere at first: connections are closed at once. */
export async function startMovingAddress(): Promise<MovingAddress> {
  const port = await freePort();
  let target: number | string | undefined;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    near.on("error", () => {});
    if (target === undefined) return near.destroy();
    const far = typeof target === "string" ? connect(target) : connect({ host: "127.0.0.1", port: target });
    far.on("error", () => near.destroy());
    for (const socket of [near, far]) {
      socket.setNoDelay();
      open.add(socket);
      socket.on("close", () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  whenDone(async () => {
    cut();
    server.close();
  });
  return {
    port,
    pointTo: (next, { keepOpen = false } = {}) => {
      target = next;
      if (!keepOpen) cut();
    },
  };
}
