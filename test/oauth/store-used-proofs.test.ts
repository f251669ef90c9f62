/** Single-use proofs are accepted once, also when presented concurrently. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { spendProof, type UsedProof } from "../../src/oauth/store-used-proofs.ts";
import { sweepOauth } from "../../src/oauth/sweep.ts";
import { sql } from "../../src/platform/sql.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

const inAMinute = () => new Date(Date.now() + 60_000);
const proof = (part: Partial<UsedProof>): UsedProof => ({
  kind: "dpop",
  signer: "a",
  jti: "b",
  expiresAt: inAMinute(),
  ...part,
});

test("of sixteen concurrent uses one is accepted, and later ones are not (RFC 9449 §11.1)", async () => {
  const { db } = world.platform;
  const shown = await Promise.all(Array.from({ length: 16 }, () => spendProof(db, proof({ jti: "once" }))));
  assert.equal(shown.filter(Boolean).length, 1);
  assert.equal(await spendProof(db, proof({ jti: "once" })), false);
});

test("the same jti may be used by another signer or for another purpose, and their combination is unambiguous (RFC 7523 §3)", async () => {
  const { db } = world.platform;
  assert.equal(await spendProof(db, proof({ signer: "ab", jti: "c" })), true);
  assert.equal(await spendProof(db, proof({ signer: "a", jti: "bc" })), true);
  assert.equal(await spendProof(db, proof({ kind: "client_assertion", signer: "ab", jti: "c" })), true);
  assert.equal(await spendProof(db, proof({ signer: 'ab","c', jti: "" })), true);
  assert.equal(await spendProof(db, proof({ signer: "ab", jti: "c" })), false);
});

test("one that has expired by the database's clock is spent already, as it would be forgotten (RFC 7523 §3; reference reliability 0.3)", async () => {
  const { db } = world.platform;
  const expiresAt = new Date(Date.now() - 1000);
  assert.equal(await spendProof(db, proof({ jti: "late", expiresAt })), false);
});

test("the sweep deletes expired proofs, and keeps the others (RFC 7523 §3)", async () => {
  const { db } = world.platform;
  await spendProof(db, proof({ jti: "old" }));
  await spendProof(db, proof({ jti: "young" }));
  await db.run(
    sql`update used_proofs set expires_at = now() - interval '1 second'
      where digest = sha256(convert_to('["dpop","a","old"]', 'UTF8'))`,
  );
  await sweepOauth(world.platform);
  assert.equal(await spendProof(db, proof({ jti: "old" })), true);
  assert.equal(await spendProof(db, proof({ jti: "young" })), false);
});
