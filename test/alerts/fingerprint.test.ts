import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  canonicalJson,
  givenFingerprint,
  labelFingerprint,
  payloadFingerprint,
  pickedFingerprint,
} from "../../src/alerts/fingerprint.ts";

const hashOf = (payload: Record<string, unknown>) => payloadFingerprint(payload).hash.toString("hex");
const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, shuffled(item)]),
  );
};

test("the order of members, the times and the hosts do not change the fingerprint of a payload (reference alerts D30; reference reliability S102; spec: States 3)", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (payload, other) => {
      const { start_time, end_time, hosts, ...rest } = payload;
      const moved = { hosts: other, ...(shuffled(rest) as object), start_time: other, end_time: other };
      assert.equal(hashOf(moved), hashOf(payload));
    }),
    { numRuns: 300 },
  );
});

test("every other difference between payloads gives another fingerprint (spec: States 3)", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (a, b) => {
        const strip = ({ start_time, end_time, hosts, ...rest }: Record<string, unknown>) =>
          canonicalJson(rest);
        assert.equal(hashOf(a) === hashOf(b), strip(a) === strip(b));
      },
    ),
    { numRuns: 300 },
  );
});

test("canonical JSON sorts keys by code units and writes numbers as RFC 8785 requires (RFC 8785 §3.2.3)", () => {
  const value = {
    "\u20ac": 1,
    "\r": 2,
    "\ufb33": 3,
    "1": 4,
    "\ud83d\ude00": 5,
    "\u0080": 6,
    ö: 1e21,
    n: 4.5,
  };
  assert.deepEqual(
    Object.keys(JSON.parse(canonicalJson(value))).filter((key) => key !== "1"),
    ["\r", "n", "\u0080", "ö", "\u20ac", "\ud83d\ude00", "\ufb33"],
  );
  assert.equal(canonicalJson([1e21, 4.5, -0, 1e-7]), "[1e+21,4.5,0,1e-7]");
});

test("fingerprints of senders, of tools, of labels and of payloads never collide (reference reliability S101)", () => {
  const labels = { job: "db" };
  const given = givenFingerprint("db")?.hash;
  for (const [a, b] of [
    [given, labelFingerprint("2:db", labels).hash],
    [labelFingerprint(undefined, labels).hash, labelFingerprint(canonicalJson(labels), labels).hash],
    [labelFingerprint(undefined, labels).hash, payloadFingerprint(labels).hash],
  ]) {
    assert.notEqual(a?.toString("hex"), b?.toString("hex"));
  }
});

test("a fingerprint given as a list differs from its parts joined, and an empty one counts as none (reference reliability S101)", () => {
  const hash = (value: unknown) => givenFingerprint(value)?.hash.toString("hex");
  const all = [
    ["a", "b1"],
    ["ab", "1"],
    "a,b",
    ["a", "b"],
    "ab1",
    ["é"],
    ["e\u0301"],
    "x".repeat(300),
    5,
    { a: 1 },
  ];
  assert.equal(new Set(all.map(hash)).size, all.length);
  assert.equal(hash([["a"], "b1"]), hash(["a", "b1"]));
  for (const none of [undefined, null, "", "  \n", [], [null, ["", " "]]])
    assert.equal(givenFingerprint(none), undefined);
});

test("an empty fingerprint from a tool counts as none, and the labels identify the alert (reference alerts D30)", () => {
  const hash = (own: unknown, job: string) => labelFingerprint(own, { job }).hash.toString("hex");
  assert.equal(hash("", "db"), hash(undefined, "db"));
  assert.notEqual(hash("", "db"), hash("", "web"));
});

test("the paths of a grouping rule together give a fingerprint if at least one of them has a value (decision 0039)", () => {
  const picked = (host: unknown, check: unknown) =>
    pickedFingerprint([
      ["host", host],
      ["check", check],
    ]);
  assert.equal(picked(undefined, " "), undefined);
  assert.equal(picked("db-1", undefined)?.shown, "db-1");
  assert.equal(picked("db-1", 7)?.shown, "db-1 / 7");
  assert.notDeepEqual(picked("a", undefined)?.hash, picked(undefined, "a")?.hash);
});

test("a given fingerprint is displayed as sent, up to 255 characters, and its hash covers all of it (reference alerts D20)", () => {
  const long = "x".repeat(1_000_000);
  assert.equal(givenFingerprint(long)?.shown?.length, 255);
  assert.equal(givenFingerprint("x".repeat(255))?.shown, "x".repeat(255));
  assert.equal(givenFingerprint(["db-1", 7])?.shown, "db-1 / 7");
  assert.notDeepEqual(givenFingerprint(long)?.hash, givenFingerprint(`${long}y`)?.hash);
});
