/** Lengths of text as people and the database count them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { characterCount, isLongerThan } from "../../src/platform/character-count.ts";

test("text is counted in code points (JSON Schema Validation §6.3.1)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, most) => {
      assert.equal(characterCount(text), [...text].length);
      assert.equal(isLongerThan(text, most), [...text].length > most);
    }),
  );
});

test("an unpaired surrogate counts as one character (JSON Schema Validation §6.3.1)", () => {
  for (const text of ["\ud83d", "a\ude00b", "\ude00\ud83d", "\ud83d\ud83d\ude00"]) {
    assert.equal(characterCount(text), [...text].length, JSON.stringify(text));
  }
});
