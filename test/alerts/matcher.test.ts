/** What the conditions of a silence match, and how much text they search. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fits, type Matcher, matchersFault } from "../../src/alerts/matcher.ts";
import { newBudget } from "../../src/alerts/silence.ts";

const subject = (text: string) => ({
  ...{ title: "Disk is FULL", service: null, severity: "low", environment: null, hosts: [] },
  ...{ integrationId: 1, integrationName: "Test", payload: { text } },
});
const inText = (value: string): Matcher => ({ field: "payload", path: "text", operator: "contains", value });

test("contains ignores case, and searches a whole megabyte (decision 0096)", () => {
  const full: Matcher = { field: "title", operator: "contains", value: "full" };
  assert.ok(fits([full, inText("END")], subject(`${"x".repeat(1_000_000)} the end`), newBudget()));
  assert.ok(!fits([full, inText("END")], subject("x".repeat(1_000_000)), newBudget()));
});

test("a missing field counts as empty text, missing hosts as well (decision 0096)", () => {
  for (const field of ["host", "service", "environment"] as const) {
    assert.ok(fits([{ field, operator: "equals", value: "" }], subject(""), newBudget()), field);
    assert.ok(!fits([{ field, operator: "not_equals", value: "" }], subject(""), newBudget()), field);
  }
});

test("an empty list of conditions matches no alert, and several conditions must all match (decision 0096)", () => {
  const full: Matcher = { field: "title", operator: "contains", value: "full" };
  const low: Matcher = { field: "severity", operator: "equals", value: "low" };
  const high: Matcher = { ...low, value: "high" };
  assert.deepEqual(
    [[], [full], [full, low], [full, high]].map((all) => fits(all, subject(""), newBudget())),
    [false, true, true, false],
  );
});

test("the budgets of several projects in one transaction are together no larger than that of one (decision 0096)", () => {
  for (const projects of [2, 3, 128]) assert.ok(newBudget(projects).left * projects <= newBudget().left);
});

test("a transaction searches a limited amount of text, whatever the conditions are (decision 0096)", () => {
  const budget = newBudget();
  const large = subject(`${"x".repeat(1_000_000)} the end`);
  let found = 0;
  for (let alert = 0; alert < 1000; alert++) if (fits([inText("end")], large, budget)) found++;
  assert.ok(found > 100 && found < 400, `${found} alerts of a megabyte`);
});

test("of several hosts or list elements one has to match, and an integration matches by id or by name (decision 0096)", () => {
  const many = { ...subject(""), hosts: ["db-1", "web-1"], payload: { on: ["cpu", 7, true, null, {}] } };
  const on = { field: "payload", path: "on" } as const;
  const covers: [Matcher, boolean][] = [
    [{ field: "host", operator: "equals", value: "web-1" }, true],
    [{ field: "host", operator: "equals", value: "" }, false],
    [{ field: "host", operator: "contains", value: "WEB" }, true],
    [{ field: "host", operator: "matches", value: "^db" }, true],
    [{ field: "host", operator: "not_equals", value: "web-1" }, false],
    [{ ...on, operator: "equals", value: "7" }, true],
    [{ ...on, operator: "equals", value: "true" }, true],
    [{ ...on, operator: "contains", value: "object" }, false],
    [{ ...on, operator: "contains", value: "null" }, false],
    [{ ...on, path: "off", operator: "equals", value: "" }, true],
    [{ field: "integration", operator: "equals", value: "1" }, true],
    [{ field: "integration", operator: "equals", value: "Test" }, true],
    [{ field: "integration", operator: "equals", value: "2" }, false],
  ];
  for (const [matcher, isCovered] of covers) {
    assert.equal(fits([matcher], many, newBudget()), isCovered, JSON.stringify(matcher));
  }
});

test("up to ten conditions are accepted, and those without a path or value, or with an invalid pattern, are refused (decision 0096)", () => {
  const title: Matcher = { field: "title", operator: "equals", value: "" };
  const payload: Matcher = { ...title, field: "payload" };
  assert.equal(matchersFault(Array(10).fill(title)), undefined);
  assert.equal(matchersFault([{ ...payload, path: "labels.host" }]), undefined);
  assert.equal(matchersFault([{ ...title, value: "(" }]), undefined);
  const refused: [Matcher[], RegExp][] = [
    [[], /at least one/],
    [Array(11).fill(title), /too many/],
    [[{ ...title, value: "x".repeat(501) }], /too long/],
    [[payload], /need a path/],
    [[{ ...payload, path: "a..b" }], /need a path/],
    [[{ ...title, operator: "contains" }], /need a value for contains/],
    [[{ ...title, operator: "matches" }], /need a value for matches/],
    [[title, { ...title, operator: "matches", value: "(" }], /regular expression/],
  ];
  for (const [matchers, fault] of refused) assert.match(matchersFault(matchers) ?? "", fault);
});
