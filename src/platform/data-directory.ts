/** Creates the data directory, and says what to do if it belongs to another user, such as after a start as root. */
import { access, chmod, constants, mkdir, mkdtemp, readdir, realpath, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "./error-code.ts";

const { R_OK, W_OK } = constants;
/** The mode bit of a directory in which everybody may create entries but remove only their own. */
const STICKY = 0o1000;
/**
 * Entries that do not mean that the directory is in use: those of the start itself (decision 0173), and that of every new Linux
 * file system.
 */
const IGNORED_ENTRIES = /^(?:stripped|lost\+found|tried-.+)$/;
/**
 * Entries that mark a data directory of Gatehouse: every start that kept something, even an interrupted one, leaves one of them.
 */
const OWN_ENTRIES = /^(?:master\.key|postgres(?:\..+)?)$/;
type Needed = readonly (readonly [name: string, mode: number])[];
/** The access that this process needs to entries that exist; other entries do not matter to it. */
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
 * Creates the directory if it is missing, with mode 0700 (contract §1), and returns its real path.
 * @param hasDatabase false: the database is elsewhere, and the files of an embedded one are not checked
 * @throws Error naming what this user cannot access and the command that helps; or the variable to change, if the directory
 * cannot be used at all
 */
export async function openDataDirectory(path: string, hasDatabase = true): Promise<string> {
  try {
    await makeDirectory(path);
    const directory = await realpath(path);
    await checkTakesEntries(directory);
    const { mode } = await stat(directory);
    const reason = await whyNotClosed(directory, mode);
    if (reason !== undefined) throw new Error(`${reason}, choose a directory below it`);
    if ((mode & 0o777) !== 0o700) await chmod(directory, 0o700);
    const needed = hasDatabase ? [...NEEDED, ...NEEDED_OF_DATABASE] : NEEDED;
    for (const [name, mode] of needed) await checkAccess(join(directory, name), mode);
    return directory;
  } catch (error) {
    const { code, message, path: place = path } = error as NodeJS.ErrnoException;
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    // Changing the owner does not help if even root is refused.
    if (uid === 0 || (code !== "EACCES" && code !== "EPERM")) {
      throw new Error(`the data directory cannot be used (${message}): check GATEHOUSE_DATA_DIR`, {
        cause: error,
      });
    }
    throw new Error(
      `user ${uid} has no access to ${place} (${code}). Make the user that runs Gatehouse the owner of the data directory, as root: install -d -m 700 ${path} && chown -R ${uid}:${gid} ${path}`,
      { cause: error },
    );
  }
}

/**
 * Says why the mode of this directory must not become 0700: that would lock other programs out of what they keep there, as in
 * /tmp and /var/lib (decision 0241). Undefined: it may be changed, or is private already.
 */
export async function whyNotClosed(directory: string, mode: number): Promise<string | undefined> {
  const isShared = (mode & STICKY) !== 0;
  if (!isShared && (mode & 0o077) === 0) return undefined;
  const names = (await readdir(directory)).filter((name) => !IGNORED_ENTRIES.test(name));
  if (names.length === 0) return undefined;
  if (isShared) return `${directory} is shared by all users`;
  const isOurs = names.some((name) => OWN_ENTRIES.test(name));
  return isOurs
    ? undefined
    : `${directory} is accessible to other users and contains files of other programs`;
}

/**
 * Creates the directory and its missing parents. With `recursive`, Node.js retries forever where an existing directory allows no
 * entries in it, such as /proc, or at a link to a disk that is not mounted.
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

/** Directories of the kernel and of read-only disks look writable to root by their mode, but refuse every entry. */
async function checkTakesEntries(directory: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(directory, "tried-")));
  } catch (error) {
    // Missing permissions are reported by the caller, unless the mode can be changed; a full disk does not prevent a start
    // (decision 0178).
    if (!["EACCES", "ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "")) throw error;
  }
}

async function checkAccess(path: string, mode: number): Promise<void> {
  await access(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  });
}
