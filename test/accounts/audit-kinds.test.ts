/** The kinds of entries by which a person's own log is filtered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AUDIT_ACTIONS } from "../../src/accounts/audit.ts";
import { AUDIT_KINDS, actionsOfKind } from "../../src/accounts/audit-kinds.ts";

test("each action of the audit log is of one kind (ux §7, security log: filter)", () => {
  const all = AUDIT_KINDS.flatMap(({ value }) => actionsOfKind(value) ?? []);
  assert.deepEqual(all.toSorted(), Object.keys(AUDIT_ACTIONS).toSorted());
  assert.equal(actionsOfKind("nothing"), undefined);
});

test("kinds are those that their names say (ux §7, security log: filter)", () => {
  assert.deepEqual(actionsOfKind("sign_ins"), [
    "sign_in",
    "sign_out",
    "password_refused",
    "code_refused",
    "passkey_refused",
    "session_ended",
  ]);
  for (const [kind, action] of [
    ["factors", "passkey_removed"],
    ["tokens", "secret_leaked"],
    ["applications", "secret_renewed"],
    ["applications", "access_granted"],
    ["account", "identity_refused"],
    ["account", "invitation_accepted"],
    ["places", "project_moved"],
    ["alerts", "silence_ended"],
    ["instance", "master_key_renewed"],
  ] as const)
    assert.ok(actionsOfKind(kind)?.includes(action), action);
});
