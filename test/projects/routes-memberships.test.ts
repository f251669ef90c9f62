/** The memberships of a user, as administrators' programs ask for them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

async function membershipsOf(person: Person | number, query = "") {
  const who = typeof person === "number" ? person : world.ids[person];
  const { status, json, headers, text } = await world.call(`/api/v4/users/${who}/memberships?${query}`, {
    as: "ada",
  });
  assert.equal(status, 200, text);
  return { json, headers };
}

/** The names of the sources of a list, which its headers count. */
async function listed(person: Person, query = ""): Promise<string[]> {
  const { json, headers } = await membershipsOf(person, query);
  assert.equal(Number(headers.get("x-total")), json.length);
  return json.map((each: { source_name: string }) => each.source_name);
}

test("the memberships of a user are the projects and groups to which the user was added, with the level there (GitLab v4 API, GET /users/:id/memberships; decision 0286)", async () => {
  const acme = await world.call("/api/v4/groups/acme", { as: "olga" });
  const json = { user_id: world.ids.dev, access_level: 20 };
  assert.equal((await world.call("/api/v4/groups/acme/members", { as: "olga", json })).status, 201);
  assert.deepEqual((await membershipsOf("dev")).json, [
    { source_id: world.rocket.id, source_name: "Rocket", source_type: "Project", access_level: 30 },
    { source_id: world.open.id, source_name: "Open", source_type: "Project", access_level: 30 },
    { source_id: acme.json.id, source_name: acme.json.name, source_type: "Namespace", access_level: 20 },
  ]);
  assert.deepEqual(await listed("dev", "type=Project"), ["Rocket", "Open"]);
  assert.deepEqual(await listed("dev", "type=Namespace"), [acme.json.name]);
  assert.deepEqual(await listed("stan"), []);
  const byName = await world.call("/api/v4/users/dev/memberships", { as: "ada" });
  assert.equal(byName.json.length, 3, byName.text);
});

test("the memberships of a user are paginated (contract §4, event lists)", async () => {
  const { json, headers } = await membershipsOf("olga", "per_page=1&page=2");
  assert.equal(json.length, 1);
  assert.equal(headers.get("x-total"), "2");
  assert.match(headers.get("link") ?? "", /memberships\?per_page=1&page=1>; rel="prev"/);
});

test("memberships that have ended, or of what is being removed, are not listed (decision 0286)", async () => {
  const { rep } = world.ids;
  assert.deepEqual(await listed("rep"), ["Rocket", "Open"]);
  await world.platform.db.run(
    sql`update members set expires_at = now() - interval '1 second' where user_id = ${rep}`,
  );
  assert.deepEqual(await listed("rep"), []);
  const removal = (at: Date | null) =>
    world.platform.db.run(
      sql`update projects set removal_began_at = ${at}::timestamptz where id = ${world.rocket.id}`,
    );
  await removal(new Date());
  assert.deepEqual(await listed("gus"), ["Open"]);
  await removal(null);
});

test("only administrators read the memberships of a user, even their own (GitLab v4 API, GET /users/:id/memberships; decision 0286)", async () => {
  const path = `/api/v4/users/${world.ids.dev}/memberships`;
  for (const as of ["dev", "olga", "stan"] as const)
    assert.equal((await world.call(path, { as })).status, 403, as);
  assert.equal((await world.call(path)).status, 401);
  const missing = await world.call("/api/v4/users/99999999/memberships", { as: "ada" });
  assert.deepEqual([missing.status, missing.json], [404, { message: "404 User Not Found" }]);
  assert.equal((await world.call(`${path}?type=Group`, { as: "ada" })).status, 400);
});
