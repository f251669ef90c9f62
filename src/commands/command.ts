/** What the commands on a started platform have in common: options, help, answers as text or JSON, exit codes. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { sendNotices } from "../accounts/send-notices.ts";
import type { Config } from "../platform/config.ts";
import { Problem } from "../platform/problem.ts";
import { besideService } from "../platform/service-address.ts";
import { type Started, startPlatform } from "../start-platform.ts";
import { faultOf, showUsage } from "./plain-options.ts";

/** What a command says: to people, and with `--json`. */
export interface Answer {
  text: string;
  json: unknown;
}

export interface CommandShape {
  /** The whole help text, with an example and the exit codes. */
  usage: string;
  /** Options besides `--help` and `--json`. */
  options: NonNullable<ParseArgsConfig["options"]>;
  /** How many words stand beside the options. */
  words: number;
  /** Applies no migration and makes no key, as other commands do. */
  asItIs?: boolean;
  /** Has work to do with another master key than the database was used with too. */
  anyKey?: boolean;
  /** Accounts may be changed by it: their owners are written to. */
  changesAccounts?: boolean;
}

export interface Given {
  values: Readonly<Record<string, string | undefined>>;
  words: readonly string[];
}

/** Thrown by a command whose options do not go together; the usage is shown. */
export class WrongUsage extends Error {}

/** What a command does once the platform is there. */
export type Work = (started: Started) => Promise<Answer>;

/**
 * Reads the options, starts the platform (joining the database of a running service), works, and stops it again.
 * Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 78 wrong configuration.
 * @param plan judges what was given, before anything starts
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
      { asItIs: shape.asItIs ?? false, anyKey: shape.anyKey ?? false, isCommand: true },
    );
    try {
      const { text, json } = await work(started);
      process.stdout.write(read.json ? `${JSON.stringify(json)}\n` : text);
      // Now: by the time a service starts this may be further back than it looks.
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

/** What was given. Undefined: the usage was shown, because it was asked for or because something was not understood. */
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

/** Or, as far as it can be said, what was not understood. */
function readOptions(shape: CommandShape, args: readonly string[]) {
  try {
    const flag = { type: "boolean", default: false } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...shape.options, help: flag, json: flag },
      allowPositionals: true,
      strict: true,
    });
    const { help, json, ...rest } = values;
    if (!help && positionals.length !== shape.words) {
      // One that is missing stands in the first line of the usage.
      const [unexpected] = positionals.slice(shape.words);
      return { fault: unexpected === undefined ? "" : `Unexpected argument '${unexpected}'.` };
    }
    return {
      help: help === true,
      json: json === true,
      values: rest as Given["values"],
      words: positionals,
    };
  } catch (error) {
    return { fault: faultOf(error as Error) };
  }
}

/** The option that must be there. @throws WrongUsage */
export function needed({ values }: Given, name: string): string {
  const value = values[name];
  if (!value) throw new WrongUsage(`--${name} is missing.`);
  return value;
}

/** The first line of standard input, for secrets that no process list should show. */
export async function lineOfInput(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.includes("\n") || text.length > 4096) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? "";
}
