import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let fleet: number;
let dock: number;

before(async () => {
  world = await startWorld();
  const group = async (path: string, name: string, parent_id: number | null, visibility: string) => {
    const json = { name, path, parent_id, visibility };
    return (await world.call("/api/v4/groups", { as: "olga", json })).json.id as number;
  };
  fleet = await group("fleet", "Zulu", null, "public");
  dock = await group("dock", "delta", fleet, "public");
  await group("crane", "Bravo", dock, "internal");
  await group("vault", "charlie", fleet, "private");
  const member = { user_id: world.ids.gus, access_level: 30 };
  await world.call(`/api/v4/groups/${dock}/members`, { as: "olga", json: member });
});

async function pathsOf(path: string, as?: Person) {
  const { status, json, headers, text } = await world.call(`/api/v4${path}`, as ? { as } : {});
  assert.equal(status, 200, `${path} ${text}`);
  const paths = json.map((one: { full_path?: string; path_with_namespace: string }) => {
    return one.full_path ?? one.path_with_namespace;
  });
  assert.equal(Number(headers.get("x-total")), paths.length, path);
  return paths as string[];
}

async function refusal(path: string) {
  const { status, json } = await world.call(`/api/v4${path}`, { as: "ada" });
  return [status, json.error];
}

describe("lists of groups", () => {
  const below = (query: string, as?: Person) => pathsOf(`/groups/fleet/descendant_groups?${query}`, as);

  it("for descendants include all levels, as far as the caller may see them (GitLab v4 API, GET /groups/:id/descendant_groups)", async () => {
    const all = ["fleet/dock", "fleet/dock/crane", "fleet/vault"];
    assert.deepEqual(await below("", "olga"), all);
    assert.deepEqual(await below("", "stan"), ["fleet/dock", "fleet/dock/crane"]);
    assert.deepEqual(await below(""), ["fleet/dock"]);
    const { json } = await world.call("/api/v4/groups/fleet%2Fvault/descendant_groups", { as: "stan" });
    assert.deepEqual(json, { message: "404 Group Not Found" });
  });

  it("can be ordered by name, path or id, in both directions (GitLab v4 API)", async () => {
    const [path, name, id] = [
      ["fleet/dock/crane", "fleet/dock", "fleet/vault"],
      ["fleet/dock/crane", "fleet/vault", "fleet/dock"],
      ["fleet/dock", "fleet/dock/crane", "fleet/vault"],
    ];
    assert.deepEqual(await below("order_by=path", "olga"), path);
    assert.deepEqual(await below("order_by=name", "olga"), name);
    assert.deepEqual(await below("order_by=id&sort=asc", "olga"), id);
    assert.deepEqual(await below("order_by=path&sort=desc", "olga"), path.toReversed());
    assert.deepEqual(await below("order_by=similarity&search=c&sort=desc", "olga"), id.toReversed());
    const zulu = await pathsOf("/groups?order_by=name&sort=desc&top_level_only=true", "olga");
    assert.equal(zulu[0], "fleet");
    assert.deepEqual(await refusal("/groups?order_by=size"), [400, "order_by does not have a valid value"]);
    assert.deepEqual(await refusal("/groups?sort=up"), [400, "sort does not have a valid value"]);
  });

  it("can be filtered, and never contain more than the caller may see (GitLab v4 API)", async () => {
    assert.deepEqual(await below("visibility=internal", "olga"), ["fleet/dock/crane"]);
    assert.deepEqual(await below("visibility=private", "stan"), []);
    assert.deepEqual(await below(`skip_groups=${dock}`, "stan"), ["fleet/dock/crane"]);
    assert.deepEqual(await below(`skip_groups[]=${dock}&skip_groups[]=${fleet}`, "olga"), [
      "fleet/dock/crane",
      "fleet/vault",
    ]);
    assert.deepEqual(await pathsOf("/groups?top_level_only=true&search=fleet", "stan"), ["fleet"]);
    assert.deepEqual(await pathsOf("/groups?visibility=public&search=fleet"), ["fleet", "fleet/dock"]);
    for (const word of ["visibility=secret", "skip_groups=dock", "top_level_only=perhaps"]) {
      assert.equal((await refusal(`/groups?${word}`))[0], 400, word);
    }
    for (const more of ["statistics=true", "with_custom_attributes=1", "nobody_knows=it"]) {
      assert.deepEqual(await below(more, "stan"), await below("", "stan"), more);
    }
  });

  it("contain only groups in which the caller has a role with all_available=false, also for administrators, as with owned and min_access_level (GitLab v4 API)", async () => {
    assert.deepEqual(await pathsOf("/groups?all_available=false", "gus"), ["fleet/dock", "fleet/dock/crane"]);
    assert.deepEqual(await pathsOf("/groups?all_available=false&min_access_level=40", "gus"), []);
    assert.deepEqual(await pathsOf("/groups?min_access_level=30", "gus"), ["fleet/dock", "fleet/dock/crane"]);
    assert.deepEqual(await pathsOf("/groups?all_available=false", "stan"), []);
    for (const query of ["all_available=false", "owned=true", "min_access_level=10"]) {
      assert.deepEqual(await pathsOf(`/groups?${query}`, "ada"), [], query);
    }
    assert.ok((await pathsOf("/groups", "ada")).includes("fleet/vault"));
    assert.deepEqual(await pathsOf("/groups?all_available=false"), await pathsOf("/groups"));
  });

  it("leave out archived or marked groups and projects, and those within them, with the parameter active (GitLab v4 API; decisions 0152, 0153)", async () => {
    await world.call("/api/v4/projects", { as: "olga", json: { name: "Rope", namespace_id: dock } });
    const active = (is: boolean) =>
      Promise.all(
        ["/groups", "/groups/fleet/projects"].map((path) => pathsOf(`${path}?${words(is)}`, "olga")),
      );
    const words = (is: boolean) => `include_subgroups=true&search=fleet/dock&active=${is}`;
    const groups = ["fleet/dock", "fleet/dock/crane"];
    assert.deepEqual(await active(true), [groups, ["fleet/dock/rope"]]);
    assert.deepEqual(await active(false), [[], []]);
    for (const [method, path] of [
      ["POST", "/archive"],
      ["DELETE", ""],
    ] as const) {
      await world.call(`/api/v4/groups/${dock}${path}`, { as: "olga", method });
      assert.deepEqual(await active(true), [[], []], method);
      assert.deepEqual(await active(false), [groups, ["fleet/dock/rope"]], method);
      const back = method === "POST" ? "unarchive" : "restore";
      await world.call(`/api/v4/groups/${dock}/${back}`, { as: "olga", method: "POST" });
    }
  });

  it("list what was marked for deletion on a day (UTC), by itself or with a group around it, with marked_for_deletion_on (GitLab v4 API; decision 0311)", async () => {
    await world.call(`/api/v4/groups/${dock}`, { as: "olga", method: "DELETE" });
    await world.platform.db.run(
      sql`update namespaces set marked_for_deletion_at = '2026-03-04 23:30:00+00' where id = ${dock}`,
    );
    const markedOn = async (day: string) =>
      Promise.all(
        ["/groups", "/groups/fleet/projects"].map((path) =>
          pathsOf(`${path}?include_subgroups=true&search=fleet&marked_for_deletion_on=${day}`, "olga"),
        ),
      );
    assert.deepEqual(await markedOn("2026-03-04"), [["fleet/dock", "fleet/dock/crane"], ["fleet/dock/rope"]]);
    assert.deepEqual(await markedOn("2026-03-05"), [[], []]);
    const refused = await world.call("/api/v4/groups?marked_for_deletion_on=soon", { as: "olga" });
    assert.equal(refused.status, 400, refused.text);
    await world.call(`/api/v4/groups/${dock}/restore`, { as: "olga", method: "POST" });
    assert.deepEqual(await markedOn("2026-03-04"), [[], []]);
  });
});

it("Maintainers of a group can create subgroups, Developers cannot (GitLab v4 API, POST /groups)", async () => {
  const json = { name: "Winch", path: "winch", parent_id: dock };
  const change = (access_level: number) =>
    world.call(`/api/v4/groups/${dock}/members/${world.ids.gus}`, {
      as: "olga",
      method: "PUT",
      json: { access_level },
    });
  assert.equal((await world.call("/api/v4/groups", { as: "gus", json })).status, 403);
  await change(40);
  const made = await world.call("/api/v4/groups", { as: "gus", json });
  assert.equal(made.status, 201, made.text);
  await change(30);
  await world.platform.db.run(sql`delete from namespaces where id = ${made.json.id}`);
});

describe("lists of namespaces", () => {
  it("can be limited to owned or top-level ones (GitLab v4 API, GET /namespaces)", async () => {
    assert.deepEqual(await pathsOf("/namespaces", "gus"), ["fleet/dock", "fleet/dock/crane", "gus"]);
    assert.deepEqual(await pathsOf("/namespaces?owned_only=true", "gus"), ["gus"]);
    assert.deepEqual(await pathsOf("/namespaces?top_level_only=true", "gus"), ["gus"]);
    const maintainer = { user_id: world.ids.max, access_level: 40 };
    await world.call(`/api/v4/groups/${dock}/members`, { as: "olga", json: maintainer });
    assert.deepEqual(await pathsOf("/namespaces", "max"), ["fleet/dock", "fleet/dock/crane", "max"]);
    assert.deepEqual(await pathsOf("/namespaces?owned_only=true", "max"), ["max"]);
    const owned = await pathsOf("/namespaces?owned_only=true&top_level_only=true", "olga");
    assert.deepEqual(owned, ["acme", "fleet", "free", "olga"]);
  });
});

describe("lists of projects", () => {
  it("can be limited to a time of activity or change; filters for features that do not exist here match nothing (GitLab v4 API)", async () => {
    const { json } = await world.call("/api/v4/projects", { as: "rep", json: { name: "buoy" } });
    const at = Date.parse(json.last_activity_at);
    const moment = (milliseconds: number) => new Date(at + milliseconds).toISOString();
    const listed = (query: string) => pathsOf(`/users/rep/projects?${query}`, "rep");
    for (const member of ["last_activity", "updated"]) {
      const hour = 3_600_000;
      assert.deepEqual(await listed(`${member}_after=${moment(-hour)}`), ["rep/buoy"], member);
      assert.deepEqual(await listed(`${member}_before=${moment(hour)}`), ["rep/buoy"], member);
      assert.deepEqual(await listed(`${member}_after=${moment(hour)}`), [], member);
      assert.deepEqual(await listed(`${member}_before=${moment(-hour)}`), [], member);
      const { status } = await world.call(`/api/v4/projects?${member}_after=soon`, { as: "rep" });
      assert.equal(status, 400, member);
    }
    for (const none of [
      "starred=true",
      "topic=ships",
      "topic_id=3",
      "with_programming_language=ruby",
      "imported=true",
    ]) {
      assert.deepEqual(await listed(none), [], none);
    }
    for (const all of ["starred=false", "topic=", "topic_id=", "simple=true", "statistics=yes"]) {
      assert.deepEqual(await listed(all), ["rep/buoy"], all);
    }
  });
});

it("the full name of a group or project begins with the names of its current parent groups (GitLab v4 API, full_name, name_with_namespace)", async () => {
  const of = async (path: string, as?: Person) => {
    const { json } = await world.call(`/api/v4${path}`, as ? { as } : {});
    return [json].flat().map((one) => one.full_name ?? one.name_with_namespace);
  };
  const { json: bollard } = await world.call("/api/v4/projects", {
    as: "olga",
    json: { name: "Bollard", namespace_id: dock, visibility: "public" },
  });
  assert.equal(bollard.name_with_namespace, "Zulu / delta / Bollard");
  assert.deepEqual(await of("/groups/fleet"), ["Zulu"]);
  assert.deepEqual(await of("/groups/fleet%2Fdock"), ["Zulu / delta"]);
  assert.deepEqual(await of("/groups/fleet/descendant_groups?order_by=path", "stan"), [
    "Zulu / delta / Bravo",
    "Zulu / delta",
  ]);
  assert.deepEqual(await of("/groups?search=crane", "stan"), ["Zulu / delta / Bravo"]);
  for (const path of [`/projects/${bollard.id}`, `/groups/${dock}/projects?search=bollard`])
    assert.deepEqual(await of(path), ["Zulu / delta / Bollard"], path);
  const transfer = `/api/v4/projects/${bollard.id}/transfer`;
  await world.call(transfer, { as: "olga", method: "PUT", json: { namespace: "olga" } });
  const [own = ""] = await of(`/projects/${bollard.id}`);
  assert.match(own, /^[^/]+ \/ Bollard$/);
  assert.equal(
    (await world.call(`/api/v4/projects/${bollard.id}`, { as: "olga", method: "DELETE" })).status,
    202,
  );
});
