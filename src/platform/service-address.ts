/** Records in the data directory where its services listen, for commands that run beside them. */
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { errorCode } from "./error-code.ts";

type Place = Pick<Config, "dataDir" | "publicUrl">;

/** One file per process, so that no process deletes the note of another. */
const nameOf = (pid: number) => `service-${pid}.json`;
const NAME = /^service-\d+\.json$/;

/** The note of one process. */
interface Note {
  name: string;
  publicUrl: string;
  pid: number;
  /** When it began to serve, in milliseconds since the epoch. */
  since: number;
  /** Distinguishes it from others with the same id, such as the first process of every container; undefined: unknown. */
  identity: string | undefined;
}

/** Writes the note of this process; a directory that cannot be written is ignored. */
export async function noteAddress({ dataDir, publicUrl }: Place): Promise<void> {
  const { pid } = process;
  const identity = await identityOf(pid);
  const noted = JSON.stringify({ public_url: publicUrl, pid, since: Date.now(), identity });
  const path = join(dataDir, nameOf(pid));
  try {
    // Removes notes of processes that were killed.
    for (const note of await readNotes(dataDir)) {
      if (!(await isRunning(note))) await rm(join(dataDir, note.name), { force: true });
    }
    await writeFile(`${path}.made`, `${noted}\n`, { mode: 0o600 });
    await rename(`${path}.made`, path);
  } catch {
    // With an external database there may be no directory; commands then use the environment.
  }
}

/** Deletes the note of this process. */
export async function forgetAddress({ dataDir }: Place): Promise<void> {
  await rm(join(dataDir, nameOf(process.pid)), { force: true });
}

/**
 * Returns the configuration with the public URL of the service that runs on its data directory, of several the one that started
 * first, unless the environment sets one: a command in another shell knows neither the service's PORT nor its public URL.
 */
export async function besideService(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  if (environment.GATEHOUSE_PUBLIC_URL || environment.PORT) return config;
  const [note] = await notesOfRunning(config);
  if (!note) return config;
  return { ...config, publicUrl: note.publicUrl, secure: note.publicUrl.startsWith("https:") };
}

/** Whether a service runs on the data directory, according to the notes. */
export async function serviceRuns(config: Pick<Config, "dataDir">): Promise<boolean> {
  return (await notesOfRunning(config)).length > 0;
}

/** Notes of running services, the oldest first. */
async function notesOfRunning({ dataDir }: Pick<Config, "dataDir">): Promise<Note[]> {
  const notes = await readNotes(dataDir);
  const running = await Promise.all(notes.map(isRunning));
  return notes.filter((_, index) => running[index]).sort((one, other) => one.since - other.since);
}

/** Notes that can be read. */
async function readNotes(dataDir: string): Promise<Note[]> {
  const names = (await readdir(dataDir).catch(() => [])).filter((name) => NAME.test(name));
  const notes = await Promise.all(names.map((name) => readNote(dataDir, name)));
  return notes.filter((note) => note !== undefined);
}

async function readNote(dataDir: string, name: string): Promise<Note | undefined> {
  try {
    const text = await readFile(join(dataDir, name), "utf8");
    const { public_url: publicUrl, pid, since, identity } = JSON.parse(text);
    const fits = typeof publicUrl === "string" && /^https?:\/\/[^\s/]+$/.test(publicUrl);
    const isNote = fits && Number.isSafeInteger(pid) && pid > 0 && Number.isFinite(since);
    return isNote ? { name, publicUrl, pid, since, identity } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process still exists, even if another user owns it; a later process with the same id does not count. */
async function isRunning({ pid, identity }: Note): Promise<boolean> {
  if (!exists(pid)) return false;
  const now = await identityOf(pid);
  return identity === undefined || now === undefined || identity === now;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** When the process started, and since which boot of the machine; undefined where the system does not tell, as without /proc. */
async function identityOf(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
    ]);
    // The name, in parentheses, may contain anything; the start is the twentieth field after it.
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${boot.trim()} ${started}`;
  } catch {
    return undefined;
  }
}
