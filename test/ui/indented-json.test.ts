/** Indentation of JSON text: what it looks like, what it leaves as it was, and where it stops. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { indentedJson } from "../../src/ui/indented-json.ts";

test("JSON is indented as JSON.stringify does it, however it was spaced (reference ux §7)", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, "\t", "  \n"), (value, spacing) => {
      assert.equal(
        indentedJson(JSON.stringify(value, null, spacing), 1_000_000),
        JSON.stringify(value, null, 2),
      );
    }),
  );
});

test("numbers and escapes stay as they were written, also those that a parser would change (reference ux §7)", () => {
  assert.equal(
    indentedJson('{"n":9007199254740993,"n":1.0}', 100),
    '{\n  "n": 9007199254740993,\n  "n": 1.0\n}',
  );
  assert.equal(
    indentedJson('["\\u0041","\\\\",[ ],{\n}]', 100),
    '[\n  "\\u0041",\n  "\\\\",\n  [],\n  {}\n]',
  );
});

test("what is longer with indentation than the limit is left to the caller (reference ux §7)", () => {
  assert.equal(indentedJson("[1]", 7), "[\n  1\n]");
  assert.equal(indentedJson("[1]", 6), undefined);
  assert.equal(indentedJson(`${"[".repeat(30_000)}${"]".repeat(30_000)}`, 262_144), undefined);
  assert.equal(indentedJson(JSON.stringify('\\"'.repeat(4_000_000)), 262_144), undefined);
});
