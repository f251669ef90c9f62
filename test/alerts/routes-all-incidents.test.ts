/** Lists of incidents across projects, as clients of issues ask for them. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { PEOPLE, type Person, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
const API = "/api/v4";
const PROJECTS = ["acme/rocket", "acme/open", "acme/pad/crane", "acme/pad/inner", "free/plan"];
const everyone = Object.keys(PEOPLE) as Person[];

before(async () => {
  world = await startWorld();
  const acme = await world.call(`${API}/groups/acme`, { as: "olga" });
  const json = { name: "Pad", path: "pad", parent_id: acme.json.id, visibility: "private" };
  const pad = await done(world.call(`${API}/groups`, { as: "olga", json }), 201);
  for (const name of ["crane", "inner"]) {
    const project = { name, namespace_id: pad.json.id };
    await done(world.call(`${API}/projects`, { as: "olga", json: project }), 201);
  }
  const member = { user_id: world.ids.rep, access_level: 20 };
  await done(world.call(`${API}/groups/acme%2Fpad/members`, { as: "olga", json: member }), 201);
  for (const [as, project, title] of [
    ["dev", "acme/rocket", "Pump stops"],
    ["max", "acme/rocket", "Valve leaks"],
    ["olga", "acme/open", "Door is shut"],
    ["rep", "acme/pad/crane", "Crane hangs"],
    ["olga", "acme/pad/inner", "Pump hums"],
    ["olga", "free/plan", "Plan is lost"],
  ] as const)
    await done(world.call(issuesOf(project), { as, json: { title } }), 201);
  await done(
    world.call(`${issuesOf("acme/rocket")}/2`, { as: "dev", method: "PUT", json: { state_event: "close" } }),
    200,
  );
  // A day apart in the order in which they were opened; the first was changed last.
  await world.platform.db.run(
    sql`update incidents n set created_at = '2026-03-01T12:00:00Z'::timestamptz + make_interval(days => place),
      updated_at = '2026-03-19T12:00:00Z'::timestamptz - make_interval(days => place)
      from (select id, row_number() over (order by id)::integer as place from incidents) p where p.id = n.id`,
  );
});

async function done(asked: Promise<Reply>, status: number): Promise<Reply> {
  const reply = await asked;
  assert.equal(reply.status, status, reply.text);
  return reply;
}

const issuesOf = (project: string) => `${API}/projects/${encodeURIComponent(project)}/issues`;

/** The titles of a list, which its headers count. */
async function listed(path: string, as: Person): Promise<string[]> {
  const { json, headers } = await done(world.call(API + path, { as }), 200);
  assert.equal(Number(headers.get("x-total")), json.length, path);
  return json.map(({ title }: { title: string }) => title);
}

describe("GET /issues", () => {
  test("lists the incidents that the caller opened, and with scope=all every incident that the caller may read (GitLab v4 API, GET /issues; decision 0278)", async () => {
    for (const [as, own] of [
      ["dev", ["Pump stops"]],
      ["max", ["Valve leaks"]],
      ["rep", ["Crane hangs"]],
      ["olga", ["Plan is lost", "Pump hums", "Door is shut"]],
      ["gus", []],
      ["stan", []],
      ["ada", []],
    ] as const) {
      for (const query of ["", "?scope=created_by_me", "?scope=created-by-me"])
        assert.deepEqual(await listed(`/issues${query}`, as), own, `${as} ${query}`);
      assert.deepEqual(await listed("/issues?scope=assigned_to_me", as), []);
    }
    assert.deepEqual(await listed("/issues?scope=all&not[author_username]=max&not[iids]=1", "dev"), []);
    assert.deepEqual(await listed("/issues?scope=all&not[author_username]=olga", "dev"), [
      "Valve leaks",
      "Pump stops",
    ]);
    const all = ["Plan is lost", "Pump hums", "Crane hangs", "Door is shut", "Valve leaks", "Pump stops"];
    for (const [as, seen] of [
      ["dev", ["Door is shut", "Valve leaks", "Pump stops"]],
      ["rep", ["Pump hums", "Crane hangs", "Door is shut", "Valve leaks", "Pump stops"]],
      ["gus", []],
      ["stan", []],
      ["olga", all],
      ["ada", all],
    ] as const)
      assert.deepEqual(await listed("/issues?scope=all", as), seen, as);
  });

  test("lists for each user the same incidents as the lists of the projects, whatever their visibility (decision 0278)", async () => {
    for (const visibility of ["private", "internal", "public"]) {
      const json = { visibility };
      await done(world.call(`${API}/projects/acme%2Fopen`, { as: "olga", method: "PUT", json }), 200);
      for (const as of everyone) {
        const seen: string[] = [];
        for (const project of PROJECTS) {
          const { status, json } = await world.call(issuesOf(project), { as });
          if (status === 200) seen.push(...json.map(({ title }: { title: string }) => title));
        }
        const found = await listed("/issues?scope=all&non_archived=false", as);
        assert.deepEqual(found.sort(), seen.sort(), `${as} ${visibility}`);
      }
    }
  });

  test("returns the same records as the list of the project, except for references.relative (GitLab v4 API, GET /issues)", async () => {
    const { json } = await done(world.call(`${API}/issues?scope=all&search=crane`, { as: "rep" }), 200);
    const own = await done(world.call(`${issuesOf("acme/pad/crane")}/1`, { as: "rep" }), 200);
    const full = "acme/pad/crane#1";
    assert.deepEqual(json, [{ ...own.json, references: { short: "#1", relative: full, full } }]);
  });

  test("has the filters of a project's list (GitLab v4 API, GET /issues)", async () => {
    const { olga, dev } = world.ids;
    for (const [query, titles] of [
      ["state=closed", ["Valve leaks"]],
      ["state=opened&search=PUMP", ["Pump hums", "Pump stops"]],
      ["iids[]=2", ["Valve leaks"]],
      ["iids=1&search=s", ["Plan is lost", "Pump hums", "Crane hangs", "Door is shut", "Pump stops"]],
      [`author_id=${olga}`, ["Plan is lost", "Pump hums", "Door is shut"]],
      [`author_id=${dev}`, ["Pump stops"]],
      ["author_username=MAX", ["Valve leaks"]],
      ["author_username=nobody", []],
      ["created_after=2026-03-06T12:00:00Z", ["Plan is lost", "Pump hums"]],
      ["created_before=2026-03-02T12:00:00Z", ["Pump stops"]],
      ["updated_after=2026-03-17T12:00:00Z", ["Valve leaks", "Pump stops"]],
      ["updated_before=2026-03-13T12:00:00Z", ["Plan is lost"]],
      ["issue_type=incident&labels=incident&assignee_id=None&state=closed", ["Valve leaks"]],
      ["issue_type=task", []],
      ["labels=bug", []],
      ["assignee_id=Any", []],
      ["milestone=v1", []],
      ["confidential=true", []],
      [
        "order_by=updated_at",
        ["Pump stops", "Valve leaks", "Door is shut", "Crane hangs", "Pump hums", "Plan is lost"],
      ],
      ["order_by=updated_at&sort=asc&search=pump", ["Pump hums", "Pump stops"]],
      ["sort=asc", ["Pump stops", "Valve leaks", "Door is shut", "Crane hangs", "Pump hums", "Plan is lost"]],
    ] as const)
      assert.deepEqual(await listed(`/issues?scope=all&${query}`, "olga"), titles, query);
    for (const wrong of ["scope=mine", "non_archived=perhaps", "state=late", "iids=x"])
      assert.equal((await world.call(`${API}/issues?${wrong}`, { as: "olga" })).status, 400, wrong);
  });

  test("returns nothing for scope=created_by_me with the author_id of another user, here or in a project (GitLab v4 API, GET /issues)", async () => {
    const { dev, olga } = world.ids;
    for (const path of ["/issues", "/projects/acme%2Frocket/issues"]) {
      const own = `${path}?scope=created_by_me`;
      assert.deepEqual(await listed(`${own}&author_id=${dev}`, "dev"), ["Pump stops"]);
      assert.deepEqual(await listed(`${own}&author_id=${olga}`, "dev"), []);
      assert.deepEqual(await listed(`${own}&author_username=olga`, "dev"), []);
    }
    assert.deepEqual(await listed("/issues?search=hums&state=opened", "olga"), ["Pump hums"]);
    assert.deepEqual(await listed("/issues?iids=9", "olga"), []);
  });

  test("is paginated, with the total on every page and past the last (contract §4, event lists)", async () => {
    for (const query of ["scope=all", "scope=all&search=s", "scope=all&order_by=updated_at"]) {
      const whole = (await world.call(`${API}/issues?${query}`, { as: "olga" })).json;
      const pages: unknown[] = [];
      for (const page of [1, 2, 3]) {
        const { json, headers } = await done(
          world.call(`${API}/issues?${query}&per_page=2&page=${page}`, { as: "olga" }),
          200,
        );
        pages.push(...json);
        assert.deepEqual([headers.get("x-total"), headers.get("x-total-pages")], ["6", "3"]);
        assert.equal(headers.get("x-next-page"), page < 3 ? String(page + 1) : "");
      }
      assert.deepEqual(pages, whole);
      const past = await done(world.call(`${API}/issues?${query}&per_page=2&page=4`, { as: "olga" }), 200);
      assert.deepEqual([past.json, past.headers.get("x-total")], [[], "6"]);
    }
  });

  test("needs a token with a scope to read the API, of a user who is not blocked (decision 0278; contract §4, tokens and roles)", async () => {
    for (const path of ["/issues?scope=all", "/groups/acme/issues"]) {
      assert.equal((await world.call(API + path)).status, 401, path);
      const ask = async (...scopes: string[]) =>
        (await world.call(API + path, { token: await world.tokenOf("dev", ...scopes) })).status;
      assert.equal(await ask("read_user"), 403);
      assert.equal(await ask("read_api"), 200);
      await done(world.call(`${API}/users/${world.ids.dev}/block`, { as: "ada", method: "POST" }), 201);
      assert.equal(await ask("read_api"), 403);
      await done(world.call(`${API}/users/${world.ids.dev}/unblock`, { as: "ada", method: "POST" }), 201);
    }
  });
});

describe("GET /issues/:id", () => {
  test("returns any incident to administrators, as GET /issues lists it (GitLab v4 API, GET /issues/:id; decision 0293)", async () => {
    const whole = (await world.call(`${API}/issues?scope=all`, { as: "ada" })).json;
    assert.equal(whole.length, 6);
    for (const each of whole) {
      const { status, json } = await world.call(`${API}/issues/${each.id}`, { as: "ada" });
      assert.deepEqual([status, json], [200, each]);
    }
  });

  test("is 403 for everybody else, and 404 for an unknown id (GitLab v4 API, GET /issues/:id; decision 0293)", async () => {
    const [{ id }] = (await world.call(`${API}/issues?scope=all`, { as: "ada" })).json;
    for (const path of [`${API}/issues/${id}`, `${API}/issues/99999999`]) {
      for (const as of everyone.filter((each) => each !== "ada")) {
        const { status, json } = await world.call(path, { as });
        assert.deepEqual([status, json], [403, { message: "403 Forbidden" }], `${as} ${path}`);
      }
      assert.equal((await world.call(path)).status, 401);
    }
    for (const unknown of ["99999999", "0", "-1", "x", "9".repeat(30)]) {
      const { status, json } = await world.call(`${API}/issues/${unknown}`, { as: "ada" });
      assert.deepEqual([status, json], [404, { message: "404 Issue Not Found" }], unknown);
    }
    for (const [scope, status] of [
      ["read_user", 403],
      ["read_api", 200],
    ] as const) {
      const token = await world.tokenOf("ada", scope);
      assert.equal((await world.call(`${API}/issues/${id}`, { token })).status, status, scope);
    }
  });

  test("returns incidents of archived projects, but none of a project that is being removed (decisions 0152, 0153)", async () => {
    const [{ id }] = (await world.call(`${API}/issues?scope=all&search=plan`, { as: "ada" })).json;
    const change = (path: string) =>
      done(world.call(`${API}/projects/free%2Fplan/${path}`, { as: "olga", method: "POST" }), 201);
    await change("archive");
    assert.equal((await world.call(`${API}/issues/${id}`, { as: "ada" })).status, 200);
    await change("unarchive");
    const { db } = world.platform;
    await db.run(sql`update projects set removal_began_at = now() where id = ${world.free.id}`);
    assert.equal((await world.call(`${API}/issues/${id}`, { as: "ada" })).status, 404);
    await db.run(sql`update projects set removal_began_at = null where id = ${world.free.id}`);
  });
});

describe("GET /groups/:id/issues", () => {
  test("lists the incidents of the projects in the group and its subgroups that the caller may read (GitLab v4 API, GET /groups/:id/issues)", async () => {
    const below = ["Pump hums", "Crane hangs"];
    for (const [as, inAcme, inPad] of [
      ["olga", [...below, "Door is shut", "Valve leaks", "Pump stops"], below],
      ["ada", [...below, "Door is shut", "Valve leaks", "Pump stops"], below],
      ["rep", [...below, "Door is shut", "Valve leaks", "Pump stops"], below],
      ["dev", ["Door is shut", "Valve leaks", "Pump stops"], undefined],
      ["gus", [], undefined],
      ["stan", [], undefined],
    ] as const) {
      assert.deepEqual(await listed("/groups/acme/issues", as), inAcme, as);
      if (inPad) assert.deepEqual(await listed("/groups/acme%2Fpad/issues", as), inPad, as);
      else {
        const { status, json } = await world.call(`${API}/groups/acme%2Fpad/issues`, { as });
        assert.deepEqual([status, json], [404, { message: "404 Group Not Found" }], as);
      }
    }
    assert.deepEqual(await listed("/groups/acme/issues?scope=created_by_me", "rep"), ["Crane hangs"]);
    assert.deepEqual(await listed("/groups/acme/issues?state=closed", "rep"), ["Valve leaks"]);
    assert.deepEqual(await listed("/groups/acme/issues?search=pump&sort=asc", "rep"), [
      "Pump stops",
      "Pump hums",
    ]);
    assert.deepEqual(await listed("/groups/free/issues", "dev"), []);
  });

  test("returns references.relative as seen from the group (GitLab v4 API, GET /groups/:id/issues)", async () => {
    const names = async (group: string) => {
      const { json } = await done(world.call(`${API}/groups/${group}/issues`, { as: "rep" }), 200);
      return json.map(({ references }: { references: { relative: string } }) => references.relative);
    };
    assert.deepEqual(await names("acme"), [
      "acme/pad/inner#1",
      "acme/pad/crane#1",
      "open#1",
      "rocket#2",
      "rocket#1",
    ]);
    assert.deepEqual(await names("acme%2Fpad"), ["inner#1", "crane#1"]);
  });
});

test("incidents of archived projects and of projects marked for deletion are only listed with non_archived=false (GitLab v4 API, GET /issues; decision 0278)", async () => {
  const change = (path: string) => world.call(`${API}/${path}`, { as: "olga", method: "POST" });
  for (const [path, lost] of [
    ["projects/acme%2Fopen", ["Door is shut"]],
    ["groups/acme%2Fpad", ["Pump hums", "Crane hangs"]],
  ] as const) {
    assert.equal((await change(`${path}/archive`)).json.archived, true, path);
    for (const list of ["/issues?scope=all", "/groups/acme/issues?scope=all"]) {
      const whole = await listed(`${list}&non_archived=false`, "olga");
      const left = whole.filter((title) => !(lost as readonly string[]).includes(title));
      assert.equal(whole.length - left.length, lost.length);
      for (const query of ["", "&non_archived=true"])
        assert.deepEqual(await listed(list + query, "olga"), left, list + query);
    }
    assert.equal((await change(`${path}/unarchive`)).json.archived, false, path);
  }
  await done(world.call(`${API}/projects/free%2Fplan`, { as: "olga", method: "DELETE" }), 202);
  assert.ok(!(await listed("/issues", "olga")).includes("Plan is lost"));
  assert.ok((await listed("/issues?non_archived=false", "olga")).includes("Plan is lost"));
});

test("incidents of projects that are being removed or in which the caller is no Reporter, or not any more, are not listed, not even the caller's own (decision 0152; decision 0278)", async () => {
  const { db } = world.platform;
  assert.deepEqual(await listed("/issues", "max"), ["Valve leaks"]);
  await db.run(
    sql`update members set expires_at = now() where user_id = ${world.ids.max} and project_id = ${world.rocket.id}`,
  );
  for (const query of ["", "?search=valve", "?scope=all&search=valve", "?scope=all&state=closed"])
    assert.deepEqual(await listed(`/issues${query}`, "max"), [], query);
  for (const [level, seen] of [
    [20, ["Valve leaks"]],
    [15, []],
    [10, []],
  ] as const) {
    await db.run(sql`update members set access_level = ${level}, expires_at = null
      where user_id = ${world.ids.max} and project_id = ${world.rocket.id}`);
    for (const query of ["", "?scope=all&state=closed", "?scope=all&search=valve"])
      assert.deepEqual(await listed(`/issues${query}`, "max"), seen, `level ${level}: ${query}`);
  }
  await db.run(sql`update projects set removal_began_at = now() where id = ${world.rocket.id}`);
  for (const as of ["olga", "ada"] as const)
    for (const query of [
      "/issues?scope=all",
      "/issues?scope=all&search=s",
      "/groups/acme/issues?scope=all",
    ]) {
      const found = await listed(`${query}&non_archived=false`, as);
      assert.ok(found.includes("Door is shut") && !found.includes("Valve leaks"), `${as} ${query}`);
    }
});
