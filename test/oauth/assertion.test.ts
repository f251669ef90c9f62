/** Client assertions: which claims are required, and until when an assertion is valid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Assertion, judgeClaims, namedIn, readAssertion } from "../../src/oauth/assertion.ts";
import { part } from "../support/assertions.ts";

const UID = "a".repeat(64);
const NOW = 1_900_000_000;
const ISSUER = "https://auth.example.org";
const AUDIENCES = [ISSUER, `${ISSUER}/oauth/token`, `${ISSUER}/oauth/revoke`];
const GOOD = { iss: UID, sub: UID, aud: ISSUER, jti: "1", exp: NOW + 60, iat: NOW };

const text = (header: unknown, claims: unknown) => `${part(header)}.${part(claims)}.AAAA`;
const read = (header: unknown, claims: unknown = GOOD) => readAssertion(text(header, claims));
const judge = (claims: Record<string, unknown>) => {
  const assertion: Assertion = {
    uid: UID,
    algorithm: "ES256",
    kid: undefined,
    claims: { ...GOOD, ...claims },
  };
  return judgeClaims(assertion, AUDIENCES, NOW * 1000);
};

test("reads client id, algorithm and key id of an assertion (RFC 7523 §3)", () => {
  for (const alg of ["RS256", "PS256", "ES256", "ES384", "EdDSA", "Ed25519"]) {
    const expected = { uid: UID, algorithm: alg, kid: undefined, claims: GOOD };
    assert.deepEqual(read({ alg }), expected);
  }
  assert.deepEqual(read({ alg: "ES256", kid: "k", typ: "JWT" }), {
    uid: UID,
    algorithm: "ES256",
    kid: "k",
    claims: GOOD,
  });
  assert.equal(typeof read({ alg: "ES256", typ: "client-authentication+jwt" }), "object");
});

test("rejects malformed assertions before any key is looked up (RFC 7515 §4.1; RFC 8725 §3.1, §3.11)", () => {
  for (const [given, expected] of [
    [read({ alg: "none" }), /alg/],
    [read({ alg: "HS256" }), /alg/],
    [read({ alg: "ES512" }), /alg/],
    [read({ alg: ["ES256"] }), /alg/],
    [read({}), /alg/],
    [read({ alg: "constructor" }), /alg/],
    [read({ alg: "ES256", kid: 1 }), /kid/],
    [read({ alg: "ES256", typ: "logout+jwt" }), /typ/],
    [read({ alg: "ES256", typ: "dpop+jwt" }), /typ/],
    [read({ alg: "ES256", typ: null }), /typ/],
    [read({ alg: "ES256", typ: { toString: 1, valueOf: 1 } }), /typ/],
    [read({ alg: "ES256", b64: false, crit: ["b64"] }), /crit/],
    [read({ alg: "ES256" }, { ...GOOD, sub: "x" }), /sub/],
    [read({ alg: "ES256" }, { ...GOOD, sub: undefined }), /sub/],
    [read({ alg: "ES256" }, { ...GOOD, sub: [UID] }), /sub/],
    [read({ alg: "ES256" }, { ...GOOD, iss: "b".repeat(64) }), /iss/],
    [read({ alg: "ES256" }, { ...GOOD, iss: undefined }), /iss/],
    [read([], GOOD), /no signed JWT/],
    [read({ alg: "ES256" }, []), /no signed JWT/],
    [read({ alg: "ES256" }, null), /no signed JWT/],
    [readAssertion(""), /no signed JWT/],
    [readAssertion("a.b.c"), /no signed JWT/],
    [readAssertion(`${part({ alg: "ES256" })}.${part(GOOD)}.`), /not signed/],
    [readAssertion(`${part({ alg: "none" })}.${part(GOOD)}.`), /alg/],
    [readAssertion(`${text({ alg: "ES256" }, GOOD)}.AAAA.AAAA`), /no signed JWT/],
    [readAssertion(`${text({ alg: "ES256" }, GOOD)} `), /no signed JWT/],
    [read({ alg: "ES256" }, { ...GOOD, more: "x".repeat(8192) }), /longer than 8192/],
  ] as const) {
    assert.ok(typeof given === "string");
    assert.match(given, expected);
  }
});

test("the client id is read from an invalid assertion too, so that the refusal can be recorded for its owner (decision 0080)", () => {
  for (const header of [{ alg: "none" }, { alg: "HS256" }, { alg: "ES256", typ: "logout+jwt" }, {}]) {
    assert.equal(namedIn(text(header, GOOD)), UID);
  }
  assert.equal(namedIn(`${part({ alg: "none" })}.${part(GOOD)}.`), UID);
  for (const none of ["", "x", text({}, {}), text({}, { sub: 1 }), text({}, { sub: "x" }), text({}, [])]) {
    assert.equal(namedIn(none), undefined);
  }
  assert.equal(namedIn(text({}, { ...GOOD, more: "x".repeat(8192) })), undefined);
});

test("aud may be any of this server's names, alone or together, and nothing else; the jti is remembered until the assertion expires (RFC 7523 §3; RFC 9126 §2; decision 0206)", () => {
  for (const aud of [...AUDIENCES, [ISSUER], AUDIENCES, [ISSUER, ISSUER]]) {
    assert.deepEqual(judge({ aud }), { jti: "1", expiresAt: new Date((NOW + 180) * 1000) });
  }
  for (const aud of [
    undefined,
    "",
    [],
    `${ISSUER}/`,
    "https://other.example.org",
    [ISSUER, "https://other.example.org"],
    ["https://other.example.org", ISSUER],
    [ISSUER, 7],
    [[ISSUER]],
    { 0: ISSUER },
    `${ISSUER}/oauth/introspect`,
  ]) {
    assert.match(String(judge({ aud })), /^aud /, JSON.stringify(aud));
  }
});

test("exp, nbf and iat allow a clock difference of one minute, and exp may be at most an hour ahead (RFC 7523 §3; decision 0206)", () => {
  for (const good of [
    { exp: NOW - 59 },
    { exp: NOW + 3660 },
    { exp: NOW + 0.5 },
    { nbf: NOW + 60 },
    { iat: NOW + 60 },
    { iat: undefined },
    { iat: 0, nbf: 0 },
  ]) {
    assert.equal(typeof judge(good), "object", JSON.stringify(good));
  }
  for (const [bad, expected] of [
    [{ exp: undefined }, /^exp is missing/],
    [{ exp: String(NOW + 60) }, /^exp is missing or no number/],
    [{ exp: null }, /^exp is missing/],
    [{ exp: NOW - 60 }, /^expired 60 s before/],
    [{ exp: NOW + 3661 }, /^exp is more than 3600 s ahead/],
    [{ exp: 1e300 }, /^exp is more than 3600 s ahead/],
    [{ nbf: NOW + 61 }, /^nbf is ahead/],
    [{ iat: NOW + 61 }, /^iat is ahead/],
    [{ nbf: "x" }, /^nbf is no number/],
    [{ iat: null }, /^iat is no number/],
    [{ jti: undefined }, /^jti/],
    [{ jti: "" }, /^jti/],
    [{ jti: 1 }, /^jti/],
  ] as const) {
    assert.match(String(judge(bad)), expected, JSON.stringify(bad));
  }
});
