/** PKCE with S256. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { isChallenge, isVerifier, verifierMatches } from "../../src/oauth/pkce.ts";

// RFC 7636, appendix B.
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

test("the RFC's example verifier matches its challenge, and no other does (RFC 7636 §4.6)", () => {
  assert.ok(verifierMatches(CHALLENGE, VERIFIER));
  for (const wrong of [CHALLENGE, VERIFIER.slice(1), `${VERIFIER}a`, `${VERIFIER} `, "", "ä".repeat(50)]) {
    assert.equal(verifierMatches(CHALLENGE, wrong), false, wrong);
  }
});

test("a verifier without a challenge and a challenge without a verifier fail; neither is accepted (RFC 9700 §4.8)", () => {
  assert.equal(verifierMatches(null, VERIFIER), false);
  assert.equal(verifierMatches(CHALLENGE, undefined), false);
  assert.equal(verifierMatches(null, undefined), true);
});

test("a malformed stored challenge matches no verifier and raises no error (RFC 7636 §4.6)", () => {
  for (const kept of [CHALLENGE.slice(1), `${CHALLENGE}=`, ""]) {
    assert.equal(verifierMatches(kept, VERIFIER), false, kept);
  }
});

test("a challenge must be a SHA-256 digest in base64url (RFC 7636 §4.2; S17)", () => {
  assert.ok(isChallenge(CHALLENGE));
  for (const wrong of [CHALLENGE.slice(1), `${CHALLENGE}=`, "x".repeat(129), `${CHALLENGE.slice(1)}+`, ""]) {
    assert.equal(isChallenge(wrong), false, wrong);
  }
});

test("a verifier must have 43 to 128 unreserved characters (RFC 7636 §4.1; reference oauth D20)", () => {
  for (const right of ["x".repeat(43), "x".repeat(128), `${VERIFIER}.~`]) assert.ok(isVerifier(right), right);
  for (const wrong of ["", "=", "==", "+", "/", " ", "%", "é", "\n"].map((end) => VERIFIER.slice(1) + end)) {
    assert.equal(isVerifier(wrong), false, wrong);
  }
  assert.equal(isVerifier("x".repeat(129)), false);
  for (const weak of ["x", "x".repeat(42), "x".repeat(129), `${VERIFIER} `]) {
    const challenge = createHash("sha256").update(weak).digest("base64url");
    assert.equal(verifierMatches(challenge, weak), false, "although its challenge is correct");
  }
});
