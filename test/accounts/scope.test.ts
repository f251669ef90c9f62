/** Which scope brings which. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { covers, SCOPES } from "../../src/accounts/scope.ts";

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
