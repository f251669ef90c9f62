import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { recordHappenings } from "../../src/events/record-happenings.ts";
import { instant, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { endMemberships } from "../../src/projects/end-memberships.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const ROCKET = "/api/v4/projects/acme%2Frocket/members";
const ACME = "/api/v4/groups/acme/members";

const add = (as: Person, person: Person, level: number, more = {}, path = ROCKET) =>
  world.call(path, { as, json: { user_id: world.ids[person], access_level: level, ...more } });
const remove = (as: Person, person: Person, path = ROCKET) =>
  world.call(`${path}/${world.ids[person]}`, { as, method: "DELETE" });

async function actionsOf(person: Person): Promise<{ action: string; created_at: string }[]> {
  const { json } = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100&sort=asc", {
    as: "olga",
  });
  return json.filter((event: { author_id: number }) => event.author_id === world.ids[person]);
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe("members of a project", () => {
  it("are added by Maintainers, see the project at once, and a joined event is recorded (reference events B3)", async () => {
    assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { as: "stan" })).status, 404);
    const added = await add("max", "stan", 20);
    assert.equal(added.status, 201);
    assert.deepEqual(
      { ...added.json, created_at: "" },
      {
        id: world.ids.stan,
        username: "stan",
        name: "Stan Stranger",
        state: "active",
        locked: false,
        avatar_url: `${world.url}/-/avatars/${world.ids.stan}.svg`,
        web_url: `${world.url}/stan`,
        access_level: 20,
        created_at: "",
        created_by: { ...added.json.created_by, id: world.ids.max, username: "max", name: "Max Maintainer" },
        expires_at: null,
        membership_state: "active",
      },
    );
    assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { as: "stan" })).status, 200);
    const again = await add("max", "stan", 30);
    assert.deepEqual([again.status, again.json], [409, { message: "Member already exists" }]);
    assert.deepEqual(
      (await actionsOf("stan")).map((event) => event.action),
      ["joined"],
    );
  });

  it("can be added and changed with form bodies, as in GitLab's examples (house §2.7)", async () => {
    const form = { user_id: String(world.ids.olga), access_level: "20" };
    const place = "/api/v4/groups";
    const made = await world.call(place, { as: "max", json: { name: "Forms", path: "forms" } });
    assert.equal(made.status, 201);
    const added = await world.call(`${place}/forms/members`, { as: "max", form });
    assert.deepEqual([added.status, added.json.access_level], [201, 20], added.text);
    const path = `${place}/forms/members/${world.ids.olga}`;
    const raised = await world.call(path, { as: "max", method: "PUT", form: { access_level: "40" } });
    assert.deepEqual([raised.status, raised.json.access_level], [200, 40]);
  });

  it("lose access with the next request when they are removed, and a left event is recorded (reference reliability S82)", async () => {
    assert.equal((await remove("max", "stan")).status, 204);
    assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { as: "stan" })).status, 404);
    assert.deepEqual(
      (await actionsOf("stan")).map((event) => event.action),
      ["joined", "left"],
    );
    assert.equal((await remove("max", "stan")).status, 404);
  });

  it("can remove themselves with the lowest role (decision 0040)", async () => {
    await add("max", "stan", 10);
    assert.equal((await remove("stan", "stan")).status, 204);
  });

  it("cannot be given a higher role than that of the giver, or be changed or removed by somebody with a lower one (reference events B3)", async () => {
    assert.equal((await add("max", "stan", 50)).status, 403);
    assert.equal((await add("dev", "stan", 10)).status, 403);
    assert.equal((await remove("dev", "stan")).status, 403, "also somebody who is no member");
    assert.equal(
      (
        await world.call(`${ROCKET}/${world.ids.dev}`, {
          as: "max",
          method: "PUT",
          json: { access_level: 50 },
        })
      ).status,
      403,
    );
    await add("olga", "stan", 50);
    assert.equal((await remove("max", "stan")).status, 403);
    assert.equal(
      (
        await world.call(`${ROCKET}/${world.ids.stan}`, {
          as: "max",
          method: "PUT",
          json: { access_level: 10 },
        })
      ).status,
      403,
    );
    assert.equal((await remove("olga", "stan")).status, 204);
  });

  it("get another role, and keep or lose their expiry date (contract §3; reference events B3)", async () => {
    await add("max", "stan", 20, { expires_at: "2031-05-01" });
    const one = `${ROCKET}/${world.ids.stan}`;
    const raised = await world.call(one, { as: "max", method: "PUT", json: { access_level: 30 } });
    assert.deepEqual(
      [raised.status, raised.json.access_level, raised.json.expires_at],
      [200, 30, "2031-05-01"],
    );
    const timed = await world.call(one, {
      as: "max",
      method: "PUT",
      json: { access_level: 30, expires_at: "2031-05-01T12:00:00+02:00" },
    });
    assert.equal(timed.json.expires_at, "2031-05-01T10:00:00.000Z");
    const open = await world.call(one, {
      as: "max",
      method: "PUT",
      json: { access_level: 30, expires_at: null },
    });
    assert.equal(open.json.expires_at, null);
    const past = await world.call(one, {
      as: "max",
      method: "PUT",
      json: { access_level: 10, expires_at: "2020-01-01" },
    });
    assert.deepEqual(
      [past.status, past.json],
      [400, { message: { expires_at: ["cannot be a date in the past"] } }],
    );
    assert.equal((await world.call(one, { as: "max" })).json.access_level, 30, "unchanged");
    await remove("max", "stan");
  });

  it("are refused with invalid levels, users and expiry dates (contract §3; reference events B3)", async () => {
    for (const [json, status] of [
      [{ access_level: 30 }, 400],
      [{ user_id: 1 }, 400],
      [{ user_id: world.ids.stan, access_level: 31 }, 400],
      [{ user_id: world.ids.stan, access_level: "30" }, 400],
      [{ user_id: 999999, access_level: 30 }, 404],
      [{ user_id: "x", access_level: 30 }, 400],
      [{ user_id: world.ids.stan, access_level: 30, expires_at: "2020-01-01" }, 400],
      [{ user_id: world.ids.stan, access_level: 30, expires_at: "2030-02-30" }, 400],
      [{ user_id: world.ids.stan, access_level: 30, expires_at: "soon" }, 400],
    ] as const) {
      assert.equal((await world.call(ROCKET, { as: "max", json })).status, status, JSON.stringify(json));
    }
    assert.equal((await world.call(`${ROCKET}/${world.ids.stan}`, { as: "max" })).status, 404);
  });

  it("can be added several at once, all or none (reference events B3; docstring in src/projects/change-members.ts)", async () => {
    const several = await world.call(ROCKET, {
      as: "max",
      json: { user_id: `${world.ids.stan},${world.ids.dev}`, access_level: 10 },
    });
    assert.equal(several.status, 409);
    assert.equal((await world.call(`${ROCKET}/${world.ids.stan}`, { as: "max" })).status, 404);
    const two = await world.call(ROCKET, {
      as: "max",
      json: { user_id: `${world.ids.stan},${world.ids.ada}`, access_level: 10 },
    });
    assert.deepEqual([two.status, two.json], [201, { status: "success" }]);
    await remove("max", "stan");
    await remove("max", "ada");
    const named = await world.call(ROCKET, { as: "max", json: { username: "stan, ada", access_level: 10 } });
    const told = "a status only, as for several ids (GitLab v4 API, POST /projects/:id/members)";
    assert.deepEqual([named.status, named.json], [201, { status: "success" }], told);
    await remove("max", "stan");
    await remove("max", "ada");
    const many = (length: number) => Array.from({ length }, () => "999999").join(",");
    const statuses = [];
    for (const user_id of [many(100), many(101)]) {
      statuses.push((await world.call(ROCKET, { as: "max", json: { user_id, access_level: 10 } })).status);
    }
    assert.deepEqual(statuses, [404, 400], "users are not looked up if more than 100 are named");
  });

  it("can be listed without some of them and by state (GitLab v4 API)", async () => {
    for (const path of [ROCKET, `${ROCKET}/all`]) {
      const named = async (query: string) => {
        const { json, headers } = await world.call(`${path}?${query}`, { as: "gus" });
        assert.equal(Number(headers.get("x-total")), json.length, query);
        return json.map((member: { username: string }) => member.username) as string[];
      };
      const all = await named("show_seat_info=true");
      const { dev, max } = world.ids;
      const others = all.filter((name) => name !== "dev" && name !== "max");
      assert.deepEqual(await named(`skip_users[]=${dev}&skip_users[]=${max}&state=active`), others);
      assert.deepEqual([others.length, await named("state=awaiting")], [all.length - 2, []]);
      for (const word of ["state=gone", "skip_users=dev"]) {
        assert.equal((await world.call(`${path}?${word}`, { as: "gus" })).status, 400, word);
      }
    }
  });

  it("are listed with or without inherited members (contract §3; reference events B3)", async () => {
    const direct = await world.call(`${ROCKET}?query=dev`, { as: "gus" });
    assert.deepEqual(
      direct.json.map((member: { username: string }) => member.username),
      ["dev"],
    );
    assert.equal(direct.headers.get("x-total"), "1");
    const all = await world.call(`${ROCKET}/all`, { as: "gus" });
    const olga = all.json.find((member: { username: string }) => member.username === "olga");
    assert.equal(olga.access_level, 50);
    assert.equal((await world.call(`${ROCKET}/${world.ids.olga}`, { as: "gus" })).status, 404);
    assert.equal((await world.call(`${ROCKET}/all/${world.ids.olga}`, { as: "gus" })).json.access_level, 50);
    assert.equal((await world.call(ROCKET, { as: "stan" })).status, 404);
    assert.equal((await world.call(ROCKET)).status, 404);
    const some = await world.call(`${ROCKET}?user_ids[]=${world.ids.dev}&user_ids[]=${world.ids.max}`, {
      as: "gus",
    });
    assert.equal(some.json.length, 2);
    await add("max", "stan", 10, { expires_at: "2031-05-01" });
    await add("olga", "stan", 10, {}, ACME);
    const longest = await world.call(`${ROCKET}/all/${world.ids.stan}`, { as: "gus" });
    assert.equal(
      longest.json.expires_at,
      null,
      "of two memberships with the same role, the one that lasts longer",
    );
    await world.call(`${ROCKET}/${world.ids.stan}`, { as: "max", method: "PUT", json: { access_level: 30 } });
    const strongest = (await world.call(`${ROCKET}/all/${world.ids.stan}`, { as: "gus" })).json;
    assert.deepEqual([strongest.access_level, strongest.expires_at?.slice(0, 10)], [30, "2031-05-01"]);
    await remove("max", "stan");
    await remove("olga", "stan", ACME);
  });

  it("are recorded as joined once when several requests add the same user at the same time (reference events B3; contract-events §4, membership)", async () => {
    const before = (await actionsOf("stan")).length;
    const replies = await Promise.all(Array.from({ length: 8 }, () => add("max", "stan", 10)));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, ...Array(7).fill(409)]);
    assert.equal((await actionsOf("stan")).length, before + 1);
    await remove("max", "stan");
  });
});

describe("a membership with an expiry date", () => {
  /** Makes the membership expire now, and returns that moment. */
  const endsNow = async () => {
    const { ends } = await world.platform.db.one(
      row({ ends: instant }),
      sql`update members set expires_at = date_trunc('milliseconds', now()) where user_id = ${world.ids.stan}
        returning expires_at as ends`,
    );
    return ends;
  };

  it("ends at that instant, and is recorded as expired once (contract-events §4, membership)", async () => {
    const added = await add("max", "stan", 20, { expires_at: inAnHour() });
    assert.equal(added.status, 201);
    assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { as: "stan" })).status, 200);
    const ends = await endsNow();
    assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { as: "stan" })).status, 404);
    assert.equal((await world.call(`${ROCKET}/${world.ids.stan}`, { as: "max" })).status, 404);
    const sweeps = [1, 2, 3].map(() => endMemberships(world.platform, recordHappenings));
    assert.equal(
      (await Promise.all(sweeps)).reduce((sum, n) => sum + n, 0),
      1,
    );
    const expired = (await actionsOf("stan")).filter((event) => event.action === "expired");
    assert.deepEqual(
      expired.map((event) => event.created_at),
      [ends.toISOString()],
    );
  });

  it("is recorded as expired even if the user was added again before the job ran (decision 0041; contract-events §4, membership)", async () => {
    assert.equal((await add("max", "stan", 20, { expires_at: inAnHour() })).status, 201);
    await endsNow();
    assert.equal((await add("max", "stan", 10)).status, 201);
    await endMemberships(world.platform, recordHappenings);
    const last = (await actionsOf("stan")).slice(-2).map((event) => event.action);
    assert.deepEqual(last, ["expired", "joined"]);
    await remove("max", "stan");
  });
});

describe("members of a group", () => {
  it("can be changed only by owners, and have their role in the projects of the group (decision 0040; reference events B3)", async () => {
    assert.equal((await add("max", "stan", 10, {}, ACME)).status, 403);
    assert.equal((await add("olga", "stan", 30, {}, ACME)).status, 201);
    assert.equal(
      (await world.call("/api/v4/projects/acme%2Frocket/environments", { as: "stan", json: { name: "x" } }))
        .status,
      201,
    );
    const raise = { as: "olga", method: "PUT", json: { access_level: 40 } } as const;
    assert.equal((await world.call(`${ACME}/${world.ids.stan}`, raise)).status, 200);
    assert.equal((await add("stan", "dev", 10, {}, ACME)).status, 403, "as a Maintainer of the group");
    assert.equal((await remove("olga", "stan", ACME)).status, 204);
    assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { as: "stan" })).status, 404);
  });

  it("always include a permanent owner: one whose membership expires, or who is blocked, does not count (decision 0148)", async () => {
    const state = (verb: string) =>
      world.call(`/api/v4/users/${world.ids.stan}/${verb}`, { as: "ada", json: {} });
    await add("olga", "stan", 50, { expires_at: inAnHour() }, ACME);
    assert.equal((await remove("olga", "olga", ACME)).status, 403);
    const lower = { as: "stan", method: "PUT", json: { access_level: 30 } } as const;
    assert.equal((await world.call(`${ACME}/${world.ids.olga}`, lower)).status, 403);
    const removed = await world.call(`/api/v4/users/${world.ids.olga}`, { as: "ada", method: "DELETE" });
    assert.deepEqual(
      [removed.status, removed.json.message],
      [409, "Groups have no other owner: acme, free. Name one first."],
    );
    assert.equal((await remove("stan", "stan", ACME)).status, 204, "an owner with an expiry date may leave");
    await add("olga", "stan", 50, {}, ACME);
    await state("block");
    assert.equal((await remove("olga", "olga", ACME)).status, 403);
    await state("unblock");
    await remove("olga", "stan", ACME);
    const both = { expires_at: inAnHour() };
    for (const one of ["stan", "dev"] as const) await add("olga", one, 50, both, ACME);
    await world.call(`/api/v4/users/${world.ids.olga}/block`, { as: "ada", json: {} });
    assert.equal(
      (await remove("stan", "stan", ACME)).status,
      204,
      "an owner with an expiry date may leave earlier",
    );
    assert.equal((await remove("dev", "dev", ACME)).status, 403, "but not the last of them");
    await add("ada", "stan", 50, both, ACME);
    await world.platform.db.run(
      sql`update members set expires_at = now() where user_id = ${world.ids.stan} and namespace_id is not null`,
    );
    assert.equal(
      (await remove("dev", "dev", ACME)).status,
      403,
      "nor if the membership of the other one has expired",
    );
    await world.call(`/api/v4/users/${world.ids.olga}/unblock`, { as: "ada", json: {} });
    await remove("olga", "dev", ACME);
  });

  it("always include an owner, even when two owners remove each other at once (decision 0040)", async () => {
    assert.equal((await remove("olga", "olga", ACME)).status, 403);
    const ends = await world.call(`${ACME}/${world.ids.olga}`, {
      as: "olga",
      method: "PUT",
      json: { access_level: 50, expires_at: inAnHour() },
    });
    assert.equal(ends.status, 403, "nor can the last one get an expiry date (decision 0148)");
    assert.equal(
      (
        await world.call(`${ACME}/${world.ids.olga}`, {
          as: "olga",
          method: "PUT",
          json: { access_level: 30 },
        })
      ).status,
      403,
    );
    await add("olga", "stan", 50, {}, ACME);
    // Both requests are authorized, and proceed as far as they can without waiting for each other, before either removal.
    const held = [
      "select from members where namespace_id = (select id from namespaces where full_path = 'acme') for update",
    ] as const;
    const waiting =
      "select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()";
    const { removals } = await whileHeld(world, [held], async (_isWaitedFor, watcher) => {
      const removals = Promise.all([remove("olga", "stan", ACME), remove("stan", "olga", ACME)]);
      await until(async () => ((await watcher.query(waiting)).rowCount ?? 0) >= 2);
      return { removals };
    });
    const replies = await removals;
    const owners = (await world.call(ACME, { as: "ada" })).json.filter(
      (m: { access_level: number }) => m.access_level === 50,
    );
    assert.equal(owners.length, 1, replies.map((reply) => reply.status).join());
  });

  it("of a subgroup can all leave, as it has the owners of its parent group (decision 0148)", async () => {
    const { json } = await world.call(ACME.replace("/members", ""), { as: "ada" });
    const group = { name: "Under", path: "under", parent_id: json.id };
    const owner = (await world.call(ACME, { as: "ada" })).json.find(
      (m: { access_level: number }) => m.access_level === 50,
    ).username as Person;
    const made = await world.call("/api/v4/groups", { as: owner, json: group });
    assert.equal(made.status, 201, made.text);
    const under = `/api/v4/groups/${made.json.id}/members`;
    assert.deepEqual(
      (await world.call(under, { as: owner })).json.map((m: { username: string }) => m.username),
      [owner],
    );
    assert.equal((await remove(owner, owner, under)).status, 204);
    assert.equal(
      (await add(owner, "gus", 50, {}, under)).status,
      201,
      "the group above still gives the role",
    );
    assert.equal((await remove("gus", "gus", under)).status, 204);
  });

  it("keep the owner whose membership ends last when all memberships expire, and this is in the audit log (decision 0165)", async () => {
    const made = await world.call("/api/v4/groups", { as: "olga", json: { name: "Ending", path: "ending" } });
    const ending = `/api/v4/groups/${made.json.id}/members`;
    const below = await world.call("/api/v4/groups", {
      as: "olga",
      json: { name: "Below", path: "below", parent_id: made.json.id },
    });
    await add("olga", "stan", 50, {}, ending);
    await add("olga", "dev", 40, {}, ending);
    const end = (person: Person, ago: string) =>
      world.platform.db.run(
        sql`update members set expires_at = now() - ${ago}::interval
          where user_id = ${world.ids[person]} and namespace_id in (${made.json.id}, ${below.json.id})`,
      );
    const owners = async () =>
      (await world.call(ending, { as: "ada" })).json.map(
        (m: { username: string; expires_at: string | null }) => [m.username, m.expires_at],
      );
    await end("olga", "2 minutes");
    await endMemberships(world.platform, recordHappenings);
    assert.deepEqual(await owners(), [
      ["stan", null],
      ["dev", null],
    ]);
    await add("stan", "olga", 50, {}, ending);
    await end("olga", "2 minutes");
    await end("stan", "1 minute");
    await end("dev", "1 second");
    await endMemberships(world.platform, recordHappenings);
    assert.deepEqual(await owners(), [["stan", null]]);
    assert.equal((await world.call(`/api/v4/groups/${below.json.id}`, { as: "stan" })).status, 200);
    assert.deepEqual((await world.call(`/api/v4/groups/${below.json.id}/members`, { as: "stan" })).json, []);
    const log = (await (await signedIn(world, "ada")).get("/admin/audit")).text;
    assert.match(log, /class="title">Kept the last owner of a group/);
    assert.match(log, /group ending/);
    // A blocked user is still an owner, so the membership of another one can expire.
    await add("stan", "olga", 50, {}, ending);
    await world.call(`/api/v4/users/${world.ids.stan}/block`, { as: "ada", json: {} });
    await end("olga", "1 minute");
    await endMemberships(world.platform, recordHappenings);
    assert.deepEqual(await owners(), [["stan", null]]);
    await world.call(`/api/v4/users/${world.ids.stan}/unblock`, { as: "ada", json: {} });
  });
});
