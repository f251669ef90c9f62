/** Indents JSON for reading, as far as the result stays small enough for a page. */

const MARKS = "[]{},:";

/**
 * Returns valid JSON with line breaks and indentation; undefined if that is longer than `most` UTF-16 units. It works on the text,
 * so that numbers stay as they were written, and stops at the limit: what nests deeply becomes thousands of times as long.
 */
export function indentedJson(json: string, most: number): string | undefined {
  const pieces: string[] = [];
  let length = 0;
  let depth = 0;
  let before = "";
  for (const token of tokensOf(json)) {
    const closes = token === "]" || token === "}";
    if (closes) depth--;
    const opened = before === "[" || before === "{";
    const breaks = before === "," || opened !== closes;
    const gap = breaks && before !== "" ? `\n${"  ".repeat(depth)}` : before === ":" ? " " : "";
    length += gap.length + token.length;
    if (length > most) return undefined;
    pieces.push(gap, token);
    if (token === "[" || token === "{") depth++;
    before = token;
  }
  return pieces.join("");
}

/** Strings, marks, numbers and words. Not by a regular expression, whose stack a string of some megabytes exceeds. */
function* tokensOf(json: string): Generator<string> {
  for (let at = 0; at < json.length; ) {
    const end = endOf(json, at);
    if (!isSpace(json.charAt(at))) yield json.slice(at, end);
    at = end;
  }
}

function endOf(json: string, from: number): number {
  const first = json.charAt(from);
  let at = from + 1;
  if (first === '"') {
    while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === "\\" ? 2 : 1;
    return at + 1;
  }
  if (isSpace(first) || MARKS.includes(first)) return at;
  while (at < json.length && !isSpace(json.charAt(at)) && !MARKS.includes(json.charAt(at))) at++;
  return at;
}

function isSpace(char: string): boolean {
  return char === " " || char === "\n" || char === "\r" || char === "\t";
}
