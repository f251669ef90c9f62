/** The initial focus on the page of the second factor. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser } from "../../src/accounts/browser.ts";
import { secondStepPage } from "../../src/accounts/pages-sign-in-views.ts";

const browser: Browser = {
  viewer: undefined,
  pendingUserId: 1,
  csrfToken: "t",
  digest: Buffer.alloc(32),
  flash: undefined,
  theme: "system",
  fresh: false,
};

test("the code field has the initial focus, but beside a passkey only after a wrong code (reference ux §5, 2.4.3)", () => {
  const hasCursor = (passkeys: number, shown: { error?: string; passkeyError?: string }) =>
    /<input[^>]* name="code"[^>]* autofocus/.test(
      String(secondStepPage(browser, { app: true, passkeys }, shown)),
    );
  assert.equal(hasCursor(0, {}), true);
  assert.equal(hasCursor(0, { error: "no" }), true);
  assert.equal(hasCursor(1, {}), false);
  assert.equal(hasCursor(1, { passkeyError: "no" }), false);
  assert.equal(hasCursor(1, { error: "no" }), true);
});
