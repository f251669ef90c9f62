/** The `sql` template tag: plain SQL with parameters; every statement is named, so that PostgreSQL plans it once. */
import { createHash } from "node:crypto";

/** A statement or a fragment of one. Fragments nest; values become `$1…$n`. */
export class Sql {
  /** The texts around the parts. */
  private readonly strings: readonly string[];
  private readonly parts: readonly unknown[];
  /** The strings are those of a template in the source code: the same array each time. */
  private readonly isTemplate: boolean;
  private resolved: Resolved | undefined;

  /** For a text that is made at run time, such as one with names of tables; templates are made by `sql`. */
  constructor(strings: readonly string[], parts: readonly unknown[], isTemplate = false) {
    this.strings = strings;
    this.parts = parts;
    this.isTemplate = isTemplate;
  }

  /** The text with numbered parameters, and its stable name. */
  get statement(): Statement {
    return this.resolve().statement;
  }

  /** The values of the parameters, in order. */
  get values(): readonly unknown[] {
    return this.resolve().values;
  }

  private resolve(): Resolved {
    if (!this.resolved) {
      const values: unknown[] = [];
      const place = this.walk(FIRST, values);
      const statement = place?.statement ?? named(this.text({ parameters: 0 }));
      if (place) place.statement = statement;
      this.resolved = { statement, values };
    }
    return this.resolved;
  }

  /** Collects the values, and returns the cache entry for this combination of templates; undefined if it cannot be cached. */
  private walk(from: Place | undefined, values: unknown[]): Place | undefined {
    let place = from && this.isTemplate ? placeAfter(from, this.strings, this.nested()) : undefined;
    for (const part of this.parts) {
      if (part instanceof Sql) place = part.walk(place, values);
      else values.push(part);
    }
    return place;
  }

  /** Which parts are fragments, as a bit mask. */
  private nested(): number {
    let bits = 0;
    this.parts.forEach((part, index) => {
      if (part instanceof Sql) bits += 2 ** index;
    });
    return bits;
  }

  private text(count: { parameters: number }): string {
    let text = this.strings[0] ?? "";
    this.parts.forEach((part, index) => {
      text += part instanceof Sql ? part.text(count) : `$${++count.parameters}`;
      text += this.strings[index + 1] ?? "";
    });
    return text;
  }
}

interface Statement {
  name: string;
  text: string;
}

interface Resolved {
  statement: Statement;
  values: readonly unknown[];
}

/** Builds a statement; an interpolated `Sql` is spliced in, anything else becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Sql(strings, parts, parts.length <= MAX_PARTS);
}

/** The number of bits of an exact integer. */
const MAX_PARTS = 53;

/** A fragment, or what is left if it is not wanted: ``name && sql`u.name = ${name}` ``. */
export type MaybeSql = Sql | false | undefined | null | "" | 0;

/** Joins the fragments that are there, for instance conditions with ` and `; `whenNone` stands in for an empty list. */
export function joinSql(fragments: readonly MaybeSql[], separator: string, whenNone = "true"): Sql {
  const parts = fragments.filter((fragment): fragment is Sql => fragment instanceof Sql);
  return new Sql(stringsOfList(parts.length, separator, whenNone), parts, parts.length <= MAX_PARTS);
}

/** A jsonb parameter: arrays and scalars too, which the driver would otherwise send as PostgreSQL arrays. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/**
 * A trie by templates, in their order: finds a statement without building its text again, which is seven thousand characters for
 * a list of events. Templates are few and live as long as the code, so it stays small.
 */
class Place {
  readonly nested: number;
  /** Entries for the next template. */
  after: Map<readonly string[], Place[]> | undefined;
  statement: Statement | undefined;

  constructor(nested: number) {
    this.nested = nested;
  }
}
const FIRST = new Place(0);

/** A template may be filled with values or with fragments, which makes different statements. */
function placeAfter(place: Place, strings: readonly string[], nested: number): Place {
  place.after ??= new Map();
  let known = place.after.get(strings);
  if (!known) {
    known = [];
    place.after.set(strings, known);
  }
  let found = known.find((after) => after.nested === nested);
  if (!found) {
    found = new Place(nested);
    known.push(found);
  }
  return found;
}

const byText = new Map<string, Statement>();

function named(text: string): Statement {
  let statement = byText.get(text);
  if (!statement) {
    statement = { name: createHash("sha1").update(text).digest("base64url"), text };
    byText.set(text, statement);
  }
  return statement;
}

const lists = new Map<string, readonly string[]>();

/** The texts around the fragments of a list, the same array for each length. */
function stringsOfList(length: number, separator: string, whenNone: string): readonly string[] {
  const name = length === 0 ? `0 ${whenNone}` : `${length} ${separator}`;
  let strings = lists.get(name);
  if (!strings) {
    strings = length === 0 ? [whenNone] : ["", ...new Array<string>(length - 1).fill(separator), ""];
    lists.set(name, strings);
  }
  return strings;
}
