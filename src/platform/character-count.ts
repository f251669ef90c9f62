/** How long a text is: in characters, as people, PostgreSQL's `length()` and JSON Schema count, not in UTF-16 units. */

/** Its code points: an emoji is one, where `.length` says two (JSON Schema Validation §6.3.1, RFC 8259 §1). */
export function characterCount(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    const isPair = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
    if (isPair) pairs += 1;
  }
  return text.length - pairs;
}

/** Whether it has more characters than so many; long texts that cannot have fewer are not counted. */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || characterCount(text) > most;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
