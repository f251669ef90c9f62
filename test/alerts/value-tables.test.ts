/** Tables of a tool's words: what they translate, how they are written, and what is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tableOf, tableText, translated, valueTablesFault } from "../../src/alerts/value-tables.ts";

const TABLES = { severity: { P1: "critical", "*": "low" }, service: { "1": "yard" } };

test("words are found whatever their case, and * stands for all others but our own severities (decision 0101)", () => {
  assert.equal(translated(TABLES, "severity", " p1 "), "critical");
  assert.equal(translated(TABLES, "severity", "fine"), "low");
  assert.equal(translated(TABLES, "severity", "Medium"), "Medium");
  assert.equal(translated(TABLES, "service", 1), "yard");
  assert.equal(translated(TABLES, "service", "two"), "two");
  assert.equal(translated({ service: { "*": "yard" } }, "service", "high"), "yard");
});

test("what is no word, and what has no table, stays as it is (decision 0101)", () => {
  assert.deepEqual(translated(TABLES, "severity", ["p1"]), ["p1"]);
  assert.equal(translated(TABLES, "severity", undefined), undefined);
  assert.equal(translated({ service: { "*": "yard" } }, "service", null), null);
  assert.equal(translated(TABLES, "constructor", "x"), "x");
  assert.equal(translated(null, "severity", "p1"), "p1");
});

test("a table is written a line a word and read back the same (decision 0101)", () => {
  assert.deepEqual(tableOf(tableText({ p1: "critical", "a = b": "low" })), {
    p1: "critical",
    "a = b": "low",
  });
  assert.deepEqual(tableOf(" \n"), {});
  assert.equal(tableOf("p1 critical"), undefined);
});

test("tables of unknown fields, blank or endless words, too many of them and meanings that are no severity are refused (decision 0101)", () => {
  assert.equal(valueTablesFault(TABLES), undefined);
  assert.match(valueTablesFault({ hosts: { a: "b" } }) ?? "", /has an unknown field/);
  assert.match(valueTablesFault({ severity: { " ": "low" } }) ?? "", /blank/);
  assert.match(valueTablesFault({ service: { a: "yard", b: " " } }) ?? "", /blank/);
  const long = "x".repeat(256);
  assert.match(valueTablesFault({ service: { a: "yard", [long]: "b" } }) ?? "", /too long/);
  assert.match(valueTablesFault({ service: { a: "yard", b: long } }) ?? "", /too long/);
  assert.match(valueTablesFault({ severity: { a: "low", b: "urgent" } }) ?? "", /none of critical/);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`w${i}`, "low"]));
  assert.match(valueTablesFault({ severity: many }) ?? "", /too many/);
});
