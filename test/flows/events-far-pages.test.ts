/** Pages beyond the ten thousandth event, for which the day is looked up first. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { startWorld, type World } from "../support/world.ts";

const EVENTS = 10_800;
const DAYS = 20;
const PER_PAGE = 100;

let world: World;
before(async () => {
  world = await startWorld();
  const now = Date.now();
  // Both projects, over twenty days, several events at the same time.
  const rows = Array.from({ length: EVENTS }, (_, n) => ({
    project_id: n % 30 === 0 ? "acme/open" : "acme/rocket",
    action: "updated",
    target_type: "Issue",
    target_id: 5000 + (n % 50),
    target_iid: 50 + (n % 50),
    target_title: `Issue ${n % 50}`,
    created_at: new Date(now - (1 + (n % DAYS)) * 86_400_000 - (n % 7) * 1000).toISOString(),
    external_id: `far-${n}`,
  }));
  for (let from = 0; from < EVENTS; from += 6000) {
    const body = gzipSync(
      rows
        .slice(from, from + 6000)
        .map((row) => JSON.stringify(row))
        .join("\n"),
    );
    const headers = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
    const reply = await world.call("/api/v4/events/bulk", { as: "max", method: "POST", body, headers });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.invalid, 0);
  }
});

for (const list of ["/events?scope=all", "/groups/acme/events?", "/users/max/events?"]) {
  for (const as of ["olga", "dev", "max"] as const) {
    test(`${list} as ${as}: pages far from the start continue without gaps, in both orders (contract-events §4; decision 0135)`, async () => {
      const page = async (number: number, order: string) => {
        const path = `/api/v4${list}&per_page=${PER_PAGE}&page=${number}${order}`;
        const { status, json, headers } = await world.call(path, { as });
        assert.equal(status, 200);
        return { ids: (json as { id: number }[]).map(({ id }) => id), total: Number(headers.get("x-total")) };
      };
      const { total } = await page(1, "");
      assert.ok(total > 10_000 + 4 * PER_PAGE, `${total} events`);
      const last = Math.ceil(total / PER_PAGE);
      // The same events, read from the other end, where their page numbers are small.
      const tail: number[] = [];
      for (let number = 1; number <= 5; number++) tail.push(...(await page(number, "&sort=asc")).ids);
      const far: number[] = [];
      for (let number = last - 3; number <= last; number++) far.push(...(await page(number, "")).ids);
      assert.deepEqual(far, tail.slice(0, far.length).reverse());
      assert.ok(far.length > 3 * PER_PAGE);
      const newest: number[] = [];
      for (let number = 1; number <= 4; number++) newest.push(...(await page(number, "")).ids);
      const ascending = (await page(last, "&sort=asc")).ids;
      assert.deepEqual(ascending, newest.slice(0, ascending.length).reverse());
    });
  }
}
