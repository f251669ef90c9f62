import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  newRecoveryCodes,
  newTotpSecret,
  otpauthUrl,
  plainRecoveryCode,
  stepOfCode,
} from "../../src/accounts/second-factor.ts";

/** The secret "12345678901234567890" of RFC 6238, appendix B, in base32. */
const RFC = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("codes of an authenticator app", () => {
  it("match the published test vectors, cut to six digits (RFC 6238, appendix B; decision 0009)", () => {
    for (const [seconds, code] of [
      [59, "287082"],
      [1111111109, "081804"],
      [1111111111, "050471"],
      [1234567890, "005924"],
      [2000000000, "279037"],
    ] as const) {
      assert.equal(stepOfCode(RFC, code, seconds), Math.floor(seconds / 30), code);
    }
  });

  it("are accepted one step early and late, no more (reference reliability S59)", () => {
    const at = 1111111111;
    const step = Math.floor(at / 30);
    assert.equal(stepOfCode(RFC, "050471", at + 30), step);
    assert.equal(stepOfCode(RFC, "050471", at - 30), step);
    assert.equal(stepOfCode(RFC, "050471", at + 60), undefined);
    assert.equal(stepOfCode(RFC, "050471", at - 60), undefined);
  });

  it("are accepted with spaces, and other input is refused (decision 0009; reference ux §5, paste)", () => {
    assert.equal(stepOfCode(RFC, " 050 471 ", 1111111111), Math.floor(1111111111 / 30));
    for (const wrong of ["", "50471", "0504710", "05047x", "٠٥٠٤٧١"]) {
      assert.equal(stepOfCode(RFC, wrong, 1111111111), undefined, wrong);
    }
  });

  it("use a secret of 160 bits, given to the app in an otpauth URL (RFC 4226 §4; contract §4, two-factor by API)", () => {
    const secret = newTotpSecret();
    assert.match(secret, /^[A-Z2-7]{32}$/);
    const url = new URL(otpauthUrl(secret, "maya"));
    assert.equal(url.protocol, "otpauth:");
    assert.equal(url.searchParams.get("secret"), secret);
    assert.equal(url.searchParams.get("issuer"), "Gatehouse");
  });
});

describe("recovery codes", () => {
  it("are ten different codes of 120 bits, for which a fast hash is enough (ASVS 6.5.2; reference reliability E)", () => {
    const codes = newRecoveryCodes();
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/);
  });

  it("are normalized: dashes and spaces are removed, capitals lowered (its docstring in src/accounts/second-factor.ts)", () => {
    assert.equal(plainRecoveryCode(" K3VN 7q2c-mw4xa5tp"), "k3vn7q2cmw4xa5tp");
  });
});
