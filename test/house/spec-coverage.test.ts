/** Every clause of the specification has a test that cites it, or is on a list that only shrinks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { citedBy, clausesIn, coverage, titlesIn } from "../../scripts/spec-coverage.ts";

const found = coverage(join(import.meta.dirname, "../.."));
const SHRINK = "run: sh bin/node scripts/spec-coverage.ts --shrink";

test("every clause has a test that cites it, or is listed in docs/spec/later.md (house §2.10; docs/spec/clauses.md)", () => {
  assert.deepEqual(
    found.uncovered.filter((id) => !found.later.includes(id)),
    [],
  );
});

test("every citation in a title names a clause of docs/spec/clauses.md (docs/architecture.md, What is cited)", () => {
  assert.deepEqual(found.unknown, []);
});

test("docs/spec/later.md holds only clauses without a test (its own first lines)", () => {
  assert.deepEqual(found.stale, [], SHRINK);
});

test("docs/spec/later.md does not grow beyond its maximum (its own first lines)", () => {
  assert.ok(found.later.length <= found.maximum, `${found.later.length} clauses, at most ${found.maximum}`);
});

test("the list of clauses says which have an answer in the specification (docs/spec/clauses.md)", () => {
  const clauses = clausesIn("# A\n- `Limits 1`: one\n- `Limits 4` (not shown): rates\ntext\n");
  assert.deepEqual(
    [...clauses],
    [
      ["Limits 1", true],
      ["Limits 4", false],
    ],
  );
});

test("a list that gives one id to two clauses is refused (docs/spec/clauses.md)", () => {
  assert.throws(() => clausesIn("- `Limits 1`: one\n- `Limits 1`: two\n"), /Limits 1 twice/);
});

test("citations are found in titles of tests, of suites and in case tables, but not in comments (docs/spec/clauses.md)", () => {
  // The calls are assembled here, so that this file cites nothing itself.
  const call = (name: string, title: string) => `${name}(${title}, () => {});\n`;
  const gap = ["$", "{n}"].join("");
  const text = [
    call("test", '"says \\"no\\" (a)"'),
    call("await t.test", `\`counts ${gap} (b)\``),
    call("describe", "'Olga (c)'"),
    'const cases = [{ title: "one (d)", other: "x" }];\n',
    "// about (e)\n",
    call("contest", '"(f)"'),
  ].join("");
  assert.deepEqual(titlesIn(text), ['says \\"no\\" (a)', `counts ${gap} (b)`, "Olga (c)", "one (d)"]);
});

test("one title may have several citations, with numbers of one chapter separated by commas (docs/spec/clauses.md)", () => {
  const of = (ids: string) => citedBy(`does it (RFC 6749 §5; ${ids}; decision 0001)`);
  assert.deepEqual(of("spec: Errors 2"), ["Errors 2"]);
  assert.deepEqual(of("spec: Events 3, 4; spec: GET /users/:id/events id"), [
    "Events 3",
    "Events 4",
    "GET /users/:id/events id",
  ]);
  assert.deepEqual(citedBy("does it (RFC 6749 §5)"), []);
});
