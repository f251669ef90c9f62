/** Shows that a text is refused before it is parsed. */
import assert from "node:assert/strict";
import type { test } from "node:test";
import { Problem } from "../../src/platform/problem.ts";

/** How a body is refused, and how often JSON.parse was called. */
export function refused(context: { mock: typeof test.mock }, read: () => unknown) {
  const parse = context.mock.method(JSON, "parse");
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return { kind: error.kind, message: error.message, parsed: parse.mock.callCount() };
  } finally {
    parse.mock.restore();
  }
  return assert.fail("It was read.");
}
