/** Parses JSON whose values and depth are limited; both are counted before it is parsed (decisions 0187, 0301). */
import { endOfString } from "./end-of-string.ts";
import { ParameterProblem, Problem } from "./problem.ts";

export const MAX_DEPTH = 100;

/**
 * The most values in one request: no body of 1 MiB can hold more, and the largest group of alerts holds fewer, at sixteen bytes
 * for each name and value on average (decision 0187).
 */
export const MAX_VALUES = 1024 * 1024;

/** Parses one text of a request; `what` names it in refusals. */
type ParseJson = (text: string, what?: string) => unknown;

/**
 * Returns a parser for the texts of one request, which together may have `most` values: a million empty lists take a fifth of a
 * second, and ten times as much memory as their text.
 * @throws ParameterProblem: broken JSON, or more than 100 levels; Problem too_large: more values
 */
export function boundedJson(most = MAX_VALUES): ParseJson {
  let left = most;
  return (text, what = "The body") => {
    const { values, depth } = shapeOf(text, left);
    if (depth > MAX_DEPTH) throw new ParameterProblem([`${what} is nested too deeply`]);
    if (values > left) throw tooManyValues();
    left -= values;
    try {
      return JSON.parse(text);
    } catch {
      throw new ParameterProblem([`${what} is not valid JSON`]);
    }
  };
}

/** The refusal of a request with more values than `MAX_VALUES`. */
export function tooManyValues(): Problem {
  return new Problem("too_large", `More than ${MAX_VALUES.toLocaleString("en")} values in one request.`);
}

/**
 * Counts the values of JSON text and their depth in one pass without allocating; for invalid JSON, up to the error. Stops once
 * there are more values than `most`, or the depth is exceeded.
 */
export function shapeOf(text: string, most = Number.POSITIVE_INFINITY) {
  let [values, depth, open, looked] = [1, 0, 0, 0];
  for (; looked < text.length && values <= most && depth <= MAX_DEPTH; looked++) {
    const code = text.charCodeAt(looked);
    if (code === QUOTE) looked = endOfString(text, looked);
    else if (code === COMMA) values++;
    else if (code === BRACE || code === BRACKET) {
      values++;
      depth = Math.max(depth, ++open);
    } else if (code === BRACE + 2 || code === BRACKET + 2) open--;
  }
  return { values, depth, looked: Math.min(looked, text.length) };
}

/** Character codes; closing brackets are two after their opening ones. */
const [QUOTE, COMMA, BRACE, BRACKET] = [0x22, 0x2c, 0x7b, 0x5b];
