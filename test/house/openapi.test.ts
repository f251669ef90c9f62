/** The committed OpenAPI document says what the routes say. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { describedApi } from "../../scripts/described-api.ts";

test("openapi.json is what the routes generate (house §2.7)", async () => {
  assert.equal(readFileSync("openapi.json", "utf8"), await describedApi(), "run: npm run openapi");
});
