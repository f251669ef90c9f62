/** Reading rules of an integration: paths, fallbacks, and which parts of payloads are compared. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparedPart, fieldOf, mappingFault, pathsFault, valueAt } from "../../src/alerts/reading-rules.ts";

const payload = {
  title: "own",
  check: { name: "disk", "free.bytes": 3, tags: ["a", "b"], none: null, empty: "" },
};

test("a path is dotted or a JSON Pointer, and can index lists (decision 0039; RFC 6901)", () => {
  const found = ["check.name", "/check/free.bytes", "check.tags.1", "check.tags.7", "check.name.x"].map(
    (path) => valueAt(payload, path),
  );
  assert.deepEqual(found, ["disk", 3, "b", undefined, undefined]);
});

test("a path does not reach prototypes or lengths (reference alerts D12)", () => {
  for (const path of ["constructor", "__proto__.polluted", "check.tags.length", "check.name.length"]) {
    assert.equal(valueAt(payload, path), undefined, path);
  }
});

test("the first mapped path with a value is used, and the field's own name otherwise (decision 0039)", () => {
  const mapping = { title: ["check.none", "check.empty", "check.name"], service: ["nowhere"] };
  assert.equal(fieldOf(payload, mapping, "title"), "disk");
  assert.equal(fieldOf({ ...payload, service: "s" }, mapping, "service"), "s");
  assert.equal(fieldOf(payload, { title: ["nowhere"] }, "title"), "own");
  assert.equal(fieldOf(payload, null, "hosts"), undefined);
});

test("payloads are compared without ignored members and without mapped times and hosts (decision 0039)", () => {
  const rules = { ignore: ["check.name", "check.tags.0"], mapping: { hosts: ["/check/free.bytes"] } };
  assert.deepEqual(comparedPart(payload, rules), {
    title: "own",
    check: { tags: ["b"], none: null, empty: "" },
  });
  assert.deepEqual(payload.check.tags, ["a", "b"]);
});

test("unknown fields and invalid paths are refused (decision 0039)", () => {
  assert.match(mappingFault({ colour: ["a"] }) ?? "", /colour/);
  for (const path of ["", " ", "a..b", "x".repeat(256), "a.".repeat(30)]) assert.ok(pathsFault([path]), path);
  assert.equal(pathsFault(["a", "/b/c.d"]), undefined);
});
