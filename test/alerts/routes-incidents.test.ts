/** Lists of incidents, as clients of issues ask for them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
const ISSUES = "/api/v4/projects/acme%2Frocket/issues";

before(async () => {
  world = await startWorld();
  for (const [as, title] of [
    ["dev", "First"],
    ["max", "Second"],
    ["dev", "Third"],
  ] as const) {
    const made = await world.call(ISSUES, { as, json: { title } });
    assert.equal(made.status, 201, made.text);
  }
  await world.call(`${ISSUES}/2`, { as: "dev", method: "PUT", json: { state_event: "close" } });
  // Opened three days ago, two, one; the first was changed last.
  await world.platform.db.run(
    sql`update incidents set created_at = '2026-03-01T12:00:00Z'::timestamptz + make_interval(days => iid::integer),
      updated_at = '2026-03-09T12:00:00Z'::timestamptz - make_interval(days => iid::integer)
      where project_id = ${world.rocket.id}`,
  );
});

async function listed(query: string, as: Person = "rep"): Promise<number[]> {
  const { status, json, headers, text } = await world.call(`${ISSUES}?${query}`, { as });
  assert.equal(status, 200, text);
  assert.equal(Number(headers.get("x-total")), json.length, query);
  return json.map(({ iid }: { iid: number }) => iid);
}

test("only what is asked for is listed, and counted (GitLab v4 API, GET /projects/:id/issues)", async () => {
  const { dev } = world.ids;
  for (const [query, iids] of [
    ["", [3, 2, 1]],
    ["iids[]=3&iids[]=1", [3, 1]],
    ["iids=2,9", [2]],
    [`author_id=${dev}`, [3, 1]],
    ["author_username=MAX&state=closed", [2]],
    ["author_username=nobody", []],
    ["created_after=2026-03-03T12:00:00Z", [3, 2]],
    ["created_before=2026-03-03T11:59:59Z", [1]],
    ["updated_after=2026-03-07T12:00:00Z&search=S", [2, 1]],
    ["updated_before=2026-03-06T12:00:00Z", [3]],
    ["labels=incident&assignee_id=None&milestone=None&confidential=false&scope=all", [3, 2, 1]],
  ] as const) {
    assert.deepEqual(await listed(query), iids, query);
  }
  assert.deepEqual(await listed("scope=created_by_me", "max"), [2]);
  assert.deepEqual(await listed("scope=created_by_me", "rep"), []);
});

test("what no incident is, is listed as none (GitLab v4 API, GET /projects/:id/issues)", async () => {
  for (const query of [
    "labels=bug",
    "labels=incident,bug",
    "labels=None",
    "assignee_id=Any",
    `assignee_id=${world.ids.dev}`,
    "assignee_username[]=dev",
    "milestone=13.1",
    "confidential=true",
    "scope=assigned_to_me",
    "issue_type=test_case",
  ]) {
    assert.deepEqual(await listed(query), [], query);
  }
});

test("they go by what is asked for, either way, a page at a time (GitLab v4 API, GET /projects/:id/issues)", async () => {
  assert.deepEqual(await listed("order_by=updated_at"), [1, 2, 3]);
  assert.deepEqual(await listed("order_by=updated_at&sort=asc&state=opened"), [3, 1]);
  assert.deepEqual(await listed("order_by=created_at&sort=asc"), [1, 2, 3]);
  assert.deepEqual(await listed("order_by=priority"), [3, 2, 1]);
  const { json, headers } = await world.call(`${ISSUES}?order_by=updated_at&per_page=1&page=2`, {
    as: "rep",
  });
  assert.deepEqual([json.length, json[0].iid, headers.get("x-total")], [1, 2, "3"]);
  for (const wrong of [
    "order_by=size",
    "scope=mine",
    "iids=x",
    "created_after=soon",
    "confidential=perhaps",
  ]) {
    const { status, json } = await world.call(`${ISSUES}?${wrong}`, { as: "rep" });
    assert.equal(status, 400, wrong);
    assert.match(json.error, new RegExp(`^${wrong.split("=")[0]} `));
  }
});
