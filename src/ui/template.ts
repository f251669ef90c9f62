/** Parses the fixed parts of a page template once, and determines what each gap may contain. */

/** The kind of a gap: text between tags, an attribute value, a whole address, the rest of a path, or attributes. */
export type Slot = "text" | "value" | "url" | "path" | "attributes";

const addressAttributes = new Set(["href", "src", "action", "formaction", "poster", "cite"]);
const addressStart = /^(?:\/[^/\\]|https?:\/\/[^/\0]+\/|[?#]|mailto:|\0[/?#])/;

type Place = "text" | "tag" | "inside" | "name" | "equals" | "quoted" | "declaration";
/** `isRawText`: inside a script or style, which must stay empty. */
type Reading = { place: Place; tag: string; name: string; value: string; isRawText: boolean };

/**
 * Returns the kinds of a template's gaps.
 * @throws TypeError if a gap is where escaping cannot protect it, or the template breaks the page policy (inline script, inline
 * style, event handlers, unquoted attributes, comments); decision 0004
 */
export function slotsOf(parts: readonly string[]): Slot[] {
  const reading: Reading = { place: "text", tag: "", name: "", value: "", isRawText: false };
  const slots: Slot[] = [];
  parts.forEach((part, index) => {
    for (const char of part) steps[reading.place](reading, char, part);
    if (index < parts.length - 1) slots.push(slotAt(reading, part));
  });
  if (reading.place !== "text") refuse("ends inside a tag", parts.at(-1) ?? "");
  return slots;
}

function slotAt(reading: Reading, part: string): Slot {
  if (reading.isRawText) refuse("holds an inline script or style", part);
  if (reading.place === "text") return "text";
  if (reading.place === "tag" && reading.tag !== "") reading.place = "inside";
  if (reading.place === "inside") return "attributes";
  if (reading.place !== "quoted") return refuse("has a gap outside text, quoted attributes and tags", part);
  const before = reading.value;
  reading.value += "\0";
  if (!addressAttributes.has(reading.name)) return "value";
  if (before === "") return "url";
  if (before === "/") return "path";
  return addressStart.test(before) ? "value" : refuse("builds an address out of pieces", part);
}

const steps: Record<Place, (reading: Reading, char: string, part: string) => void> = {
  text: stepText,
  tag: stepTag,
  inside: stepInside,
  name: stepName,
  equals: stepEquals,
  quoted: stepQuoted,
  declaration: stepDeclaration,
};

function stepText(reading: Reading, char: string, part: string): void {
  if (char === "<") {
    reading.place = "tag";
    reading.tag = "";
  } else if (reading.isRawText) refuse("holds an inline script or style", part);
}

function stepTag(reading: Reading, char: string, part: string): void {
  if (char === "!" && reading.tag === "") reading.place = "declaration";
  else if (char === ">") closeTag(reading);
  else if (/\s/.test(char)) {
    if (reading.tag === "") refuse("has a bare < in its text", part);
    reading.place = "inside";
  } else reading.tag += char.toLowerCase();
}

function stepInside(reading: Reading, char: string, part: string): void {
  if (char === ">") closeTag(reading);
  else if (/[a-zA-Z]/.test(char)) {
    reading.place = "name";
    reading.name = char.toLowerCase();
  } else if (!/[\s/]/.test(char)) refuse(`has ${char} inside a tag`, part);
}

function stepName(reading: Reading, char: string, part: string): void {
  if (/[a-zA-Z0-9:-]/.test(char)) {
    reading.name += char.toLowerCase();
    return;
  }
  if (isForbiddenAttribute(reading.name)) refuse(`sets ${reading.name}`, part);
  if (char === "=") reading.place = "equals";
  else if (char === ">") closeTag(reading);
  else if (/[\s/]/.test(char)) reading.place = "inside";
  else refuse(`has ${char} inside a tag`, part);
}

function stepEquals(reading: Reading, char: string, part: string): void {
  if (char !== '"') refuse(`does not quote ${reading.name}`, part);
  reading.place = "quoted";
  reading.value = "";
}

function stepQuoted(reading: Reading, char: string): void {
  if (char === '"') reading.place = "inside";
  else reading.value += char;
}

function stepDeclaration(reading: Reading, char: string, part: string): void {
  if (char === "-") refuse("holds a comment", part);
  if (char === ">") reading.place = "text";
}

function closeTag(reading: Reading): void {
  reading.place = "text";
  reading.isRawText = reading.tag === "script" || reading.tag === "style";
}

/** Whether an attribute is one that the page policy blocks: event handlers, style and srcdoc. */
export function isForbiddenAttribute(name: string): boolean {
  return name.startsWith("on") || name === "style" || name === "srcdoc";
}

/** Whether an attribute contains an address, so that its scheme must be checked. */
export function isAddressAttribute(name: string): boolean {
  return addressAttributes.has(name);
}

function refuse(why: string, part: string): never {
  throw new TypeError(`The template ${why}, near: ${part.slice(-80).trim()}`);
}
