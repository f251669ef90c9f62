/** `gatehouse config check`: prints the value and origin of every setting, or all faults at once. */
import { administratorFaults } from "../accounts/administrator-faults.ts";
import {
  type AdministratorFaults,
  type Config,
  ConfigError,
  SECRETS,
  variables,
} from "../platform/config.ts";
import { unknownVariables } from "../platform/unknown-variables.ts";
import { plainOptions, showUsage } from "./plain-options.ts";

const USAGE = `Usage: gatehouse config check [--json]

Reads the settings as the service would, and prints the value and the origin of each. Secrets are not shown. Starts nothing and
changes nothing. The values for the first administrator are checked too, although a service that has one does not read them.
Variables that begin with GATEHOUSE_ but are not settings are listed: they may be misspelt.

  --json   print one JSON object: {"ok": true, "settings": [{"name", "value", "from", "about"}], "unknown": []}, where
           "from" is "environment", "file" or "default"; with faults: {"ok": false, "faults": [], "unknown": []}

Exit codes: 0 all settings are valid, 64 wrong usage, 78 wrong configuration.
For example: gatehouse config check
`;

type ReadConfig = (adminFaults: AdministratorFaults) => Config;
type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  name: string;
  value: string;
  from: "environment" | "file" | "default";
  about: string;
}

export async function configCommand(
  args: readonly string[],
  readConfig: ReadConfig,
  environment: Environment,
): Promise<void> {
  const [word, ...options] = args;
  const isWord = word !== undefined && !word.startsWith("-");
  if (isWord && word !== "check") return showUsage(USAGE, `Unknown subcommand config ${word}.`);
  const given = plainOptions(isWord ? options : args, USAGE);
  if (!given) return;
  if (!isWord) return showUsage(USAGE);
  const unknown = unknownVariables(environment);
  const { config, faults } = judged(readConfig);
  if (given.json) {
    const told = config ? { ok: true, settings: settingsOf(environment, config) } : { ok: false, faults };
    process.stdout.write(`${JSON.stringify({ ...told, unknown })}\n`);
  } else {
    for (const name of unknown) process.stderr.write(`${name} is not a setting of Gatehouse.\n`);
    if (!config) throw new ConfigError(faults);
    process.stdout.write(textOf(settingsOf(environment, config)));
  }
  if (!config) process.exitCode = 78;
}

function judged(readConfig: ReadConfig): { config?: Config; faults: readonly string[] } {
  try {
    const config = readConfig(administratorFaults);
    const faults = config.admin ? administratorFaults(config.admin) : [];
    return faults.length > 0 ? { faults } : { config, faults };
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults };
    throw error;
  }
}

function settingsOf(environment: Environment, { publicUrl }: Config): Setting[] {
  return Object.entries(variables).map(([name, { default: usual, desc }]) => {
    const isSecret = SECRETS.includes(name);
    const setting = (from: Setting["from"], value: string) => ({ name, value, from, about: desc });
    if (isSecret && environment[`${name}_FILE`]) return setting("file", "(secret)");
    const given = environment[name];
    if (given) return setting("environment", isSecret ? "(secret)" : given);
    return setting("default", name === "GATEHOUSE_PUBLIC_URL" ? publicUrl : words(usual));
  });
}

function words(usual: unknown): string {
  if (usual === undefined || (Array.isArray(usual) && usual.length === 0)) return "";
  return typeof usual === "boolean" ? (usual ? "on" : "off") : String(usual);
}

function textOf(settings: readonly Setting[]): string {
  const widthOf = (member: "name" | "value") =>
    Math.max(...settings.map((setting) => setting[member].length)) + 2;
  const [names, values] = [widthOf("name"), Math.min(widthOf("value"), 40)];
  const line = ({ name, value, from, about }: Setting) =>
    `${name.padEnd(names)}${(value || "-").padEnd(values)}${from.padEnd(13)}${about}`;
  return `${settings.map(line).join("\n")}\n\nAll settings are valid.\n`;
}
