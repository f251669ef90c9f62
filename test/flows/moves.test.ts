/**
 * Moves of groups and projects: permissions, addresses, lists, counts, keys and plans are right as soon as the move is committed.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { updateGroup } from "../../src/projects/store-groups.ts";
import { insertOwner, lockPlaces, updateParent } from "../../src/projects/store-moves.ts";
import { aSource } from "../support/alerts.ts";
import { push, record } from "../support/events.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { anApplication } from "../support/oauth.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

interface Made {
  id: number;
  full_path: string;
}
async function aGroup(path: string, more: object = {}, as: Person = "olga"): Promise<Made> {
  const reply = await world.call("/api/v4/groups", { as, json: { name: `Group ${path}`, path, ...more } });
  assert.equal(reply.status, 201, reply.text);
  return reply.json;
}
async function aProject(path: string, namespace: string | number, more: object = {}): Promise<Made> {
  const json = { name: path, namespace_id: namespace, ...more };
  const reply = await world.call("/api/v4/projects", { as: "olga", json });
  assert.equal(reply.status, 201, reply.text);
  return reply.json;
}
const invite = (group: string, user: Person, access_level: number) =>
  world.call(`/api/v4/groups/${encodeURIComponent(group)}/members`, {
    as: "olga",
    json: { user_id: world.ids[user], access_level },
  });
const move = (group: number | string, into: number | string | null | undefined, as: Person = "olga") =>
  world.call(`/api/v4/groups/${encodeURIComponent(group)}/transfer`, { as, json: { group_id: into } });
const movePlain = (project: number | string, namespace: number | string, as: Person = "olga") =>
  world.call(`/api/v4/projects/${encodeURIComponent(project)}/transfer`, {
    as,
    method: "PUT",
    json: { namespace },
  });
const statusOf = async (path: string, as: Person) => (await world.call(`/api/v4${path}`, { as })).status;
const total = async (path: string, as: Person) =>
  Number((await world.call(`/api/v4${path}`, { as })).headers.get("x-total"));

/** Counts the groups and projects whose path or lineage does not follow from their place. */
async function astray(): Promise<number> {
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`with recursive placed as (
        select id, array[id] as lineage, path as full_path from namespaces where parent_id is null
        union all select n.id, p.lineage || n.id, p.full_path || '/' || n.path
        from namespaces n join placed p on p.id = n.parent_id)
      select (select count(*) from namespaces n where not exists (select from placed p where p.id = n.id
          and p.lineage = n.lineage and p.full_path = n.full_path))
        + (select count(*) from projects x join placed p on p.id = x.namespace_id
          where x.lineage <> p.lineage or x.full_path <> p.full_path || '/' || x.path) as n`,
  );
  return n;
}

describe("moving a group", () => {
  it("takes its subgroups and projects along, with permissions, lists and counts; old addresses redirect (GitLab v4 API, POST /groups/:id/transfer; decision 0140)", async () => {
    const from = await aGroup("from");
    const team = await aGroup("team", { parent_id: from.id });
    const inner = await aGroup("inner", { parent_id: team.id });
    const into = await aGroup("into");
    const deep = await aProject("deep", inner.id);
    await invite("from", "rep", 20);
    await invite("from/team", "gus", 20);
    await invite("into", "stan", 30);
    const source = await aSource(world, "generic", {}, "from/team/inner/deep");
    await record(world, [{ projectId: deep.id, authorId: world.ids.olga, ...push }]);
    await compactEventCounts(world.platform);
    const inTeam = await total(`/groups/${team.id}/events`, "olga");
    const every = await total("/events?scope=all", "olga");
    assert.ok(inTeam > 1);
    assert.equal(await total(`/groups/${from.id}/events`, "rep"), inTeam);
    const seen = (as: Person) => statusOf(`/projects/${deep.id}`, as);
    const robot = await anApplication(world, { name: "Team Robot" });
    await world.platform.db.run(
      sql`update applications set owner_id = null, owner_group_id = ${team.id} where id = ${robot.id}`,
    );
    const list = `/api/v4/groups/${team.id}/events`;
    const tag = (await world.call(list, { as: "rep" })).headers.get("etag") ?? "";
    const again = () => world.call(list, { as: "rep", headers: { "if-none-match": tag } });
    const same = await again();
    assert.equal(same.status, 304);
    assert.deepEqual([await seen("rep"), await seen("gus"), await seen("stan")], [200, 200, 404]);

    const moved = await move(team.id, into.id);
    assert.equal(moved.status, 201, moved.text);
    assert.deepEqual([moved.json.full_path, moved.json.parent_id], ["into/team", into.id]);

    assert.deepEqual([await seen("rep"), await seen("gus"), await seen("stan")], [404, 200, 200]);
    assert.equal(await total(`/groups/${from.id}/events`, "rep"), 0);
    assert.equal(await total(`/groups/${into.id}/events`, "stan"), inTeam);
    assert.equal(await total("/events?scope=all", "olga"), every);
    await compactEventCounts(world.platform);
    assert.equal(await total("/events?scope=all", "olga"), every);
    assert.equal(await astray(), 0);
    assert.equal((await again()).status, 404, "not 304 for the old ETag");
    const olga = await signedIn(world, "olga");
    const kept = await olga.get(`/groups/into%2Fteam/-/settings/applications/${robot.id}`);
    assert.match(kept.text, /Team Robot/);
    const old = await olga.get("/groups/from%2Fteam/-/settings/applications");
    assert.match(old.text, /href="\/groups\/into%2Fteam\/-\/settings\/applications\/\d+"/);

    const gus = await signedIn(world, "gus");
    for (const [old, now] of [
      ["/from/team", "/into/team"],
      ["/from/team/inner", "/into/team/inner"],
      ["/from/team/inner/deep", "/into/team/inner/deep"],
      ["/from/team/inner/deep/activity", "/into/team/inner/deep/activity"],
    ] as const) {
      assert.deepEqual([old, (await gus.get(old)).location], [old, now]);
    }
    const read = await world.call("/api/v4/projects/from%2Fteam%2Finner%2Fdeep", { as: "gus" });
    assert.deepEqual([read.status, read.headers.get("location")], [301, `/api/v4/projects/${deep.id}`]);
    const sent = await source.send({ title: "From afar" });
    assert.equal(sent.status, 200, `${source.path} ${sent.text}`);
    const ada = await signedIn(world, "ada");
    const log = (await ada.get("/admin/audit")).text;
    assert.match(log, /class="title">Moved a group</);
    assert.match(log, /group from\/team, to into\/team|to into\/team, group from\/team/);

    const back = await move(team.id, from.id);
    assert.equal(back.json.full_path, "from/team", "it can take its old path back");
    assert.deepEqual([await seen("rep"), await seen("stan")], [200, 404]);
    assert.equal(await astray(), 0);
  });

  it("to the top level keeps its plan and makes the user who moves it its owner (contract §4, tiers; decision 0140)", async () => {
    const below = await aGroup("standalone", {
      parent_id: (await world.call("/api/v4/groups/free", { as: "olga" })).json.id,
    });
    const { id } = await aProject("tool", below.id);
    const { db } = world.platform;
    await db.run(sql`delete from members where namespace_id = ${below.id}`);
    const moved = await move(below.id, undefined);
    assert.deepEqual([moved.status, moved.json.full_path, moved.json.parent_id], [201, "standalone", null]);
    const members = (await world.call(`/api/v4/groups/${below.id}/members`, { as: "olga" })).json;
    assert.deepEqual(
      members.map((m: { username: string; access_level: number }) => [m.username, m.access_level]),
      [["olga", 50]],
    );
    const { n } = await db.one(
      row({ n: integer }),
      sql`select count(*) as n from namespaces where id = ${below.id} and plan = 'free'`,
    );
    assert.equal(n, 1);
    assert.equal((await world.call("/api/v4/projects/standalone%2Ftool", { as: "olga" })).json.id, id);
    assert.equal(await astray(), 0);
  });

  it("to the top level gives it an owner without an expiry date, or is refused (decision 0165)", async () => {
    const above = await aGroup("above");
    const members = (id: number) => `/api/v4/groups/${id}/members`;
    const ownersOf = async (id: number) =>
      (await world.call(members(id), { as: "ada" })).json.map(
        (m: { username: string; expires_at: string | null }) => [m.username, m.expires_at],
      );
    const aRoleFor = (id: number, person: Person, expires_at: string | null) =>
      world.call(members(id), {
        as: "olga",
        json: { user_id: world.ids[person], access_level: 50, expires_at },
      });
    const below = await aGroup("below-above", { parent_id: above.id });
    await aRoleFor(below.id, "stan", "2031-05-01");
    // The user stays owner by the role in the parent group.
    const left = await world.call(`${members(below.id)}/${world.ids.olga}`, { as: "olga", method: "DELETE" });
    assert.equal(left.status, 204);
    const refused = await move(below.id, null, "stan");
    assert.deepEqual(
      [refused.status, refused.json.message],
      [400, "Transfer failed: at the top it needs an owner whose role has no end."],
    );
    assert.deepEqual(await ownersOf(below.id), [["stan", "2031-05-01"]], "nobody's role was extended");
    assert.equal((await move(below.id, null)).status, 201);
    assert.deepEqual(await ownersOf(below.id), [
      ["stan", "2031-05-01"],
      ["olga", null],
    ]);
    const theirs = await aGroup("theirs-above", { parent_id: above.id });
    await world.call(`${members(theirs.id)}/${world.ids.olga}`, { as: "olga", method: "DELETE" });
    assert.equal((await move(theirs.id, null, "ada")).status, 201);
    assert.deepEqual(
      await ownersOf(theirs.id),
      [["ada", null]],
      "the administrator who moved it becomes owner, as it had none of its own",
    );
    // A lower role with an expiry date, next to the inherited one, becomes Owner without an expiry date.
    const other = await aGroup("beside-above", { parent_id: above.id });
    const own = await world.call(`${members(other.id)}/${world.ids.olga}`, {
      as: "olga",
      method: "PUT",
      json: { access_level: 30, expires_at: "2031-05-01" },
    });
    assert.equal(own.status, 200, own.text);
    assert.equal((await move(other.id, null)).status, 201);
    const { json } = await world.call(`${members(other.id)}/${world.ids.olga}`, { as: "ada" });
    assert.deepEqual([json.access_level, json.expires_at], [50, null]);
  });

  it("requires the role Owner on both sides, and is refused where the group cannot be (decision 0140)", async () => {
    const a = await aGroup("aa", { visibility: "public" });
    const inA = await aGroup("in-a", { parent_id: a.id, visibility: "public" });
    const closed = await aGroup("closed");
    await aGroup("in-a", { parent_id: closed.id });
    const stans = await aGroup("stans", { visibility: "public" }, "stan");
    assert.equal((await move(inA.id, stans.id)).status, 403, "owner of the moved group only");
    await world.call(`/api/v4/groups/${stans.id}/members`, {
      as: "stan",
      json: { user_id: world.ids.olga, access_level: 40 },
    });
    assert.equal((await move(inA.id, stans.id)).status, 403, "and only Maintainer of the destination");
    assert.equal((await move(inA.id, stans.id, "stan")).status, 403, "owner of the destination only");
    assert.equal((await move(closed.id, stans.id, "stan")).status, 404);
    assert.equal((await move(inA.id, 999_999)).status, 404);
    const why = async (group: Made, into: number | null) => {
      const { status, json } = await move(group.id, into);
      assert.equal(status, 400, JSON.stringify(json));
      return json.message as string;
    };
    assert.match(await why(a, a.id), /into itself/);
    assert.match(await why(a, inA.id), /into a group below it/);
    assert.match(await why(inA, a.id), /there already/);
    assert.match(await why(a, null), /there already/);
    assert.match(await why(inA, closed.id), /more visible/);
    await world.call(`/api/v4/groups/${inA.id}`, {
      as: "olga",
      method: "PUT",
      json: { visibility: "private" },
    });
    assert.match(await why(inA, closed.id), /path is taken/);
    const named = await aGroup("admin", { parent_id: a.id });
    assert.match(await why(named, null), /reserved/);
    assert.equal((await world.call(`/api/v4/groups/${inA.id}`, { as: "olga" })).json.full_path, "aa/in-a");
    assert.equal((await move(inA.id, null, "ada")).status, 201, "administrators can move every group");
    assert.equal(await astray(), 0);
  });

  it("also reads the destination from the query, as clients send it, so that no group goes to the top level by mistake (GitLab v4 API, POST /groups/:id/transfer)", async () => {
    const asked = await aGroup("asked");
    const { id } = await aGroup("asking");
    const put = (path: string, method: string) => world.call(`/api/v4${path}`, { as: "olga", method });
    const moved = await put(`/groups/${id}/transfer?group_id=${asked.id}`, "POST");
    assert.deepEqual([moved.status, moved.json.full_path], [201, "asked/asking"]);
    assert.equal((await put(`/groups/${id}/transfer?group_id=x-y-z`, "POST")).status, 404);
    assert.equal(
      (await put(`/groups/${id}/transfer`, "POST")).json.full_path,
      "asking",
      "no destination means the top level",
    );
    const project = await aProject("said", "asked");
    const there = await put(`/projects/${project.id}/transfer?namespace=asking`, "PUT");
    assert.equal(there.json.path_with_namespace, "asking/said");
    const missing = await put(`/projects/${project.id}/transfer`, "PUT");
    assert.deepEqual([missing.status, missing.json], [400, { error: "namespace is missing" }]);
  });

  it("cannot exceed the depth of 20 levels, and neither can a new group (decision 0140)", async () => {
    let at = await aGroup("level");
    for (let level = 2; level <= 20; level++) at = await aGroup(`l${level}`, { parent_id: at.id });
    const json = { name: "x", path: "x", parent_id: at.id };
    const deeper = await world.call("/api/v4/groups", { as: "olga", json });
    assert.deepEqual(
      [deeper.status, deeper.json],
      [400, { message: { parent_id: ["is 20 levels deep already"] } }],
    );
    const pair = await aGroup("pair");
    await aGroup("below", { parent_id: pair.id });
    const parent = (await world.call(`/api/v4/groups/${at.id}`, { as: "olga" })).json.parent_id;
    assert.match((await move(pair.id, parent)).json.message, /20 levels/);
    assert.equal(await astray(), 0);
  });

  it("cannot create a cycle when two groups are moved into each other at once, and includes groups that are created in it meanwhile (decision 0140)", async () => {
    for (let round = 0; round < 6; round++) {
      const [a, b] = [await aGroup(`ring-a${round}`), await aGroup(`ring-b${round}`)];
      const inner = await aGroup("inner", { parent_id: a.id });
      const outcome = await Promise.all([move(a.id, b.id), move(b.id, inner.id)]);
      assert.deepEqual(outcome.map(({ status }) => status).sort(), [201, 400]);
      const home = await aGroup(`ring-c${round}`);
      const [gone, made] = await Promise.all([
        move(inner.id, home.id),
        world.call("/api/v4/groups", {
          as: "olga",
          json: { name: "Late", path: "late", parent_id: inner.id },
        }),
        world.call("/api/v4/projects", { as: "olga", json: { name: "late-one", namespace_id: inner.id } }),
        world.call(`/api/v4/groups/${a.id}`, { as: "olga", method: "PUT", json: { path: `ring-d${round}` } }),
      ]);
      assert.deepEqual([gone.status, made.status], [201, 201], gone.text + made.text);
      assert.equal(await astray(), 0);
    }
  });
});

describe("renaming a group that is moved to the top level meanwhile", () => {
  /** Renames the group while its move, which is not committed yet, is waited for. */
  async function renameDuringMove(outer: string, path: string) {
    const { id } = await aGroup(`in-${outer}`, { parent_id: (await aGroup(outer)).id });
    const moving = async (tx: Queries) => {
      await lockPlaces(tx);
      await updateParent(tx, id, null);
      await insertOwner(tx, id, world.ids.olga);
    };
    const json = { path };
    const rename = () => world.call(`/api/v4/groups/${id}`, { as: "olga", method: "PUT", json });
    return (await whileDoing(world, moving, rename)).worked;
  }

  it("gives it a path at the top, not in the group that it was in (decision 0140)", async () => {
    const renamed = await renameDuringMove("wharf", "slip");
    assert.deepEqual([renamed.status, renamed.json.full_path], [200, "slip"], renamed.text);
    assert.equal(await astray(), 0);
  });

  it("refuses a path that is reserved at the top (decision 0140; contract §3, reserved names)", async () => {
    const renamed = await renameDuringMove("jetty", "oauth");
    assert.equal(renamed.status, 400, renamed.text);
    assert.deepEqual(renamed.json.message.path, ["is a reserved name"]);
  });

  it("is kept in order by the database too (house §2.8)", async () => {
    const { id } = await aGroup("buoy");
    await updateGroup(world.platform.db, id, { path: "float", fullPath: "wharf/float" });
    assert.equal(await astray(), 0);
  });
});

describe("moving a project", () => {
  it("gives it the permissions, lists and counts of its new place; its keys still work and old addresses redirect (GitLab v4 API, PUT /projects/:id/transfer; decision 0140)", async () => {
    const left = await aGroup("left");
    const right = await aGroup("right");
    await invite("left", "rep", 20);
    await invite("right", "stan", 20);
    const { id } = await aProject("cargo", "left");
    const source = await aSource(world, "generic", {}, "left/cargo");
    await record(world, [{ projectId: id, authorId: world.ids.dev, ...push }]);
    await compactEventCounts(world.platform);
    const before = await total(`/groups/${left.id}/events`, "rep");
    const every = await total("/events?scope=all", "olga");
    assert.ok(before > 1);
    const moved = await movePlain("left/cargo", "right");
    assert.deepEqual([moved.status, moved.json.path_with_namespace], [200, "right/cargo"], moved.text);
    assert.equal(moved.json.namespace.full_path, "right");
    assert.deepEqual(
      [await statusOf(`/projects/${id}`, "rep"), await statusOf(`/projects/${id}`, "stan")],
      [404, 200],
    );
    assert.deepEqual(
      [await total(`/groups/${left.id}/events`, "rep"), await total(`/groups/${right.id}/events`, "stan")],
      [0, before],
    );
    assert.equal(await total("/events?scope=all", "olga"), every);
    await compactEventCounts(world.platform);
    assert.equal(await total("/events?scope=all", "olga"), every);
    assert.equal(
      await total("/events?scope=all&per_page=1&page=2", "stan"),
      await total("/events?scope=all", "stan"),
    );
    const stan = await signedIn(world, "stan");
    assert.equal((await stan.get("/left/cargo/activity")).location, "/right/cargo/activity");
    const sent = await source.send({ title: "From afar" });
    assert.equal(sent.status, 200, sent.text);
    assert.match(
      (await (await signedIn(world, "ada")).get("/admin/audit")).text,
      /class="title">Moved a project</,
    );
    const own = await movePlain(id, "olga");
    assert.equal(own.json.path_with_namespace, "olga/cargo");
    assert.equal(await statusOf(`/projects/${id}`, "stan"), 404);
    assert.equal((await movePlain(id, right.id)).json.path_with_namespace, "right/cargo");
    assert.equal(await astray(), 0);
  });

  it("requires the role Owner on both sides, and is refused where the project cannot be (decision 0140)", async () => {
    const mine = await aGroup("mine");
    const { id } = await aProject("thing", "mine");
    await aProject("thing", "olga");
    const shown = await aGroup("shown", { visibility: "public" });
    const open = await aProject("open-thing", "shown", { visibility: "public" });
    const stans = await aGroup("stans-own", { visibility: "public" }, "stan");
    assert.equal((await movePlain(id, stans.id)).status, 403);
    await world.call(`/api/v4/groups/${stans.id}/members`, {
      as: "stan",
      json: { user_id: world.ids.olga, access_level: 40 },
    });
    assert.equal((await movePlain(id, stans.id)).status, 403, "a Maintainer of the group does not own it");
    assert.equal(
      (await movePlain(id, "max")).status,
      403,
      "nobody can move a project into another user's namespace",
    );
    assert.equal((await movePlain(id, stans.id, "stan")).status, 404);
    assert.equal((await movePlain(open.id, stans.id, "stan")).status, 403);
    assert.equal((await movePlain(id, "no-such-place")).status, 404);
    assert.equal((await movePlain(id, "")).status, 404);
    assert.match((await movePlain(id, "olga")).json.message, /path is taken/);
    assert.match((await movePlain(id, mine.id)).json.message, /there already/);
    const wide = await movePlain(open.id, mine.id);
    assert.deepEqual(
      [wide.status, wide.json.message],
      [400, "Transfer failed: the project is more visible than the group it would be in."],
    );
    assert.equal(
      (await world.call(`/api/v4/projects/${id}/transfer`, { as: "olga", method: "PUT", json: {} })).status,
      400,
    );
    assert.equal((await movePlain(open.id, shown.id)).status, 400);
    assert.equal(await astray(), 0);
  });
});

describe("the page for moving groups and projects", () => {
  it("is for owners, offers the groups that they own, asks for the path as confirmation, and says why a move is refused (decision 0140)", async () => {
    const port = await aGroup("port");
    const dock = await aGroup("dock", { parent_id: port.id, visibility: "private" });
    await aGroup("harbour");
    await aProject("ship", "port/dock");
    const page = "/groups/port%2Fdock/-/settings/move";
    const max = await signedIn(world, "max");
    assert.equal((await max.get(page)).status, 404);
    assert.equal((await max.get("/acme/rocket/-/settings/move")).status, 403);
    assert.doesNotMatch((await max.get("/acme/rocket")).text, /settings\/move/);
    const olga = await signedIn(world, "olga");
    assert.match((await olga.get("/groups/port%2Fdock/-/settings")).text, new RegExp(`href="${page}"`));
    const form = (await olga.get(page)).text;
    const offered = [...form.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value);
    assert.ok(offered.includes("harbour") && offered.includes(""));
    for (const never of ["port", "port/dock"]) assert.ok(!offered.includes(never), never);
    const unsure = await olga.submit(page, { place: "harbour", confirm: "dock" });
    assert.equal(unsure.status, 422);
    assert.match(unsure.text, /Type port\/dock to go on/);
    assert.match(unsure.text, /<option value="harbour" selected/);
    const inside = await olga.submit(page, { place: "port/dock", confirm: "port/dock" });
    assert.match(inside.text, /A group cannot go into itself/);
    const foreign = await olga.submit(page, { place: "stans", confirm: "port/dock" });
    assert.match(foreign.text, /no place that you own/);
    const moved = await olga.submit(page, { place: "harbour", confirm: "port/dock" });
    assert.deepEqual([moved.status, moved.location], [303, "/harbour/dock"]);
    assert.match((await olga.follow(moved)).text, /is at harbour\/dock now/);
    assert.equal((await olga.get(page)).location, "/groups/harbour%2Fdock/-/settings/move");
    const top = await olga.submit("/groups/harbour%2Fdock/-/settings/move", {
      place: "",
      confirm: "harbour/dock",
    });
    assert.equal(top.location, "/dock");
    assert.equal((await world.call(`/api/v4/groups/${dock.id}`, { as: "olga" })).json.parent_id, null);
  });

  it("moves projects, also into the user's own namespace (decision 0140)", async () => {
    const olga = await signedIn(world, "olga");
    const page = "/dock/ship/-/settings/move";
    assert.match((await olga.get("/dock/ship")).text, new RegExp(`href="${page}"`));
    assert.equal((await olga.submit(page, { place: "max", confirm: "dock/ship" })).status, 422);
    const moved = await olga.submit(page, { place: "olga", confirm: "dock/ship" });
    assert.deepEqual([moved.status, moved.location], [303, "/olga/ship"]);
    const now = (await olga.get("/olga/ship/-/settings/move")).text;
    assert.doesNotMatch(now, /<option value="olga"/);
    assert.match(now, /<option value="dock"/);
    assert.equal((await olga.get(page)).location, "/olga/ship/-/settings/move");
  });
});
