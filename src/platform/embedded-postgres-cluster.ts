/** Creates the database cluster in the data directory, and keeps its files private to the right user. */
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
import { errorCode } from "./error-code.ts";

/** The paths and the name of one embedded PostgreSQL. */
export interface Cluster {
  dataDir: string;
  directory: string;
  /** Recognises the server of this data directory among processes. */
  name: string;
  socketDir: string;
}

/** The role that runs migrations, not a superuser; it owns the database of the same name. */
export const OWNER_ROLE = "gatehouse";
/** The role that serves requests, and owns nothing. */
export const SERVICE_ROLE = "gatehouse_service";

export interface Passwords {
  owner: string;
  service: string;
}

/** The longest path of a Unix socket that every system allows, in bytes. */
const SOCKET_PATH_BYTES = 103;
const SOCKET_FILE = ".s.PGSQL.5432";

/**
 * Creates the data directory if it is missing, and returns the paths in it.
 * @throws Error if it cannot be used, or the path of the temporary directory is too long for a socket
 */
export async function placeCluster(path: string): Promise<Cluster> {
  const dataDir = await openDataDirectory(path);
  const hash = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const socketDir = [tmpdir(), "/tmp"]
    .map((directory) => join(directory, `gh-${hash}`))
    .find((directory) => Buffer.byteLength(join(directory, SOCKET_FILE)) <= SOCKET_PATH_BYTES);
  if (socketDir === undefined) throw new Error(`the path of the temporary directory ${tmpdir()} is too long`);
  return { dataDir, directory: join(dataDir, "postgres"), name: `gatehouse-${hash}`, socketDir };
}

/** The path of the cluster for PostgreSQL: its working directory, since the parents may be closed to its user. */
export function clusterArgument(directory: string): string {
  return process.platform === "linux" ? "/proc/self/cwd" : directory;
}

const FILES: Readonly<Record<keyof Passwords, string>> = {
  owner: "postgres.password",
  service: "postgres-service.password",
};
const PASSWORD_KINDS = ["owner", "service"] as const;

/**
 * Reads the passwords of the roles. All are undefined before the first start, that of the service role also before the first
 * start of a version that has this role.
 */
export async function readPasswords(dataDir: string): Promise<Partial<Passwords>> {
  const found: Partial<Passwords> = {};
  for (const who of PASSWORD_KINDS) {
    const password = (await readFile(join(dataDir, FILES[who]), "utf8").catch(() => "")).trim();
    if (password) found[who] = password;
  }
  return found;
}

/**
 * Creates the cluster, its roles and its database unless they exist. The cluster is built under another name and renamed, so that
 * one that exists is complete. Returns the roles' passwords. The caller holds the lock of the data directory.
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
    await chownTree(cluster.directory, identity.owner);
    const missing = [
      ...(known.owner ? [] : [`alter role ${OWNER_ROLE} password '${passwords.owner}'`]),
      ...(known.service ? [] : serviceRole(passwords.service)),
    ];
    if (missing.length > 0) await runSingleUser(cluster.directory, native, identity, missing);
    if (!known.service) await allowServiceRole(cluster.directory);
  } else {
    await mkdir(fresh, { mode: 0o700 });
    await chownTree(fresh, identity.owner);
    await initialise(fresh, native, identity, passwords);
    await rename(fresh, cluster.directory);
  }
  for (const who of PASSWORD_KINDS) {
    if (known[who]) continue;
    await writeFile(join(cluster.dataDir, FILES[who]), `${passwords[who]}\n`, { mode: 0o600 });
  }
  return passwords;
}

/** Idempotent, since an interrupted start repeats these statements. */
function serviceRole(password: string): string[] {
  return [
    `do $$begin if to_regrole('${SERVICE_ROLE}') is null then create role ${SERVICE_ROLE} login; end if; end$$`,
    `alter role ${SERVICE_ROLE} password '${password}'`,
    `revoke temporary on database ${OWNER_ROLE} from public`,
  ];
}

/** Adds the service role to pg_hba.conf, as the first line: an operator's own lines may refuse unknown roles. */
async function allowServiceRole(directory: string): Promise<void> {
  const file = join(directory, "pg_hba.conf");
  const lines = await readFile(file, "utf8");
  const line = accessLineOf(SERVICE_ROLE);
  if (lines.includes(line)) return;
  // A half-written file would lock the owner role out.
  const made = `${file}.new`;
  const { uid, gid, mode } = await lstat(file);
  await writeFile(made, line + lines, { mode });
  await chown(made, uid, gid);
  await rename(made, file);
}

function accessLineOf(role: string): string {
  return `local all ${role} scram-sha-256\n`;
}

function newPassword(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Creates the private directory of the socket and empties it. The caller knows that no server of this cluster runs.
 * @throws Error if another user has put something at its path.
 */
export async function ensureSocketDirectory(socketDir: string, identity: ServerIdentity): Promise<void> {
  await mkdir(socketDir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return;
    throw new Error(`${socketDir} cannot be created (${error.code}): set TMPDIR to a directory of your own`);
  });
  const found = await lstat(socketDir);
  if (!found.isDirectory() || ![process.getuid?.(), identity.owner].includes(found.uid)) {
    throw new Error(
      `${socketDir} belongs to another user: remove it, or set TMPDIR to a directory of your own`,
    );
  }
  await chmod(socketDir, 0o700);
  // A lock file left here may contain the id of an unrelated process.
  for (const name of await readdir(socketDir)) await rm(join(socketDir, name), { force: true });
  await chownTree(socketDir, identity.owner);
}

/**
 * Returns the owner of the cluster; undefined if there is none.
 * @throws Error if a cluster of another user is there: no second one may be created beside it.
 */
export async function findHolder(directory: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    return await lstat(join(directory, "PG_VERSION"));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return undefined;
    throw new Error(
      `${directory} cannot be read (${code}): make the user that runs this process the owner of it and its contents`,
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
  if (!ok) throw new Error(`PostgreSQL cannot create its cluster: ${oneLine(output)}`);
  // The superuser can only use single-user mode, which needs access to the files.
  await writeFile(join(directory, "pg_hba.conf"), accessLineOf(OWNER_ROLE) + accessLineOf(SERVICE_ROLE));
  await runSingleUser(directory, native, identity, [
    `create role ${OWNER_ROLE} login createdb password '${passwords.owner}'`,
    `create database ${OWNER_ROLE} owner ${OWNER_ROLE}`,
    ...serviceRole(passwords.service),
  ]);
}

/** Runs statements in single-user mode, as superuser, while no server runs. */
async function runSingleUser(
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
  // Single-user mode exits with 0 even if a statement failed.
  if (!ok || /\b(ERROR|FATAL|PANIC):/.test(output)) {
    throw new Error(`PostgreSQL cannot prepare its role and database: ${oneLine(output)}`);
  }
}

/** Changes the owner of a tree; the top directory comes last, so that an interrupted change is seen and repeated. */
async function chownTree(path: string, owner: number | undefined): Promise<void> {
  if (owner === undefined || (await lstat(path)).uid === owner) return;
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), owner, owner);
  }
  await chown(path, owner, owner);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(-600);
}
