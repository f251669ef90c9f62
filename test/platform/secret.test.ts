/** Secrets: their format, their check and their encryption. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  cutWithoutSecrets,
  keysFrom,
  maySecretBe,
  newSecret,
  SECRET_PREFIXES,
  type SecretKind,
  sameSecret,
  withoutSecrets,
} from "../../src/platform/secret.ts";

const kinds = Object.keys(SECRET_PREFIXES) as SecretKind[];

test("a secret is recognized by its prefix and checksum, and not as another kind (contract §4, token type)", () => {
  for (const kind of kinds) {
    const secret = newSecret(kind);
    assert.match(secret, /^[a-z]+_[0-9A-Za-z]{36}$/);
    for (const other of kinds)
      assert.equal(maySecretBe(other, secret), other === kind, `${kind} as ${other}`);
  }
});

test("a secret with one changed character is invalid without a lookup (reference reliability S52)", () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.nat(35), (kind, at) => {
      const secret = newSecret(kind);
      const index = SECRET_PREFIXES[kind].length + at;
      const other = secret[index] === "a" ? "b" : "a";
      assert.equal(maySecretBe(kind, secret.slice(0, index) + other + secret.slice(index + 1)), false);
    }),
  );
});

test("a token chosen by an operator has no prefix and is looked up (contract §1)", () => {
  assert.equal(maySecretBe("personalAccessToken", "chosen-by-hand"), true);
});

test("no two secrets are equal (reference reliability E)", () => {
  assert.equal(new Set(Array.from({ length: 2000 }, () => newSecret("accessToken"))).size, 2000);
});

test("a sealed value can be opened only with the same key and context (reference reliability E)", () => {
  const keys = keysFrom(Buffer.alloc(32, 1));
  const sealed = keys.seal("gak_secret", "alert_integrations:7");
  assert.equal(keys.open(sealed, "alert_integrations:7"), "gak_secret");
  assert.ok(!sealed.includes("gak_secret"));
  assert.throws(() => keys.open(sealed, "alert_integrations:8"));
  assert.throws(() => keysFrom(Buffer.alloc(32, 2)).open(sealed, "alert_integrations:7"));
  const bent = Buffer.from(sealed);
  bent[bent.length - 1] = (bent.at(-1) ?? 0) ^ 1;
  assert.throws(() => keys.open(bent, "alert_integrations:7"));
});

test("a signature depends on the purpose, the value and the key (reference reliability E)", () => {
  const keys = keysFrom(Buffer.alloc(32, 1));
  assert.equal(keys.sign("csrf", "a"), keysFrom(Buffer.alloc(32, 1)).sign("csrf", "a"));
  const others = [
    keys.sign("user code", "a"),
    keys.sign("csrf", "b"),
    keysFrom(Buffer.alloc(32, 2)).sign("csrf", "a"),
  ];
  // Characters cannot be moved from the value to the purpose.
  assert.equal(new Set([keys.sign("csrf", "a"), keys.sign("csr", "fa"), ...others]).size, 5);
});

test("a signature by an earlier master key is valid until that key is removed, for its purpose and value only (decision 0197)", () => {
  const [earlier, later] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const signature = keysFrom(earlier).sign("csrf", "a");
  const both = keysFrom(() => [later, earlier]);
  assert.equal(both.isSigned("csrf", "a", signature), true);
  assert.equal(both.isSigned("csrf", "a", both.sign("csrf", "a")), true);
  assert.equal(both.isSigned("csrf", "b", signature), false);
  assert.equal(both.isSigned("user code", "a", signature), false);
  assert.equal(keysFrom(later).isSigned("csrf", "a", signature), false);
});

test("sameSecret compares whole secrets, of any length (reference alerts D22)", () => {
  assert.equal(sameSecret("abc", "abc"), true);
  assert.equal(sameSecret("abc", "abcd"), false);
  assert.equal(sameSecret("", "a"), false);
});

test("secrets in a text are replaced and the rest is kept, and cutting the text leaves no part of a secret (reference reliability S127)", () => {
  const secret = newSecret("accessToken");
  const written = [...secret].map((one) => `%25${one.charCodeAt(0).toString(16)}`).join("");
  for (const form of [secret, secret.replace("_", "%5f"), written]) {
    assert.equal(withoutSecrets(`a${form} 100% ü${form}`), "aSECRET 100% üSECRET");
    for (let before = 0; before <= 60; before++) {
      const shown = cutWithoutSecrets(`${"-".repeat(before)}${form}${"+".repeat(100)}`, 60);
      assert.equal(shown.length, 60);
      assert.match(shown, /^-*(?:S|SE|SEC|SECR|SECRE|SECRET\+*)?$/);
    }
    assert.equal(cutWithoutSecrets(form.repeat(3), 300), "SECRET".repeat(3));
  }
  assert.equal(cutWithoutSecrets(secret.repeat(1000), 60), "SECRET".repeat(10));
  assert.equal(cutWithoutSecrets("goa_short", 60), "goa_short");
});
