/** Makes the data directory, and says what to do where it is somebody else's, such as after a start as root. */
import { access, chmod, constants, mkdir, mkdtemp, readdir, realpath, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

const { R_OK, W_OK } = constants;
/** Of a directory in which anybody may put things, and take away only their own. */
const STICKY = 0o1000;
/** What is there although nobody has kept anything: the start's own (decision 0173), and what every disk of Linux begins with. */
const OF_NOBODY = /^(?:stripped|lost\+found|tried-.+)$/;
/** By which a directory is known as ours: one of them is there after any start that kept something, also an interrupted one. */
const OF_OURS = /^(?:master\.key|postgres(?:\..+)?)$/;
type Needed = readonly (readonly [name: string, mode: number])[];
/** What is needed there, once it is there; all else is none of this process's concern. */
const NEEDED: Needed = [
  ["", R_OK | W_OK],
  ["master.key", R_OK],
];
const NEEDED_OF_DATABASE: Needed = [
  ["postgres.lock", R_OK | W_OK],
  ["postgres.owner", R_OK | W_OK],
  ["postgres.password", R_OK],
  ["postgres-service.password", R_OK],
  ["postgres", R_OK | W_OK],
  ["postgres/PG_VERSION", R_OK],
];

/**
 * Makes it if need be, mode 0700 (contract §1), and answers its real path.
 * @param hasDatabase false: the database is elsewhere, and one that was here before is left alone
 * @throws Error that names what is closed to this user, and the command that opens it; or the variable to change, where
 *   nothing can be kept at all
 */
export async function openDataDirectory(path: string, hasDatabase = true): Promise<string> {
  try {
    await makeDirectory(path);
    const directory = await realpath(path);
    await tryToKeep(directory);
    const { mode } = await stat(directory);
    const reason = await whyNotClosed(directory, mode);
    if (reason !== undefined) throw new Error(`${reason}, choose a directory below it`);
    if ((mode & 0o777) !== 0o700) await chmod(directory, 0o700);
    const needed = hasDatabase ? [...NEEDED, ...NEEDED_OF_DATABASE] : NEEDED;
    for (const [name, mode] of needed) await checkOpen(join(directory, name), mode);
    return directory;
  } catch (error) {
    const { code, message, path: place = path } = error as NodeJS.ErrnoException;
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    // What root may not do, no change of owners will allow.
    if (uid === 0 || (code !== "EACCES" && code !== "EPERM")) {
      throw new Error(`the data directory cannot be used (${message}): look at GATEHOUSE_DATA_DIR`, {
        cause: error,
      });
    }
    throw new Error(
      `${place} is closed to user ${uid} (${code}). Give the data directory to the user that runs Gatehouse, as root: install -d -m 700 ${path} && chown -R ${uid}:${gid} ${path}`,
      { cause: error },
    );
  }
}

/**
 * Why a directory of this mode stays as it is: closed, it would be closed to every other program of the machine that uses what
 * lies there, as /tmp and /var/lib are used (decision 0241). Undefined: it may be closed, or is.
 */
export async function whyNotClosed(directory: string, mode: number): Promise<string | undefined> {
  const isShared = (mode & STICKY) !== 0;
  if (!isShared && (mode & 0o077) === 0) return undefined;
  const names = (await readdir(directory)).filter((name) => !OF_NOBODY.test(name));
  if (names.length === 0) return undefined;
  if (isShared) return `everybody shares ${directory}`;
  const isOurs = names.some((name) => OF_OURS.test(name));
  return isOurs ? undefined : `${directory} is open to other users and holds what is not of Gatehouse`;
}

/**
 * Makes it, and what is missing above it. With `recursive`, Node.js tries for ever where a directory that is there takes none
 * below it: those of the kernel, such as /proc, and links to a disk that is not mounted.
 */
async function makeDirectory(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" || dirname(path) === path) throw error;
      await makeDirectory(dirname(path));
      await make();
    });
  } catch (error) {
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isThere) throw error;
  }
}

/** Directories of the kernel and of read-only disks are open to root by their modes, and take nothing all the same. */
async function tryToKeep(directory: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(directory, "tried-")));
  } catch (error) {
    // Closed is told below, unless it can be opened; a full disk is no reason not to start (decision 0178).
    if (!["EACCES", "ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

async function checkOpen(path: string, mode: number): Promise<void> {
  await access(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  });
}
