/** Regular expressions that run in time linear in the length of the text, whatever the pattern (decision 0096). */

/** How many steps all patterns of one batch may take together; once it is spent, nothing matches. */
export interface Budget {
  left: number;
}

/** A compiled pattern. */
export interface Pattern {
  /** Whether it matches anywhere in the text; false once the budget is spent. */
  isIn(text: string, budget: Budget): boolean;
}

/** An invalid pattern; the message says what is wrong. */
export class PatternFault extends Error {}

const MAX_LENGTH = 200;
const MAX_STEPS = 400;
const MAX_REPEAT = 100;
/** Only so many characters of a text are searched. */
const MAX_TEXT = 1000;

type Test = (code: number) => boolean;
/** One instruction of the automaton: a character, a fork, an edge of the text, or the end. */
type Step =
  | { kind: "one"; test: Test }
  | { kind: "fork"; to: number[] }
  | { kind: "start" | "end" | "found" };
type Node =
  | { kind: "one"; test: Test }
  | { kind: "edge"; at: "start" | "end" }
  | { kind: "all" | "any"; parts: Node[] }
  | Repeat;
/** A node that is repeated. */
type Repeat = { kind: "repeat"; part: Node; least: number; most: number };

/**
 * Compiles literals, `.`, classes, `\d \w \s`, groups, `|`, `* + ? {m,n}`, `^` and `$`; a leading `(?i)` ignores case.
 * @throws PatternFault
 */
export function readPattern(source: string): Pattern {
  if (source.length > MAX_LENGTH) throw new PatternFault(`is longer than ${MAX_LENGTH} characters`);
  const ignoresCase = source.startsWith("(?i)");
  const reader = new Reader(ignoresCase ? source.slice(4) : source, ignoresCase);
  const steps: Step[] = [];
  compile(reader.read(), steps);
  add(steps, { kind: "found" });
  return { isIn: (text, budget) => isIn(steps, text.slice(0, MAX_TEXT), budget) };
}

/** Follows all alternatives at once, without backtracking. */
function isIn(steps: readonly Step[], text: string, budget: Budget): boolean {
  let now = new Set<number>();
  for (let at = 0; at <= text.length; at++) {
    // A match may begin at any character.
    if (follow(steps, 0, at, text.length, now)) return true;
    budget.left -= now.size + 1;
    if (at === text.length || budget.left < 0) return false;
    const next = new Set<number>();
    const code = text.charCodeAt(at);
    for (const place of now) {
      const step = steps[place] as Step;
      if (step.kind === "one" && step.test(code) && follow(steps, place + 1, at + 1, text.length, next))
        return true;
    }
    now = next;
  }
  return false;
}

/** Adds the steps that are reached without consuming a character; true if the end is among them. */
function follow(steps: readonly Step[], from: number, at: number, end: number, seen: Set<number>): boolean {
  const waiting = [from];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    const step = steps[place] as Step;
    if (step.kind === "found") return true;
    if (step.kind === "fork") waiting.push(...step.to);
    if ((step.kind === "start" && at === 0) || (step.kind === "end" && at === end)) waiting.push(place + 1);
  }
  return false;
}

function add(steps: Step[], step: Step): number {
  if (steps.length >= MAX_STEPS) throw new PatternFault("is too large; repeat less");
  return steps.push(step) - 1;
}

function compile(node: Node, steps: Step[]): void {
  if (node.kind === "one") add(steps, node);
  else if (node.kind === "edge") add(steps, { kind: node.at });
  else if (node.kind === "repeat") compileRepeat(node, steps);
  else if (node.kind === "any") compileAny(node.parts, steps);
  else for (const part of node.parts) compile(part, steps);
}

function compileAny(parts: readonly Node[], steps: Step[]): void {
  const fork: number[] = [];
  const ends: number[][] = [];
  add(steps, { kind: "fork", to: fork });
  for (const part of parts) {
    fork.push(steps.length);
    compile(part, steps);
    const to: number[] = [];
    ends.push(to);
    add(steps, { kind: "fork", to });
  }
  for (const to of ends) to.push(steps.length);
}

function compileRepeat({ part, least, most }: Repeat, steps: Step[]): void {
  for (let times = 0; times < least; times++) {
    const before = steps.length;
    compile(part, steps);
    // Repeating an empty part compiles to nothing, however often it is nested.
    if (steps.length === before) break;
  }
  if (most === Number.POSITIVE_INFINITY) {
    const to: number[] = [];
    const fork = add(steps, { kind: "fork", to });
    to.push(fork + 1);
    compile(part, steps);
    add(steps, { kind: "fork", to: [fork] });
    to.push(steps.length);
    return;
  }
  const exits: number[][] = [];
  for (let times = least; times < most; times++) {
    const to: number[] = [];
    to.push(add(steps, { kind: "fork", to }) + 1);
    exits.push(to);
    compile(part, steps);
  }
  for (const to of exits) to.push(steps.length);
}

const CLASSES: Readonly<Record<string, Test>> = {
  d: (code) => code >= 48 && code <= 57,
  w: (code) => /\w/.test(String.fromCharCode(code)),
  s: (code) => /\s/.test(String.fromCharCode(code)),
};
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

class Reader {
  readonly #source: string;
  readonly #ignoresCase: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, ignoresCase: boolean) {
    this.#source = source;
    this.#ignoresCase = ignoresCase;
  }

  read(): Node {
    const node = this.#any();
    if (this.#at < this.#source.length) throw new PatternFault("has a ) too many");
    return node;
  }

  #any(): Node {
    const parts = [this.#all()];
    while (this.#takes("|")) parts.push(this.#all());
    return parts.length === 1 ? (parts[0] as Node) : { kind: "any", parts };
  }

  #all(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#next())) parts.push(this.#repeated());
    return { kind: "all", parts };
  }

  #repeated(): Node {
    let node = this.#atom();
    for (;;) {
      const [least, most] = this.#takes("*")
        ? [0, Number.POSITIVE_INFINITY]
        : this.#takes("+")
          ? [1, Number.POSITIVE_INFINITY]
          : this.#takes("?")
            ? [0, 1]
            : (this.#counted() ?? [-1, -1]);
      if (least < 0) return node;
      node = { kind: "repeat", part: node, least, most };
      // Greedy and lazy are the same when only the existence of a match counts.
      this.#takes("?");
    }
  }

  #counted(): [number, number] | undefined {
    const found = /^\{(\d{1,3})(,(\d{1,3})?)?\}/.exec(this.#source.slice(this.#at));
    if (!found) return undefined;
    this.#at += found[0].length;
    const least = Number(found[1]);
    const most =
      found[2] === undefined ? least : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (most < least || least > MAX_REPEAT || (Number.isFinite(most) && most > MAX_REPEAT))
      throw new PatternFault(`has a repetition of more than ${MAX_REPEAT} times, or a reversed one`);
    return [least, most];
  }

  #atom(): Node {
    if (this.#takes("(")) return this.#group();
    if (this.#takes("[")) return { kind: "one", test: this.#set() };
    if (this.#takes("^")) return { kind: "edge", at: "start" };
    if (this.#takes("$")) return { kind: "edge", at: "end" };
    if (this.#takes(".")) return { kind: "one", test: (code) => code !== 10 };
    if (this.#takes("\\")) return { kind: "one", test: this.#escape() };
    const char = this.#next();
    if ("*+?".includes(char)) throw new PatternFault(`has nothing before ${char}`);
    this.#at++;
    return { kind: "one", test: this.#literal(char) };
  }

  #group(): Node {
    if (this.#takes("?") && !this.#takes(":"))
      throw new PatternFault("uses lookaround or named groups, which are not supported");
    if (++this.#depth > 20) throw new PatternFault("is nested too deep");
    const node = this.#any();
    if (!this.#takes(")")) throw new PatternFault("lacks a )");
    this.#depth--;
    return node;
  }

  #escape(): Test {
    const char = this.#next();
    this.#at++;
    if (char === "") throw new PatternFault("ends with a backslash");
    const known = CLASSES[char.toLowerCase()];
    if (known) return char === char.toLowerCase() ? known : (code) => !known(code);
    if (CONTROLS[char]) return this.#literal(CONTROLS[char]);
    if (/[A-Za-z0-9]/.test(char)) throw new PatternFault(`contains \\${char}, which is not supported`);
    return this.#literal(char);
  }

  #set(): Test {
    const isNot = this.#takes("^");
    const tests: Test[] = [];
    for (let isFirst = true; isFirst || !this.#takes("]"); isFirst = false) {
      const low = this.#next();
      if (low === "") throw new PatternFault("lacks a ]");
      this.#at++;
      if (low === "\\") {
        tests.push(this.#escape());
      } else if (this.#next() === "-" && !["]", ""].includes(this.#source.charAt(this.#at + 1))) {
        const high = this.#source.charAt(this.#at + 1);
        this.#at += 2;
        if (high < low) throw new PatternFault(`has the reversed range ${low}-${high}`);
        tests.push(this.#range(low.charCodeAt(0), high.charCodeAt(0)));
      } else {
        tests.push(this.#literal(low));
      }
    }
    return (code) => tests.some((test) => test(code)) !== isNot;
  }

  #range(low: number, high: number): Test {
    if (!this.#ignoresCase) return (code) => code >= low && code <= high;
    return (code) => cases(code).some((one) => one >= low && one <= high);
  }

  #literal(char: string): Test {
    const wanted = char.charCodeAt(0);
    return this.#ignoresCase ? (code) => cases(code).includes(wanted) : (code) => code === wanted;
  }

  #next(): string {
    return this.#source.charAt(this.#at);
  }

  #takes(char: string): boolean {
    if (this.#next() !== char) return false;
    this.#at++;
    return true;
  }
}

function cases(code: number): number[] {
  const char = String.fromCharCode(code);
  return [code, char.toLowerCase().charCodeAt(0), char.toUpperCase().charCodeAt(0)];
}
