/** Generators of hostile JSON values and texts, and of messages of which some parts are changed to them. */
import fc from "fast-check";

/** Stands in generated values for JSON that no value can express, such as `1e400`; `jsonOf` writes what is between the marks. */
const marked = (json: string) => `@@${json}@@`;
const MARKED = /"@@(.*?)@@"/g;

/** Writes a generated value as JSON, if need be as invalid JSON. */
export function jsonOf(value: unknown): string {
  return (JSON.stringify(value) ?? "").replace(MARKED, (_, json: string) => json.replaceAll("'", '"'));
}

const LITERALS = [
  ...["1e400", "-1e400", "-0", "0.1e-400", "1E5", "9223372036854775808", "9".repeat(400), "0.1", "-1"],
  ...["NaN", "01", "'\\ud800'", "'\\u0000'", "{'a':1,'a':2}", "{'__proto__':{'id':1}}", "{'constructor':0}"],
  ...[
    "[".repeat(99) + "]".repeat(99),
    "[".repeat(120) + "]".repeat(120),
    `${"{'a':".repeat(90)}1${"}".repeat(90)}`,
  ],
].map(marked);

const INSTANTS = [
  ...["0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "275760-09-13T00:00:00Z"],
  ...["+275760-09-13T00:00:00Z", "+275760-09-13T00:00:00.001Z", "-271821-04-20T00:00:00Z", "294277-01-01"],
  ...["2026-02-30", "2026-06-30T23:59:60Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00+99:99"],
  ...["0000-01-01"],
  ...["9999-12-31", "infinity", "-infinity", "now", "epoch", "2026-01-01T00:00:00-23:59", "10000-01-01"],
  ...["2026-01-01 00:00:00", "20260101", "4713-01-01 BC", "1e12", "253402300800", "-62135596801"],
];

const TEXTS = [
  ...["", " ", "\0", "a\0b", "\ud800", "\udc00x", "\ufeff", "\u202e", "\r\nSet-Cookie: a=b", "null"],
  ...["true", "[]", "{}"],
  ...["0", "-1", "1e3", "99999999999999999999", "9007199254740993", "2147483648", "9223372036854775807"],
  ...["١٢"],
  ...["__proto__", "constructor", "toString", "'; drop table users; --", "%", "%00", "%25", "_", "\\"],
  ...["$1", "..", "/"],
  ...["javascript:alert(1)", "http://[", "http://a:99999", "https://127.0.0.1/", "//a", "a@b", "@", "none"],
  ...["any"],
  ...["a,b", ",", "-", "+", "*", "(", "[a", "(a+)+$", "😀".repeat(300), "é".repeat(255), "x".repeat(256)],
  ...["x".repeat(1025), "x".repeat(70_000), "a/".repeat(200), "İ", "ǅ", "ß", "\u0301", "k\u0000".repeat(40)],
  ...INSTANTS,
];

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);

const hostileNumber = fc.oneof(
  fc.constantFrom(
    0,
    -1,
    0.5,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 53,
    2 ** 63,
    2 ** 64,
    1e300,
    5e-324,
    253402300800000,
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON value that a careless or hostile program may send. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  { weight: 2, arbitrary: hostileNumber },
  { weight: 2, arbitrary: fc.constantFrom(...LITERALS) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: null }, { "\0": 1 }),
  },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom<unknown>(1, "1", 1, "a"), { minLength: 101, maxLength: 2000 }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ depthSize: "medium" }) },
);

type Path = readonly (string | number)[];

/** The paths to all parts of a value. */
function pathsIn(value: unknown, at: Path = []): Path[] {
  if (value === null || typeof value !== "object") return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...at, name]))];
}

/** A copy of a sample with one to three of its parts replaced, left out or doubled. */
export function mutated(sample: unknown): fc.Arbitrary<unknown> {
  const paths = pathsIn(sample).filter((path) => path.length > 0);
  if (paths.length === 0) return hostile;
  const change = fc.record({
    path: fc.constantFrom(...paths),
    how: fc.constantFrom("set", "set", "set", "drop", "list", "text", "nest"),
    value: hostile,
  });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) =>
    changes.reduce<unknown>(
      (so, { path, how, value }) =>
        replaced(so, path, (old) => {
          if (how === "set") return value;
          if (how === "list") return [old, value];
          if (how === "nest") return { value: old };
          return how === "text" ? JSON.stringify(old) : undefined;
        }),
      sample,
    ),
  );
}

function replaced(value: unknown, [name, ...rest]: Path, by: (old: unknown) => unknown): unknown {
  if (name === undefined) return by(value);
  if (Array.isArray(value))
    return value.map((one, n) => (String(n) === String(name) ? replaced(one, rest, by) : one));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === name ? replaced(one, rest, by) : one]),
  );
}
