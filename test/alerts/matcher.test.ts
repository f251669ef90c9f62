/** What the conditions of a silence look at, and how much of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fits, type Matcher } from "../../src/alerts/matcher.ts";
import { newBudget } from "../../src/alerts/silence.ts";

const subject = (text: string) => ({
  ...{ title: "Disk is FULL", service: null, severity: "low", environment: null, hosts: [] },
  ...{ integrationId: 1, integrationName: "Test", payload: { text } },
});
const inText = (value: string): Matcher => ({ field: "payload", path: "text", operator: "contains", value });

test("contains does not care for case, and a whole megabyte is looked at (decision 0096)", () => {
  const full: Matcher = { field: "title", operator: "contains", value: "full" };
  assert.ok(fits([full, inText("END")], subject(`${"x".repeat(1_000_000)} the end`), newBudget()));
  assert.ok(!fits([full, inText("END")], subject("x".repeat(1_000_000)), newBudget()));
});

test("what an alert does not have counts as empty text, its hosts too (decision 0096)", () => {
  for (const field of ["host", "service", "environment"] as const) {
    assert.ok(fits([{ field, operator: "equals", value: "" }], subject(""), newBudget()), field);
    assert.ok(!fits([{ field, operator: "not_equals", value: "" }], subject(""), newBudget()), field);
  }
});

test("no condition covers no alert, and several hold together (decision 0096)", () => {
  const full: Matcher = { field: "title", operator: "contains", value: "full" };
  const low: Matcher = { field: "severity", operator: "equals", value: "low" };
  const high: Matcher = { ...low, value: "high" };
  assert.deepEqual(
    [[], [full], [full, low], [full, high]].map((all) => fits(all, subject(""), newBudget())),
    [false, true, true, false],
  );
});

test("several projects of a transaction look at no more together than one alone (decision 0096)", () => {
  for (const projects of [2, 3, 128]) assert.ok(newBudget(projects).left * projects <= newBudget().left);
});

test("a transaction looks through so much text and no more, whatever the conditions are (decision 0096)", () => {
  const budget = newBudget();
  const large = subject(`${"x".repeat(1_000_000)} the end`);
  let found = 0;
  for (let alert = 0; alert < 1000; alert++) if (fits([inText("end")], large, budget)) found++;
  assert.ok(found > 100 && found < 400, `${found} alerts of a megabyte`);
});
