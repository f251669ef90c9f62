/** Parsing of the scope parameter. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultScopes, readScope } from "../../src/oauth/requested-scope.ts";

test("scopes are separated by single spaces, in any order, and duplicates are dropped (RFC 6749 §3.3; spec: GET /oauth/authorize scope)", () => {
  assert.deepEqual(readScope("read_user api"), ["read_user", "api"]);
  assert.deepEqual(readScope("api api"), ["api"]);
});

test("commas can separate scopes instead of spaces, because passport-gitlab2 sends them (reference oauth 0.8)", () => {
  assert.deepEqual(readScope("read_user,api"), ["read_user", "api"]);
  assert.equal(readScope("read_user, api"), undefined);
  assert.equal(readScope("read_user api,openid"), undefined);
});

test("GitLab's scopes for repositories and registries are ignored beside others, and unknown alone (RFC 6749 §3.3; decision 0123)", () => {
  assert.deepEqual(readScope("read_user write_repository api"), ["read_user", "api"]);
  assert.deepEqual(readScope("read_registry,api,write_registry,read_repository"), ["api"]);
  assert.deepEqual(readScope("read_virtual_registry read_api write_virtual_registry"), ["read_api"]);
  assert.equal(readScope("read_repository write_repository"), undefined);
  assert.equal(readScope("api write_Repository"), undefined);
});

test("offline_access, groups, address and phone are ignored beside openid, and unknown without it (OpenID Connect Core §3.1.2.1, §11; decision 0017)", () => {
  assert.deepEqual(readScope("openid profile offline_access"), ["openid", "profile"]);
  assert.deepEqual(readScope("offline_access,openid"), ["openid"]);
  assert.deepEqual(readScope("openid profile email groups address phone"), ["openid", "profile", "email"]);
  for (const alone of ["offline_access", "groups", "api offline_access", "OPENID groups"]) {
    assert.equal(readScope(alone), undefined, alone);
  }
  for (const unread of ["openid  groups", "openid groups\0", "openid Groups", "openid sudo", "openid "]) {
    assert.equal(readScope(unread), undefined, unread);
  }
});

test("unknown, misspelt and overlong scopes and ones with wrong separators are rejected (reference oauth D62; S8)", () => {
  for (const scope of [
    "sudo",
    "API",
    "api\0",
    "api\t",
    "api\n",
    " api",
    "api ",
    "api  read_user",
    "api+read_user",
    ",",
    "api,",
    "x".repeat(5000),
    Array(1000).fill("api").join(" "),
    "__proto__",
  ]) {
    assert.equal(readScope(scope), undefined, JSON.stringify(scope.slice(0, 40)));
  }
});

test("without a scope parameter api is requested, or all scopes of the application (contract §4, authorize)", () => {
  assert.deepEqual(defaultScopes(["read_user", "api"]), ["api"]);
  assert.deepEqual(defaultScopes(["read_user", "profile"]), ["read_user", "profile"]);
});
