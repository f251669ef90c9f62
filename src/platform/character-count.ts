/** Counts the characters of a text as people, PostgreSQL's `length()` and JSON Schema do, not in UTF-16 units. */

/** Returns the number of code points: an emoji is one, where `.length` says two (JSON Schema Validation §6.3.1, RFC 8259 §1). */
export function characterCount(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    const isPair = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
    if (isPair) pairs += 1;
  }
  return text.length - pairs;
}

/** Whether a text has more than `most` characters; a text of more than twice as many UTF-16 units need not be counted. */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || characterCount(text) > most;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
