/** The embedded PostgreSQL, actually started, killed and restarted. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "../../src/platform/embedded-postgres.ts";
import { findPostgresBinaries } from "../../src/platform/embedded-postgres-binaries.ts";
import { until } from "../support/until.ts";

const MODULE = new URL("../../src/platform/embedded-postgres.ts", import.meta.url).href;
const isRoot = process.getuid?.() === 0;
const refusesNamespaces =
  spawnSync("unshare", ["-U", "--map-user=65534", "--map-group=65534", "true"]).status !== 0;
const rooms = await mkdtemp(join(tmpdir(), "gatehouse-embedded-"));
// Readable for any user that the server runs as, unless a test changes that.
await chmod(rooms, 0o755);
const TEST_VERSION = `test-${process.pid}`;
const started: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

after(async () => {
  await Promise.all(started.map((server) => server.stop()));
  for (const child of children) child.kill("SIGKILL");
  await rm(rooms, { recursive: true, force: true });
});

describe("the embedded PostgreSQL", () => {
  test("creates a private cluster at the first start and keeps its data for the second (contract §1; reference reliability S128)", async () => {
    const dataDir = join(rooms, "first");
    await mkdir(dataDir, { mode: 0o755 });
    const first = await start(dataDir);
    await query(first, "create table kept (word text)");
    await query(first, "insert into kept values ('committed')");
    assert.equal(await modeOf(dataDir), 0o700);
    assert.equal(await modeOf(join(dataDir, "postgres")), 0o700);
    assert.equal(await modeOf(join(dataDir, "postgres.password")), 0o600);
    assert.equal(await modeOf(first.connection.host), 0o700);
    await first.stop();
    assert.equal(await postmasterPid(dataDir), undefined);

    const second = await start(dataDir);
    assert.deepEqual(await query(second, "select word from kept"), [{ word: "committed" }]);
    await second.stop();
  });

  test("gives the service a role that is no superuser, and has durable settings (reference reliability F26, S107, S128)", async () => {
    const server = await start(join(rooms, "role"));
    const [row] = await query(
      server,
      `select rolsuper, rolcreatedb, current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
         current_setting('full_page_writes') as pages, current_setting('data_checksums') as checksums,
         current_setting('listen_addresses') as tcp, current_setting('TimeZone') as zone
       from pg_roles where rolname = current_user`,
    );
    assert.deepEqual(row, {
      rolsuper: false,
      rolcreatedb: true,
      fsync: "on",
      commit: "on",
      pages: "on",
      checksums: "on",
      tcp: "",
      zone: "UTC",
    });
    await query(server, "create database clone template gatehouse");
    await query(server, "drop database clone");
    const wrong = { ...server, connection: { ...server.connection, password: "wrong" } };
    await assert.rejects(query(wrong, "select 1"), { code: "28P01" });
    const superuser = { ...server, connection: { ...server.connection, user: "postgres" } };
    await assert.rejects(query(superuser, "select 1"), { code: "28000" });
    await server.stop();
  });

  test("restarts a killed server with its data, and logs it (reliability F3)", async () => {
    const dataDir = join(rooms, "server-killed");
    const lines: string[] = [];
    const server = await start(dataDir, { log: (line) => lines.push(line) });
    let deaths = 0;
    server.onExit(() => {
      deaths += 1;
    });
    await query(server, "create table kept as select 1 as one");
    for (let round = 1; round <= 2; round++) {
      const killed = await killPostmaster(dataDir);
      await until(async () => {
        const now = await postmasterPid(dataDir);
        return now !== undefined && now !== killed && (await answers(server));
      });
      assert.deepEqual(await query(server, "select one from kept"), [{ one: 1 }]);
      assert.equal(deaths, round);
    }
    assert.match(lines.join("\n"), /PostgreSQL ended \(SIGKILL\)/);
    await server.stop();
    assert.equal(await postmasterPid(dataDir), undefined);
  });

  test("ends when the process that started it is killed, and the next start has the data (reliability F1)", async () => {
    const dataDir = join(rooms, "host-killed");
    const host = await startInChild(dataDir);
    await query(host.server, "create table kept as select 1 as one");
    const pid = await postmasterPid(dataDir);
    assert.ok(pid !== undefined);
    await kill(host.child);
    await until(async () => !isAlive(pid));

    const next = await start(dataDir);
    assert.deepEqual(await query(next, "select one from kept"), [{ one: 1 }]);
    await next.stop();
  });

  test("a server left behind because setpriv is missing is ended by the next start, which starts its own (contract §1)", async () => {
    const dataDir = join(rooms, "left-behind");
    const host = await startInChild(dataDir, { PATH: await pathWithoutSetpriv() });
    await query(host.server, "create table kept as select 1 as one");
    const left = await postmasterPid(dataDir);
    assert.ok(left !== undefined);
    await kill(host.child);
    await sleep(300);
    assert.ok(isAlive(left), "the server outlives its process here");

    const next = await start(dataDir);
    assert.ok(!isAlive(left), "no second database runs");
    assert.notEqual(await postmasterPid(dataDir), left);
    assert.deepEqual(await query(next, "select one from kept"), [{ one: 1 }]);
    await next.stop();
  });

  test("recovers if the process and its server are both killed (contract §1; decision 0003)", async () => {
    const dataDir = join(rooms, "both-killed");
    const host = await startInChild(dataDir);
    await query(host.server, "create table kept as select 1 as one");
    process.kill(Number(await postmasterPid(dataDir)), "SIGKILL");
    await kill(host.child);
    const next = await start(dataDir);
    assert.deepEqual(await query(next, "select one from kept"), [{ one: 1 }]);
    await next.stop();
  });

  test("a process that has the pid in a stale postmaster.pid is not touched (reliability F45)", async () => {
    const dataDir = join(rooms, "stale");
    const first = await start(dataDir);
    const file = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8");
    const socketDir = first.connection.host;
    await first.stop();
    const bystander = spawn("sleep", ["60"], { stdio: "ignore" });
    children.push(bystander);
    const stale = file.replace(/^\d+/, String(bystander.pid));
    await writeFile(join(dataDir, "postgres/postmaster.pid"), stale);
    await mkdir(socketDir, { mode: 0o700 });
    await writeFile(join(socketDir, ".s.PGSQL.5432.lock"), stale);

    const next = await start(dataDir);
    assert.ok(await answers(next));
    assert.ok(isAlive(Number(bystander.pid)));
    await next.stop();
    assert.ok(isAlive(Number(bystander.pid)));
    bystander.kill();
  });

  test("a cluster that is served by a foreign PostgreSQL is refused, and that process is not touched (reliability F45)", async () => {
    const dataDir = join(rooms, "foreign");
    await (await start(dataDir)).stop();
    const cluster = join(dataDir, "postgres");
    // What is checked is visible from outside: a program called postgres with the cluster as its working directory.
    const foreign = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      argv0: "/usr/lib/postgresql/bin/postgres",
      cwd: cluster,
      stdio: "ignore",
    });
    children.push(foreign);
    const file = join(cluster, "postmaster.pid");
    await writeFile(file, `${foreign.pid}\n${cluster}\n1\n5432\n/tmp\n\n1 1\nready\n`);
    await assert.rejects(start(dataDir), new RegExp(`process ${foreign.pid}.*stop it first`));
    assert.ok(isAlive(Number(foreign.pid)));
    assert.match(await readFile(file, "utf8"), new RegExp(`^${foreign.pid}\n`), "the lock file is kept");
    foreign.kill("SIGKILL");
  });

  test("works with a data directory whose path is longer than that of a socket may be (decision 0003)", async () => {
    const dataDir = join(rooms, "deep".repeat(20), "deeper".repeat(20));
    assert.ok(dataDir.length > 200);
    await mkdir(join(dataDir, "postgres.new"), { recursive: true });
    await writeFile(join(dataDir, "postgres.new", "PG_VERSION"), "left by an interrupted first start");
    const server = await start(dataDir);
    assert.ok(await answers(server));
    await server.stop();
  });

  test("sets a new password if its file is lost (follows from decision 0003, which keeps the password in a file)", async () => {
    const dataDir = join(rooms, "password");
    const first = await start(dataDir);
    await first.stop();
    await rm(join(dataDir, "postgres.password"));
    const second = await start(dataDir);
    assert.notEqual(second.connection.password, first.connection.password);
    assert.ok(await answers(second));
    await second.stop();
  });

  test("adds the service role to a cluster of an earlier version, and lets it connect despite other entries in pg_hba.conf (decision 0210)", async () => {
    const dataDir = join(rooms, "before-service-role");
    const first = await start(dataDir);
    await query(first, "create table kept as select 1 as one");
    await query(first, "grant select on kept to gatehouse_service");
    await first.stop();
    await rm(join(dataDir, "postgres-service.password"));
    const hba = join(dataDir, "postgres", "pg_hba.conf");
    await writeFile(hba, "local all gatehouse scram-sha-256\nlocal all all reject\n");
    const second = await start(dataDir);
    const { connection = second.connection, role } = second.service ?? {};
    assert.equal(role, "gatehouse_service");
    assert.notEqual(connection.password, first.service?.connection.password);
    assert.deepEqual(await query({ connection }, "select one, current_user as who from kept"), [
      { one: 1, who: "gatehouse_service" },
    ]);
    await assert.rejects(query({ connection }, "create temporary table other (id bigint)"), {
      code: "42501",
    });
    assert.equal(await modeOf(join(dataDir, "postgres-service.password")), 0o600);
    const [line] = readFileSync(hba, "utf8").split("\n");
    assert.equal(line, "local all gatehouse_service scram-sha-256");
    await second.stop();
  });

  test("is used by a second process, which takes over when the first is killed (decision 0003)", async () => {
    const dataDir = join(rooms, "two");
    const host = await startInChild(dataDir);
    const second = await start(dataDir);
    assert.equal(second.joined, true);
    const before = await postmasterPid(dataDir);
    await query(second, "create table kept as select 1 as one");
    await kill(host.child);
    await until(async () => {
      const now = await postmasterPid(dataDir);
      return now !== undefined && now !== before && (await answers(second));
    });
    assert.deepEqual(await query(second, "select one from kept"), [{ one: 1 }]);
    await second.stop();
    assert.equal(await postmasterPid(dataDir), undefined);
  });

  test("is started once if several processes start at the same time (decision 0003)", async () => {
    const dataDir = join(rooms, "together");
    const servers = await Promise.all([start(dataDir), start(dataDir), start(dataDir)]);
    assert.equal(servers.filter((server) => !server.joined).length, 1);
    for (const server of servers) assert.ok(await answers(server));
    for (const server of servers.sort((a, b) => Number(b.joined) - Number(a.joined))) await server.stop();
    assert.equal(await postmasterPid(dataDir), undefined);
  });

  test("creates the links that an installation without scripts lacks, also with concurrent starts (decision 0003)", async () => {
    const binaries = await bareBinaries(join(rooms, "package"), 0o755);
    const servers = await Promise.all(
      ["links-a", "links-b"].map((name) => start(join(rooms, name), { binaries })),
    );
    for (const server of servers) assert.ok(await answers(server));
    const links = JSON.parse(await readFile(join(binaries, "pg-symlinks.json"), "utf8")) as unknown[];
    const made = (await readdir(join(binaries, "lib"), { withFileTypes: true })).filter((e) =>
      e.isSymbolicLink(),
    );
    assert.equal(made.length, links.length);
    for (const server of servers) await server.stop();
  });

  test("if root starts it, its files still belong to its user (decision 0003)", async () => {
    const dataDir = join(rooms, "users");
    await (await start(dataDir)).stop();
    const cluster = join(dataDir, "postgres");
    const uid = isRoot ? 12_345 : process.getuid?.();
    if (isRoot) spawnSync("chown", ["-R", `${uid}:${uid}`, dataDir]);
    const server = await start(dataDir);
    const status = await readFile(`/proc/${await postmasterPid(dataDir)}/status`, "utf8");
    assert.equal(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]), uid);
    await query(server, "create table kept (one integer)");
    await server.stop();
    for (const name of ["", ...(await readdir(cluster, { recursive: true }))]) {
      assert.equal((await lstat(join(cluster, name))).uid, uid, name);
    }
  });

  test("does not create a second cluster if the first cannot be read, and says which user it must belong to (decision 0003)", async () => {
    const directory = join(rooms, "a-file", "postgres");
    await mkdir(join(rooms, "a-file"), { mode: 0o700 });
    await writeFile(directory, "");
    await assert.rejects(start(join(rooms, "a-file")), /postgres cannot be read \(ENOTDIR\): make the user/);
  });

  test("drops root's rights with and without user namespaces, even if the server cannot read the installation (contract §1)", async () => {
    const dataDir = join(rooms, "closed", "data");
    const binaries = await bareBinaries(join(rooms, "closed"), 0o700);
    // The same data changes its owner at each start; as an ordinary user it does not.
    const modes =
      isRoot && refusesNamespaces ? (["uid", "auto", "uid"] as const) : (["uid", "userns", "uid"] as const);
    if (isRoot && refusesNamespaces) {
      await assert.rejects(start(dataDir, { rootMode: "userns", binaries }), /refuses user namespaces/);
    }
    for (const rootMode of modes) {
      const server = await start(dataDir, { rootMode, binaries });
      const pid = await postmasterPid(dataDir);
      const owner = (await stat(join(dataDir, "postgres"))).uid;
      const status = await readFile(`/proc/${pid}/status`, "utf8");
      const expected = !isRoot ? process.getuid?.() : rootMode === "userns" ? 0 : 65_534;
      assert.equal(owner, expected);
      assert.equal(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]), expected);
      assert.equal(await modeOf(dataDir), 0o700);
      await query(server, "create table if not exists kept (one integer)");
      await server.stop();
    }
    const child = await startInChild(dataDir, {}, { rootMode: "uid", binaries });
    const pid = Number(await postmasterPid(dataDir));
    await kill(child.child);
    await until(async () => !isAlive(pid));
    await rm(child.server.connection.host, { recursive: true });
    const name = `gatehouse-postgresql-${TEST_VERSION}`;
    for (const place of ["/var/lib/gatehouse", tmpdir()]) {
      await rm(join(place, name), { recursive: true, force: true });
    }
    await rmdir("/var/lib/gatehouse").catch(() => undefined);
  });
});

test("without the package of the embedded PostgreSQL, the start is refused with advice (decision 0003)", async () => {
  await assert.rejects(
    start(join(rooms, "absent"), { binaries: join(rooms, "nowhere") }),
    /set DATABASE_URL/,
  );
});

test("a missing temporary directory is reported with the variable TMPDIR (operations: When something is wrong)", async () => {
  const program = `import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
    const dataDir = ${JSON.stringify(join(rooms, "no-room"))};
    await startEmbeddedPostgres({ dataDir, log: () => undefined }).catch((error) => console.log(error.message));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, TMPDIR: "/nonexistent" },
    encoding: "utf8",
  });
  assert.match(
    stdout,
    /^\/nonexistent\/gh-[0-9a-f]+ cannot be created \(ENOENT\): set TMPDIR to a directory of your own$/m,
  );
});

test("if initdb fails, the reason is reported, however much was printed before it (operations: When something is wrong)", async () => {
  const binaries = join(rooms, "talkative", "native");
  await mkdir(join(binaries, "bin"), { recursive: true });
  await writeFile(join(binaries, "../package.json"), JSON.stringify({ version: TEST_VERSION }));
  await writeFile(join(binaries, "bin/postgres"), "#!/bin/sh\n", { mode: 0o755 });
  const script = `#!/bin/sh\necho "No space left on device" >&2\necho "${"creating files ... ok ".repeat(50)}"\nexit 1\n`;
  await writeFile(join(binaries, "bin/initdb"), script, { mode: 0o755 });
  await assert.rejects(
    start(join(rooms, "full"), { binaries }),
    /cannot create its cluster: .*No space left on device$/,
  );
});

async function start(
  dataDir: string,
  more: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined, ...more });
  started.push(server);
  return server;
}

/** Starts it in another Node.js process, which then waits to be killed. */
async function startInChild(
  dataDir: string,
  env: NodeJS.ProcessEnv = {},
  more: Partial<EmbeddedPostgresOptions> = {},
): Promise<{ child: ChildProcess; server: Pick<EmbeddedPostgres, "connection"> }> {
  const program = `import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
    const server = await startEmbeddedPostgres({ ...${JSON.stringify({ dataDir, ...more })}, log: console.error });
    process.stdout.write(JSON.stringify(server.connection) + "\\n");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, server: { connection: JSON.parse(line.toString()) } };
}

async function query(server: Pick<EmbeddedPostgres, "connection">, text: string): Promise<unknown[]> {
  const client = new pg.Client({ ...server.connection, connectionTimeoutMillis: 20_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function answers(server: EmbeddedPostgres): Promise<boolean> {
  return query(server, "select 1").then(
    () => true,
    () => false,
  );
}

async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8").catch(() => "");
  return Number.parseInt(text, 10) || undefined;
}

async function killPostmaster(dataDir: string): Promise<number> {
  const pid = await postmasterPid(dataDir);
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGKILL");
  return pid;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Also false for a zombie, as the parent process may be slow to collect it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

/** A copy of the package as an installation without scripts leaves it, in a directory with this mode. */
async function bareBinaries(directory: string, mode: number): Promise<string> {
  await mkdir(directory, { recursive: true });
  const native = join(directory, "native");
  const isNoLink = async (path: string) => !(await lstat(path)).isSymbolicLink();
  await cp(findPostgresBinaries(), native, { recursive: true, filter: isNoLink });
  await writeFile(join(directory, "package.json"), JSON.stringify({ version: TEST_VERSION }));
  await chmod(directory, mode);
  return native;
}

/** The programs that the launcher looks for, except setpriv. */
async function pathWithoutSetpriv(): Promise<string> {
  const directory = join(rooms, "path");
  await mkdir(directory);
  for (const name of ["unshare", "true", "sh"]) {
    for (const place of (process.env.PATH ?? "").split(delimiter)) {
      const made = await stat(join(place, name)).catch(() => undefined);
      if (!made) continue;
      await symlink(join(place, name), join(directory, name));
      break;
    }
  }
  return directory;
}
