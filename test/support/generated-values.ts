/** Generators of values that fit a JSON Schema, and of values that fit it but for one part. */
import fc from "fast-check";
import { hostile, hostileText } from "./generated-hostile.ts";

/** The part of JSON Schema that our document uses. */
export interface Shape {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  items?: Shape;
  properties?: Readonly<Record<string, Shape>>;
  patternProperties?: Readonly<Record<string, Shape>>;
  additionalProperties?: Shape | boolean;
  required?: readonly string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** A value that fits the schema. */
export function fitting(shape: Shape): fc.Arbitrary<unknown> {
  if ("const" in shape) return fc.constant(shape.const);
  if (shape.enum) return fc.constantFrom(...shape.enum);
  if (shape.anyOf) return fc.oneof(...shape.anyOf.map(fitting));
  switch (shape.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fittingNumber(shape);
    case "string":
      return fittingText(shape);
    case "array":
      return fc.array(fitting(shape.items ?? {}), {
        minLength: shape.minItems ?? 0,
        maxLength: Math.min(shape.maxItems ?? 4, 4),
      });
    case "object":
      return fittingObject(shape, fitting);
    default:
      return fc.oneof(hostile, fc.jsonValue());
  }
}

function fittingNumber({ minimum = -(2 ** 40), maximum = 2 ** 40 }: Shape): fc.Arbitrary<number> {
  const near = fc.integer({ min: Math.max(minimum, 0), max: Math.min(maximum, Math.max(minimum, 0) + 12) });
  return fc.oneof(
    { weight: 3, arbitrary: near },
    { weight: 1, arbitrary: fc.maxSafeInteger().map((n) => Math.min(maximum, Math.max(minimum, n))) },
    fc.constantFrom(minimum, maximum),
  );
}

const instant = fc
  .date({ noInvalidDate: true, min: new Date("1900-01-01"), max: new Date("9999-12-31") })
  .map((at) => at.toISOString());

const WORDS = [
  ...["a", "acme", "New name", "https://a.example.org/x", "someone@example.org", "acme/rocket", "production"],
  ...["2999-01-01T00:00:00Z", "2026-05-01", "github.com", "ada", "api"],
];
/** Made once, because the generator of graphemes is slow to build. */
const text = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: "grapheme", maxLength: 40 }));
const LETTERS = ["x", "é", "😀", "<", "\u0301", " x"];
/** Instead of no limit: longer than most columns and any index row may be. */
const LONG = 20_000;

function fittingText({ format, pattern, minLength = 0, maxLength = LONG }: Shape): fc.Arbitrary<string> {
  if (format === "date-time") return instant;
  if (format === "date") return instant.map((at) => at.slice(0, 10));
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  const some = text.map((any) => {
    const letters = [...any].slice(0, maxLength);
    return letters.join("") + "x".repeat(Math.max(0, minLength - letters.length));
  });
  const longest = fc
    .constantFrom(...LETTERS)
    .map((letter) => letter.repeat(Math.floor(Math.min(maxLength, LONG) / letter.length)));
  return fc.oneof({ weight: 5, arbitrary: some }, { weight: 1, arbitrary: longest });
}

type Filler = (shape: Shape) => fc.Arbitrary<unknown>;

function fittingObject(
  { properties = {}, patternProperties, additionalProperties, required = [] }: Shape,
  fill: Filler,
): fc.Arbitrary<Record<string, unknown>> {
  const each =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === "object" ? additionalProperties : undefined);
  if (each)
    return fc.dictionary(
      fc.oneof(fc.constantFrom("a", "title", "x.y[0]"), fc.string({ maxLength: 8 })),
      fill(each),
      { maxKeys: 3 },
    );
  const parts = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, fill(inner)]));
  // Without the members that are absent most often, two that contradict each other would spoil most bodies.
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return fc
    .tuple(
      fc.record(parts),
      fc.subarray(optional, { maxLength: Math.min(3, optional.length) }),
      fc.integer({ min: 0, max: 4 }),
    )
    .map(([whole, kept, all]) =>
      Object.fromEntries(
        Object.entries(whole).filter(([name]) => all === 0 || required.includes(name) || kept.includes(name)),
      ),
    );
}

/** A value that fits the schema but for one part: hostile, absent, or a member too many. */
export function spoiled(shape: Shape): fc.Arbitrary<unknown> {
  if (shape.anyOf)
    return fc.oneof(
      hostile,
      ...shape.anyOf.filter((one) => one.type === "object" || one.type === "array").map(spoiled),
    );
  if (shape.type === "array" && shape.items) {
    const bad = spoiled(shape.items);
    return fc.oneof(hostile, fc.array(fc.oneof(fitting(shape.items), bad), { maxLength: 4 }));
  }
  if (shape.type === "string" && shape.maxLength)
    return fc.oneof({ weight: 4, arbitrary: hostile }, fc.constant("é".repeat(shape.maxLength + 1)));
  if (shape.type !== "object") return hostile;
  const whole = fittingObject(shape, fitting);
  const members = Object.entries(shape.properties ?? {});
  const one = members.map(([name, inner]) =>
    fc.tuple(whole, spoiled(inner)).map(([rest, bad]) => ({ ...rest, [name]: bad })),
  );
  const lacking = fc
    .tuple(whole, fc.nat())
    .map(([rest, at]) =>
      Object.fromEntries(Object.entries(rest).filter((_, n, all) => n !== at % all.length)),
    );
  const extra = fc
    .tuple(whole, hostileText, hostile)
    .map(([rest, name, value]) => ({ ...rest, [name]: value }));
  return fc.oneof(
    ...(one.length > 0 ? [{ weight: 6, arbitrary: fc.oneof(...one) }] : []),
    { weight: 1, arbitrary: lacking },
    { weight: 1, arbitrary: extra },
    { weight: 1, arbitrary: hostile },
  );
}
