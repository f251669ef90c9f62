/**
 * Parses the bytes of a request into a JSON value that can be stored: locates syntax errors, limits depth and size, and cleans
 * it.
 */
import { type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import { MAX_DEPTH, MAX_VALUES, shapeOf, tooManyValues } from "../platform/bounded-json.ts";
import { Problem } from "../platform/problem.ts";
import { withExactNumbers } from "./exact-numbers.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface CleanPayload {
  value: unknown;
  warnings: string[];
}

/**
 * Reads bytes as JSON. NUL and lone surrogates become U+FFFD, numbers beyond a double become null, whole numbers that a double
 * would round become strings, all with a warning; keys such as `__proto__` are data like any other.
 * @throws Problem invalid: not UTF-8, not JSON (with line and column), or nested more than 100 levels; too_large: more values
 *   than a million
 */
export function readJson(bytes: Uint8Array): CleanPayload {
  const text = textOfBody(bytes);
  const shape = shapeOf(text, MAX_VALUES);
  if (shape.values > MAX_VALUES) throw tooManyValues();
  return parsed(text, shape.depth, 1);
}

/** Like `readJson`, for text that begins at line `firstLine` of the body. @throws Problem invalid, as there */
export function readJsonText(text: string, firstLine = 1): CleanPayload {
  return parsed(text, shapeOf(text).depth, firstLine);
}

/** Parses the sample payload of an integration. @throws Problem invalid, with line and column */
export function readSample(text: string): unknown {
  return parsed(text, shapeOf(text).depth, 1, "The sample payload").value;
}

function parsed(text: string, depth: number, firstLine: number, what = "The body"): CleanPayload {
  if (text.trim() === "") throw new Problem("invalid", `${what} is empty; send a JSON object.`);
  // Checked before parsing, which would build the value.
  if (depth > MAX_DEPTH) {
    throw new Problem("invalid", `${what} is nested more than ${MAX_DEPTH} levels deep.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem("invalid", `${what} is not valid JSON: ${faultOf(text, firstLine)}`);
  }
  const exact = exactly(text, value);
  // Most payloads need no cleaning, and rebuilding those of many thousand members takes long.
  return MAY_NEED_CLEANING.test(text) ? cleaned(exact.value, exact.warnings) : exact;
}

/** Returns the value of valid JSON, with whole numbers that were rounded as strings. */
function exactly(text: string, parsed: unknown): CleanPayload {
  const exact = withExactNumbers(text);
  return exact === text ? { value: parsed, warnings: [] } : { value: JSON.parse(exact), warnings: [ROUNDED] };
}

const ROUNDED = "A number has more digits than a number can store exactly; it was kept as text.";

/**
 * Matches text that may need cleaning: NUL and surrogates occur in well-formed text only as escapes, and a number of less than
 * a hundred digits with a two-digit exponent is finite.
 */
const MAY_NEED_CLEANING = /\\u(?:0000|d[89a-f])|\de\+?\d{3}|\d{100}/i;

/** Parses JSON in a string of a payload, with the same cleaning as the payload; undefined if it is invalid or nested too deep. */
export function jsonWithin(text: string): CleanPayload | undefined {
  if (shapeOf(text).depth > MAX_DEPTH) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const exact = exactly(text, value);
  return cleaned(exact.value, exact.warnings);
}

/** Returns a value without what cannot be stored; `before`: warnings so far. */
export function cleaned(value: unknown, before: readonly string[] = []): CleanPayload {
  const warnings = new Set(before);
  return { value: clean(value, warnings), warnings: [...warnings] };
}

/** Decodes bytes as UTF-8, without a byte order mark. @throws Problem invalid: not UTF-8 */
export function textOfBody(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new Problem("invalid", "The body is encoded as UTF-16; send UTF-8.");
  }
  const marked = first === 0xef && second === 0xbb && third === 0xbf;
  try {
    return utf8.decode(marked ? bytes.subarray(3) : bytes);
  } catch {
    throw new Problem("invalid", "The body is not valid UTF-8.");
  }
}

/** Describes a syntax error: `line 5, column 3: a comma is missing`. */
function faultOf(text: string, firstLine: number): string {
  const fault = firstFault(text);
  if (!fault) return "it cannot be read.";
  const before = text.slice(0, fault.offset);
  let line = firstLine;
  for (let at = before.indexOf("\n"); at !== -1; at = before.indexOf("\n", at + 1)) line++;
  const words = FAULT_WORDS[printParseErrorCode(fault.error)] ?? "unexpected character";
  return `line ${line}, column ${fault.offset - before.lastIndexOf("\n")}: ${words}.`;
}

/** The first syntax error of a text. */
interface Fault {
  error: ParseErrorCode;
  offset: number;
}

/**
 * Returns the first syntax error. Throws out of the tolerant parser, which would report millions in sixteen megabytes of
 * commas.
 */
function firstFault(text: string): Fault | undefined {
  let first: Fault | undefined;
  const onError = (error: ParseErrorCode, offset: number): never => {
    first = { error, offset };
    throw new Error("The first fault is found.");
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  } catch {
    // The first error was found, or the recursive parser overflowed the stack below thousands of brackets: then none is located.
  }
  return first;
}

const FAULT_WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not a JSON value (words need double quotes)",
  InvalidNumberFormat: "this is not a number as JSON writes them",
  PropertyNameExpected: "a member's name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "something follows after the end of the value",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfComment: "JSON has no comments",
  UnexpectedEndOfString: "a text is not closed by a double quote",
  UnexpectedEndOfNumber: "a number is incomplete",
  InvalidUnicode: "a \\u escape needs four hexadecimal digits",
  InvalidEscapeCharacter: "a backslash stands before a character that needs none",
  InvalidCharacter: "a control character must be written as an escape",
};

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns the value without what cannot be stored; the same object if nothing has to be replaced, as in most payloads. */
function clean(value: unknown, warnings: Set<string>): unknown {
  if (typeof value === "string") return cleanText(value, warnings);
  if (typeof value === "number" && !Number.isFinite(value)) {
    warnings.add("A number is too large to be kept and was left out.");
    return null;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => clean(item, warnings));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isContainer(value)) return value;
  let isSame = true;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const entry: [string, unknown] = [cleanText(name, warnings), clean(item, warnings)];
    isSame &&= entry[0] === name && entry[1] === item;
    return entry;
  });
  // `fromEntries` defines members, so that `__proto__` becomes an own member and does not set the prototype.
  return isSame ? value : Object.fromEntries(entries);
}

function cleanText(text: string, warnings: Set<string>): string {
  if (!text.includes("\0") && text.isWellFormed()) return text;
  warnings.add("Characters that cannot be stored (NUL, lone surrogates) were replaced by U+FFFD.");
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
