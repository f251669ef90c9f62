/** Judging an authorization code: when it may be redeemed, and when presenting it revokes the tokens issued from it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthenticatedApplication } from "../../src/oauth/authenticated-application.ts";
import { type Code, judgeCode } from "../../src/oauth/code.ts";
import { NO_KEYS } from "../../src/oauth/public-keys.ts";

const URI = "https://app.example.org/cb";
const application: AuthenticatedApplication = {
  id: 7,
  uid: "a".repeat(64),
  name: "Relay Console",
  ownerId: 1,
  ownerUsername: "olga",
  redirectUris: [URI],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: "",
  backchannelLogoutSessionRequired: false,
  accessTokenSeconds: null,
  refreshIdleSeconds: null,
  refreshAbsoluteSeconds: null,
  ...NO_KEYS,
  scopes: ["api"],
  grantTypes: ["authorization_code"],
  confidential: true,
  trusted: false,
  selfRegistered: false,
  omitIss: false,
  requirePushed: false,
  idTokenAlgorithm: "RS256",
  boundTokensOnly: false,
  provenKey: null,
  homePage: "",
  createdAt: new Date(0),
};
const code: Code = {
  digest: Buffer.alloc(32),
  authorizationId: 1,
  applicationId: 7,
  userId: 2,
  userActive: true,
  scopes: ["read_user"],
  redirectUri: URI,
  codeChallenge: null,
  boundKey: null,
  nonce: null,
  authenticatedAt: null,
  authenticatedBy: null,
  sessionSid: null,
  expired: false,
  spent: false,
  revoked: false,
};
const given: { redirectUri: string; verifier: string | undefined } = {
  redirectUri: URI,
  verifier: undefined,
};

test("a fresh code of this application, with its redirect_uri, is spendable (RFC 6749 §4.1.3)", () => {
  assert.equal(judgeCode(code, application, given), "spendable");
});

test("every mismatch is refused; only reuse of a spent code and use by another application revoke its tokens (RFC 6749 §4.1.2; contract §4, code)", () => {
  const refused: [Partial<Code> | undefined, Partial<typeof given>, string][] = [
    [undefined, {}, "refused"],
    [{ applicationId: 8 }, {}, "leaked"],
    [{ applicationId: 8, spent: true }, { redirectUri: "x" }, "leaked"],
    [{}, { redirectUri: `${URI}/` }, "refused"],
    [{ spent: true }, { redirectUri: `${URI}/` }, "refused"],
    [{}, { verifier: "x".repeat(43) }, "refused"],
    [{ codeChallenge: "x".repeat(43), spent: true }, {}, "refused"],
    [{ spent: true }, {}, "leaked"],
    [{ spent: true, expired: true }, {}, "leaked"],
    [{ revoked: true }, {}, "refused"],
    [{ expired: true }, {}, "refused"],
    [{ userActive: false }, {}, "burned"],
    [{ scopes: ["sudo"] }, {}, "refused"],
  ];
  for (const [change, asked, outcome] of refused) {
    const shown = change && { ...code, ...change };
    const verdict = judgeCode(shown, application, { ...given, ...asked });
    assert.deepEqual(Object.keys(verdict), [outcome], JSON.stringify([change, asked]));
  }
});

test("a code whose redirect URI is no longer registered is refused (S20)", () => {
  const moved = { ...application, redirectUris: ["https://elsewhere.example/cb"] };
  assert.deepEqual(judgeCode(code, moved, given), { refused: "redirect_uri_lost" });
});

test("a code bound to a key is spendable only with proof of that key, and a failed proof revokes nothing (RFC 9449 §10)", () => {
  const bound = { ...code, boundKey: "k" };
  assert.equal(judgeCode(bound, { ...application, provenKey: "k" }, given), "spendable");
  assert.equal(judgeCode(code, { ...application, provenKey: "k" }, given), "spendable");
  for (const provenKey of [null, "other"]) {
    for (const spent of [false, true]) {
      const verdict = judgeCode({ ...bound, spent }, { ...application, provenKey }, given);
      assert.deepEqual(verdict, { refused: "key" });
    }
  }
});
