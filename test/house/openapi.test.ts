/** The committed OpenAPI document says what the routes say. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { describedApi } from "../../scripts/described-api.ts";

test("openapi.json is what the routes generate (house §2.7)", async () => {
  assert.equal(readFileSync("openapi.json", "utf8"), await describedApi(), "run: npm run openapi");
});

test("API operations stand below /api/v4, OAuth ones below nothing (spec: Endpoints)", async () => {
  const { paths } = JSON.parse(await describedApi()) as { paths: Record<string, unknown> };
  const all = Object.keys(paths);
  assert.ok(all.includes("/api/v4/events") && all.includes("/oauth/token"));
  for (const path of all) assert.match(path, /^\/(api\/v4|oauth|\.well-known|-)\//);
});
