/** Every attack of the two lists has a test that cites it, or a reason in docs/security-tests.md why it does not apply. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { paths } from "../../scripts/imports.ts";
import { titlesIn } from "../../scripts/spec-coverage.ts";

const root = join(import.meta.dirname, "../..");
const PAGE = "docs/security-tests.md";
const ids = (letter: string, last: number) => Array.from({ length: last }, (_, n) => `${letter}${n + 1}`);
/** Listed in the chapter on the alert receiver, which `alert-attacks.test.ts` checks. */
const OF_THE_RECEIVER = [...ids("S", 106).slice(90), "S119"];
const ALL = [...ids("D", 89), ...ids("S", 139).filter((id) => !OF_THE_RECEIVER.includes(id))];

/** The attacks that a title cites in its last parentheses: `(reference oauth D1, D2, reliability S3; RFC 6749 §3)`. */
function citedBy(title: string): string[] {
  const cited = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(title)?.[1] ?? "";
  // The other references have their own numbering.
  const sources = cited.split(";").filter((part) => !/reference (?!oauth|reliability)/.test(part));
  return sources.flatMap((part) => part.match(/\b[DS][1-9]\d{0,2}\b/g) ?? []);
}

const titles = paths(join(root, "test"))
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => ({
    path: `test/${path}`,
    titles: titlesIn(readFileSync(join(root, "test", path), "utf8")),
  }));
const citing = (id: string) =>
  titles.filter((file) => file.titles.some((title) => citedBy(title).includes(id))).map(({ path }) => path);

/** `| D1, S3 | what | test or reason |` */
const rows = [
  ...readFileSync(join(root, PAGE), "utf8").matchAll(/^\| ([DS]\d+(?:, [DS]\d+)*) \| (.+?) \| (.+) \|$/gm),
].map(([, which = "", what = "", where = ""]) => ({ ids: which.split(", "), what, where }));
const saying = (words: string) =>
  rows.filter(({ where }) => where.startsWith(words)).flatMap((each) => each.ids);
const excused = new Set(saying("does not apply: "));

test("every attack has either a test that cites it or a reason why it does not apply (docs/security-tests.md)", () => {
  const open = ALL.filter((id) => !excused.has(id) && citing(id).length === 0);
  assert.deepEqual(open, []);
  const met = [...excused].filter((id) => citing(id).length > 0);
  assert.deepEqual(met, []);
});

test(`${PAGE} lists every attack once, with files whose tests cite it (docs/security-tests.md)`, () => {
  const named = rows.flatMap((each) => each.ids);
  assert.deepEqual(
    named.filter((id, at) => named.indexOf(id) !== at),
    [],
    "twice",
  );
  assert.deepEqual(
    ALL.filter((id) => !named.includes(id)),
    [],
    "missing",
  );
  for (const { ids: which, where } of rows) {
    if (/^does not apply: /.test(where)) continue;
    const files = [...where.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = ""]) => file);
    assert.ok(files.length > 0, `${which} has neither a file nor a reason`);
    for (const file of files) {
      assert.ok(existsSync(join(root, file)), file);
      for (const id of which) assert.ok(citing(id).includes(file), `${file} has no test that cites ${id}`);
    }
  }
});

test("citations are read from the last parentheses of a title, and those of other lists are ignored (CONTRIBUTING: Tests; docs/architecture.md, What is cited)", () => {
  const gap = "D";
  assert.deepEqual(citedBy(`refuses it (RFC 6749 §3; reference oauth ${gap}1, ${gap}2, reliability S3)`), [
    `${gap}1`,
    `${gap}2`,
    "S3",
  ]);
  assert.deepEqual(citedBy(`refuses it (${gap}16, D59)`), [`${gap}16`, "D59"]);
  assert.deepEqual(citedBy("counts it (reference alerts D3, D4; contract §4)"), []);
  assert.deepEqual(citedBy("no source, D3"), []);
});
