/** The titles of tests: sentences that end with the source of their rule. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { paths } from "../../scripts/imports.ts";

const TESTS = join(import.meta.dirname, "..");

/** Returns the titles of `test` and `it` without a source; one that is a case of a table alone has that of the case. */
function withoutSource(text: string): string[] {
  const pattern =
    /(?:^|[^\w.])(?:\w\.)?(?:test|it)\(\s*(?<quote>["'`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g;
  return [...text.matchAll(pattern)]
    .map(({ groups }) => groups?.title ?? "")
    .filter((title) => !/\S \([^()]*(?:\([^()]*\)[^()]*)*\)$|: \$\{\w+\}$/.test(title));
}

test("every title of a test ends with the source of its rule in parentheses (house §2.10; CONTRIBUTING: Tests)", () => {
  const files = paths(TESTS).filter((path) => path.endsWith(".test.ts"));
  const found = files.flatMap((path) =>
    withoutSource(readFileSync(join(TESTS, path), "utf8")).map((title) => `test/${path}: ${title}`),
  );
  assert.ok(files.length > 400, "all tests are read");
  assert.deepEqual(found, []);
});

test("titles without a source are found, in every form of a test (house §2.10)", () => {
  const call = (name: string, title: string) => `${name}(${title}, () => {});\n`;
  const cited = '"Stan sees nothing (decision 0001; RFC 6749 §5 (b))"';
  for (const name of ["test", "it", "  await t.test", "const made = test"]) {
    assert.deepEqual(withoutSource(call(name, cited)), [], name);
    assert.deepEqual(withoutSource(call(name, '"Stan sees nothing"')), ["Stan sees nothing"], name);
  }
  assert.deepEqual(withoutSource(call("test", '"(decision 0001)"')), ["(decision 0001)"]);
  assert.deepEqual(withoutSource(call("it", "\n    `refuses it`")), ["refuses it"]);
  assert.deepEqual(withoutSource(call("it", ["`refuses: $", "{cited}`"].join(""))), []);
  assert.deepEqual(withoutSource(call("describe", '"lists"') + call("attest", '"lists"')), []);
});
