/** Which public keys are accepted for an application, what is stored of them, and why others are rejected. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { calculateJwkThumbprint } from "jose";
import { algorithmsOf, keptKeys, keyFaults, keysIn, opensBy } from "../../src/oauth/public-keys.ts";
import { holdsPrivateKey, thumbprintOf } from "../../src/platform/jwt.ts";
import { aKey, type Pair, setOf } from "../support/assertions.ts";

const faultOf = (jwks: string, onlyByKey = false, confidential = true) =>
  keyFaults({ jwks, onlyByKey }, confidential);
const words = (...keys: unknown[]) => faultOf(JSON.stringify({ keys })).jwks?.[0];
const rsa = (bits: number, publicExponent?: number) =>
  generateKeyPairSync("rsa", { modulusLength: bits, publicExponent }).publicKey.export({ format: "jwk" });

test("accepts RSA, P-256, P-384 and Ed25519 keys, each for its own algorithms (RFC 7518 §3.1; RFC 8037 §3.1; decision 0206)", () => {
  for (const [algorithm, fitting] of [
    ["RS256", ["RS256", "PS256"]],
    ["ES256", ["ES256"]],
    ["ES384", ["ES384"]],
    ["EdDSA", ["EdDSA", "Ed25519"]],
  ] as const) {
    const pair = aKey(algorithm, "a");
    assert.deepEqual(faultOf(setOf(pair)), {}, algorithm);
    const [kept] = keysIn(keptKeys(setOf(pair)));
    assert.ok(kept);
    assert.deepEqual({ ...kept }, pair.jwk);
    assert.deepEqual(algorithmsOf(kept), fitting);
    assert.deepEqual(algorithmsOf({ ...kept, alg: fitting[0] }), [fitting[0]]);
  }
});

test("stores only the public members and the kid of a key (RFC 7517 §4)", () => {
  const { jwk } = aKey("ES256", "first");
  const told = { ...jwk, alg: "ES256", use: "sig", key_ops: ["verify"], x5c: ["MII"], note: "x" };
  assert.deepEqual(keysIn(keptKeys(JSON.stringify({ keys: [told], more: 1 }))), [{ ...jwk, alg: "ES256" }]);
  assert.deepEqual(keysIn(keptKeys(JSON.stringify(jwk))), [jwk], "a single JWK is a set of one");
  for (const none of ["", " \n", '{"keys":[]}']) {
    assert.equal(keptKeys(none), "");
    assert.deepEqual(faultOf(none), {});
  }
});

test("a private or symmetric key is detected in any format and rejected (decision 0206)", () => {
  const { privateKey, jwk } = aKey();
  const secret = privateKey.export({ format: "jwk" });
  for (const text of [
    JSON.stringify({ keys: [secret] }),
    JSON.stringify(secret),
    JSON.stringify({ keys: [jwk, secret] }),
    JSON.stringify({ keys: [{ kty: "oct", k: "c2VjcmV0" }] }),
    JSON.stringify({ keys: [{ ...jwk, d: null }] }),
    JSON.stringify(secret).replace('"d"', '"\\u0064"'),
    String(privateKey.export({ format: "pem", type: "pkcs8" })),
    `{ kty: 'EC', d: '${secret.d}' }`,
    `{"keys":[${JSON.stringify(secret)}`,
  ]) {
    assert.equal(holdsPrivateKey(text), true, text.slice(0, 40));
    const [fault = ""] = faultOf(text).jwks ?? [];
    assert.match(fault, /private or symmetric key.*considered leaked.*Nothing of it was kept/);
    assert.equal(fault.includes(String(secret.d)), false);
    assert.equal(keptKeys(text), "");
  }
  for (const text of ["", setOf(aKey()), "{", "hello", JSON.stringify({ keys: [{ ...jwk, kid: "d" }] })]) {
    assert.equal(holdsPrivateKey(text), false, text.slice(0, 40));
  }
});

test("each kind of error in a key set has its own message (RFC 7517 §5; decision 0206)", () => {
  const { jwk } = aKey("ES256", "a");
  const { jwk: okp } = aKey("EdDSA");
  const p521 = generateKeyPairSync("ec", { namedCurve: "P-521" }).publicKey.export({ format: "jwk" });
  for (const [fault, expected] of [
    [words(rsa(1024)), /a key that has 1024 bits; RSA keys have 2048 to 8192/],
    [words(rsa(2048, 3)), /another exponent than 65537/],
    [words(p521), /another kind/],
    [words({ kty: "constructor" }), /another kind/],
    [words({ ...okp, crv: "X25519" }), /another kind/],
    [words({ ...jwk, x: undefined }), /is broken/],
    [words({ ...jwk, x: jwk.y, y: jwk.x }), /is broken/],
    [words({ ...jwk, x: 7 }), /is broken/],
    [words({ kty: "RSA", n: "AAAA", e: "AQAB" }), /bits|is broken/],
    [words({ ...okp, x: "AAAA" }), /is broken/],
    [words(jwk, { ...aKey().jwk, kid: "a" }), /two keys with the same kid/],
    [words(jwk, "x"), /holds as key 2 one that is no JSON object/],
    [words(null), /holds a key that is no JSON object/],
    [words({ ...jwk, kid: 1 }), /kid/],
    [words({ ...jwk, kid: "" }), /kid/],
    [words({ ...jwk, kid: "x".repeat(256) }), /kid/],
    [words({ ...jwk, use: "enc" }), /use/],
    [words({ ...jwk, key_ops: ["sign"] }), /key_ops/],
    [words({ ...jwk, alg: "HS256" }), /another algorithm than ES256/],
    [words({ ...jwk, alg: "RS256" }), /another algorithm than ES256/],
    [words({ ...jwk, alg: 5 }), /another algorithm than ES256/],
    [words(...Array.from({ length: 11 }, () => aKey().jwk)), /too many keys \(maximum is 10\)/],
    [faultOf("{").jwks?.[0], /must be a JWK Set/],
    [faultOf("[]").jwks?.[0], /must be a JWK Set/],
    [faultOf('{"keys":{}}').jwks?.[0], /must be a JWK Set/],
    [faultOf("null").jwks?.[0], /must be a JWK Set/],
    [faultOf("x".repeat(65_537)).jwks?.[0], /too long/],
    [faultOf(setOf(aKey()), false, false).jwks?.[0], /confidential applications alone/],
    [faultOf("", true).only_by_key?.[0], /needs a public key/],
  ] as const) {
    assert.match(fault ?? "", expected);
  }
});

test("a key is identified by its RFC 7638 thumbprint, whatever its kid (RFC 7638 §3)", async () => {
  for (const algorithm of ["RS256", "ES256", "ES384", "EdDSA"] as const) {
    const [kept] = keysIn(keptKeys(setOf(aKey(algorithm, "name"))));
    assert.ok(kept);
    assert.equal(thumbprintOf(kept), await calculateJwkThumbprint({ ...kept }));
  }
});

test("a new key and accepting secrets again widen access; removing keys does not (decision 0206)", () => {
  const [one, two] = [aKey("ES256", "1"), aKey("ES256", "2")];
  const set = (onlyByKey: boolean, ...pairs: Pair[]) => ({
    jwks: pairs.length === 0 ? "" : keptKeys(setOf(...pairs)),
    onlyByKey,
  });
  assert.equal(opensBy(set(false), set(false, one)), true);
  assert.equal(opensBy(set(false, one), set(false, one, two)), true);
  assert.equal(opensBy(set(true, one), set(true, two)), true);
  assert.equal(opensBy(set(true, one), set(false, one)), true);
  assert.equal(opensBy(set(false, one, two), set(false, one)), false);
  assert.equal(opensBy(set(false, one), set(true, one)), false);
  assert.equal(opensBy(set(false, one), set(false)), false);
});
