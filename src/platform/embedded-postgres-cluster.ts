/** Makes the database cluster in the data directory, and keeps its files private to the right user. */
import { createHash, randomBytes } from "node:crypto";
import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataDirectory } from "./data-directory.ts";
import { runAs, type ServerIdentity } from "./embedded-postgres-privileges.ts";

/** Where everything of one embedded PostgreSQL is. */
export interface Cluster {
  dataDir: string;
  directory: string;
  /** Recognises the server of this data directory among processes. */
  name: string;
  socketDir: string;
}

/** The role of the service, no superuser; it owns the database of the same name. */
export const DATABASE_ROLE = "gatehouse";

/** The longest path that a Unix socket may have, in bytes, on every system. */
const SOCKET_PATH_BYTES = 103;
const SOCKET_FILE = ".s.PGSQL.5432";

/**
 * Makes the data directory if need be, and names what is in it.
 * @throws Error when it cannot be used, or the temporary directory has too long a path for a socket
 */
export async function placeCluster(path: string): Promise<Cluster> {
  const dataDir = await openDataDirectory(path);
  const hash = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const socketDir = [tmpdir(), "/tmp"]
    .map((directory) => join(directory, `gh-${hash}`))
    .find((directory) => Buffer.byteLength(join(directory, SOCKET_FILE)) <= SOCKET_PATH_BYTES);
  if (socketDir === undefined) throw new Error(`the temporary directory ${tmpdir()} has too long a path`);
  return { dataDir, directory: join(dataDir, "postgres"), name: `gatehouse-${hash}`, socketDir };
}

/** How PostgreSQL is told where its cluster is: through its working directory, which needs no reachable parents. */
export function clusterArgument(directory: string): string {
  return process.platform === "linux" ? "/proc/self/cwd" : directory;
}

/** The password of the service's role; undefined before the first start. */
export async function readPassword(dataDir: string): Promise<string | undefined> {
  const password = await readFile(passwordFile(dataDir), "utf8").catch(() => "");
  return password.trim() || undefined;
}

/**
 * Makes the cluster, its role and its database unless they are there. It is built aside and renamed, so that a
 * cluster that exists is a whole one. Answers the role's password.
 * The caller holds the data directory's lock.
 * @throws Error with PostgreSQL's own words when it fails.
 */
export async function ensureCluster(
  cluster: Cluster,
  native: string,
  identity: ServerIdentity,
): Promise<string> {
  const known = await readPassword(cluster.dataDir);
  const password = known ?? randomBytes(32).toString("base64url");
  const fresh = join(cluster.dataDir, "postgres.new");
  await rm(fresh, { recursive: true, force: true });
  if (await findHolder(cluster.directory)) {
    await giveTo(cluster.directory, identity.owner);
    if (known === undefined) {
      await runAlone(cluster.directory, native, identity, [
        `alter role ${DATABASE_ROLE} password '${password}'`,
      ]);
    }
  } else {
    await mkdir(fresh, { mode: 0o700 });
    await giveTo(fresh, identity.owner);
    await initialise(fresh, native, identity, password);
    await rename(fresh, cluster.directory);
  }
  if (known === undefined) await writeFile(passwordFile(cluster.dataDir), `${password}\n`, { mode: 0o600 });
  return password;
}

/**
 * Makes the private directory of the socket and empties it. The caller knows that no server of this cluster runs.
 * @throws Error when someone else has put something at its place.
 */
export async function ensureSocketDirectory(socketDir: string, identity: ServerIdentity): Promise<void> {
  await mkdir(socketDir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return;
    throw new Error(`${socketDir} cannot be made (${error.code}): set TMPDIR to a directory of your own`);
  });
  const found = await lstat(socketDir);
  if (!found.isDirectory() || ![process.getuid?.(), identity.owner].includes(found.uid)) {
    throw new Error(
      `${socketDir} belongs to someone else: remove it, or set TMPDIR to a directory of your own`,
    );
  }
  await chmod(socketDir, 0o700);
  // A lock file left here may name a process number that someone else has by now.
  for (const name of await readdir(socketDir)) await rm(join(socketDir, name), { force: true });
  await giveTo(socketDir, identity.owner);
}

/**
 * Whose the cluster is; undefined while there is none.
 * @throws Error when somebody else's stands there: beside it none may be made.
 */
export async function findHolder(directory: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    return await lstat(join(directory, "PG_VERSION"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new Error(
      `${directory} cannot be read (${code}): give it and all in it to the user that runs this process`,
    );
  }
}

async function initialise(
  directory: string,
  native: string,
  identity: ServerIdentity,
  password: string,
): Promise<void> {
  const { ok, output } = await runAs(
    identity,
    [
      join(native, "bin", "initdb"),
      ...["-D", clusterArgument(directory), "-U", "postgres", "--auth=reject", "--encoding=UTF8"],
      ...["--locale-provider=builtin", "--locale=C", "--builtin-locale=C.UTF-8"],
      ...["--data-checksums", "--no-instructions"],
    ],
    { cwd: directory },
  );
  if (!ok) throw new Error(`PostgreSQL cannot make its cluster: ${oneLine(output)}`);
  // The superuser has no way in but single-user mode, which takes the right to the files.
  await writeFile(join(directory, "pg_hba.conf"), `local all ${DATABASE_ROLE} scram-sha-256\n`);
  await runAlone(directory, native, identity, [
    `create role ${DATABASE_ROLE} login createdb password '${password}'`,
    `create database ${DATABASE_ROLE} owner ${DATABASE_ROLE}`,
  ]);
}

/** Runs statements in single-user mode, as superuser, while no server runs. */
async function runAlone(
  directory: string,
  native: string,
  identity: ServerIdentity,
  statements: string[],
): Promise<void> {
  const quiet = ["-c", "log_checkpoints=off", "-c", "log_min_error_statement=panic"];
  const { ok, output } = await runAs(
    identity,
    [join(native, "bin", "postgres"), "--single", "-D", clusterArgument(directory), ...quiet, "template1"],
    { cwd: directory, input: statements.map((statement) => `${statement};\n`).join("") },
  );
  // Single-user mode ends well whatever its statements did.
  if (!ok || /\b(ERROR|FATAL|PANIC):/.test(output)) {
    throw new Error(`PostgreSQL cannot prepare its role and database: ${oneLine(output)}`);
  }
}

/** Gives a tree to a user; the top comes last, so that an interrupted change is seen and repeated. */
async function giveTo(path: string, owner: number | undefined): Promise<void> {
  if (owner === undefined || (await lstat(path)).uid === owner) return;
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), owner, owner);
  }
  await chown(path, owner, owner);
}

function passwordFile(dataDir: string): string {
  return join(dataDir, "postgres.password");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(-600);
}
