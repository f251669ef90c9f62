/** Browsers and programs in words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceWords } from "../../src/accounts/device.ts";

const SAFARI =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";

test("a browser is told by its own name and its system, whoever else it calls itself (decision 0044)", () => {
  assert.equal(deviceWords(SAFARI), "Safari on macOS");
  assert.equal(deviceWords(`${SAFARI} Edg/1`), "Edge on macOS");
  assert.equal(deviceWords("curl/8.5.0"), "curl");
  assert.equal(deviceWords(""), "Unknown program");
});

test("a line as long as headers may be is read as far as browsers write, so that no version of a million digits is tried at each of them (decisions 0044, 0159; reference reliability S120)", () => {
  for (const digit of ["1", "."]) {
    assert.equal(deviceWords(`Version/${digit.repeat(1_000_000)}`), "Unknown program");
  }
  assert.equal(deviceWords(`${SAFARI}${" ".repeat(400)}Edg/1`), "Safari on macOS");
});
