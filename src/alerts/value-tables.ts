/** Translates a tool's own words in a field: `p1` is critical. */
import { isOneOf } from "../platform/one-of.ts";
import { SEVERITIES, severityOf } from "./severity.ts";

/** By field, the words of the tool and their translations; `*` matches all other words. */
export type ValueTables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Fields that can be translated: those that hold one word. */
export const TABLED_FIELDS = ["severity", "service", "monitoring_tool", "platform_environment_name"] as const;

const MAX_WORDS = 100;
const MAX_LENGTH = 255;

/** Returns what is wrong with value tables, or undefined. */
export function valueTablesFault(tables: ValueTables): string | undefined {
  for (const [field, table] of Object.entries(tables)) {
    if (!isOneOf(TABLED_FIELDS, field)) return `has an unknown field ${field}`;
    const words = Object.entries(table);
    if (words.length > MAX_WORDS) return `has too many words (maximum is ${MAX_WORDS})`;
    const isLong = words.some(([word, meaning]) => word.length > MAX_LENGTH || meaning.length > MAX_LENGTH);
    if (isLong) return `holds a word that is too long (maximum is ${MAX_LENGTH} characters)`;
    if (words.some(([word, meaning]) => word.trim() === "" || meaning.trim() === ""))
      return "contains a blank word or value";
    // An unknown severity would be read as critical, like every unknown word.
    const isOther = words.some(([, meaning]) => !severityOf(meaning));
    if (field === "severity" && isOther)
      return `contains a severity that is none of ${SEVERITIES.join(", ")}`;
  }
  return undefined;
}

/**
 * Translates a value by its field's table, ignoring case and surrounding spaces. A value without a translation is returned as
 * it is.
 */
export function translated(tables: ValueTables | null | undefined, field: string, value: unknown): unknown {
  if (!tables || !Object.hasOwn(tables, field)) return value;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return value;
  const word = String(value).trim().toLowerCase();
  const words = Object.entries(tables[field] ?? {});
  // Our own words need no translation, so `*` does not apply to them and a tool may send both.
  const isOurs = field === "severity" && isOneOf(SEVERITIES, word);
  const other = isOurs ? undefined : words.find(([from]) => from === "*");
  const found = words.find(([from]) => from.trim().toLowerCase() === word) ?? other;
  return found ? found[1].trim() : value;
}

/** Returns the table of a field as lines, `p1 = critical`. */
export function tableText(table: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(table ?? {})
    .map(([word, meaning]) => `${word} = ${meaning}`)
    .join("\n");
}

/** Parses lines into a table; undefined if a line has no `=`, empty without lines. */
export function tableOf(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const cut = line.lastIndexOf("=");
    return cut < 0 ? undefined : ([line.slice(0, cut).trim(), line.slice(cut + 1).trim()] as const);
  });
  if (pairs.some((pair) => pair === undefined)) return undefined;
  return Object.fromEntries(pairs.filter((pair) => pair !== undefined));
}
