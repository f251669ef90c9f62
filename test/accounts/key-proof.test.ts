/** The contents and key of a DPoP proof (RFC 9449 §4.3). */
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { checkKeyProof } from "../../src/accounts/key-proof.ts";
import { SIGNATURE_ALGORITHMS } from "../../src/platform/jwt.ts";
import { ProofProblem } from "../../src/platform/problem.ts";
import { aKey, proofBy, type Said } from "../support/dpop.ts";

const AT = "https://gate.example.org/api/v4/projects/acme%2Frocket";
const TOKEN = "goa_example";
const request = { method: "GET", address: AT, accessToken: TOKEN };
const key = await aKey();
const said = (more: Partial<Said> = {}): Said => ({ method: "GET", url: AT, accessToken: TOKEN, ...more });
const now = () => Math.floor(Date.now() / 1000);

async function refusedFor(proof: string, why: RegExp, demand = request): Promise<void> {
  await assert.rejects(checkKeyProof(proof, demand, "unauthenticated"), (error) => {
    assert.ok(error instanceof ProofProblem, String(error));
    assert.equal(error.code, "invalid_dpop_proof");
    assert.match(error.message, why);
    // The message is part of responses of the token endpoint (RFC 6749 §5.2).
    assert.match(error.message, /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
    return true;
  });
}

for (const alg of SIGNATURE_ALGORITHMS) {
  test(`a DPoP proof signed with ${alg} is accepted and identified by its key's thumbprint (RFC 9449 §4.3; RFC 7638)`, async () => {
    const own = await aKey(alg);
    const proof = await checkKeyProof(proofBy(own, said({ claims: { jti: "j" } })), request, "invalid");
    assert.deepEqual([proof.thumbprint, proof.jti], [own.thumbprint, "j"]);
    const other = await aKey(alg);
    await refusedFor(proofBy({ ...own, privateKey: other.privateKey }, said()), /signature/);
  });
}

test("symmetric and unknown algorithms are refused, as are keys that are private or do not fit the algorithm (RFC 9449 §4.3)", async () => {
  const secret = randomBytes(32).toString("base64url");
  const [rsa, curve] = [await aKey("RS256"), await aKey("ES384")];
  for (const alg of [
    "none",
    "HS256",
    "HS512",
    "RS512",
    "es256",
    "ES256K",
    "",
    undefined,
    ["ES256"],
    "toString",
  ]) {
    await refusedFor(proofBy(key, said({ header: { alg } })), /its alg is none of/);
  }
  const octets = { kty: "oct", k: secret };
  for (const jwk of [octets, key.privateJwk, rsa.privateJwk, { ...key.publicJwk, d: "" }]) {
    await refusedFor(proofBy(key, said({ header: { jwk } })), /not a public key/);
  }
  for (const jwk of [
    rsa.publicJwk,
    curve.publicJwk,
    {},
    [],
    { ...key.publicJwk, x: undefined },
    { ...key.publicJwk, x: 7 },
    { ...key.publicJwk, x: `${key.publicJwk.x}=` },
    { ...key.publicJwk, crv: "P-521" },
  ]) {
    await refusedFor(proofBy(key, said({ header: { jwk } })), /no key of its alg/);
  }
  for (const jwk of [undefined, null, "x", 7]) {
    await refusedFor(proofBy(key, said({ header: { jwk } })), /has no jwk/);
  }
  const elsewhere = { ...key.publicJwk, y: key.publicJwk.x };
  await refusedFor(proofBy(key, said({ header: { jwk: elsewhere } })), /signature/);
});

test("RSA keys of other sizes or exponents are refused, as verifying them could be expensive (decision 0207)", async () => {
  for (const [modulusLength, publicExponent, why] of [
    [1024, 65537, /2048 and 4096 bits/],
    [4104, 65537, /2048 and 4096 bits/],
    [2048, 3, /exponent/],
    [2048, 65539, /exponent/],
  ] as const) {
    const own = await aKey("RS256", generateKeyPairSync("rsa", { modulusLength, publicExponent }));
    await refusedFor(proofBy(own, said()), why);
  }
  const whole = await aKey("PS256", generateKeyPairSync("rsa", { modulusLength: 4096 }));
  assert.equal(
    (await checkKeyProof(proofBy(whole, said()), request, "invalid")).thumbprint,
    whole.thumbprint,
  );
});

test("each claim must match the request (RFC 9449 §4.3 numbers 3 to 12)", async () => {
  const cases: [Partial<Said>, RegExp][] = [
    [{ header: { typ: "JWT" } }, /typ/],
    [{ header: { typ: undefined } }, /typ/],
    [{ method: "POST" }, /htm/],
    [{ method: "get" }, /htm/],
    [{ claims: { htm: undefined } }, /htm/],
    [{ claims: { htu: undefined } }, /htu is not .*, which begins with the issuer/],
    [{ claims: { htu: [AT] } }, /htu/],
    [{ claims: { jti: undefined } }, /jti/],
    [{ claims: { jti: "" } }, /jti/],
    [{ claims: { jti: 7 } }, /jti/],
    [{ claims: { jti: "j".repeat(256) } }, /jti/],
    [{ claims: { iat: undefined } }, /iat/],
    [{ claims: { iat: String(now()) } }, /iat/],
    [{ claims: { iat: now() - 120 } }, /more than 60 seconds ago/],
    [{ claims: { iat: -1e300 } }, /more than 60 seconds ago/],
    [{ claims: { iat: now() + 60 } }, /still to come by more than 10 seconds/],
    [{ claims: { iat: 1e300 } }, /still to come/],
    [{ claims: { exp: now() - 60 } }, /signature/],
    [{ accessToken: "goa_other" }, /ath/],
    [{ claims: { ath: undefined } }, /ath/],
    [{ claims: { ath: TOKEN } }, /ath/],
    [{ header: { crit: ["b64"], b64: false } }, /signature/],
  ];
  for (const [more, why] of cases) await refusedFor(proofBy(key, said(more)), why);
  for (const iat of [now() - 50, now() + 5, now() + 0.5]) {
    await checkKeyProof(proofBy(key, said({ claims: { iat } })), request, "invalid");
  }
});

test("htu is compared without query and fragment after normalization of the URI (RFC 9449 §4.3; RFC 3986 §6.2.2)", async () => {
  for (const htu of [
    AT,
    `${AT}?page=2#x`,
    AT.replace("%2F", "%2f"),
    AT.replace("rocket", "r%6Fcket"),
    AT.replace("https://gate.example.org", "HTTPS://Gate.Example.org:443"),
  ]) {
    await checkKeyProof(proofBy(key, said({ claims: { htu } })), request, "invalid");
  }
  for (const htu of [
    "",
    "/api/v4/projects/acme%2Frocket",
    `${AT}/`,
    AT.replace("%2F", "/"),
    AT.replace("https", "http"),
    AT.replace(".org", ".org:444"),
    AT.replace("gate", "other"),
    AT.replace("//", "//a@"),
    AT.replace("v4", "V4"),
    AT.replace("%2F", "%252F"),
  ]) {
    await refusedFor(proofBy(key, said({ claims: { htu } })), /htu/);
  }
  const dotted = `${AT}/x/%2e%2e`;
  for (const htu of [AT, dotted, `${AT}/`, `${AT}/x/..`]) {
    await refusedFor(proofBy(key, said({ claims: { htu } })), /htu/, { ...request, address: dotted });
  }
});

test("a proof that is malformed or longer than 8192 characters is refused (RFC 9449 §4.3 number 2)", async () => {
  const good = proofBy(key, said());
  const [head = "", body = "", signature = ""] = good.split(".");
  for (const broken of [
    "",
    "x",
    `${head}.${body}`,
    `${good}.${signature}`,
    `${head}.${body}.`,
    `${good}, ${good}`,
  ]) {
    await refusedFor(broken, /no signed JSON Web Token/);
  }
  for (const part of ["bnVsbA", "W10", "Ig", "e30x", "7"]) {
    await refusedFor(`${part}.${body}.${signature}`, /no signed JSON Web Token/);
    await refusedFor(`${head}.${part}.${signature}`, /no signed JSON Web Token/);
  }
  await refusedFor(proofBy(key, said({ claims: { more: "x".repeat(8192) } })), /longer than 8192/);
});
