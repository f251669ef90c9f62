/** Which scopes include others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { covers, effectiveScopes, holdsAny, SCOPES } from "../../src/accounts/scope.ts";

test("api includes every scope, read_api includes read_user and profile, and no other includes more than documented (spec: Authentication 7; reference oauth D63)", () => {
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

test("each requested scope must be allowed itself or included in an allowed one (spec: Authentication 7; reference oauth D63)", () => {
  assert.equal(covers(["openid", "read_user"], ["profile", "openid", "read_user"]), true);
  assert.equal(covers(["openid", "read_user"], ["profile", "email"]), false);
  assert.equal(covers(["profile"], []), true);
  assert.equal(covers([], ["profile"]), false);
});

test("a route accepts the scopes it names, but not those that merely include or are included in one (spec: Authentication 7; reference oauth D65)", () => {
  assert.equal(holdsAny(["openid", "read_api"], ["api", "read_api"]), true);
  assert.equal(holdsAny(["read_user"], ["api", "read_api"]), false);
  assert.equal(holdsAny(["api"], ["read_user"]), false);
});

test("the effective scopes of a token are those covered by both the token and its application, each once (decision 0029)", () => {
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
