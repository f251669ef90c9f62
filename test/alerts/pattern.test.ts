/** Regular expressions of silences: what they match, what is refused, and that they take limited time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readMatcherLines } from "../../src/alerts/matcher-lines.ts";
import { readPattern } from "../../src/alerts/pattern.ts";

const isIn = (source: string, text: string) => readPattern(source).isIn(text, { left: 1_000_000 });

test("patterns match like JavaScript's regular expressions (decision 0096)", () => {
  const part = fc.constantFrom(
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    "\\d",
    "\\w",
    "(a|b)",
    "(?:ab)",
    "a*",
    "b+",
    "c?",
    "a{2}",
    "b{1,3}",
    "(a*)*",
    "^",
    "$",
    "|",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.stringMatching(/^[abc1 ]{0,12}$/), (parts, text) => {
      const source = parts.join("");
      assert.equal(isIn(source, text), new RegExp(source).test(text), source);
    }),
    { numRuns: 2000 },
  );
  assert.equal(isIn("(?i)^disk .* full$", "DISK db-1 Full"), true);
  assert.equal(isIn("a\\.b", "axb"), false);
});

test("a pattern with catastrophic backtracking elsewhere ends within its budget (decision 0096)", () => {
  assert.equal(isIn("(a+)+(a+)+(a+)+$", `${"a".repeat(900)}b`), false);
  const budget = { left: 10 };
  assert.equal(readPattern("a.*z").isIn("a".repeat(500), budget), false);
  assert.ok(budget.left < 0);
});

test("an invalid or too large pattern is refused with the reason (decision 0096)", () => {
  for (const [source, reason] of [
    ["(a", /lacks a \)/],
    ["a)", /too many/],
    ["[a", /lacks a \]/],
    ["*a", /nothing before/],
    ["(?=a)", /uses lookaround/],
    ["\\1", /not supported/],
    ["((a{100}){100}){100}", /too large/],
    ["a".repeat(201), /longer/],
    ["a{3,1}", /a reversed one/],
  ] as const) {
    assert.throws(() => readPattern(source), reason, source);
  }
  readPattern("(((){100}){100}){100}");
});

test("a condition line that is far too long is refused, and the other lines are read (decision 0096; reference reliability S120)", () => {
  const { matchers, fault } = readMatcherLines(`title = Pump 7\n${"a".repeat(300_000)}`);
  assert.deepEqual(matchers, [{ field: "title", operator: "equals", value: "Pump 7" }]);
  assert.match(fault ?? "", /contain a line that cannot be parsed/);
});
