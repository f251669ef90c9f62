/** The users of a project, as clients that assign work ask for them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { PEOPLE, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
const usersOf = (project: string) => `/api/v4/projects/acme%2F${project}/users`;
before(async () => {
  world = await startWorld();
});

/** The usernames of a list, which its headers count. */
async function listed(query: string, as: Person = "gus"): Promise<string[]> {
  const { status, json, headers, text } = await world.call(`${usersOf("rocket")}?${query}`, { as });
  assert.equal(status, 200, text);
  assert.equal(Number(headers.get("x-total")), json.length, query);
  return json.map(({ username }: { username: string }) => username);
}

test("the users of a project are the direct and inherited members, without roles, ordered by id (GitLab v4 API, GET /projects/:id/users)", async () => {
  const { json } = await world.call(usersOf("rocket"), { as: "gus" });
  assert.deepEqual(
    json,
    (["olga", "max", "dev", "rep", "gus"] as const).map((username) => ({
      id: world.ids[username],
      username,
      name: PEOPLE[username],
      state: "active",
      locked: false,
      avatar_url: `${world.url}/-/avatars/${world.ids[username]}.svg`,
      web_url: `${world.url}/${username}`,
    })),
  );
  const all = await world.call("/api/v4/projects/acme%2Frocket/members/all", { as: "gus" });
  assert.deepEqual(
    json.map(({ id }: { id: number }) => id),
    all.json.map(({ id }: { id: number }) => id),
  );
});

test("the users of a project can be searched by name and username, and skip_users leaves out some (GitLab v4 API, GET /projects/:id/users)", async () => {
  const { olga, max } = world.ids;
  for (const [query, names] of [
    ["search=MAINT", ["max"]],
    ["search=re", ["rep"]],
    ["search=@", []],
    [`skip_users=${olga},${max}`, ["dev", "rep", "gus"]],
    [`skip_users[]=${olga}&search=o`, ["dev", "rep"]],
    ["search=", ["olga", "max", "dev", "rep", "gus"]],
  ] as const)
    assert.deepEqual(await listed(query), names, query);
  assert.equal((await world.call(`${usersOf("rocket")}?skip_users=x`, { as: "gus" })).status, 400);
});

test("the users of a project are paginated (contract §4, event lists)", async () => {
  const { json, headers } = await world.call(`${usersOf("rocket")}?per_page=2&page=2`, { as: "gus" });
  assert.deepEqual(
    json.map(({ username }: { username: string }) => username),
    ["dev", "rep"],
  );
  assert.deepEqual(
    ["x-total", "x-total-pages", "x-next-page", "x-prev-page"].map((name) => headers.get(name)),
    ["5", "3", "3", "1"],
  );
});

test("the users of a project are visible to the same callers as the members (decision 0040; contract §4, visibility)", async () => {
  const missing = [404, { message: "404 Project Not Found" }];
  const stan = await world.call(usersOf("rocket"), { as: "stan" });
  const absent = await world.call(usersOf("nothing"), { as: "stan" });
  const nobody = await world.call(usersOf("rocket"));
  for (const { status, json } of [stan, absent, nobody]) assert.deepEqual([status, json], missing);
  assert.equal((await world.call(usersOf("rocket"), { as: "ada" })).json.length, 5);
  const open = await world.call(usersOf("open"), { as: "stan" });
  assert.deepEqual([open.status, open.json.length], [200, 5]);
  assert.deepEqual((await world.call(usersOf("open"))).json, open.json);
  const ask = async (scope: string) =>
    (await world.call(usersOf("open"), { token: await world.tokenOf("dev", scope) })).status;
  assert.deepEqual([await ask("read_user"), await ask("read_api")], [403, 200]);
});

test("the users of a project include blocked users as blocked, but no users whose role has ended; blocked callers are refused (contract §4, tokens and roles)", async () => {
  const { rep, dev } = world.ids;
  const block = await world.call(`/api/v4/users/${rep}/block`, { as: "ada", method: "POST" });
  assert.equal(block.status, 201, block.text);
  const [found] = (await world.call(`${usersOf("rocket")}?search=rep`, { as: "gus" })).json;
  assert.deepEqual([found.id, found.state], [rep, "blocked"]);
  assert.equal((await world.call(usersOf("rocket"), { as: "rep" })).status, 403);
  await world.platform.db.run(
    sql`update members set expires_at = now() where user_id = ${dev} and project_id = ${world.rocket.id}`,
  );
  assert.deepEqual(await listed("search=dev"), []);
});
