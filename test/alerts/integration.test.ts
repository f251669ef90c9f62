/** Which integrations count as silent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentDays } from "../../src/alerts/integration.ts";

const now = new Date("2026-11-28T09:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

test("an active integration that received nothing for 30 days is silent, counted from its creation if it never did (reference ux §6, integrations)", () => {
  const one = { active: true, type: "http", createdAt: daysAgo(100) } as const;
  assert.equal(silentDays({ ...one, lastReceivedAt: daysAgo(30) }, now), 30);
  assert.equal(silentDays({ ...one, lastReceivedAt: daysAgo(29.99) }, now), undefined);
  assert.equal(silentDays({ ...one, lastReceivedAt: null }, now), 100);
  assert.equal(silentDays({ ...one, lastReceivedAt: null, createdAt: daysAgo(1) }, now), undefined);
});

test("what receives nothing on purpose is not silent: what is off, and links to tools (reference ux §6, integrations)", () => {
  const one = { lastReceivedAt: null, createdAt: daysAgo(100) };
  assert.equal(silentDays({ ...one, active: false, type: "generic" }, now), undefined);
  assert.equal(silentDays({ ...one, active: true, type: "external_tool" }, now), undefined);
});
