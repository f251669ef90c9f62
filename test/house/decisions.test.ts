/** Format of the decision records. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decisionFiles } from "../../scripts/captions.ts";
import { paths } from "../../scripts/imports.ts";

const root = join(import.meta.dirname, "../..");
const PARTS = ["Status", "Question", "Decision", "Because", "Price"];
const MAX_LINES = 60;

const records = decisionFiles(root).map((name) => ({
  name,
  text: readFileSync(join(root, "docs/decisions", name), "utf8"),
}));

test("every decision record has its five parts in order, and at most 60 lines (docs/decisions/README.md)", () => {
  for (const { name, text } of records) {
    const parts = [...text.matchAll(/^(?:\*\*|## )(Status|Question|Decision|Because|Price)\b/gm)].map(
      (part) => part[1],
    );
    assert.deepEqual(parts, PARTS, name);
    assert.ok(text.split("\n").length <= MAX_LINES, `${name} is longer than ${MAX_LINES} lines`);
  }
});

test("decision records have unique numbers, and each heading begins with its number (docs/decisions/README.md, Template)", () => {
  const numbers = records.map(({ name }) => name.slice(0, 4));
  assert.deepEqual(numbers, [...new Set(numbers)]);
  for (const { name, text } of records) assert.match(text, new RegExp(`^# ${name.slice(0, 4)} \\S`), name);
});

test("every decision that a file cites exists (docs/architecture.md, What is cited)", () => {
  const known = new Set(records.map(({ name }) => name.slice(0, 4)));
  const missing = ["src", "test", "docs", "scripts", "migrations"].flatMap((folder) =>
    paths(join(root, folder)).flatMap((path) => {
      const text = readFileSync(join(root, folder, path), "utf8");
      const cited = [...text.matchAll(/\bdecision (\d{4})\b/g)].map(([, number = ""]) => number);
      return cited.filter((number) => !known.has(number)).map((number) => `${folder}/${path}: ${number}`);
    }),
  );
  assert.deepEqual(missing, []);
});
