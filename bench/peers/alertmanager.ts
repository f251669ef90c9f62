/** Peer: Alertmanager, if it is installed; it keeps alerts in memory and answers before anything is on disk. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { freePort, type Server, startProgram } from "../children.ts";

const NAMES = ["alertmanager", "prometheus-alertmanager"];

/** Undefined if it is not installed. */
export async function startAlertmanager(directory: string): Promise<Server | undefined> {
  const program = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((place) => NAMES.map((name) => join(place, name)))
    .find((path) => existsSync(path));
  if (program === undefined) return undefined;
  const place = join(directory, "alertmanager");
  await mkdir(place, { recursive: true });
  const file = join(place, "alertmanager.yml");
  await writeFile(file, "route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n");
  const port = await freePort();
  const args = [
    `--config.file=${file}`,
    `--storage.path=${place}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--cluster.listen-address=",
    "--log.level=error",
  ];
  return startProgram(program, args, { port, readyPath: "/-/ready", name: "Alertmanager" });
}
