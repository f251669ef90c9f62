/** How long a process remembers DPoP proofs, and how many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeenProofs } from "../../src/accounts/seen-proofs.ts";

test("a proof is accepted once while it is valid, and forgotten after at most twice that time (RFC 9449 §11.1)", () => {
  const seen = createSeenProofs(70);
  assert.equal(seen.see("k a", 1000), "first");
  assert.equal(seen.see("k b", 1069), "first");
  assert.equal(seen.see("k a", 1069), "again");
  assert.equal(seen.see("other a", 1069), "first", "with another key");
  assert.equal(seen.see("k b", 1070), "again", "one generation later");
  assert.equal(seen.see("k b", 1139), "again");
  assert.equal(seen.see("k b", 1140), "first");
  assert.equal(seen.see("k b", 5000), "first", "everything is forgotten after a long time");
});

test("if the memory is full no new proofs are accepted, and known ones are still refused (decision 0207)", () => {
  const seen = createSeenProofs(70, 3);
  for (const name of ["a", "b", "c"]) assert.equal(seen.see(name, 1), "first");
  assert.equal(seen.see("d", 2), "no room");
  assert.equal(seen.see("a", 2), "again");
  assert.equal(seen.see("d", 72), "no room", "earlier proofs are still remembered");
  assert.equal(seen.see("d", 142), "first");
});
