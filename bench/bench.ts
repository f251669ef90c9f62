/** Measures the service and bare servers on one fresh, seeded database, and prints figures, ratios and targets. */
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { verify } from "@node-rs/argon2";
import { hashPassword } from "../src/accounts/password.ts";
import { endChildren, type Server, startForked, startService } from "./children.ts";
import { residentMebibytes } from "./cpu.ts";
import { type BenchDatabase, startBenchDatabase } from "./database.ts";
import { endAfter, endsEarly, once } from "./end.ts";
import { createMeasurer } from "./measure.ts";
import type { Operation, ServerName } from "./operation.ts";
import { operationsOf } from "./operations/all.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { startAlertmanager } from "./peers/alertmanager.ts";
import { reportOf } from "./report.ts";
import { emptyResults, median, type Results } from "./results.ts";
import { seedBench } from "./seed-bench.ts";
import { PASSWORD } from "./seeded.ts";

/** Time limit of the measurements; seeding has none. */
const LONGEST_MINUTES = 20;

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    process.stdout.write(USAGE);
    return;
  }
  const starting = startBenchDatabase(options, say);
  const clean = once(async () => {
    await endChildren();
    await starting.then((database) => database.stop());
  });
  endsEarly(clean);
  try {
    const database = await starting;
    say("Seeding a fresh database");
    await seedBench(database.connection, options, say);
    endAfter(LONGEST_MINUTES, clean);
    const results = await run(options, database);
    process.stdout.write(`\n${reportOf(results)}`);
    if (options.json) await writeFile(options.json, jsonOf(options, results));
  } finally {
    await clean();
  }
}

async function run(options: Options, database: BenchDatabase): Promise<Results> {
  const results = emptyResults(operationsOf(options));
  const environment = serviceEnvironment(options, database);
  const service = await startService(database, environment);
  const measurer = createMeasurer(options, database);
  if (options.groups.includes("tokens")) results.hashLimit = await hashLimit();
  for (const group of options.groups) {
    const operations = results.operations.filter((operation) => operation.group === group);
    const servers = await startServers(operations, service, database);
    for (let round = 1; round <= options.rounds; round++) {
      for (const operation of operations) {
        const server = servers.get(operation.server);
        if (!server) continue;
        say(`${group} ${round}/${options.rounds}: ${operation.id}`);
        const figures = await measurer.measure(operation, server);
        results.figures.set(operation.id, [...(results.figures.get(operation.id) ?? []), figures]);
      }
    }
    const resident = residentMebibytes(service.pid);
    if (resident !== undefined) results.residentMebibytes.set(`memory-${group}`, resident);
    for (const server of servers.values()) if (server !== service) await server.stop();
  }
  // Its profile is written when it exits by itself.
  await service.stop();
  return results;
}

function serviceEnvironment(options: Options, database: BenchDatabase): Record<string, string> {
  const environment: Record<string, string> = { GATEHOUSE_DATA_DIR: resolve(database.directory, "service") };
  if (options.profile !== undefined) {
    environment.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${resolve(options.profile)}`;
  }
  return environment;
}

/** Starts the servers of a group; those other than the service only run while the group is measured. */
async function startServers(
  operations: readonly Operation[],
  service: Server,
  { connection, directory }: BenchDatabase,
): Promise<Map<ServerName, Server>> {
  const servers = new Map<ServerName, Server>([["service", service]]);
  for (const name of new Set(operations.map(({ server }) => server))) {
    if (servers.has(name)) continue;
    const server =
      name === "peers/alertmanager"
        ? await startAlertmanager(directory)
        : await startForked(name, connection);
    if (server) servers.set(name, server);
    else say(`  ${name} is not installed; its figures are left out`);
  }
  return servers;
}

const HASHES = 9;

/** How many passwords all cores together can verify per second when idle. */
async function hashLimit(): Promise<number> {
  const stored = await hashPassword(PASSWORD);
  const seconds: number[] = [];
  for (let i = 0; i < HASHES; i++) {
    const begun = performance.now();
    await verify(stored, PASSWORD);
    seconds.push((performance.now() - begun) / 1000);
  }
  return availableParallelism() / (median(seconds) ?? Number.NaN);
}

function jsonOf(
  options: Options,
  { figures, residentMebibytes: resident, hashLimit: limit }: Results,
): string {
  const all = {
    options,
    figures: Object.fromEntries(figures),
    residentMebibytes: Object.fromEntries(resident),
    hashLimit: limit,
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
