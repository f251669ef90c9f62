/** Parses the options of commands that only have flags, and shows the usage. */
import { parseArgs } from "node:util";

/**
 * Parses the flags. Undefined: the usage was shown, on request or, with exit code 64, because of an unknown option: ignored, it
 * would seem to have an effect.
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

/** Shows what was wrong, as far as known, and the usage. */
export function showUsage(usage: string, fault = ""): void {
  process.stderr.write(fault === "" ? usage : `${fault}\n\n${usage}`);
  process.exitCode = 64;
}

/** Returns the first sentence of parseArgs's message; the others are about something else. */
export function faultOf({ message }: Error): string {
  return `${message.split(". ", 1)[0]}.`;
}
