/** Judging a refresh token: when it is rotated, repeated, refused, or treated as stolen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuthenticatedApplication, renewalKey } from "../../src/oauth/authenticated-application.ts";
import { judgeRefresh, type RefreshToken } from "../../src/oauth/refresh-token.ts";

const application = { id: 7, scopes: ["api"], provenKey: null } as AuthenticatedApplication;
const token: RefreshToken = {
  id: 1,
  authorizationId: 1,
  applicationId: 7,
  userId: 2,
  userActive: true,
  scopes: ["api", "profile"],
  ageSeconds: 60,
  expired: false,
  revoked: false,
  spent: false,
  justSpent: false,
  spentScopes: null,
  boundKey: null,
  authenticatedAt: null,
  authenticatedBy: null,
  sessionSid: null,
};
const spent = { spent: true, justSpent: true };

test("a valid refresh token is rotated, for the granted scopes or fewer (RFC 6749 §6)", () => {
  assert.equal(judgeRefresh(token, application, undefined), "rotate");
  assert.equal(judgeRefresh(token, application, ["read_user"]), "rotate");
  const small = { ...token, scopes: ["read_user"] };
  assert.equal(judgeRefresh(small, application, ["api"]), "too much");
});

test("within the grace period the same request is repeated and a different one refused; later use counts as theft (contract §4, refresh)", () => {
  assert.equal(judgeRefresh({ ...token, ...spent }, application, undefined), "repeat");
  const narrowed = { ...token, ...spent, spentScopes: ["api", "profile"] };
  assert.equal(judgeRefresh(narrowed, application, ["profile", "api"]), "repeat");
  assert.deepEqual(Object.keys(judgeRefresh(narrowed, application, undefined)), ["refused"]);
  assert.deepEqual(Object.keys(judgeRefresh(narrowed, application, ["api"])), ["refused"]);
  const narrower = { ...narrowed, spentScopes: ["profile"] };
  assert.deepEqual(Object.keys(judgeRefresh(narrower, application, ["profile", "api"])), ["refused"]);
  assert.deepEqual(Object.keys(judgeRefresh(narrowed, application, ["api", "read_user"])), ["refused"]);
  const whole = { ...token, ...spent };
  assert.deepEqual(Object.keys(judgeRefresh(whole, application, ["api"])), ["refused"]);
  const late = { ...token, spent: true };
  assert.deepEqual(Object.keys(judgeRefresh(late, application, undefined)), ["reused"]);
});

test("a token of another application, revoked, expired or of a blocked user is refused without consequences (reference oauth D26, D27; S43)", () => {
  for (const change of [
    { applicationId: 8 },
    { applicationId: 8, spent: true },
    { revoked: true, spent: true },
    { userActive: false, spent: true },
    { expired: true },
  ]) {
    const verdict = judgeRefresh({ ...token, ...change }, application, undefined);
    assert.deepEqual(Object.keys(verdict), ["refused"], JSON.stringify(change));
  }
  assert.deepEqual(Object.keys(judgeRefresh(undefined, application, undefined)), ["refused"]);
});

test("scopes that the application has lost cannot be refreshed, the others can (decision 0029; reference oauth D63)", () => {
  const reduced = { ...application, scopes: ["profile"] };
  assert.equal(judgeRefresh(token, reduced, undefined), "rotate");
  assert.equal(judgeRefresh(token, reduced, ["profile"]), "rotate");
  assert.equal(judgeRefresh(token, reduced, ["read_user"]), "too much");
  const nothing = { ...application, scopes: ["write_events"] };
  assert.deepEqual(Object.keys(judgeRefresh({ ...token, scopes: ["read_user"] }, nothing, undefined)), [
    "refused",
  ]);
});

test("a bound refresh token without proof of its key is refused, and does not revoke its family (RFC 9449 §5; decision 0207)", () => {
  const bound = { ...token, boundKey: "k" };
  const proven = { ...application, provenKey: "k" };
  assert.equal(judgeRefresh(bound, proven, undefined), "rotate");
  assert.deepEqual(judgeRefresh({ ...bound, spent: true }, proven, undefined), {
    reused: "refresh token used again",
  });
  for (const provenKey of [null, "other"]) {
    for (const state of [{}, spent, { spent: true }]) {
      const verdict = judgeRefresh({ ...bound, ...state }, { ...application, provenKey }, undefined);
      assert.deepEqual(verdict, { refused: "key" });
    }
  }
});

test("refresh tokens of public applications are bound to the proven key, those of confidential ones are not (RFC 9449 §5)", () => {
  const confidential = { confidential: true, provenKey: "k" } as AuthenticatedApplication;
  const open = { confidential: false, provenKey: "k" } as AuthenticatedApplication;
  assert.equal(renewalKey(open), "k");
  assert.equal(renewalKey({ ...open, provenKey: null }), null);
  assert.equal(renewalKey(confidential), null);
  assert.equal(renewalKey(confidential, "k"), "k", "it was public when the token was issued");
});
