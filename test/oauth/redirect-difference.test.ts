/** The nearest registered redirect URI to one that does not match, and how it differs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestTo } from "../../src/oauth/redirect-difference.ts";

const KNOWN = "https://app.example/cb";

test("the nearest registered redirect URI is returned with every part that differs (reference oauth C2)", () => {
  for (const [sent, difference] of [
    ["http://app.example/cb", "scheme"],
    ["https://app.example/cb/", "a slash at the end"],
    ["https://app.example/CB", "path"],
    ["https://app.example:8443/cb", "port"],
    ["https://www.app.example/cb?x=1", "host and query"],
    ["http://me@www.app.example/cb#x", "scheme, user name, host and fragment"],
    ["https://APP.example:443/cb", "the way it is written"],
  ] as const) {
    assert.deepEqual(nearestTo(sent, ["https://other.example/far?y=2", KNOWN]), { uri: KNOWN, difference });
  }
});

test("without a valid URI or any registered one there is no nearest one (reference oauth C2)", () => {
  assert.equal(nearestTo("", [KNOWN]), undefined);
  assert.equal(nearestTo("app.example/cb", [KNOWN]), undefined);
  assert.equal(nearestTo(KNOWN, []), undefined);
});
