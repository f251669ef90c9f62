/** The conditions that an alert must meet for a silence to cover it. */
import { type Budget, type Pattern, PatternFault, readPattern } from "./pattern.ts";
import { pathsFault, valueAt } from "./reading-rules.ts";
import { SEVERITIES } from "./severity.ts";

export const MATCHER_FIELDS = [
  "title",
  "service",
  "severity",
  "environment",
  "host",
  "integration",
  "payload",
] as const;
export type MatcherField = (typeof MATCHER_FIELDS)[number];

export const MATCHER_OPERATORS = ["equals", "not_equals", "contains", "matches"] as const;
export type MatcherOperator = (typeof MATCHER_OPERATORS)[number];

/** One condition of a silence; all of them must hold. */
export interface Matcher {
  field: MatcherField;
  /** Where in the payload, for the field `payload`. */
  path?: string;
  operator: MatcherOperator;
  value: string;
}

/** The members of an alert, or of a report that may become one, that are matched. */
export interface Subject {
  title: string;
  service: string | null;
  severity: string;
  environment: string | null;
  hosts: readonly string[];
  integrationId: number | null;
  integrationName: string | null;
  payload: unknown;
}

const MAX_MATCHERS = 10;

/** Returns what is wrong with the conditions of a silence, or undefined. */
export function matchersFault(matchers: readonly Matcher[]): string | undefined {
  if (matchers.length === 0) return "need at least one condition";
  if (matchers.length > MAX_MATCHERS) return `are too many (maximum is ${MAX_MATCHERS})`;
  for (const { field, path, operator, value } of matchers) {
    if (value.length > 500) return "hold a value that is too long (maximum is 500 characters)";
    if (field === "payload" && (path === undefined || pathsFault([path])))
      return "need a path such as labels.host for a condition on the payload";
    if (value === "" && (operator === "contains" || operator === "matches"))
      return `need a value for ${operator}`;
    const fault = operator === "matches" ? patternFault(value) : undefined;
    if (fault) return `contain a regular expression that ${fault}`;
    if (field === "severity" && !isOfASeverity(operator, value))
      return `contain a severity that is none of ${SEVERITIES.join(", ")}`;
  }
  return undefined;
}

/** Whether the condition can hold, or with `not_equals` fail, for any severity (decision 0234). */
function isOfASeverity(operator: MatcherOperator, value: string): boolean {
  const said = operator === "not_equals" ? "equals" : operator;
  return SEVERITIES.some((severity) => meets([severity], said, value, { left: Number.POSITIVE_INFINITY }));
}

function patternFault(source: string): string | undefined {
  try {
    readPattern(source);
    return undefined;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
}

/** Whether all conditions hold. An absent member counts as an empty string; of a list one matching item is enough. */
export function fits(matchers: readonly Matcher[], subject: Subject, budget: Budget): boolean {
  return matchers.length > 0 && matchers.every((matcher) => holds(matcher, subject, budget));
}

function holds(matcher: Matcher, subject: Subject, budget: Budget): boolean {
  return meets(textsOf(matcher, subject), matcher.operator, matcher.value, budget);
}

function meets(texts: readonly string[], operator: MatcherOperator, value: string, budget: Budget): boolean {
  if (operator === "equals") return texts.includes(value);
  if (operator === "not_equals") return !texts.includes(value);
  if (operator === "contains") return texts.some((text) => contains(text, value, budget));
  const pattern = patternOf(value);
  return texts.some((text) => pattern?.isIn(text, budget) ?? false);
}

/** How many characters of a text search cost as much as one step of a pattern. */
const LETTERS_A_STEP = 50;

/** Like a pattern, false once the budget is spent. */
function contains(text: string, value: string, budget: Budget): boolean {
  budget.left -= Math.ceil(text.length / LETTERS_A_STEP);
  return budget.left >= 0 && text.toLowerCase().includes(value.toLowerCase());
}

function textsOf({ field, path }: Matcher, subject: Subject): string[] {
  if (field === "host") return subject.hosts.length > 0 ? [...subject.hosts] : [""];
  if (field === "integration") return [`${subject.integrationId ?? ""}`, subject.integrationName ?? ""];
  if (field !== "payload") return [subject[field] ?? ""];
  const value = valueAt(subject.payload, path ?? "");
  const all = Array.isArray(value) ? value.slice(0, 100) : [value];
  return all.map((one) => (one === undefined || one === null || typeof one === "object" ? "" : `${one}`));
}

const MAX_KEPT = 500;
const patterns = new Map<string, Pattern | undefined>();

/** Returns the parsed pattern from a cache; undefined for an invalid one, which matches nothing. */
function patternOf(source: string): Pattern | undefined {
  if (patterns.has(source)) return patterns.get(source);
  if (patterns.size >= MAX_KEPT) patterns.clear();
  const pattern = patternFault(source) === undefined ? readPattern(source) : undefined;
  patterns.set(source, pattern);
  return pattern;
}

/** The operators in words. */
export const OPERATOR_WORDS: Readonly<Record<MatcherOperator, string>> = {
  equals: "is",
  not_equals: "is not",
  contains: "contains",
  matches: "matches",
};

/** Returns a condition in words: `service is "archive"`. */
export function matcherWords({ field, path, operator, value }: Matcher): string {
  const what = field === "payload" ? `payload ${path ?? ""}` : field;
  return `${what} ${OPERATOR_WORDS[operator]} "${value}"`;
}
