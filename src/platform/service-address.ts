/** Where the service of a data directory serves, noted there for commands that run beside it. */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

const fileOf = ({ dataDir }: Pick<Config, "dataDir">) => join(dataDir, "service.json");

type Place = Pick<Config, "dataDir" | "publicUrl">;

/** Notes the address for as long as this process lives; a directory that cannot be written is let be. */
export async function noteAddress(config: Place): Promise<void> {
  const noted = JSON.stringify({ public_url: config.publicUrl, pid: process.pid });
  const made = `${fileOf(config)}.${process.pid}`;
  try {
    await writeFile(made, `${noted}\n`, { mode: 0o600 });
    await rename(made, fileOf(config));
  } catch {
    // With a database of one's own there may be no directory; the commands then go by the environment.
  }
}

/** Takes the note of this process away. */
export async function forgetAddress(config: Place): Promise<void> {
  if ((await readNote(config))?.pid === process.pid) await rm(fileOf(config), { force: true });
}

/**
 * The configuration with the address of the service that runs on its data directory, unless the environment names one:
 * a command in another shell knows neither its PORT nor its public URL.
 */
export async function besideService(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  if (environment.GATEHOUSE_PUBLIC_URL || environment.PORT) return config;
  const note = await readNote(config);
  if (!note || !lives(note.pid)) return config;
  return { ...config, publicUrl: note.publicUrl, secure: note.publicUrl.startsWith("https:") };
}

/** Whether a service runs on the data directory, as far as its note tells. */
export async function serviceRuns(config: Pick<Config, "dataDir">): Promise<boolean> {
  const note = await readNote(config);
  return note !== undefined && lives(note.pid);
}

async function readNote(config: Pick<Config, "dataDir">) {
  try {
    const { public_url: publicUrl, pid } = JSON.parse(await readFile(fileOf(config), "utf8"));
    const fits = typeof publicUrl === "string" && /^https?:\/\/[^\s/]+$/.test(publicUrl);
    return fits && Number.isSafeInteger(pid) && pid > 0 ? { publicUrl, pid: pid as number } : undefined;
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
