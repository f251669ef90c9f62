/** Which scope brings which. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { covers, effectiveScopes, holdsAny, SCOPES } from "../../src/accounts/scope.ts";

test("api brings every scope, reading everything brings reading the account, and no other brings more than is written of it (spec: Authentication 7; reference oauth D63)", () => {
  const brought = Object.fromEntries(
    SCOPES.map((held) => [held, SCOPES.filter((scope) => scope !== held && covers([held], [scope]))]),
  );
  assert.deepEqual(brought, {
    api: SCOPES.filter((scope) => scope !== "api"),
    read_api: ["read_user", "profile"],
    read_user: ["profile"],
    profile: [],
    openid: [],
    email: [],
    write_events: [],
    self_rotate: [],
  });
});

test("all that is asked for must have been allowed, by itself or by one scope of several that brings it (spec: Authentication 7; reference oauth D63)", () => {
  assert.equal(covers(["openid", "read_user"], ["profile", "openid", "read_user"]), true);
  assert.equal(covers(["openid", "read_user"], ["profile", "email"]), false);
  assert.equal(covers(["profile"], []), true);
  assert.equal(covers([], ["profile"]), false);
});

test("one of the scopes that a route names opens it, and none that another brings (spec: Authentication 7; reference oauth D65)", () => {
  assert.equal(holdsAny(["openid", "read_api"], ["api", "read_api"]), true);
  assert.equal(holdsAny(["read_user"], ["api", "read_api"]), false);
  assert.equal(holdsAny(["api"], ["read_user"]), false);
});

test("a token is worth what both its scopes and those of its application cover, each once (decision 0029)", () => {
  const worth: [held: string[], allowed: string[], left: string[]][] = [
    [
      ["api", "openid"],
      ["openid", "api"],
      ["api", "openid"],
    ],
    [["read_user", "openid"], ["api"], ["read_user", "openid"]],
    [["read_user", "openid"], ["read_user"], ["read_user"]],
    [["read_user", "openid"], ["read_user", "profile", "email"], ["read_user"]],
    [["api"], ["read_user"], ["read_user"]],
    [
      ["api", "read_user"],
      ["read_user", "profile", "openid"],
      ["read_user", "openid"],
    ],
    [["openid"], ["profile", "email"], []],
    [["openid"], [], []],
  ];
  for (const [held, allowed, left] of worth) {
    assert.deepEqual(effectiveScopes(held, allowed), left, `${held} of ${allowed}`);
  }
});
