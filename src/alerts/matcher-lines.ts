/** Conditions as people write them in a form, one a line: `service = archive`. */
import { MATCHER_FIELDS, type Matcher, type MatcherOperator } from "./matcher.ts";

const SIGNS: Readonly<Record<string, MatcherOperator>> = {
  "=": "equals",
  "!=": "not_equals",
  contains: "contains",
  "~": "matches",
};
/** A value has at most 500 characters, a path 255: a line that is longer than this is not looked at closely. */
const MAX_LINE = 4000;
// The word ends where its letters do, or a line without a sign would be parted at every one of them.
const LINE = /^([a-z]+)(?![a-z])(?:[.:]?(\S+?))?\s*(!=|=|~|\scontains\s)\s*(.*)$/s;

/** The conditions of a text, or what is wrong with the first line that is none. */
export function readMatcherLines(text: string): { matchers: Matcher[]; fault?: string } {
  const matchers: Matcher[] = [];
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    if (line === "") continue;
    const matcher = readLine(line);
    if (!matcher) return { matchers, fault: `hold a line that cannot be read: ${line.slice(0, 80)}` };
    matchers.push(matcher);
  }
  return { matchers };
}

function readLine(line: string): Matcher | undefined {
  const [, word, path, sign = "", value = ""] = (line.length <= MAX_LINE && LINE.exec(line)) || [];
  const field = MATCHER_FIELDS.find((one) => one === word);
  const operator = SIGNS[sign.trim()];
  if (!field || !operator || (path !== undefined) !== (field === "payload")) return undefined;
  return { field, ...(path === undefined ? {} : { path }), operator, value: value.trim() };
}

/** The lines by which these conditions are written. */
export function matcherLines(matchers: readonly Matcher[]): string {
  const signs = Object.entries(SIGNS);
  return matchers
    .map(({ field, path, operator, value }) => {
      const sign = signs.find(([, one]) => one === operator)?.[0] ?? "=";
      const place =
        path === undefined ? field : path.startsWith("/") ? `${field}:${path}` : `${field}.${path}`;
      return `${place} ${sign} ${value.replace(/[\r\n]+/g, " ")}`;
    })
    .join("\n");
}
