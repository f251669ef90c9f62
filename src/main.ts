/** The process: reads the command, refuses a faulty configuration with every fault named, and runs it. */
import { ConfigError, readConfig } from "./platform/config.ts";

interface Command {
  summary: string;
  example: string;
  /** Answers `--help` itself, at more length. */
  explainsItself?: boolean;
  run(args: readonly string[]): Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: "start the service",
    example: "gatehouse serve",
    run: async () => (await import("./commands/serve.ts")).serve(readConfig(process.env)),
  },
  seed: {
    summary: "make the demo (--demo), or take it away again (--remove)",
    example: "gatehouse seed --demo",
    explainsItself: true,
    run: async (args) => (await import("./commands/seed.ts")).seed(args, () => readConfig(process.env)),
  },
};

/** Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration. */
async function main(argv: readonly string[]): Promise<void> {
  const [name = "--help", ...args] = argv;
  const command = commands[name];
  if (!command || (args.includes("--help") && !command.explainsItself)) {
    usage(command ? [[name, command]] : Object.entries(commands));
    process.exitCode = command || name === "--help" ? 0 : 64;
    return;
  }
  try {
    await command.run(args);
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`The configuration has ${error.faults.length} fault(s):\n`);
      for (const fault of error.faults) process.stderr.write(`  ${fault}\n`);
      process.exit(78);
    }
    process.stderr.write(`${(error as Error).stack ?? error}\n`);
    process.exit(1);
  }
}

function usage(entries: readonly [string, Command][]): void {
  process.stdout.write("Usage: gatehouse <command>\n\n");
  for (const [name, { summary, example }] of entries) {
    process.stdout.write(`  ${name.padEnd(16)} ${summary}\n  ${"".padEnd(16)} for example: ${example}\n`);
  }
}

await main(process.argv.slice(2));
