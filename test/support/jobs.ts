/** Runs a periodic job of the service now, as its timer would. */
import { jobs } from "../../src/sweeps.ts";
import type { World } from "./world.ts";

export async function runJob({ platform }: Pick<World, "platform">, name: string): Promise<void> {
  const job = jobs.find((one) => one.name === name);
  if (!job) throw new Error(`no job is called ${name}`);
  await job.run(platform);
}
