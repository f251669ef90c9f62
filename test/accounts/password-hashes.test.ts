/** How many password hashes run concurrently, weighted by their cost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import { hash } from "@node-rs/argon2";
import { hashPassword, passwordMatches } from "../../src/accounts/password.ts";
import { Problem } from "../../src/platform/problem.ts";
import { hashes } from "../support/counting.ts";

const PASSWORD = "a sentence of one's own";
const hashed = (memoryCost: number, timeCost: number) =>
  hash(PASSWORD, { memoryCost, timeCost, parallelism: 1 });

test("of sixty concurrent hashes at full cost two run, fifty wait, and the others are refused (reference reliability S37)", async () => {
  const full = await hashPassword(PASSWORD);
  const before = hashes();
  let ended = 0;
  let most = 0;
  const asked = Array.from({ length: 60 }, () => passwordMatches(full, PASSWORD));
  assert.equal(hashes() - before, 2, "two run at once");
  const answers = await Promise.allSettled(
    asked.map(async (one) => {
      const matches = await one;
      ended++;
      // Once those have begun that waited for this one.
      await immediate();
      most = Math.max(most, hashes() - before - ended);
      return matches;
    }),
  );
  assert.deepEqual([most, hashes() - before], [2, 52]);
  const refused = answers.filter((answer) => answer.status === "rejected");
  assert.equal(refused.length, 8);
  for (const { reason } of refused) assert.equal((reason as Problem).kind, "too_many");
  assert.ok(answers.every((answer) => answer.status === "rejected" || answer.value));
});

test("hashes with less memory and fewer passes count less, and a more expensive one still runs (reference reliability S37)", async () => {
  const cheap = await hashed(8, 1);
  const many = await Promise.all(Array.from({ length: 200 }, () => passwordMatches(cheap, PASSWORD)));
  assert.ok(many.every(Boolean));
  const dear = await hashed(65_536, 2);
  const mixed = [dear, cheap, dear, await hashPassword(PASSWORD), cheap];
  const answers = await Promise.all(mixed.map((stored) => passwordMatches(stored, PASSWORD)));
  assert.deepEqual(answers, [true, true, true, true, true]);
  const wrong = mixed.map((stored) => passwordMatches(stored, `${PASSWORD}?`));
  assert.deepEqual(await Promise.all([...wrong, passwordMatches(null, PASSWORD)]), Array(6).fill(false));
  // All capacity is released.
  await assert.doesNotReject(
    Promise.all(Array.from({ length: 52 }, () => passwordMatches(null, PASSWORD))),
    Problem,
  );
});
