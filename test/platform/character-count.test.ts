/** Lengths as people and the database count them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { characterCount, isLongerThan } from "../../src/platform/character-count.ts";

test("counts code points, whatever the text is made of (JSON Schema Validation §6.3.1)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, most) => {
      assert.equal(characterCount(text), [...text].length);
      assert.equal(isLongerThan(text, most), [...text].length > most);
    }),
  );
});

test("counts half a character as one (JSON Schema Validation §6.3.1)", () => {
  for (const text of ["\ud83d", "a\ude00b", "\ude00\ud83d", "\ud83d\ud83d\ude00"]) {
    assert.equal(characterCount(text), [...text].length, JSON.stringify(text));
  }
});
