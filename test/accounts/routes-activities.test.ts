/** On which day users were last active, as programs ask that look for accounts nobody uses. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  await world.platform.db.run(
    sql`update users set last_activity_on = case username when 'olga' then '2020-02-29'::date
      when 'max' then current_date - 30 when 'dev' then current_date - 10 when 'ada' then current_date end`,
  );
});

async function listed(query = "") {
  const { status, json, headers, text } = await world.call(`/api/v4/user/activities?${query}`, { as: "ada" });
  assert.equal(status, 200, text);
  const names = json.map((each: { username: string }) => each.username);
  return { json, headers, others: names.filter((name: string) => name !== "ada") };
}

test("lists the users who were active within six months, the least recent first (GitLab v4 API, GET /user/activities; decision 0286)", async () => {
  const { json, others, headers } = await listed();
  assert.deepEqual(others, ["max", "dev"]);
  assert.equal(json.at(-1).username, "ada");
  assert.equal(Number(headers.get("x-total")), json.length);
  const [first] = json;
  assert.deepEqual(first, {
    username: "max",
    last_activity_on: first.last_activity_on,
    last_activity_at: first.last_activity_on,
  });
  assert.match(first.last_activity_on, /^\d{4}-\d\d-\d\d$/);
});

test("lists those who were active since the day `from`, and refuses what is no day (GitLab v4 API, GET /user/activities; decision 0286)", async () => {
  assert.deepEqual((await listed("from=2020-02-29")).others, ["olga", "max", "dev"]);
  assert.deepEqual((await listed("from=2020-03-01")).others, ["max", "dev"]);
  assert.deepEqual((await listed("from=2020-01-01&per_page=1&page=2")).others, ["max"]);
  assert.equal((await world.call("/api/v4/user/activities?from=2020-02-30", { as: "ada" })).status, 400);
});

test("is for administrators (GitLab v4 API, GET /user/activities; decision 0286)", async () => {
  assert.equal((await world.call("/api/v4/user/activities", { as: "olga" })).status, 403);
  assert.equal((await world.call("/api/v4/user/activities")).status, 401);
});
