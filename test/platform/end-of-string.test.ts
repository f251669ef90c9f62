/** Where strings of JSON end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfString } from "../../src/platform/end-of-string.ts";

test("a string of JSON ends at its first quote that is not escaped (RFC 8259 §7)", () => {
  for (const string of [
    '""',
    '"a"',
    String.raw`"\""`,
    String.raw`"\\"`,
    String.raw`"\\\""`,
    String.raw`"a\"b\\\"c\\"`,
    String.raw`"\n\u0022ü\/"`,
  ]) {
    JSON.parse(string);
    assert.equal(endOfString(`[1,${string},"\\""]`, 3), 3 + string.length - 1, string);
  }
});

test("a string that nothing ends goes on to the end of the text (its docstring in src/platform/end-of-string.ts)", () => {
  for (const text of ['"', '"a', String.raw`"\"`, String.raw`"a\\\"`, String.raw`"a\"b`, '"\\']) {
    assert.equal(endOfString(text, 0), text.length, text);
  }
});
