/** Makes the data directory, and says what to do where it is somebody else's, such as after a start as root. */
import { access, chmod, constants, mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

const { R_OK, W_OK } = constants;
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
  ["postgres", R_OK | W_OK],
  ["postgres/PG_VERSION", R_OK],
];

/**
 * Makes it if need be, mode 0700 (contract §1), and answers its real path.
 * @param hasDatabase false: the database is elsewhere, and one that was here before is left alone
 * @throws Error that names what is closed to this user, and the command that opens it; or the variable to change
 */
export async function openDataDirectory(path: string, hasDatabase = true): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const directory = await realpath(path);
    if (((await stat(directory)).mode & 0o777) !== 0o700) await chmod(directory, 0o700);
    const needed = hasDatabase ? [...NEEDED, ...NEEDED_OF_DATABASE] : NEEDED;
    for (const [name, mode] of needed) await checkOpen(join(directory, name), mode);
    return directory;
  } catch (error) {
    const { code, message, path: place = path } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") {
      throw new Error(`the data directory cannot be used (${message}): look at GATEHOUSE_DATA_DIR`, {
        cause: error,
      });
    }
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    throw new Error(
      `${place} is closed to user ${uid} (${code}). Give the data directory to the user that runs Gatehouse, as root: install -d -m 700 ${path} && chown -R ${uid}:${gid} ${path}`,
      { cause: error },
    );
  }
}

async function checkOpen(path: string, mode: number): Promise<void> {
  await access(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  });
}
