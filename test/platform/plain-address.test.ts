/** Slashes too many in the addresses that programs call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainAddress } from "../../src/platform/plain-address.ts";

test("doubled slashes count as one and one at the end as none, where programs call (decision 0123)", () => {
  for (const [given, read] of [
    ["//oauth//token/", "/oauth/token"],
    ["/oauth/token/?a=//b/", "/oauth/token?a=//b/"],
    ["///api//v4//projects/acme%2F%2Frocket/events/", "/api/v4/projects/acme%2F%2Frocket/events"],
    ["/.well-known/openid-configuration/", "/.well-known/openid-configuration"],
  ] as const) {
    assert.equal(plainAddress(given), read);
  }
});

test("what is plain, and the addresses of pages and alert doors, stay as they are (decision 0007)", () => {
  for (const given of [
    "/oauth/token?a=//",
    "/acme/rocket/alerts/notify/",
    "//evil.example/oauth/token",
    "/acme//oauth/token/",
    "/oauthly/x/",
    "/",
    "//",
  ]) {
    assert.equal(plainAddress(given), given);
  }
});
