/** `gatehouse doctor`: checks an installation, and prints the state of each part and what to do. */
import { examineDatabase } from "../operations/examine-database.ts";
import { examineMachine } from "../operations/examine-machine.ts";
import { bad, type Finding } from "../operations/finding.ts";
import type { Config } from "../platform/config.ts";
import { besideService } from "../platform/service-address.ts";
import { startPlatform } from "../start-platform.ts";
import { plainOptions } from "./plain-options.ts";

const USAGE = `Usage: gatehouse doctor [--json]

Checks the runtime, the data directory, the disk, the master key, the public URL with its certificate and cookies, the mail
server, the database and its clock, the schema, administrators, event partitions and numbers, background jobs and encrypted
secrets.
Changes nothing and sends nothing. Can be run while the service is running or stopped.

  --json   print one JSON object: {"ok": true, "findings": [{"name", "state", "text", "remedy"}]}

Exit codes: 0 no errors (there may be warnings), 1 errors were found, 64 wrong usage, 78 wrong configuration.
For example: gatehouse doctor
`;

export async function doctorCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  const given = plainOptions(args, USAGE);
  if (!given) return;
  const config = await besideService(readConfig(), process.env);
  const findings = [...(await examineMachine(config)), ...(await throughDatabase(config))];
  const isWell = findings.every(({ state }) => state !== "bad");
  process.stdout.write(given.json ? `${JSON.stringify({ ok: isWell, findings })}\n` : textOf(findings));
  process.exitCode = isWell ? 0 : 1;
}

async function throughDatabase(config: Config): Promise<Finding[]> {
  let started: Awaited<ReturnType<typeof startPlatform>>;
  try {
    started = await startPlatform(
      { ...config, logLevel: "silent" },
      { preparesNothing: true, anyKey: true, isCommand: true },
    );
  } catch (error) {
    const remedy = config.databaseUrl
      ? "Check DATABASE_URL and that the server accepts connections from here."
      : "See the message above; the data directory must be complete and owned by this user.";
    return [bad("database", (error as Error).message, remedy)];
  }
  try {
    return await examineDatabase(started.platform, config.workers);
  } finally {
    await started.stop();
  }
}

function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.map(({ name, state, text, remedy }) => {
    const line = `${state.padEnd(4)}  ${name.padEnd(width)}  ${text}`;
    return remedy === undefined ? line : `${line}\n${" ".repeat(width + 8)}→ ${remedy}`;
  });
  const worst = findings.filter(({ state }) => state !== "ok");
  const sum =
    worst.length === 0
      ? "All checks passed."
      : `${worst.length} of ${findings.length} checks ${worst.length === 1 ? "needs" : "need"} attention.`;
  return `${lines.join("\n")}\n\n${sum}\n`;
}
