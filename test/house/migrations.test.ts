/** Migrations are numbered without gaps, so that every database applies them in the same order. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

test("migrations have unique numbers without gaps (house §2.8)", () => {
  const names = readdirSync(new URL("../../migrations", import.meta.url)).sort();
  assert.deepEqual(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, index) => index + 1),
  );
});
