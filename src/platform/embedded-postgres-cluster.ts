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

/** The role that migrates, no superuser; it owns the database of the same name. */
export const OWNER_ROLE = "gatehouse";
/** The role that serves, and owns nothing. */
export const SERVICE_ROLE = "gatehouse_service";

export interface Passwords {
  owner: string;
  service: string;
}

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

const FILES: Readonly<Record<keyof Passwords, string>> = {
  owner: "postgres.password",
  service: "postgres-service.password",
};
const WHO = ["owner", "service"] as const;

/** The passwords of the roles; undefined before the first start, that of the service before the first of a version that has it. */
export async function readPasswords(dataDir: string): Promise<Partial<Passwords>> {
  const found: Partial<Passwords> = {};
  for (const who of WHO) {
    const password = (await readFile(join(dataDir, FILES[who]), "utf8").catch(() => "")).trim();
    if (password) found[who] = password;
  }
  return found;
}

/**
 * Makes the cluster, its roles and its database unless they are there. It is built aside and renamed, so that a
 * cluster that exists is a whole one. Answers the roles' passwords.
 * The caller holds the data directory's lock.
 * @throws Error with PostgreSQL's own words when it fails.
 */
export async function ensureCluster(
  cluster: Cluster,
  native: string,
  identity: ServerIdentity,
): Promise<Passwords> {
  const known = await readPasswords(cluster.dataDir);
  const passwords = { owner: newPassword(), service: newPassword(), ...known };
  const fresh = join(cluster.dataDir, "postgres.new");
  await rm(fresh, { recursive: true, force: true });
  if (await findHolder(cluster.directory)) {
    await giveTo(cluster.directory, identity.owner);
    const missing = [
      ...(known.owner ? [] : [`alter role ${OWNER_ROLE} password '${passwords.owner}'`]),
      ...(known.service ? [] : serviceRole(passwords.service)),
    ];
    if (missing.length > 0) await runAlone(cluster.directory, native, identity, missing);
    if (!known.service) await letServiceIn(cluster.directory);
  } else {
    await mkdir(fresh, { mode: 0o700 });
    await giveTo(fresh, identity.owner);
    await initialise(fresh, native, identity, passwords);
    await rename(fresh, cluster.directory);
  }
  for (const who of WHO) {
    if (known[who]) continue;
    await writeFile(join(cluster.dataDir, FILES[who]), `${passwords[who]}\n`, { mode: 0o600 });
  }
  return passwords;
}

/** A start that is interrupted repeats them. */
function serviceRole(password: string): string[] {
  return [
    `do $$begin if to_regrole('${SERVICE_ROLE}') is null then create role ${SERVICE_ROLE} login; end if; end$$`,
    `alter role ${SERVICE_ROLE} password '${password}'`,
    `revoke temporary on database ${OWNER_ROLE} from public`,
  ];
}

/** Before all other lines of the file, which may be somebody's own and refuse those they do not know. */
async function letServiceIn(directory: string): Promise<void> {
  const file = join(directory, "pg_hba.conf");
  const lines = await readFile(file, "utf8");
  const line = mayConnect(SERVICE_ROLE);
  if (lines.includes(line)) return;
  // Half of the file would lock the owner out.
  const made = `${file}.new`;
  const { uid, gid, mode } = await lstat(file);
  await writeFile(made, line + lines, { mode });
  await chown(made, uid, gid);
  await rename(made, file);
}

function mayConnect(role: string): string {
  return `local all ${role} scram-sha-256\n`;
}

function newPassword(): string {
  return randomBytes(32).toString("base64url");
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
  passwords: Passwords,
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
  await writeFile(join(directory, "pg_hba.conf"), mayConnect(OWNER_ROLE) + mayConnect(SERVICE_ROLE));
  await runAlone(directory, native, identity, [
    `create role ${OWNER_ROLE} login createdb password '${passwords.owner}'`,
    `create database ${OWNER_ROLE} owner ${OWNER_ROLE}`,
    ...serviceRole(passwords.service),
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

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(-600);
}
