/** What is signed to be shown once counts once, of many at the same moment too. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type UsedProof, useProof } from "../../src/oauth/store-used-proofs.ts";
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

test("of sixteen at once one counts, and none later (RFC 9449 §11.1)", async () => {
  const { db } = world.platform;
  const shown = await Promise.all(Array.from({ length: 16 }, () => useProof(db, proof({ jti: "once" }))));
  assert.equal(shown.filter(Boolean).length, 1);
  assert.equal(await useProof(db, proof({ jti: "once" })), false);
});

test("another signer or another purpose may use the same name, and no two lists of parts read alike (RFC 7523 §3)", async () => {
  const { db } = world.platform;
  assert.equal(await useProof(db, proof({ signer: "ab", jti: "c" })), true);
  assert.equal(await useProof(db, proof({ signer: "a", jti: "bc" })), true);
  assert.equal(await useProof(db, proof({ kind: "client_assertion", signer: "ab", jti: "c" })), true);
  assert.equal(await useProof(db, proof({ signer: 'ab","c', jti: "" })), true);
  assert.equal(await useProof(db, proof({ signer: "ab", jti: "c" })), false);
});

test("the sweep forgets what has expired, and nothing that still counts (RFC 7523 §3)", async () => {
  const { db } = world.platform;
  await useProof(db, proof({ jti: "old" }));
  await useProof(db, proof({ jti: "young" }));
  await db.run(
    sql`update used_proofs set expires_at = now() - interval '1 second'
      where digest = sha256(convert_to('["dpop","a","old"]', 'UTF8'))`,
  );
  await sweepOauth(world.platform);
  assert.equal(await useProof(db, proof({ jti: "old" })), true);
  assert.equal(await useProof(db, proof({ jti: "young" })), false);
});
