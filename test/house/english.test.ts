/** No file contains markers of unfinished work, disabled tests or disabled types. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { paths } from "../../scripts/imports.ts";

const root = join(import.meta.dirname, "../..");
const FOLDERS = ["src", "test", "docs", "scripts", "bench", "examples", "migrations"];
const TEXT = /\.(?:ts|js|css|sql|md|sh|json)$/;

/** Each pattern, and whether it applies only to code. Assembled from pieces, so that this file does not match. */
const FORBIDDEN: readonly { pattern: RegExp; codeOnly: boolean }[] = [
  {
    pattern: new RegExp(`\\b(?:${["TO" + "DO", "FIX" + "ME", "X".repeat(3), "HA" + "CK"].join("|")})\\b`),
    codeOnly: false,
  },
  { pattern: new RegExp(`\\.(?:${["on" + "ly", "sk" + "ip"].join("|")})\\(`), codeOnly: false },
  { pattern: new RegExp(`\\{\\s*(?:${["on" + "ly", "sk" + "ip", "to" + "do"].join("|")}):`), codeOnly: true },
  { pattern: new RegExp(`(?:\\bas|:|<)\\s*an${"y"}\\b(?! [a-z])`), codeOnly: true },
  { pattern: new RegExp(`@ts-(?:ig${"nore"}|no${"check"})`), codeOnly: false },
];

test("no file contains a marker of unfinished work, a disabled test or a disabled type (house rule: honesty)", () => {
  const found = FOLDERS.flatMap((folder) =>
    paths(join(root, folder))
      .filter((path) => TEXT.test(path))
      .flatMap((path) => forbiddenIn(`${folder}/${path}`, readFileSync(join(root, folder, path), "utf8"))),
  );
  assert.deepEqual(found, []);
});

const cases: [path: string, text: string, lines: number][] = [
  ["a.md", `one ${"TO" + "DO"} here`, 1],
  ["a.md", "how to do it: any way, as any other hacker would", 0],
  ["a.ts", `test${".on" + "ly"}("x", () => {});`, 1],
  ["a.ts", `test("x (y)", { ${"sk" + "ip"}: true }, () => {});`, 1],
  [
    "a.ts",
    `const x: an${"y"} = 1;\nconst y = x as an${"y"};\nconst z: Array<an${"y"}> = [];\nlet u: an${"y"}[];`,
    4,
  ],
  ["a.ts", "// passwords: any characters, as any text\nconst many: number = anyone;", 0],
  ["test/support/a.ts", `// biome-ignore lint/suspicious/noExplicitAny: why\nx: an${"y"};`, 0],
  ["test/a.ts", `// biome-ignore lint/suspicious/noExplicitAny: why\nx: an${"y"};`, 1],
  ["a.ts", `// @ts-ig${"nore"}\nconst x = 1;`, 1],
];

for (const [path, text, lines] of cases) {
  test(`the check finds ${lines} forbidden lines in ${path} beginning with ${JSON.stringify(text.slice(0, 12))} (house rule: honesty)`, () => {
    assert.equal(forbiddenIn(path, text).length, lines, forbiddenIn(path, text).join("\n"));
  });
}

/** The forbidden lines of a file, with their positions; test/support may give a reason for an exception. */
function forbiddenIn(path: string, text: string): string[] {
  const patterns = FORBIDDEN.filter(({ codeOnly }) => !codeOnly || path.endsWith(".ts"));
  const lines = text.split("\n");
  return lines
    .map((line, index) => ({ line, index, before: lines[index - 1] ?? "" }))
    .filter(({ line }) => patterns.some(({ pattern }) => pattern.test(line)))
    .filter(({ before }) => !(path.startsWith("test/support/") && /noExplicitAny: \w+/.test(before)))
    .map(({ line, index }) => `${path}:${index + 1}: ${line.trim().slice(0, 120)}`);
}
