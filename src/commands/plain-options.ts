/** The options of commands that know nothing but switches, and the words for what was not understood. */
import { parseArgs } from "node:util";

/**
 * What was given. Undefined: the usage was shown, because it was asked for or, with exit code 64, because something was not
 * understood; an option that is left unread would seem to count.
 */
export function plainOptions<Name extends string = never>(
  args: readonly string[],
  usage: string,
  names: readonly Name[] = [],
): Record<Name | "json", boolean> | undefined {
  const flag = { type: "boolean", default: false } as const;
  const options = Object.fromEntries([...names, "json", "help"].map((name) => [name, flag]));
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true });
    if (!values.help) return values as Record<Name | "json", boolean>;
    process.stdout.write(usage);
  } catch (error) {
    showUsage(usage, faultOf(error as Error));
  }
  return undefined;
}

/** For a person who got it wrong: what was not understood, as far as that can be said, and how it goes. */
export function showUsage(usage: string, fault = ""): void {
  process.stderr.write(fault === "" ? usage : `${fault}\n\n${usage}`);
  process.exitCode = 64;
}

/** What parseArgs says in its first sentence; behind it the words are about something else. */
export function faultOf({ message }: Error): string {
  return `${message.split(". ", 1)[0]}.`;
}
