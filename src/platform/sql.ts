/** The `sql` template tag: plain SQL with parameters, every statement named so that PostgreSQL plans it once. */
import { createHash } from "node:crypto";

/** A statement or a fragment of one. Fragments nest; values become `$1…$n`. */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  private named: { name: string; text: string } | undefined;

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }

  /** The text with numbered parameters and its stable name. */
  get statement(): { name: string; text: string } {
    this.named ??= nameOf(this.strings);
    return this.named;
  }
}

/** Builds a statement; an interpolated `Sql` is spliced in, anything else becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  if (!values.some((value) => value instanceof Sql)) return new Sql(strings, values);
  const parts: string[] = [strings[0] ?? ""];
  const flat: unknown[] = [];
  values.forEach((value, index) => {
    const after = strings[index + 1] ?? "";
    if (value instanceof Sql) {
      appendFragment(parts, flat, value);
      parts[parts.length - 1] += after;
    } else {
      flat.push(value);
      parts.push(after);
    }
  });
  return new Sql(parts, flat);
}

/** Joins fragments, for instance conditions with ` and `; `whenNone` stands in for an empty list. */
export function joinSql(fragments: readonly Sql[], separator: string, whenNone = "true"): Sql {
  if (fragments.length === 0) return new Sql([whenNone], []);
  const parts: string[] = [""];
  const flat: unknown[] = [];
  fragments.forEach((fragment, index) => {
    if (index > 0) parts[parts.length - 1] += separator;
    appendFragment(parts, flat, fragment);
  });
  return new Sql(parts, flat);
}

/** A jsonb parameter: arrays and scalars too, which the driver would otherwise send as PostgreSQL arrays. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

function appendFragment(parts: string[], flat: unknown[], fragment: Sql): void {
  parts[parts.length - 1] += fragment.strings[0] ?? "";
  for (let index = 1; index < fragment.strings.length; index++) parts.push(fragment.strings[index] ?? "");
  flat.push(...fragment.values);
}

// Templates are few and live as long as the code, so both caches stay small.
const byStrings = new WeakMap<readonly string[], { name: string; text: string }>();
const byText = new Map<string, { name: string; text: string }>();

function nameOf(strings: readonly string[]): { name: string; text: string } {
  const known = byStrings.get(strings);
  if (known) return known;
  let text = strings[0] ?? "";
  for (let index = 1; index < strings.length; index++) text += `$${index}${strings[index]}`;
  let named = byText.get(text);
  if (!named) {
    named = { name: createHash("sha1").update(text).digest("base64url"), text };
    byText.set(text, named);
  }
  byStrings.set(strings, named);
  return named;
}
