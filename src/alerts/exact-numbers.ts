/** Turns whole numbers of JSON that a double would round into strings, so that different numbers stay different. */
import { endOfString } from "../platform/end-of-string.ts";

/** Whole numbers with so many digits that a double may round them; those of a hundred digits and more are left alone. */
const LONG = /(?<![\d.eE+-])-?\d{16,99}(?![\d.eE])/g;
const MAY_HOLD_LONG = /\d{16}/;

/**
 * Returns valid JSON with such numbers in quotes; the same text if it has none. Two payloads that differ in the last digits of
 * an identifier are not identical (spec: States 2), and `JSON.parse` would make them so.
 */
export function withExactNumbers(json: string): string {
  if (!MAY_HOLD_LONG.test(json)) return json;
  let exact = "";
  let copied = 0;
  let quote = json.indexOf('"');
  /** Where the last string before the number ends. */
  let closed = -1;
  for (const { 0: digits, index } of json.matchAll(LONG)) {
    while (quote !== -1 && quote < index) {
      closed = endOfString(json, quote);
      quote = json.indexOf('"', closed + 1);
    }
    if (index < closed || String(Number(digits)) === digits) continue;
    exact += `${json.slice(copied, index)}"${digits}"`;
    copied = index + digits.length;
  }
  return exact + json.slice(copied);
}
