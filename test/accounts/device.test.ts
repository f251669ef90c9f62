/** The names shown for browsers and programs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceWords } from "../../src/accounts/device.ts";

const SAFARI =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";

test("a browser is named by its own name and system, whatever other names its User-Agent contains (decision 0044)", () => {
  assert.equal(deviceWords(SAFARI), "Safari on macOS");
  assert.equal(deviceWords(`${SAFARI} Edg/1`), "Edge on macOS");
  assert.equal(deviceWords("curl/8.5.0"), "curl");
  assert.equal(deviceWords(""), "Unknown program");
});

test("only the beginning of a very long User-Agent is read, which keeps matching fast (decisions 0044, 0159; reference reliability S120)", () => {
  for (const digit of ["1", "."]) {
    assert.equal(deviceWords(`Version/${digit.repeat(1_000_000)}`), "Unknown program");
  }
  assert.equal(deviceWords(`${SAFARI}${" ".repeat(400)}Edg/1`), "Safari on macOS");
});
