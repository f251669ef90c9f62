/** How the author of a commit of a push is shown: a name of any length, without mail addresses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommit } from "../../src/events/commit.ts";

const shown = (name: string) => readCommit({ id: "ab", title: "T", author_name: name })?.author_name;

test("a name is shown without the mail addresses in it, and otherwise unchanged (decision 0095)", () => {
  const names: [string, string | undefined][] = [
    ["Ann <ann@example.org>", "Ann"],
    ["Ann<ann@example.org>", "Ann"],
    ["ann@example.org", undefined],
    ["Ann (ann@example.org) Lee", "Ann  Lee"],
    ["Ann @ home", "Ann @ home"],
    ["@ann", "@ann"],
    ["ann@", "ann@"],
    ["Ann <the first>", "Ann <the first>"],
    ["A\0nn \ud800", "Ann \ufffd"],
  ];
  for (const [given, wanted] of names) assert.equal(shown(given), wanted, given);
});

test("a name of a megabyte is read in linear time: a regular expression that restarts at every character would take half an hour (decision 0095)", () => {
  assert.equal(shown("a".repeat(1 << 20)), "a".repeat(255));
  assert.equal(shown(`${"<".repeat(1 << 20)}a`), "<".repeat(255));
  assert.equal(shown("\u{1f680}".repeat(300)), "\u{1f680}".repeat(255));
});
