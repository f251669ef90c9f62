/** Parsing of the Basic authorization header in the encodings that clients use. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBasic } from "../../src/oauth/basic-credentials.ts";

const basic = (text: string | Buffer, scheme = "Basic") =>
  `${scheme} ${Buffer.from(text).toString("base64")}`;

test("reads credentials without special characters as one candidate, whatever the case of the scheme (RFC 7617 §2)", () => {
  for (const scheme of ["Basic", "basic", "BASIC"]) {
    assert.deepEqual(readBasic(basic("id:gos_x:y", scheme)), [{ id: "id", secret: "gos_x:y" }]);
  }
  assert.deepEqual(readBasic(basic("id:")), [{ id: "id", secret: "" }]);
});

test("tries form-encoded credentials decoded first and verbatim second (RFC 6749 §2.3.1; S31)", () => {
  assert.deepEqual(readBasic(basic("i%64:gos%5Fä+b")), [
    { id: "id", secret: "gos_ä b" },
    { id: "i%64", secret: "gos%5Fä+b" },
  ]);
  assert.deepEqual(readBasic(basic("id:100%")), [{ id: "id", secret: "100%" }]);
});

test("an Application ID without a colon has an empty secret (decision 0016)", () => {
  const id = "0a".repeat(32);
  assert.deepEqual(readBasic(basic(id)), [{ id, secret: "" }]);
});

test("another scheme or a malformed header yields no credentials (reference oauth D30)", () => {
  for (const header of [
    "",
    "Basic",
    "Basic ",
    "Basic !!!",
    "Bearer abc",
    basic("no colon"),
    basic(Buffer.from([0xff, 0xfe, 0x3a])),
    `Basic ${"=".repeat(100)}`,
  ]) {
    assert.deepEqual(readBasic(header), [], header);
  }
});
