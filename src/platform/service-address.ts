/** Where the services of a data directory serve, each noted there for commands that run beside them. */
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

type Place = Pick<Config, "dataDir" | "publicUrl">;

/** A file for each process, so that of several none takes the note of another away. */
const nameOf = (pid: number) => `service-${pid}.json`;
const NAME = /^service-\d+\.json$/;

/** What one process noted. */
interface Note {
  name: string;
  publicUrl: string;
  pid: number;
  /** When it began to serve, in milliseconds of the epoch. */
  since: number;
}

/** Notes the address for as long as this process lives; a directory that cannot be written is let be. */
export async function noteAddress({ dataDir, publicUrl }: Place): Promise<void> {
  const { pid } = process;
  const noted = JSON.stringify({ public_url: publicUrl, pid, since: Date.now() });
  const path = join(dataDir, nameOf(pid));
  try {
    // Of processes that were killed.
    for (const { name } of (await readNotes(dataDir)).filter((note) => !lives(note.pid))) {
      await rm(join(dataDir, name), { force: true });
    }
    await writeFile(`${path}.made`, `${noted}\n`, { mode: 0o600 });
    await rename(`${path}.made`, path);
  } catch {
    // With a database of one's own there may be no directory; the commands then go by the environment.
  }
}

/** Takes the note of this process away. */
export async function forgetAddress({ dataDir }: Place): Promise<void> {
  await rm(join(dataDir, nameOf(process.pid)), { force: true });
}

/**
 * The configuration with the address of the service that runs on its data directory, of several the one that has served
 * longest, unless the environment names one: a command in another shell knows neither its PORT nor its public URL.
 */
export async function besideService(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  if (environment.GATEHOUSE_PUBLIC_URL || environment.PORT) return config;
  const [note] = await livingNotes(config);
  if (!note) return config;
  return { ...config, publicUrl: note.publicUrl, secure: note.publicUrl.startsWith("https:") };
}

/** Whether a service runs on the data directory, as far as the notes tell. */
export async function serviceRuns(config: Pick<Config, "dataDir">): Promise<boolean> {
  return (await livingNotes(config)).length > 0;
}

/** Of services that run, the oldest first. */
async function livingNotes({ dataDir }: Pick<Config, "dataDir">): Promise<Note[]> {
  const notes = (await readNotes(dataDir)).filter(({ pid }) => lives(pid));
  return notes.sort((one, other) => one.since - other.since);
}

/** Those that can be read. */
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

/** Another person's process is there too. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
