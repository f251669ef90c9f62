/** Shared code of commands that start the platform: options, help, output as text or JSON, exit codes. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { sendNotices } from "../accounts/send-notices.ts";
import type { Config } from "../platform/config.ts";
import { Problem } from "../platform/problem.ts";
import { besideService } from "../platform/service-address.ts";
import { type Started, startPlatform } from "../start-platform.ts";
import { faultOf, showUsage } from "./plain-options.ts";

/** The output of a command: for people, and with `--json`. */
export interface Answer {
  text: string;
  json: unknown;
}

export interface CommandShape {
  /** The whole help text, with an example and the exit codes. */
  usage: string;
  /** Options besides `--help` and `--json`. */
  options: NonNullable<ParseArgsConfig["options"]>;
  /** Number of positional arguments. */
  positionals: number;
  /** Applies no migration and creates no key, unlike other commands. */
  preparesNothing?: boolean;
  /** Also runs with a master key that does not belong to the database. */
  anyKey?: boolean;
  /** May change accounts, whose owners are notified by mail. */
  changesAccounts?: boolean;
}

/** What a command was called with. */
export interface Given {
  /** The values of options, by their names. */
  texts: Readonly<Record<string, string | undefined>>;
  /** The names of the options without a value. */
  flags: ReadonlySet<string>;
  positionals: readonly string[];
}

/** Thrown by a command for options that do not fit together; shows the usage. */
export class WrongUsage extends Error {}

/** The work of a command once the platform is started. */
export type Work = (started: Started) => Promise<Answer>;

/**
 * Parses the options, starts the platform (joining the database of a running service), runs the command, and stops the platform.
 * Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 78 wrong configuration.
 * @param plan checks the options before anything starts, and returns the work
 */
export async function runCommand(
  shape: CommandShape,
  args: readonly string[],
  readConfig: () => Config,
  plan: (given: Given) => Work | Promise<Work>,
): Promise<void> {
  const read = readArguments(shape, args);
  if (!read) return;
  try {
    const work = await plan(read);
    const started = await startPlatform(
      { ...(await besideService(readConfig(), process.env)), logLevel: "warn" },
      { preparesNothing: shape.preparesNothing ?? false, anyKey: shape.anyKey ?? false, isCommand: true },
    );
    try {
      const { text, json } = await work(started);
      process.stdout.write(read.json ? `${JSON.stringify(json)}\n` : text);
      // Sent now: when a service starts, these entries may be older than what it looks back at.
      if (shape.changesAccounts) await sendNotices(started.platform);
    } finally {
      await started.stop();
    }
  } catch (error) {
    if (error instanceof WrongUsage) return showUsage(shape.usage, error.message);
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Parses the arguments. Undefined: the usage was shown, on request or because of a fault. */
export function readArguments(
  shape: CommandShape,
  args: readonly string[],
): (Given & { json: boolean }) | undefined {
  const read = readOptions(shape, args);
  if ("fault" in read) showUsage(shape.usage, read.fault);
  else if (!read.help) return read;
  else process.stdout.write(shape.usage);
  return undefined;
}

/** Returns the parsed options, or a message about the fault, empty if there is nothing specific to say. */
function readOptions(shape: CommandShape, args: readonly string[]) {
  try {
    const flag = { type: "boolean", default: false } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...shape.options, help: flag, json: flag },
      allowPositionals: true,
      strict: true,
    });
    const given = Object.entries(values);
    const flags = new Set(given.flatMap(([name, value]) => (value === true ? [name] : [])));
    const help = flags.has("help");
    if (!help && positionals.length !== shape.positionals) {
      // A missing argument is named in the first line of the usage.
      const [unexpected] = positionals.slice(shape.positionals);
      return { fault: unexpected === undefined ? "" : `Unexpected argument '${unexpected}'.` };
    }
    const texts = given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
    return { help, json: flags.has("json"), texts: Object.fromEntries(texts), flags, positionals };
  } catch (error) {
    return { fault: faultOf(error as Error) };
  }
}

/** Returns a required option. @throws WrongUsage */
export function requiredOption({ texts }: Given, name: string): string {
  const value = texts[name];
  if (!value) throw new WrongUsage(`--${name} is missing.`);
  return value;
}

/** Reads the first line of standard input, for secrets that must not appear in process lists. */
export async function lineOfInput(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.includes("\n") || text.length > 4096) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? "";
}
