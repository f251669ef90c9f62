/** The limits of the JSON in one request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedJson, MAX_VALUES } from "../../src/platform/bounded-json.ts";
import { parseJson } from "../../src/platform/http.ts";
import { refused } from "../support/refused-unparsed.ts";

test("a body with more than a million values is refused before it is parsed (decisions 0187, 0301)", (context) => {
  for (const value of ["[],", "{},", "0,", '{"a":1},']) {
    const body = Buffer.from(`[${value.repeat(MAX_VALUES)}0]`);
    assert.deepEqual(
      refused(context, () => parseJson(body)),
      { kind: "too_large", message: "More than 1,048,576 values in one request.", parsed: 0 },
    );
  }
  const most = parseJson(Buffer.from(`[${"0,".repeat(MAX_VALUES - 2)}0]`));
  assert.ok(Array.isArray(most) && most.length === MAX_VALUES - 1);
});

test("the texts of one request have the limit together (decision 0301)", (context) => {
  const parse = boundedJson();
  const half = `[${"0,".repeat(MAX_VALUES / 2)}0]`;
  assert.ok(Array.isArray(parse(half)));
  assert.deepEqual(
    refused(context, () => parse(half, "The line")),
    { kind: "too_large", message: "More than 1,048,576 values in one request.", parsed: 0 },
  );
  assert.deepEqual(parse("[1]"), [1], "what still fits");
});

test("JSON of more than 100 levels is refused before it is parsed, however deep it is (reference alerts D11, reliability E)", (context) => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  assert.ok(Array.isArray(boundedJson()(nested(100))));
  for (const levels of [101, 100_000]) {
    assert.deepEqual(
      refused(context, () => boundedJson()(nested(levels), "The line")),
      { kind: "invalid", message: "The line is nested too deeply", parsed: 0 },
    );
  }
  assert.equal(refused(context, () => boundedJson()("{")).message, "The body is not valid JSON");
});
