/** Parses and prints conditions as people write them in a form, one per line: `service = archive`. */
import { MATCHER_FIELDS, type Matcher, type MatcherOperator } from "./matcher.ts";

const SIGNS: Readonly<Record<string, MatcherOperator>> = {
  "=": "equals",
  "!=": "not_equals",
  contains: "contains",
  "~": "matches",
};
/** A value has at most 500 characters and a path 255; longer lines are not parsed. */
const MAX_LINE = 4000;
/** As conditions are printed: with a space before the operator, so that a path may contain one (`/a.b~1c`). */
const SPACED = /^([a-z]+)(?:[.:](\S+))?\s+(!=|=|~|contains(?!\S))\s*(.*)$/s;
/** Without that space; a JSON Pointer needs it, since its escapes contain `~`. */
const TIGHT = /^([a-z]+)(?:[.:](?!\/)(\S+?))?\s*(!=|=|~)\s*(.*)$/s;
/** With a path in quotes, as a string of JSON: one with a blank, or that begins with a quote. */
const QUOTED = /^(payload)[.:]("(?:[^"\\]|\\.)*")\s+(!=|=|~|contains(?!\S))\s*(.*)$/s;

/** Parses the conditions of a text; `fault` describes the first line that is none. */
export function readMatcherLines(text: string): { matchers: Matcher[]; fault?: string } {
  const matchers: Matcher[] = [];
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    if (line === "") continue;
    const matcher = readLine(line);
    if (!matcher) return { matchers, fault: `contain a line that cannot be parsed: ${line.slice(0, 80)}` };
    matchers.push(matcher);
  }
  return { matchers };
}

function readLine(line: string): Matcher | undefined {
  if (line.length > MAX_LINE) return undefined;
  const quoted = QUOTED.exec(line);
  const [, word, given, sign = "", value = ""] = quoted ?? SPACED.exec(line) ?? TIGHT.exec(line) ?? [];
  const path = quoted ? textOf(given) : given;
  const field = MATCHER_FIELDS.find((one) => one === word);
  const operator = SIGNS[sign];
  if (!field || !operator || (path !== undefined) !== (field === "payload")) return undefined;
  return { field, ...(path === undefined ? {} : { path }), operator, value: value.trim() };
}

/** The text of a string of JSON; undefined if it is none. */
function textOf(given = ""): string | undefined {
  try {
    return String(JSON.parse(given));
  } catch {
    return undefined;
  }
}

/** Prints conditions as lines. */
export function matcherLines(matchers: readonly Matcher[]): string {
  const signs = Object.entries(SIGNS);
  return matchers
    .map(({ field, path, operator, value }) => {
      const sign = signs.find(([, one]) => one === operator)?.[0] ?? "=";
      return `${field}${path === undefined ? "" : placeOf(path)} ${sign} ${value.replace(/[\r\n]+/g, " ")}`;
    })
    .join("\n");
}

function placeOf(path: string): string {
  if (/\s|^"/.test(path)) return `:${JSON.stringify(path)}`;
  return path.startsWith("/") ? `:${path}` : `.${path}`;
}
