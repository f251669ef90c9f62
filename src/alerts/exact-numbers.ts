/** Keeps whole numbers of JSON that a double would round as text, so that different numbers stay different. */

/** Whole numbers of so many digits that a double may not hold them; those of a hundred and more are beyond use. */
const LONG = /(?<![\d.eE+-])-?\d{16,99}(?![\d.eE])/g;
const MAY_HOLD_LONG = /\d{16}/;

/**
 * Valid JSON with such numbers put between quotes; the same text where there is none. Two payloads that differ in the
 * last digits of an identifier are not identical (spec: States 2), and `JSON.parse` would make them so.
 */
export function withExactNumbers(json: string): string {
  if (!MAY_HOLD_LONG.test(json)) return json;
  let exact = "";
  let copied = 0;
  let quote = json.indexOf('"');
  /** Where the last text before the number ends. */
  let closed = -1;
  for (const { 0: digits, index } of json.matchAll(LONG)) {
    while (quote !== -1 && quote < index) {
      closed = endOfText(json, quote);
      quote = json.indexOf('"', closed + 1);
    }
    if (index < closed || String(Number(digits)) === digits) continue;
    exact += `${json.slice(copied, index)}"${digits}"`;
    copied = index + digits.length;
  }
  return exact + json.slice(copied);
}

/** The place of the quote that closes the text which begins at another. */
function endOfText(json: string, begin: number): number {
  let end = json.indexOf('"', begin + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, place: number): boolean {
  let slashes = 0;
  while (json[place - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}
