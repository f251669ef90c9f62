/** Value tables for a tool's words: what they translate, their text form, and what is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tableOf, tableText, translated, valueTablesFault } from "../../src/alerts/value-tables.ts";

const TABLES = { severity: { P1: "critical", "*": "low" }, service: { "1": "yard" } };

test("words are matched in any case, and * stands for all others except our own severities (decision 0101)", () => {
  assert.equal(translated(TABLES, "severity", " p1 "), "critical");
  assert.equal(translated(TABLES, "severity", "fine"), "low");
  assert.equal(translated(TABLES, "severity", "Medium"), "Medium");
  assert.equal(translated(TABLES, "service", 1), "yard");
  assert.equal(translated(TABLES, "service", "two"), "two");
  assert.equal(translated({ service: { "*": "yard" } }, "service", "high"), "yard");
});

test("values that are not text, and fields without a table, stay unchanged (decision 0101)", () => {
  assert.deepEqual(translated(TABLES, "severity", ["p1"]), ["p1"]);
  assert.equal(translated(TABLES, "severity", undefined), undefined);
  assert.equal(translated({ service: { "*": "yard" } }, "service", null), null);
  assert.equal(translated(TABLES, "constructor", "x"), "x");
  assert.equal(translated(null, "severity", "p1"), "p1");
});

test("a table is written with one word per line, and reads back the same (decision 0101)", () => {
  assert.deepEqual(tableOf(tableText({ p1: "critical", "a = b": "low" })), {
    p1: "critical",
    "a = b": "low",
  });
  assert.deepEqual(tableOf(" \n"), {});
  assert.equal(tableOf("p1 critical"), undefined);
});

test("unknown fields, blank or too long words, too many words and invalid severities are refused (decision 0101)", () => {
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
