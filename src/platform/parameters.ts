/** Validates query strings, forms and JSON bodies by their TypeBox schema, with the messages of the GitLab v4 API. */
import { characterCount, isLongerThan } from "./character-count.ts";
import { entryOf } from "./entry-of.ts";
import { parseInstant } from "./instant.ts";
import { isObject } from "./json-object.ts";
import type { TSchema } from "./schema.ts";

/** The part of JSON Schema that our wire schemas use. */
interface Schema {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  /** Of `Type.Record`: the schema of each member. */
  patternProperties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  /** Message for a bad value: `per_page has a value not allowed`. */
  badValue?: string;
  /** A missing member is reported as empty as well: `scopes is missing, scopes is empty` (reference oauth A9). */
  emptyToo?: boolean;
  /** A list that JSON may write as forms do: as one text with commas. */
  orText?: boolean;
  /** The member is optional only if one of these members is true. */
  unlessTrue?: readonly string[];
  /** A number above `maximum` is reduced to it instead of refused. */
  clamp?: boolean;
  /** The members of the object are validated like those at the top: `note[body] is missing`. */
  nested?: boolean;
}

/** The declared members in the types of the schema, or all faults. */
export type Checked =
  | { value: Record<string, unknown>; faults?: never }
  | { faults: string[]; value?: never };

/** How the input is read; by default as JSON that changes something. */
export interface Reading {
  /**
   * Converts strings to integers and booleans, and a single value to a list: for query strings and forms. JSON keeps its types (a
   * title of 5 is not "5").
   */
  coerce?: boolean;
  /**
   * Treats an optional member as absent if it is null and must not be, as GitLab does: programs write unset values as null. In a
   * change null is a fault, since it may mean to empty the member.
   */
  makesNew?: boolean;
}

/**
 * Validates and copies the declared members; others are dropped. Faults read `name is missing`, `name is empty`, `name is
 * invalid`, `name does not have a valid value`.
 */
export function checkParameters(
  schema: TSchema,
  input: unknown,
  { coerce = false, makesNew = false }: Reading = {},
): Checked {
  const { properties = {}, required = [] } = schema as Schema;
  const given = input ?? {};
  if (!isObject(given)) return { faults: ["body is invalid"] };
  const value: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, rule] of Object.entries(properties)) {
    const isNeeded = required.includes(name) || isLeftOpen(rule, given, coerce);
    const raw = givenFor(name, rule, given, coerce);
    const isAbsent = raw === undefined || (coerce && raw === "" && !isText(rule));
    const result = isAbsent ? undefined : checkValue(rule, raw, coerce);
    const isUnset = makesNew && raw === null && !isNeeded && result?.fault !== undefined;
    if (result === undefined && isNeeded) {
      faults.push(`${name} is missing`);
      if (rule.emptyToo) faults.push(`${name} is empty`);
    } else if (result === undefined || isUnset) {
      if (rule.default !== undefined) value[name] = rule.default;
    } else if (result.within) faults.push(...result.within.map((fault) => `${name}${fault}`));
    else if (result.fault) faults.push(`${name} ${result.fault}`);
    else value[name] = result.value;
  }
  return faults.length > 0 ? { faults } : { value };
}

/** The value of a member, as it was sent; undefined: it is absent. */
function givenFor(name: string, rule: Schema, given: Record<string, unknown>, coerce: boolean): unknown {
  const raw = entryOf(given, name);
  if (raw !== undefined || !coerce) return raw;
  // A list in place of a single value is a fault; ignored, the parameter would silently count as absent.
  const list = listOf(given, name);
  return listRule(rule) || list === undefined ? list : [list].flat();
}

/** Whether none of the members is true that make this one optional. */
function isLeftOpen({ unlessTrue }: Schema, given: Record<string, unknown>, coerce: boolean): boolean {
  return unlessTrue?.every((name) => checkBoolean(entryOf(given, name), coerce).value !== true) ?? false;
}

/** `within`: the faults of inner members, each with its path (`[body] is missing`). */
type Result =
  | { value: unknown; fault?: never; within?: never }
  | { fault: string; value?: never; within?: readonly string[] };

const INVALID = { fault: "is invalid" };

/** Most faults that are reported of one list. */
const MAX_FAULTS = 20;

function checkValue(rule: Schema, raw: unknown, coerce: boolean): Result {
  if (rule.anyOf) return checkAny(rule, raw, coerce);
  if (rule.const !== undefined || rule.enum) return checkWord(rule, raw, coerce);
  switch (rule.type) {
    case "string":
      return checkText(rule, raw);
    case "integer":
    case "number":
      return checkNumber(rule, raw, coerce);
    case "boolean":
      return checkBoolean(raw, coerce);
    case "array":
      return checkList(rule, raw, coerce);
    case "null":
      return raw === null ? { value: null } : INVALID;
    case "object":
      return checkObject(rule, raw);
    default:
      return { value: raw };
  }
}

/**
 * A union: of constants it is a list of words, otherwise the first alternative that fits. If none does, reports the last fault
 * that says more than that the type is wrong: an empty list "is empty", even if a text would be allowed.
 */
function checkAny(rule: Schema, raw: unknown, coerce: boolean): Result {
  const alternatives = rule.anyOf ?? [];
  let last: Result = INVALID;
  for (const alternative of alternatives) {
    const result = checkValue(alternative, raw, coerce);
    if (!result.fault) return result;
    if (alternative.type !== "null" && (last.fault === INVALID.fault || result.fault !== INVALID.fault)) {
      last = result;
    }
  }
  const words = alternatives.every((alternative) => alternative.const !== undefined);
  return words ? { fault: rule.badValue ?? "does not have a valid value" } : last;
}

function checkWord(rule: Schema, raw: unknown, coerce: boolean): Result {
  const allowed = rule.enum ?? [rule.const];
  const isMeant = (one: unknown) => one === raw || (coerce && typeof one === "number" && String(one) === raw);
  const value = allowed.find(isMeant);
  return value === undefined ? { fault: rule.badValue ?? "does not have a valid value" } : { value };
}

/** Validates each member of a record, and those of an object if it is `nested`. */
function checkObject(rule: Schema, raw: unknown): Result {
  if (!isObject(raw)) return INVALID;
  const [each] = Object.values(rule.patternProperties ?? {});
  if (each && Object.values(raw).some((value) => checkValue(each, value, false).fault)) return INVALID;
  if (!rule.nested) return { value: raw };
  const { value, faults } = checkParameters(rule as TSchema, raw);
  if (value) return { value };
  return { fault: "is invalid", within: faults.map((fault) => `[${fault.replace(/ |\[/, closing)}`) };
}

/**
 * Puts the name into brackets: `body is missing` becomes `[body] is missing`, `body[0] is invalid` becomes `[body][0] is
 * invalid`.
 */
const closing = (found: string) => `]${found}`;

function checkText(rule: Schema, raw: unknown): Result {
  // Neither half of a surrogate pair nor NUL can be stored.
  if (typeof raw !== "string" || raw.includes("\0") || !raw.isWellFormed()) return INVALID;
  if (rule.minLength !== undefined && characterCount(raw.trim()) < rule.minLength) {
    return {
      fault: raw.trim() === "" ? "is empty" : `is too short (minimum is ${rule.minLength} characters)`,
    };
  }
  if (rule.maxLength !== undefined && isLongerThan(raw, rule.maxLength)) {
    return { fault: `is too long (maximum is ${rule.maxLength} characters)` };
  }
  if (rule.pattern !== undefined && !new RegExp(rule.pattern, "u").test(raw)) {
    return { fault: rule.badValue ?? "is invalid" };
  }
  if (rule.format === "date-time") return parseInstant(raw) ? { value: raw } : INVALID;
  if (rule.format === "date") {
    const day = parseDay(raw);
    return day ? { value: day } : INVALID;
  }
  return { value: raw };
}

function checkNumber(rule: Schema, raw: unknown, coerce: boolean): Result {
  const pattern = rule.type === "integer" ? /^[+-]?\d{1,15}$/ : /^[+-]?\d+(\.\d+)?$/;
  const value = coerce && typeof raw === "string" && pattern.test(raw.trim()) ? Number(raw) : raw;
  if (typeof value !== "number" || !Number.isFinite(value)) return INVALID;
  if (rule.type === "integer" && !Number.isSafeInteger(value)) return INVALID;
  if (rule.minimum !== undefined && value < rule.minimum) {
    return { fault: rule.badValue ?? "does not have a valid value" };
  }
  if (rule.maximum !== undefined && value > rule.maximum) {
    return rule.clamp ? { value: rule.maximum } : { fault: rule.badValue ?? "does not have a valid value" };
  }
  return { value };
}

function checkBoolean(raw: unknown, coerce: boolean): Result {
  if (typeof raw === "boolean") return { value: raw };
  if (coerce && typeof raw === "string") {
    if (/^(true|t|1|on|yes)$/i.test(raw)) return { value: true };
    if (/^(false|f|0|off|no)$/i.test(raw)) return { value: false };
  }
  return INVALID;
}

function checkList(rule: Schema, raw: unknown, coerce: boolean): Result {
  let items: unknown[];
  if (Array.isArray(raw)) items = raw;
  else if ((coerce || rule.orText) && typeof raw === "string")
    items = raw.split(",").filter((item) => item !== "");
  else return INVALID;
  if (rule.minItems !== undefined && items.length < rule.minItems) return { fault: "is empty" };
  if (rule.maxItems !== undefined && items.length > rule.maxItems) {
    return { fault: `has too many items (maximum is ${rule.maxItems})` };
  }
  const values: unknown[] = [];
  const within: string[] = [];
  for (const [index, item] of items.entries()) {
    const result = checkValue(rule.items ?? {}, item, coerce);
    if (result.fault && !rule.items?.nested) return result;
    if (result.within) within.push(...result.within.map((fault) => `[${index}]${fault}`));
    else if (result.fault) within.push(`[${index}] ${result.fault}`);
    else values.push(result.value);
  }
  return within.length > 0 ? { fault: "is invalid", within: within.slice(0, MAX_FAULTS) } : { value: values };
}

/** Parses `YYYY-M-D`, or the date of a full timestamp, to a real calendar day `YYYY-MM-DD` (reference events A2). */
export function parseDay(raw: string): string | undefined {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/.exec(raw.trim());
  if (!match) return undefined;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year);
  const real = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real ? date.toISOString().slice(0, 10) : undefined;
}

/**
 * Returns the list that forms and query strings write as `scopes[]`, or as `scopes[0]`, `scopes[1]` and so on, as some libraries
 * do.
 */
function listOf(given: Record<string, unknown>, name: string): unknown {
  const list = entryOf(given, `${name}[]`);
  if (list !== undefined) return list;
  const numbered = Object.keys(given).filter(
    (key) => key.startsWith(`${name}[`) && /^\d{1,4}\]$/.test(key.slice(name.length + 1)),
  );
  if (numbered.length === 0) return undefined;
  const placeOf = (key: string) => Number(key.slice(name.length + 1, -1));
  return numbered.sort((a, b) => placeOf(a) - placeOf(b)).flatMap((key) => given[key]);
}

function isText(rule: Schema): boolean {
  return (rule.type === "string" && rule.format === undefined) || (rule.anyOf?.some(isText) ?? false);
}

function listRule(rule: Schema): boolean {
  return rule.type === "array" || (rule.anyOf?.some(listRule) ?? false);
}
