/** Slashes too many in the addresses that programs call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { originForm, plainAddress } from "../../src/platform/plain-address.ts";

test("doubled slashes count as one and one at the end as none, where programs call (decision 0123)", () => {
  for (const [given, read] of [
    ["//oauth//token/", "/oauth/token"],
    ["/oauth/token/?a=//b/", "/oauth/token?a=//b/"],
    ["///api//v4//projects/acme%2F%2Frocket/events/", "/api/v4/projects/acme%2F%2Frocket/events"],
    ["/.well-known/openid-configuration/", "/.well-known/openid-configuration"],
    ["/opsgenie//v2/alerts", "/opsgenie/v2/alerts"],
    [
      "//opsgenie/v2/alerts/a%2F%2Fb/close/?identifierType=alias",
      "/opsgenie/v2/alerts/a%2F%2Fb/close?identifierType=alias",
    ],
    ["//v2/enqueue", "/v2/enqueue"],
    ["//v2//change/enqueue/", "/v2/change/enqueue"],
    ["/v2/shop/", "/v2/shop/"],
    ["/acme/rocket//v2/enqueue", "/acme/rocket//v2/enqueue"],
  ] as const) {
    assert.equal(plainAddress(given), read);
  }
});

test("the person of the third version is the person of the fourth, and nothing else of it is anything (decision 0123)", () => {
  for (const [given, read] of [
    ["/api/v3/user", "/api/v4/user"],
    ["//api/v3/user/?access_token=a//b/", "/api/v4/user?access_token=a//b/"],
    ["/api/v3/users", "/api/v3/users"],
    ["/api/v3/user/keys", "/api/v3/user/keys"],
    ["/acme/api/v3/user", "/acme/api/v3/user"],
  ] as const) {
    assert.equal(plainAddress(given), read);
  }
});

test("the API may be told that JSON is meant, but a mail address keeps its end, and so does what lies elsewhere (decision 0123)", () => {
  for (const [given, read] of [
    ["/api/v4/user.json", "/api/v4/user"],
    ["/api/v4/users.json?search=a.json", "/api/v4/users?search=a.json"],
    ["/api/v4/projects/1/events.json/", "/api/v4/projects/1/events"],
    ["/api/v4/projects/acme%2Frocket.json", "/api/v4/projects/acme%2Frocket"],
    ["/api/v4/groups/7.json", "/api/v4/groups/7"],
    ["/api/v4/projects/1/invitations.json", "/api/v4/projects/1/invitations"],
  ] as const) {
    assert.equal(plainAddress(given), read);
  }
  for (const given of [
    "/api/v4/projects/1/invitations/dev@example.json",
    "/api/v4/projects/1/events/.json",
    "/oauth/token.json",
    "/acme/rocket/alerts/notify.json",
    "/acme/api/v4/user.json",
  ]) {
    assert.equal(plainAddress(given), given);
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

test("an address that is written whole is read as what stands below the host (RFC 9112 §3.2.2)", () => {
  for (const [given, read] of [
    ["http://gatehouse.example/api/v4/user?a=http://x/", "/api/v4/user?a=http://x/"],
    ["HTTPS://gatehouse.example:8443/acme/rocket/alerts/notify.json", "/acme/rocket/alerts/notify.json"],
    ["http://gatehouse.example", "/"],
    ["http://gatehouse.example?a=1", "/?a=1"],
    ["/api/v4/user", "/api/v4/user"],
    ["//evil.example/x", "//evil.example/x"],
    ["*", "*"],
  ] as const) {
    assert.equal(originForm(given), read, given);
  }
});
