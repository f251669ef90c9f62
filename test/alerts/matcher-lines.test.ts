/** The conditions of silences in their text form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { matcherLines, readMatcherLines } from "../../src/alerts/matcher-lines.ts";

test("a line has a field, an operator and a value, and matchers are written in the form in which they are read (decision 0096)", () => {
  const lines = [
    "service = archive",
    "title ~ ^Disk .* = full",
    "host != db-1",
    "payload.labels.team contains a = b",
    "payload:/labels/a.b = x",
  ].join("\n");
  const { matchers, fault } = readMatcherLines(lines);
  assert.equal(fault, undefined);
  assert.deepEqual(
    matchers.map(({ field, path, operator, value }) => [field, path, operator, value]),
    [
      ["service", undefined, "equals", "archive"],
      ["title", undefined, "matches", "^Disk .* = full"],
      ["host", undefined, "not_equals", "db-1"],
      ["payload", "labels.team", "contains", "a = b"],
      ["payload", "/labels/a.b", "equals", "x"],
    ],
  );
  assert.equal(matcherLines(matchers), lines);
  for (const line of ["service archive", "= x", "colour = red", "service.x = y", "payload = x"])
    assert.match(readMatcherLines(line).fault ?? "", /cannot be parsed/, line);
});

test("a megabyte without an operator is refused in linear time (decision 0096)", () => {
  const many = (text: string) => text.repeat(1_000_000 / text.length);
  for (const line of [many("a"), `payload.${many("a")}`, `a${many(" ")}b`, many("a ")]) {
    assert.match(readMatcherLines(line).fault ?? "", /cannot be parsed/);
  }
});
