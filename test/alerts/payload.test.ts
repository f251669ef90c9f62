import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cleaned, readJsonText } from "../../src/alerts/payload.ts";

/** JSON texts as senders may write them, with unnecessary escapes as well. */
const texts = fc.oneof(
  fc.json(),
  fc.constantFrom('"\\u0000"', '"\\ud83d\\ude00"', '"\\uD800"', '{"\\u0000":1}', '"\\\\u0000"', '"\\uDfFf"'),
  fc.constantFrom(
    "1e400",
    "-1E+400",
    "1e0400",
    "1e308",
    "1e99",
    `${"9".repeat(99)}e99`,
    `${"9".repeat(310)}`,
  ),
  fc.constantFrom(`${"9".repeat(250)}e99`, `1${"0".repeat(300)}.5e9`, '{"__proto__":{"a":1},"a":1e999}'),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
);

test("readJsonText returns what parsing and cleaning the text would, whether or not the text looks as if it needs cleaning (contract-alerts, limits)", () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (parts) => {
      const text = `[${parts.join(",")}]`;
      assert.deepEqual(readJsonText(text), cleaned(JSON.parse(text)));
    }),
    { numRuns: 3000 },
  );
});

test("no number is stored that JSON cannot represent (reference alerts D15)", () => {
  for (const digits of [1, 98, 99, 100, 209, 210, 308, 309, 310]) {
    for (const exponent of ["", "e9", "e99", "E+99", "e100", "e308", "e-400"]) {
      const { value, warnings } = readJsonText(`[${"9".repeat(digits)}${exponent}]`);
      const [number] = value as unknown[];
      // Kept as text if it would be rounded.
      const isKept = Number.isFinite(number) || (exponent === "" && number === "9".repeat(digits));
      assert.ok(number === null ? warnings.length === 1 : isKept, `${digits} ${exponent}`);
    }
  }
});

test("integers that a double would round are kept as text, with a warning, and strings are unchanged (spec: States 2)", () => {
  const rounded = ["9007199254740993", "-1234567890123456789", "12345678901234567890123"];
  for (const digits of rounded) {
    const { value, warnings } = readJsonText(`{"a":[${digits}, {"b":${digits}}],"c":"${digits}"}`);
    assert.deepEqual(value, { a: [digits, { b: digits }], c: digits });
    assert.equal(warnings.length, 1);
  }
  for (const kept of [
    "9007199254740992",
    "1714557600000000000",
    "0.12345678901234567",
    "1234567890123456789e2",
  ]) {
    assert.deepEqual(readJsonText(`[${kept}]`), { value: [Number(kept)], warnings: [] });
  }
});

test("numbers inside strings stay unchanged, also behind escapes (spec: Alert payload title)", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom('"', "\\", '\\"', ": 9007199254740993,"))),
      (parts) => {
        const text = JSON.stringify(["9007199254740993", ...parts, `${parts.join("")} 9007199254740993`]);
        assert.deepEqual(readJsonText(text).value, JSON.parse(text));
      },
    ),
    { numRuns: 2000 },
  );
});

test("the position of the first syntax error is reported, and the rest is not parsed, however long it is (contract-alerts, order of refusal)", () => {
  const faultIn = (text: string) => {
    try {
      readJsonText(text);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  assert.match(faultIn('{\n"a": 1,\n\n  b}'), /line 4, column 3: this is not a JSON value/);
  assert.match(faultIn("[1\n2]"), /line 2, column 1: a comma is missing/);
  assert.match(faultIn(`[1${"\n".repeat(1_000_000)}x]`), /line 1000001, column 1: /);
  // As a list of errors these would fill all memory.
  assert.match(faultIn(`{${",".repeat(100_000_000)}`), /line 1, column 2: a value is missing/);
});

test("cleaning copies only the objects and lists around replaced values (contract-alerts, limits; decision 0187)", () => {
  const value = JSON.parse('{"kept":{"a":[{"b":"c"}]},"list":[[1],["\\u0000"]],"__proto__":{"d":1}}');
  const found = cleaned(value).value as typeof value;
  assert.deepEqual(found.list, [[1], ["\ufffd"]]);
  assert.equal(found.kept, value.kept);
  assert.equal(found.list[0], value.list[0]);
  assert.equal(Object.getOwnPropertyDescriptor(found, "__proto__")?.value, Object.entries(value)[2]?.[1]);
  assert.equal(cleaned(value.kept).value, value.kept);
});
