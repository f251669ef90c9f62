/**
 * Every attack on the alert receiver has a test that cites it, or a reason in docs/security-tests.md why it does not apply.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { paths } from "../../scripts/imports.ts";
import { titlesIn } from "../../scripts/spec-coverage.ts";

const root = join(import.meta.dirname, "../..");
const ALL = [
  ...Array.from({ length: 35 }, (_, n) => `alerts D${n + 1}`),
  ...Array.from({ length: 16 }, (_, n) => `reliability S${n + 91}`),
  "reliability S119",
];
const titles = paths(join(root, "test"))
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => ({
    path: `test/${path}`,
    titles: titlesIn(readFileSync(join(root, "test", path), "utf8")),
  }));
const page = readFileSync(join(root, "docs/security-tests.md"), "utf8");
const chapter = page.split(/^## /m).find((each) => each.startsWith("Alert receiver")) ?? "";
/** `| alerts D1, reliability S91 | attack | files or reason |` */
const rows = [...chapter.matchAll(/^\| ((?:alerts D|reliability S)\d[^|]*) \| [^|]+ \| (.+) \|$/gm)].map(
  ([, which = "", where = ""]) => ({ ids: which.split(", "), where }),
);

/** The files with a title that cites the attack: `(reference alerts D3, D4; reference reliability S92)`. */
function citing(id: string): string[] {
  const [list, number] = id.split(" ");
  const cites = (title: string) =>
    [...title.matchAll(/reference (alerts|reliability) ([^;)]*)/g)].some(
      ([, named, ids = ""]) => named === list && ids.split(/[, ]+/).includes(number ?? ""),
    );
  return titles.filter((file) => file.titles.some(cites)).map(({ path }) => path);
}

test("every attack is on the page once, with the files that cite it or a reason why it does not apply (docs/security-tests.md)", () => {
  const named = rows.flatMap((each) => each.ids);
  assert.deepEqual([...named].sort(), [...ALL].sort());
  for (const { ids, where } of rows) {
    if (where.startsWith("does not apply: ")) {
      // A reason may be outdated.
      for (const id of ids) assert.deepEqual(citing(id), [], `${id} is listed as not applicable`);
      continue;
    }
    const files = [...where.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = ""]) => file);
    assert.ok(files.length > 0, ids.join());
    for (const id of ids) {
      const found = citing(id);
      assert.ok(
        files.some((file) => found.includes(file)),
        `${id} is cited by ${found.join(", ") || "nothing"}`,
      );
    }
  }
});
