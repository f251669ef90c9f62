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
  for (const line of [
    ...[many("a"), `payload.${many("a")}`, `payload:/${many("a ")}`, `a${many(" ")}b`, many("a ")],
    // A line of the greatest length that is parsed.
    ...[`payload:/${"a".repeat(3900)} b`, `payload:/a${" ".repeat(3900)}b`, `payload.${"a".repeat(3900)} b`],
  ]) {
    assert.match(readMatcherLines(line).fault ?? "", /cannot be parsed/);
  }
});

test("a condition that is printed is parsed as the same one, whatever its path contains (decision 0096)", () => {
  const paths = [
    "/labels/app.kubernetes.io~1name",
    "/labels/a~0b",
    "/labels/a=b",
    "/labels/a!=b",
    "labels.a=b",
    "labels.a~b",
    "/a",
    ".a",
    ":a",
    "contains",
    "labels.my field",
    "/labels/my = field/x~1y",
    'a "quoted" one',
    '"a"',
    "\\ a\n b",
  ];
  for (const path of paths) {
    for (const operator of ["equals", "not_equals", "contains", "matches"] as const) {
      for (const value of ["web", "= web", "~1name = web", "contains a"]) {
        const matcher = { field: "payload", path, operator, value } as const;
        assert.deepEqual(readMatcherLines(matcherLines([matcher])), { matchers: [matcher] });
      }
    }
  }
  const empty = { field: "service", operator: "equals", value: "" } as const;
  assert.deepEqual(readMatcherLines(matcherLines([empty])), { matchers: [empty] });
});

test("spaces around an operator may be left out, save before that behind a JSON Pointer (decision 0096)", () => {
  const one = (line: string) => {
    const [matcher] = readMatcherLines(line).matchers;
    return matcher && [matcher.field, matcher.path, matcher.operator, matcher.value];
  };
  assert.deepEqual(one("service!=archive"), ["service", undefined, "not_equals", "archive"]);
  assert.deepEqual(one("service=a=b"), ["service", undefined, "equals", "a=b"]);
  assert.deepEqual(one("service=a = b"), ["service", undefined, "equals", "a = b"]);
  assert.deepEqual(one("title~^Disk"), ["title", undefined, "matches", "^Disk"]);
  assert.deepEqual(one("payload.labels.team=web"), ["payload", "labels.team", "equals", "web"]);
  assert.deepEqual(one("payload:labels.team != web"), ["payload", "labels.team", "not_equals", "web"]);
  assert.deepEqual(one("payload:/labels/a.b =web"), ["payload", "/labels/a.b", "equals", "web"]);
  for (const line of ["payload:/labels/a~1b=web", "payload:/labels/a=web", "titlecontains x", "payloadx = y"])
    assert.match(readMatcherLines(line).fault ?? "", /cannot be parsed/, line);
});
