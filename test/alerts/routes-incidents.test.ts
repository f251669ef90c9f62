/** Lists of incidents with the parameters of issue clients. */
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
  // Opened on three consecutive days in the order of their iids; the first was updated last.
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

test("the filters of issues select incidents, and X-Total counts the selected ones (GitLab v4 API, GET /projects/:id/issues)", async () => {
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
  for (const [query, iids] of [
    [`not[author_id]=${dev}`, [2]],
    ["not[author_username]=DEV", [2]],
    ["not[author_username]=nobody", [3, 2, 1]],
    [`author_id=${dev}&not[author_id]=${dev}`, []],
    ["not[iids]=3,9", [2, 1]],
    ["iids[]=3&iids[]=1&not[iids][]=1", [3]],
    ["not[labels]=bug&not[milestone]=v1&not[assignee_username]=dev&not[weight]=0", [3, 2, 1]],
    ["milestone_id=None&weight=none&due_date=0&iteration_id=None&epic_id=None", [3, 2, 1]],
  ] as const) {
    assert.deepEqual(await listed(query), iids, query);
  }
  assert.deepEqual(await listed("scope=created_by_me", "max"), [2]);
  assert.deepEqual(await listed("scope=created_by_me", "rep"), []);
});

test("issue filters that no incident can match return an empty list (GitLab v4 API, GET /projects/:id/issues)", async () => {
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
    ...["milestone_id=Any", "due_date=overdue", "iteration_id=4", "iteration_title=May", "epic_id=Any"],
    ...["weight=0", "health_status=at_risk", "my_reaction_emoji=thumbsup"],
    ...["not[labels]=bug,incident", "not[labels]=Any", "not[milestone]=None", "not[assignee_id]=None"],
  ]) {
    assert.deepEqual(await listed(query), [], query);
  }
});

test("in limits a search to titles or descriptions (GitLab v4 API, GET /projects/:id/issues)", async () => {
  const json = { title: "Crane stands", description: "Since the second shift" };
  const made = await world.call("/api/v4/projects/acme%2Fopen/issues", { as: "olga", json });
  assert.equal(made.status, 201, made.text);
  const found = async (query: string) => {
    const { json, text } = await world.call(`/api/v4/projects/acme%2Fopen/issues?${query}`, { as: "olga" });
    assert.ok(Array.isArray(json), text);
    return json.length;
  };
  for (const [query, n] of [
    ["search=crane&in=title", 1],
    ["search=crane&in=description", 0],
    ["search=second&in=title", 0],
    ["search=second&in=description", 1],
    ["search=second&in=title,description", 1],
    ["search=crane&in=", 1],
    ["in=description", 1],
  ] as const)
    assert.equal(await found(query), n, query);
  const wrong = await world.call(`${ISSUES}?search=x&in=notes`, { as: "rep" });
  assert.deepEqual([wrong.status, wrong.json.error], [400, "in does not have a valid value"]);
});

test("incidents are sorted and paginated as requested, and invalid parameters are refused by name (GitLab v4 API, GET /projects/:id/issues)", async () => {
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

test("one note is shown to Reporters, below its own incident alone, and is not changed (GitLab v4 API, GET /projects/:id/issues/:iid/notes/:note_id; decision 0278)", async () => {
  const notes = `${ISSUES}/1/notes`;
  const made = await world.call(notes, { as: "rep", json: { body: "Looking" } });
  const all = await world.call(notes, { as: "rep" });
  const closed = await world.call(`${ISSUES}/2/notes`, { as: "rep" });
  assert.deepEqual([all.json[0], closed.json[0].system], [made.json, true]);
  for (const [iid, note] of [
    [1, made.json],
    [2, closed.json[0]],
  ] as const) {
    const path = `${ISSUES}/${iid}/notes/${note.id}`;
    for (const as of ["rep", "ada"] as const) {
      const { status, json } = await world.call(path, { as });
      assert.deepEqual([status, json], [200, note], `${as} ${path}`);
    }
    const elsewhere = await world.call(`${ISSUES}/${3 - iid}/notes/${note.id}`, { as: "rep" });
    assert.deepEqual([elsewhere.status, elsewhere.json], [404, { message: "404 Not found" }]);
    for (const as of ["gus", "stan"] as const)
      assert.equal((await world.call(path, { as })).status, as === "gus" ? 403 : 404, as);
    assert.equal((await world.call(path)).status, 401);
    const reading = (scope: string) =>
      world.tokenOf("rep", scope).then((token) => world.call(path, { token }));
    assert.deepEqual([(await reading("read_api")).status, (await reading("read_user")).status], [200, 403]);
    for (const method of ["PUT", "DELETE"]) {
      const { status, headers } = await world.call(path, { as: "olga", method, json: { body: "Other" } });
      assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD"], method);
    }
  }
  for (const wrong of ["0", "x", "1e1", "99999999999999999999", "-1"]) {
    const { status, json } = await world.call(`${notes}/${wrong}`, { as: "rep" });
    assert.deepEqual([status, json], [404, { message: "404 Not found" }], wrong);
  }
  const absent = await world.call(`${ISSUES}/9/notes/${made.json.id}`, { as: "rep" });
  assert.deepEqual([absent.status, absent.json], [404, { message: "404 Issue Not Found" }]);
});

test("activity_filter selects the notes that people wrote, or the lines of the service, and X-Total counts these (GitLab v4 API, GET /projects/:id/issues/:iid/notes)", async () => {
  const notes = `${ISSUES}/2/notes`;
  const made = await world.call(notes, { as: "rep", json: { body: "Tightened it" } });
  assert.equal(made.status, 201, made.text);
  for (const [filter, systems] of [
    ["only_comments", [false]],
    ["only_activity", [true]],
    ["all_notes", [true, false]],
  ] as const) {
    const { json, headers } = await world.call(
      `${notes}?activity_filter=${filter}&order_by=updated_at&sort=asc`,
      { as: "rep" },
    );
    const found = json.map(({ system }: { system: boolean }) => system);
    assert.deepEqual([found, headers.get("x-total")], [systems, String(systems.length)], filter);
  }
  for (const wrong of ["activity_filter=comments", "order_by=id"])
    assert.equal((await world.call(`${notes}?${wrong}`, { as: "rep" })).status, 400, wrong);
});
