/** The process: reads the command, reports all faults of the configuration, and runs the command. */
import { type AdministratorFaults, ConfigError, readConfig } from "./platform/config.ts";
import { leave } from "./platform/leave.ts";

interface Command {
  summary: string;
  example: string;
  run(args: readonly string[]): Promise<void>;
}

const ownConfig = (adminFaults?: AdministratorFaults) => readConfig(process.env, adminFaults);

const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: "start the service",
    example: "gatehouse serve",
    run: async (args) => (await import("./commands/serve.ts")).serveCommand(args, ownConfig),
  },
  migrate: {
    summary: "bring the database schema up to date",
    example: "gatehouse migrate",
    run: async (args) => (await import("./commands/migrate.ts")).migrateCommand(args, ownConfig),
  },
  "setup-link": {
    summary: "print a one-time link to create the first administrator",
    example: "gatehouse setup-link",
    run: async (args) => (await import("./commands/setup-link.ts")).setupLinkCommand(args, ownConfig),
  },
  admin: {
    summary:
      "create an administrator, reset a password or second factor, verify the audit log, accept a clock or a key",
    example: "gatehouse admin create --username ada --email ada@example.org",
    run: async (args) => (await import("./commands/admin.ts")).adminCommand(args, ownConfig),
  },
  token: {
    summary: "create a personal access token for a user",
    example: "gatehouse token create --user ada --scopes read_api",
    run: async (args) => (await import("./commands/token.ts")).tokenCommand(args, ownConfig),
  },
  events: {
    summary:
      "import events from a file, run the event maintenance now, or refuse the positions of readers after a recovery",
    example: "gatehouse events sweep --dry-run",
    run: async (args) => (await import("./commands/events.ts")).eventsCommand(args, ownConfig),
  },
  backup: {
    summary: "write everything to one encrypted file while the service is running",
    example: "GATEHOUSE_BACKUP_PASSPHRASE_FILE=passphrase gatehouse backup gatehouse.backup",
    run: async (args) => (await import("./commands/backup.ts")).backupCommand(args, ownConfig),
  },
  restore: {
    summary: "restore a backup into an empty installation, or verify one (--verify)",
    example: "GATEHOUSE_BACKUP_PASSPHRASE_FILE=passphrase gatehouse restore gatehouse.backup",
    run: async (args) => (await import("./commands/restore.ts")).restoreCommand(args, ownConfig),
  },
  "rotate-key": {
    summary: "rotate the master key while the service is running, and drop the old one (--finish)",
    example: "gatehouse rotate-key",
    run: async (args) => (await import("./commands/rotate-key.ts")).rotateKeyCommand(args, ownConfig),
  },
  config: {
    summary: "print the value and origin of every setting, or everything that is wrong with them (check)",
    example: "gatehouse config check",
    run: async (args) => (await import("./commands/config.ts")).configCommand(args, ownConfig, process.env),
  },
  doctor: {
    summary: "check the installation, and report the state of each part and what to do",
    example: "gatehouse doctor",
    run: async (args) => (await import("./commands/doctor.ts")).doctorCommand(args, ownConfig),
  },
  seed: {
    summary: "create the demo (--demo), or delete it (--remove)",
    example: "gatehouse seed --demo",
    run: async (args) => (await import("./commands/seed.ts")).seedCommand(args, ownConfig),
  },
};

/** Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration. */
async function main(argv: readonly string[]): Promise<void> {
  const [given = "help", ...args] = argv;
  const name = given === "help" || given === "-h" ? "--help" : given;
  // The service handles its outputs itself: it runs on without any of them.
  if (name !== "serve") {
    process.stdout.on("error", reportWriteFailure);
    // Failing to write messages, such as about lines that an import refuses, must not interrupt the work.
    process.stderr.on("error", () => {});
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    if (name !== "--help") process.stderr.write(`Unknown command ${name}.\n\n`);
    usage();
    process.exitCode = name === "--help" ? 0 : 64;
    return;
  }
  try {
    await command.run(args);
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`The configuration has ${error.faults.length} fault(s):\n`);
      for (const fault of error.faults) process.stderr.write(`  ${fault}\n`);
      leave(78);
    }
    process.stderr.write(`${(error as Error).stack ?? error}\n\n${lastLine(error as Failure)}\n`);
    leave(1);
  }
}

/**
 * The reader may close the pipe early, as in `gatehouse --help | head -1`, and the work is done all the same. An answer that
 * cannot be written for another reason, such as a full disk, is a failure.
 */
function reportWriteFailure({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") return;
  process.stderr.write(`gatehouse: the output cannot be written (${message}); the work itself was done\n`);
  process.exitCode = 1;
}

type Failure = Error & {
  code?: string;
  address?: string;
  port?: number;
  listensAt?: string;
  isOfDatabase?: boolean;
};

/** Error codes if the database is not there, refuses our sign-in, or does not exist. */
const NO_DATABASE = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "28P01", "28000", "3D000"];

/** Error codes of a role that may not create what the migrations create: it lacks the right, or a schema. */
const NO_RIGHT = ["42501", "3F000"];

/** What went wrong and, if the error shows it, what to do. */
function lastLine({ code = "", message, address, port, listensAt, isOfDatabase }: Failure): string {
  if (code === "EADDRINUSE") return `Something listens at ${address}:${port} already: stop it, or set PORT.`;
  if (listensAt) return `Nothing can listen at ${listensAt} (${message}): look at HOST and PORT.`;
  if (isOfDatabase || NO_DATABASE.includes(code)) {
    return `The database cannot be used (${message || code}): look at DATABASE_URL.`;
  }
  if (NO_RIGHT.includes(code)) {
    return `The role of DATABASE_URL may not do its work (${message}): let it own its database and a schema of its search_path.`;
  }
  return `gatehouse: ${message}`;
}

function usage(): void {
  process.stdout.write("Usage: gatehouse <command>\n\n");
  for (const [name, { summary, example }] of Object.entries(commands)) {
    process.stdout.write(`  ${name.padEnd(16)} ${summary}\n  ${"".padEnd(16)} for example: ${example}\n`);
  }
}

let isOver = false;
process.once("beforeExit", () => {
  if (isOver) leave();
  // With an exit code of 0, a backup that was never written would pass for a successful one.
  process.stderr.write("gatehouse: nothing that the command waits for can come any more; it was not done.\n");
  leave(1);
});
await main(process.argv.slice(2));
isOver = true;
