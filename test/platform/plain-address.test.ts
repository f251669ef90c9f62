/** Superfluous slashes and other variants in URLs of programs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { originForm, plainAddress } from "../../src/platform/plain-address.ts";

test("double slashes count as one and a trailing one as none, on paths for programs (decision 0123)", () => {
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

test("/api/v3/user is treated as /api/v4/user, and no other path of v3 is (decision 0123)", () => {
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

test("an API path may end in .json, except after a mail address; other paths are not changed (decision 0123)", () => {
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

test("normal URLs, pages and alert endpoints are not changed (decision 0007)", () => {
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

test("the absolute form of a request target is reduced to its path and query (RFC 9112 §3.2.2)", () => {
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
