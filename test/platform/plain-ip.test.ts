/** Client addresses as proxies report them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainIp } from "../../src/platform/plain-ip.ts";

test("an IP address is read with or without a port, and anything else is undefined (operations: Behind a proxy)", () => {
  for (const [told, address] of [
    ["203.0.113.9", "203.0.113.9"],
    ["203.0.113.9:40000", "203.0.113.9"],
    ["2001:db8::1", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["[2001:db8::1]:40000", "2001:db8::1"],
    ["::ffff:203.0.113.9", "::ffff:203.0.113.9"],
    ["unknown", undefined],
    ["_hidden", undefined],
    ["203.0.113.999", undefined],
    ["203.0.113.9:4:5", undefined],
    ["203.0.113.9:400000", undefined],
    ["", undefined],
    ["<script>", undefined],
  ] as const) {
    assert.equal(plainIp(told), address, told);
  }
});
