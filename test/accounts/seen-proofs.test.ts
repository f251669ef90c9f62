/** For how long a process remembers a proof, and how many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeenProofs } from "../../src/accounts/seen-proofs.ts";

test("a proof counts once for as long as it could count, and is forgotten after at most twice that (RFC 9449 §11.1)", () => {
  const seen = createSeenProofs(70);
  assert.equal(seen.see("k a", 1000), "first");
  assert.equal(seen.see("k b", 1069), "first");
  assert.equal(seen.see("k a", 1069), "again");
  assert.equal(seen.see("other a", 1069), "first", "of another key");
  assert.equal(seen.see("k b", 1070), "again", "the memory has turned over meanwhile");
  assert.equal(seen.see("k b", 1139), "again");
  assert.equal(seen.see("k b", 1140), "first");
  assert.equal(seen.see("k b", 5000), "first", "after a long silence nothing is left");
});

test("where no more can be remembered no new proof counts, and none of those before is taken twice (decision 0207)", () => {
  const seen = createSeenProofs(70, 3);
  for (const name of ["a", "b", "c"]) assert.equal(seen.see(name, 1), "first");
  assert.equal(seen.see("d", 2), "no room");
  assert.equal(seen.see("a", 2), "again");
  assert.equal(seen.see("d", 72), "no room", "those before are remembered still");
  assert.equal(seen.see("d", 142), "first");
});
