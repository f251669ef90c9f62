/** Every fault of the catalogue has a test that cites it, or docs/security-tests.md says how it is tried or why it is not. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { paths } from "../../scripts/imports.ts";
import { titlesIn } from "../../scripts/spec-coverage.ts";

const root = join(import.meta.dirname, "../..");
const FAULTS = 45;
const page = readFileSync(join(root, "docs/security-tests.md"), "utf8");
const chapter = page.split(/^## /m).find((each) => each.startsWith("Faults")) ?? "";
/** `| F1 | fault | files or reason |` */
const rows = [...chapter.matchAll(/^\| (F\d+) \| (.+?) \| (.+) \|$/gm)].map(
  ([, id = "", what = "", where = ""]) => ({ id, what, where }),
);

/** The files with a title that cites the fault: `(decision 0145; reference reliability F31)`. */
const cited = new Map<string, string[]>();
for (const path of paths(join(root, "test")).filter((each) => each.endsWith(".test.ts"))) {
  for (const title of titlesIn(readFileSync(join(root, "test", path), "utf8"))) {
    for (const [, ids = ""] of title.matchAll(/reliability ([^;()]*)/g)) {
      for (const [id] of ids.matchAll(/\bF\d+\b/g)) {
        cited.set(id, [...(cited.get(id) ?? []), `test/${path}`]);
      }
    }
  }
}

test("every fault is on the page once: with the files that cite it, by hand, or with a reason (docs/security-tests.md)", () => {
  assert.deepEqual(
    rows.map(({ id }) => id),
    Array.from({ length: FAULTS }, (_, n) => `F${n + 1}`),
  );
  for (const { id, where } of rows) {
    if (/^(?:by hand$|not run: |does not apply: )/.test(where)) {
      // What is said not to be tested may have got a test.
      assert.equal(cited.get(id), undefined, `${id} is cited`);
      continue;
    }
    const files = [...where.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = ""]) => file);
    assert.ok(files.length > 0, `${id} has neither a file nor a reason`);
    for (const file of files)
      assert.ok(cited.get(id)?.includes(file), `${file} has no title that cites ${id}`);
  }
});

test("what is tried by hand is in the program that makes these faults (docs/security-tests.md)", () => {
  const byHand = rows.filter(({ what, where }) => /by hand/.test(what) || where === "by hand");
  const program = "bench/faults.ts";
  assert.ok(existsSync(join(root, program)));
  const text = readFileSync(join(root, program), "utf8");
  for (const { id } of byHand) assert.match(text, new RegExp(`reliability [^)]*\\b${id}\\b`), id);
});
