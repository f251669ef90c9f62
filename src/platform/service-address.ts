/** Records in the data directory where its services listen, for commands that run beside them. */
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

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
}

/** Writes the note of this process; a directory that cannot be written is ignored. */
export async function noteAddress({ dataDir, publicUrl }: Place): Promise<void> {
  const { pid } = process;
  const noted = JSON.stringify({ public_url: publicUrl, pid, since: Date.now() });
  const path = join(dataDir, nameOf(pid));
  try {
    // Removes notes of processes that were killed.
    for (const { name } of (await readNotes(dataDir)).filter((note) => !isRunning(note.pid))) {
      await rm(join(dataDir, name), { force: true });
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
  const notes = (await readNotes(dataDir)).filter(({ pid }) => isRunning(pid));
  return notes.sort((one, other) => one.since - other.since);
}

/** Notes that can be read. */
async function readNotes(dataDir: string): Promise<Note[]> {
  const names = (await readdir(dataDir).catch(() => [])).filter((name) => NAME.test(name));
  const notes = await Promise.all(names.map((name) => readNote(dataDir, name)));
  return notes.filter((note) => note !== undefined);
}

async function readNote(dataDir: string, name: string): Promise<Note | undefined> {
  try {
    const { public_url: publicUrl, pid, since } = JSON.parse(await readFile(join(dataDir, name), "utf8"));
    const fits = typeof publicUrl === "string" && /^https?:\/\/[^\s/]+$/.test(publicUrl);
    const isNote = fits && Number.isSafeInteger(pid) && pid > 0 && Number.isFinite(since);
    return isNote ? { name, publicUrl, pid, since } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process exists, even if another user owns it. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
