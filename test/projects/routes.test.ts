import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const api = (path: string) => `/api/v4${path}`;

describe("reading projects", () => {
  it("finds a project by id and by encoded path in any case, with the members that clients use (reference events A10, B2)", async () => {
    for (const reference of [world.rocket.id, "acme%2Frocket", "ACME%2FRocket"]) {
      const { status, json } = await world.call(api(`/projects/${reference}`), { as: "dev" });
      assert.equal(status, 200, String(reference));
      assert.equal(json.path_with_namespace, "acme/rocket");
      assert.equal(json.web_url, `${world.url}/acme/rocket`);
      assert.equal(json.visibility, "private");
      assert.deepEqual(json.permissions, {
        project_access: { access_level: 30, notification_level: 3 },
        group_access: null,
      });
      assert.equal(json.namespace.kind, "group");
    }
    const owner = await world.call(api("/projects/acme%2Frocket"), { as: "olga" });
    assert.equal(owner.json.permissions.group_access.access_level, 50);
  });

  it("returns the same bytes for hidden and missing projects (reference reliability S78)", async () => {
    const texts = new Set<string>();
    for (const path of [
      `/projects/${world.rocket.id}`,
      "/projects/999999",
      "/projects/acme%2Frocket",
      "/projects/no%2Fwhere",
    ]) {
      for (const as of ["stan", undefined] as const) {
        const reply = await world.call(api(path), as ? { as } : {});
        assert.equal(reply.status, 404);
        texts.add(reply.text);
      }
    }
    assert.deepEqual([...texts], ['{"message":"404 Project Not Found"}']);
  });

  it("returns 404 for references that no project can have (reference reliability S85)", async () => {
    for (const reference of [
      "a%252Fb",
      "..%2f..",
      "%00",
      "9223372036854775808",
      "-1",
      "1e3",
      "1%20or%201=1",
      "rocket",
      "x".repeat(300),
    ]) {
      assert.equal((await world.call(api(`/projects/${reference}`), { as: "ada" })).status, 404, reference);
    }
    for (const path of [
      "/projects/%00",
      "/projects/acme%2Fro%00cket/events",
      "/users/de%00v/events",
      "/groups/%00",
    ]) {
      const { json } = await world.call(api(path), { as: "ada" });
      assert.deepEqual(json, { message: "404 Not Found - The address contains a NUL character (%00)" }, path);
    }
  });

  it("shows public projects to everybody, private ones to members, and all to administrators (contract §4, visibility; decision 0040)", async () => {
    const paths = async (as?: "stan" | "dev" | "ada") => {
      const { json } = await world.call(api("/projects?per_page=100"), as ? { as } : {});
      return json.map((project: { path_with_namespace: string }) => project.path_with_namespace).sort();
    };
    assert.deepEqual(await paths(), ["acme/open"]);
    assert.deepEqual(await paths("stan"), ["acme/open"]);
    assert.deepEqual(await paths("dev"), ["acme/open", "acme/rocket"]);
    assert.deepEqual(await paths("ada"), ["acme/open", "acme/rocket", "free/plan"]);
    const found = await world.call(api("/projects?search=ROCK&membership=true"), { as: "dev" });
    assert.equal(found.headers.get("x-total"), "1");
    const anonymous = await world.call(api(`/projects/${world.open.id}`));
    assert.equal(anonymous.status, 200);
    assert.ok(!("permissions" in anonymous.json));
  });

  it("lists only owned projects on request, also together with a lower min_access_level (GitLab v4 API)", async () => {
    const owned = async (as: Person, query = "owned=true") => (await pathsOf(`/projects?${query}`, as)).paths;
    assert.deepEqual((await owned("olga")).sort(), ["acme/open", "acme/rocket", "free/plan"]);
    assert.deepEqual(await owned("olga", "owned=true&min_access_level=10&search=rock"), ["acme/rocket"]);
    for (const as of ["max", "ada"] as const) assert.deepEqual(await owned(as), [], as);
    assert.deepEqual(await owned("stan", "owned=false"), ["acme/open"]);
    assert.deepEqual(await pathsOf("/projects?owned=true"), { paths: [], total: 0 });
  });

  it("lists projects without an order by their creation, so that activity while a client reads page after page moves none (GitLab v4 API, GET /projects)", async () => {
    for (const list of ["/projects", "/groups/acme/projects", `/users/${world.ids.olga}/projects`]) {
      const first = await world.call(api(`${list}?per_page=1&page=1`), { as: "ada" });
      const total = Number(first.headers.get("x-total"));
      const seen = first.json.map(({ id }: { id: number }) => id);
      for (let page = 2; page <= total; page++) {
        await world.platform.db.run(
          sql`update projects set last_activity_at = now() + make_interval(secs => ${page}) where id = (
              select id from projects where id <> all (${seen}::bigint[]) order by last_activity_at limit 1)`,
        );
        const { json } = await world.call(api(`${list}?per_page=1&page=${page}`), { as: "ada" });
        seen.push(...json.map(({ id }: { id: number }) => id));
      }
      assert.equal(new Set(seen).size, total, list);
    }
  });

  it("orders projects as requested, and id_after allows iterating over all of them (GitLab v4 API)", async () => {
    const listed = async (query: string) =>
      (await world.call(api(`/projects?${query}`), { as: "ada" })).json as { id: number; name: string }[];
    const all = await listed("order_by=id&sort=asc&per_page=100");
    const ids = all.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => one - other),
    );
    const walked: number[] = [];
    for (let page = await listed("order_by=id&sort=asc&per_page=2"); page.length > 0; ) {
      walked.push(...page.map(({ id }) => id));
      page = await listed(`order_by=id&sort=asc&per_page=2&id_after=${walked.at(-1)}`);
    }
    assert.deepEqual(walked, ids);
    assert.deepEqual(
      (await listed(`order_by=id&id_before=${ids[2]}`)).map(({ id }) => id),
      [ids[1], ids[0]],
    );
    const names = (await listed("order_by=name&per_page=100")).map(({ name }) => name.toLowerCase());
    assert.deepEqual(names, names.toSorted().reverse());
    const [rocket, open, plan] = [world.rocket.id, world.open.id, world.free.id];
    for (const [id, created, updated, active] of [
      [rocket, 2, 3, 1],
      [open, 1, 2, 3],
      [plan, 3, 1, 2],
    ] as const) {
      const day = (n: number) => `2026-01-0${n}`;
      await world.platform.db.run(sql`update projects set created_at = ${day(created)}, updated_at = ${day(updated)},
        last_activity_at = ${day(active)} where id = ${id}`);
    }
    for (const [order, expected] of [
      ["path", [open, plan, rocket]],
      ["created_at", [open, rocket, plan]],
      ["updated_at", [plan, open, rocket]],
      ["last_activity_at", [rocket, plan, open]],
    ] as const) {
      const inOrder = (await listed(`order_by=${order}&sort=asc&per_page=100`)).map(({ id }) => id);
      assert.deepEqual(inOrder, expected, order);
    }
    for (const query of ["", "order_by=similarity&", "order_by=star_count&"]) {
      const byDefault = (await listed(`${query}per_page=100`)).map(({ id }) => id);
      assert.deepEqual(byDefault, [plan, rocket, open], "the newest first");
    }
    const refused = await world.call(api("/projects?order_by=size"), { as: "ada" });
    assert.deepEqual([refused.status, refused.json.error], [400, "order_by does not have a valid value"]);
  });

  it("requires a token with a scope that may read the API (reference oauth A11; reference reliability S80)", async () => {
    const token = await world.tokenOf("dev", "read_user");
    const refused = await world.call(api("/projects/acme%2Frocket"), { token });
    assert.deepEqual([refused.status, refused.json.scope], [403, "read_api api"]);
  });
});

describe("creating projects", () => {
  it("creates one in the namespace of the caller, who becomes its owner, and records an event (decision 0040; decision 0041)", async () => {
    const made = await world.call(api("/projects"), { as: "stan", json: { name: "Side Project!" } });
    assert.equal(made.status, 201);
    assert.equal(made.json.path_with_namespace, "stan/side-project");
    assert.equal(made.json.visibility, "private");
    assert.equal(made.json.permissions.group_access.access_level, 50);
    const { json } = await world.call(api(`/projects/${made.json.id}/events`), { as: "stan" });
    assert.deepEqual(
      json.map((event: { action_name: string; author_id: number }) => [event.action_name, event.author_id]),
      [["created", world.ids.stan]],
    );
  });

  it("creates one in a group for Developers of that group and above (decision 0040)", async () => {
    const group = await world.call(api("/groups/acme"), { as: "olga" });
    const json = { name: "tool", path: "tool", namespace_id: group.json.id, visibility: "public" };
    assert.equal((await world.call(api("/projects"), { as: "stan", json })).status, 403);
    assert.equal((await world.call(api("/projects"), { json })).status, 401);
    assert.equal(
      (await world.call(api("/projects"), { token: await world.tokenOf("olga", "read_api"), json })).status,
      403,
    );
    const member = { user_id: world.ids.stan, access_level: 20 };
    await world.call(api("/groups/acme/members"), { as: "olga", json: member });
    assert.equal((await world.call(api("/projects"), { as: "stan", json })).status, 403, "a Reporter");
    await world.call(api(`/groups/acme/members/${world.ids.stan}`), {
      as: "olga",
      method: "PUT",
      json: { access_level: 30 },
    });
    const made = await world.call(api("/projects"), { as: "stan", json });
    await world.call(api(`/groups/acme/members/${world.ids.stan}`), { as: "olga", method: "DELETE" });
    assert.equal(made.json.path_with_namespace, "acme/tool");
    const again = await world.call(api("/projects"), { as: "olga", json });
    assert.deepEqual([again.status, again.json], [400, { message: { path: ["has already been taken"] } }]);
  });

  it("refuses invalid paths, names, namespaces and values (decision 0007; decision 0184; GitLab v4 API, POST /projects)", async () => {
    for (const [json, status] of [
      [{}, 400],
      [{ name: "" }, 400],
      [{ name: 7 }, 400],
      [{ name: "x", path: "../up" }, 400],
      [{ name: "x", path: "-" }, 400],
      [{ name: "x", path: "x.git" }, 400],
      [{ name: "x", visibility: "secret" }, 400],
      [{ name: "x", namespace_id: 999999 }, 404],
      [{ name: "x\u202ey" }, 400],
    ] as const) {
      assert.equal(
        (await world.call(api("/projects"), { as: "stan", json })).status,
        status,
        JSON.stringify(json),
      );
    }
  });

  it("does not allow a project to be more visible than its group (reference events B2; decision 0121)", async () => {
    const group = await world.call(api("/groups"), { as: "stan", json: { name: "Quiet", path: "quiet" } });
    assert.equal(group.json.visibility, "private");
    const json = { name: "loud", namespace_id: group.json.id, visibility: "public" };
    const refused = await world.call(api("/projects"), { as: "stan", json });
    assert.deepEqual(Object.keys(refused.json.message), ["visibility_level"]);
  });
});

describe("renaming a project", () => {
  it("redirects reads of the old path to the project, and performs writes there (contract-events §5)", async () => {
    const { id } = (await world.call(api("/projects"), { as: "olga", json: { name: "first" } })).json;
    const renamed = await world.call(api(`/projects/${id}`), {
      as: "olga",
      method: "PUT",
      json: { path: "second", name: "Second" },
    });
    assert.equal(renamed.status, 200);
    assert.equal(renamed.json.path_with_namespace, "olga/second");
    const read = await world.call(api("/projects/olga%2Ffirst/members?per_page=3"), { as: "olga" });
    assert.equal(read.status, 301);
    assert.equal(read.headers.get("location"), `/api/v4/projects/${id}/members?per_page=3`);
    const write = await world.call(api("/projects/olga%2Ffirst/environments"), {
      as: "olga",
      json: { name: "live" },
    });
    assert.equal(write.status, 201);
    assert.equal((await world.call(api("/projects/olga%2Ffirst"), { as: "stan" })).status, 404);
    assert.equal((await world.call("/olga/first", { headers: {} })).status, 302);
  });

  it("leaves the old path to a new project (decision 0042)", async () => {
    const { id } = (await world.call(api("/projects"), { as: "olga", json: { name: "third" } })).json;
    await world.call(api(`/projects/${id}`), { as: "olga", method: "PUT", json: { path: "fourth" } });
    const taker = await world.call(api("/projects"), { as: "olga", json: { name: "third" } });
    assert.equal(taker.status, 201);
    assert.equal((await world.call(api("/projects/olga%2Fthird"), { as: "olga" })).json.id, taker.json.id);
    await world.platform.db.run(sql`delete from projects where id = ${taker.json.id}`);
    const left = await world.call(api("/projects/olga%2Fthird"), { as: "olga" });
    assert.equal(left.status, 404, "it does not redirect any more");
  });

  it("leaves the old path to another project that is renamed to it (contract-events §5)", async () => {
    const make = async (name: string) =>
      (await world.call(api("/projects"), { as: "olga", json: { name } })).json.id;
    const rename = (id: number, path: string) =>
      world.call(api(`/projects/${id}`), { as: "olga", method: "PUT", json: { path } });
    const [before, taker] = [await make("fifth"), await make("sixth")];
    await rename(before, "seventh");
    assert.equal((await rename(taker, "fifth")).status, 200);
    assert.equal((await world.call(api("/projects/olga%2Ffifth"), { as: "olga" })).json.id, taker);
    await world.platform.db.run(sql`delete from projects where id = ${taker}`);
    const left = await world.call(api("/projects/olga%2Ffifth"), { as: "olga" });
    assert.equal(left.status, 404, "it does not redirect any more");
  });

  it("is for Maintainers; others get 401, 403 or 404 depending on what they may see (decision 0040; contract §4, visibility)", async () => {
    const path = api(`/projects/${world.rocket.id}`);
    const change = { method: "PUT", json: { name: "Rocket 2" } };
    assert.equal((await world.call(path, { as: "dev", ...change })).status, 403);
    assert.equal((await world.call(path, { as: "stan", ...change })).status, 404);
    assert.equal((await world.call(path, change)).status, 401);
    const changed = await world.call(path, { as: "max", ...change });
    assert.deepEqual([changed.status, changed.json.name], [200, "Rocket 2"]);
    assert.equal((await world.call(path, { as: "max", method: "PUT", json: { visibility: 1 } })).status, 400);
  });
});

describe("groups", () => {
  it("can be nested, and their projects inherit roles and paths (contract §3; reference events B3)", async () => {
    const top = (
      await world.call(api("/groups"), {
        as: "max",
        json: { name: "Top", path: "top", visibility: "public" },
      })
    ).json;
    const below = await world.call(api("/groups"), {
      as: "max",
      json: { name: "Below", path: "below", parent_id: top.id },
    });
    assert.equal(below.status, 201);
    assert.equal(below.json.full_path, "top/below");
    const project = (
      await world.call(api("/projects"), { as: "max", json: { name: "deep", namespace_id: below.json.id } })
    ).json;
    assert.equal(project.path_with_namespace, "top/below/deep");
    await world.call(api(`/groups/${top.id}/members`), {
      as: "max",
      json: { user_id: world.ids.rep, access_level: 20 },
    });
    const seen = await world.call(api("/projects/top%2Fbelow%2Fdeep"), { as: "rep" });
    assert.equal(seen.json.permissions.group_access.access_level, 20);
    assert.equal((await world.call(api("/groups/top%2Fbelow"), { as: "stan" })).status, 404);
    assert.equal(
      (await world.call(api(`/groups/${below.json.id}`), { as: "rep" })).json.full_path,
      "top/below",
    );
    const sneaky = await world.call(api("/groups"), {
      as: "stan",
      json: { name: "In", path: "in", parent_id: top.id },
    });
    assert.equal(sneaky.status, 403);
  });

  it("cannot take the name of a user or project (decision 0245; its docstring in src/accounts/claim-group-name.ts)", async () => {
    for (const json of [
      { name: "Dev", path: "dev" },
      { name: "Acme", path: "ACME" },
    ]) {
      const taken = await world.call(api("/groups"), { as: "stan", json });
      assert.deepEqual([taken.status, taken.json], [400, { message: { path: ["has already been taken"] } }]);
    }
    assert.equal(
      (await world.call(api("/groups"), { as: "stan", json: { name: "Api", path: "api" } })).status,
      400,
    );
    const acme = (await world.call(api("/groups/acme"), { as: "olga" })).json;
    const clash = await world.call(api("/groups"), {
      as: "olga",
      json: { name: "R", path: "rocket", parent_id: acme.id },
    });
    assert.equal(clash.status, 400);
  });

  it("are listed to those who may see them, and only owned ones on request (contract §4, visibility)", async () => {
    const own = await world.call(api("/groups?owned=true"), { as: "olga" });
    assert.deepEqual(own.json.map((group: { path: string }) => group.path).sort(), ["acme", "free"]);
    const json = { name: "Hush", path: "hush", visibility: "private" };
    assert.equal((await world.call(api("/groups"), { as: "stan", json })).status, 201);
    const seen = async (as?: Person) => {
      const { json: groups } = await world.call(api("/groups?per_page=100"), as && { as });
      const paths: string[] = groups.map(({ path }: { path: string }) => path);
      return paths.filter((path) => ["acme", "free", "hush"].includes(path)).sort();
    };
    for (const others of [undefined, "dev"] as const)
      assert.deepEqual(await seen(others), ["acme", "free"], others);
    for (const person of ["stan", "ada"] as const)
      assert.deepEqual(await seen(person), ["acme", "free", "hush"], person);
    const all = await world.call(api("/groups"));
    assert.ok(all.json.every((group: { visibility: string }) => group.visibility === "public"));
  });
});

describe("the plan of a namespace", () => {
  it("is set by administrators, on top-level namespaces (contract §4, tiers)", async () => {
    const set = await world.call(api("/namespaces/acme"), {
      as: "ada",
      method: "PUT",
      json: { plan: "free" },
    });
    assert.deepEqual([set.status, set.json.plan], [200, "free"]);
    await world.call(api("/namespaces/acme"), { as: "ada", method: "PUT", json: { plan: "premium" } });
    assert.equal(
      (await world.call(api("/namespaces/acme"), { as: "olga", method: "PUT", json: { plan: "free" } }))
        .status,
      403,
    );
    assert.equal(
      (await world.call(api("/namespaces/none"), { as: "ada", method: "PUT", json: { plan: "free" } }))
        .status,
      404,
    );
    assert.equal(
      (await world.call(api("/namespaces/acme"), { as: "ada", method: "PUT", json: { plan: "gold" } }))
        .status,
      400,
    );
  });
});

describe("projects of a group", () => {
  it("are listed as far as the caller may see them, and with include_subgroups those of subgroups too (GitLab v4 API)", async () => {
    const olga = (path: string, json: object) => world.call(api(path), { as: "olga", json });
    const fleet = (await olga("/groups", { name: "Fleet", path: "fleet", visibility: "public" })).json.id;
    const below = { name: "tugs", path: "tugs", parent_id: fleet, visibility: "public" };
    const tugs = (await olga("/groups", below)).json.id;
    await olga("/projects", { name: "chart", namespace_id: fleet, visibility: "public" });
    await olga("/projects", { name: "crew", namespace_id: fleet, visibility: "private" });
    await olga("/projects", { name: "rope", namespace_id: tugs, visibility: "public" });
    const listed = async (query: string, as?: "olga" | "stan") => {
      const reply = await world.call(api(`/groups/fleet/projects${query}`), as ? { as } : {});
      assert.equal(reply.status, 200, reply.text);
      const paths = reply.json.map((each: { path: string }) => each.path).sort();
      assert.equal(Number(reply.headers.get("x-total")), paths.length);
      return paths;
    };
    assert.deepEqual(await listed("?simple=true&order_by=last_activity_at", "olga"), ["chart", "crew"]);
    assert.deepEqual(await listed("?include_subgroups=true", "olga"), ["chart", "crew", "rope"]);
    assert.deepEqual(await listed("?include_subgroups=true&search=ro", "stan"), ["rope"]);
    assert.deepEqual(await listed("", "stan"), ["chart"]);
    assert.deepEqual(await listed(""), ["chart"]);
    await olga("/groups", { name: "Hold", path: "hold", visibility: "private" });
    const hidden = await world.call(api("/groups/hold/projects"), { as: "stan" });
    const absent = await world.call(api("/groups/nowhere/projects"), { as: "stan" });
    assert.deepEqual([hidden.status, absent.text], [404, hidden.text]);
  });
});

/** The paths on a page of a list, and its X-Total. */
async function pathsOf(path: string, as?: Person) {
  const { status, json, headers } = await world.call(api(path), as ? { as } : {});
  assert.equal(status, 200, `${path} ${JSON.stringify(json)}`);
  const paths = json.map((each: { full_path?: string; path_with_namespace: string }) => {
    return each.full_path ?? each.path_with_namespace;
  });
  return { paths, total: Number(headers.get("x-total")) };
}

describe("the direct subgroups of a group", () => {
  it("are listed as far as the caller may see them, with the filters of the group list (GitLab v4 API)", async () => {
    const group = async (as: Person, path: string, parent_id: number | null, visibility: string) =>
      (await world.call(api("/groups"), { as, json: { name: path, path, parent_id, visibility } })).json.id;
    const port = await group("olga", "port", null, "public");
    const quay = await group("olga", "quay", port, "public");
    await group("olga", "vault", port, "private");
    await group("olga", "crane", quay, "public");
    const below = async (query: string, as?: Person) =>
      (await pathsOf(`/groups/port/subgroups${query}`, as)).paths;
    assert.deepEqual(await below("", "olga"), ["port/quay", "port/vault"]);
    assert.deepEqual(await below("?owned=true&search=VAULT", "olga"), ["port/vault"]);
    assert.deepEqual(await below("?min_access_level=10", "stan"), []);
    assert.deepEqual(await below("?archived=true", "olga"), []);
    for (const as of ["stan", undefined] as const) assert.deepEqual(await below("", as), ["port/quay"]);
    assert.deepEqual(await pathsOf(`/groups/${port}/subgroups?per_page=1&page=2`, "olga"), {
      paths: ["port/vault"],
      total: 2,
    });
    const [listed] = (await world.call(api("/groups/port/subgroups"), { as: "olga" })).json;
    assert.deepEqual(listed, (await world.call(api(`/groups/${quay}`), { as: "olga" })).json);
    const hidden = await world.call(api("/groups/port%2Fvault/subgroups"), { as: "stan" });
    const absent = await world.call(api("/groups/port%2Fnone/subgroups"), { as: "stan" });
    assert.deepEqual([hidden.status, hidden.text], [404, absent.text]);
  });
});

describe("the projects of a user", () => {
  it("are those in the user's own namespace that the caller may see (GitLab v4 API)", async () => {
    const make = (name: string, visibility: string) =>
      world.call(api("/projects"), { as: "rep", json: { name, visibility } });
    await make("anchor", "public");
    await make("buoy", "private");
    await make("chain", "internal");
    const project = (await world.call(api("/projects/rep%2Fanchor"), { as: "rep" })).json;
    const sorted = async (query: string, as: Person, user: string | number = "rep") =>
      (await pathsOf(`/users/${user}/projects${query}`, as)).paths.sort();
    assert.deepEqual(await sorted("", "rep"), ["rep/anchor", "rep/buoy", "rep/chain"]);
    assert.deepEqual(await sorted("", "stan", world.ids.rep), ["rep/anchor", "rep/chain"]);
    assert.deepEqual(await sorted("", "ada", "REP"), ["rep/anchor", "rep/buoy", "rep/chain"]);
    assert.deepEqual(await sorted("?visibility=public", "stan"), ["rep/anchor"]);
    assert.deepEqual(await sorted("?search=BUOY", "rep"), ["rep/buoy"]);
    assert.deepEqual(await sorted("", "olga", "dev"), [], "projects of groups are not included");
    const [read] = (await world.call(api("/users/rep/projects?search=anchor"), { as: "rep" })).json;
    assert.deepEqual(read, project);
    const absent = await world.call(api("/users/nobody-here/projects"), { as: "rep" });
    assert.deepEqual([absent.status, absent.json], [404, { message: "404 User Not Found" }]);
    for (const user of ["rep", "nobody-here"])
      assert.equal((await world.call(api(`/users/${user}/projects`))).status, 401);
    const token = await world.tokenOf("rep", "read_user");
    assert.equal((await world.call(api("/users/rep/projects"), { token })).status, 403);
  });
});

describe("the namespaces of the caller", () => {
  it("are the caller's own one and those of groups in which they have a role; administrators get all (GitLab v4 API)", async () => {
    const group = async (path: string, parent_id: number | null) => {
      const json = { name: path, path, parent_id, visibility: "public" };
      return (await world.call(api("/groups"), { as: "olga", json })).json.id;
    };
    const yard = await group("yard", null);
    const slip = await group("slip", yard);
    await world.call(api("/projects"), { as: "gus", json: { name: "own" } });
    const listed = async (query: string, as: Person) => (await pathsOf(`/namespaces${query}`, as)).paths;
    // A role in a project is none in its group.
    assert.deepEqual(await listed("", "gus"), ["gus"]);
    const member = { user_id: world.ids.gus, access_level: 30 };
    await world.call(api("/groups/yard/members"), { as: "olga", json: member });
    assert.deepEqual(await listed("", "gus"), ["gus", "yard", "yard/slip"]);
    assert.deepEqual(await listed("?search=SLI", "gus"), ["yard/slip"]);
    assert.deepEqual(await pathsOf("/namespaces?per_page=1&page=2", "gus"), { paths: ["yard"], total: 3 });
    const plan = { as: "ada", method: "PUT", json: { plan: "free" } } as const;
    const set = await world.call(api("/namespaces/yard"), plan);
    const { json } = await world.call(api("/namespaces?search=yard"), { as: "gus" });
    const inner = { id: slip, name: "slip", path: "slip", kind: "group", full_path: "yard/slip" };
    const links = { avatar_url: null, web_url: `${world.url}/yard/slip` };
    assert.deepEqual(json, [set.json, { ...inner, parent_id: yard, ...links, plan: "free" }]);
    const [own] = (await world.call(api("/namespaces?search=gus"), { as: "gus" })).json;
    const read = async (reference: string | number, as: Person) =>
      (await world.call(api(`/namespaces/${reference}`), { as })).json;
    for (const reference of [slip, "yard%2Fslip", "YARD%2FSLIP"])
      assert.deepEqual(await read(reference, "gus"), json[1]);
    assert.deepEqual([await read("gus", "gus"), await read(own.id, "ada")], [own, own]);
    const missing = { message: "404 Namespace Not Found" };
    for (const reference of [own.id, "yard", "nowhere", "9".repeat(30), "x".repeat(900)])
      assert.deepEqual(await read(reference, "stan"), missing, String(reference));
    assert.deepEqual([own.kind, own.full_path, own.parent_id], ["user", "gus", null]);
    const { avatar_url, web_url } = (await world.call(api("/users/gus"), { as: "gus" })).json;
    assert.deepEqual([own.avatar_url, own.web_url], [avatar_url, web_url]);
    await world.call(api(`/groups/yard/members/${world.ids.gus}`), { as: "olga", method: "DELETE" });
    assert.deepEqual(await listed("", "gus"), ["gus"]);
    const all = await listed("?per_page=100", "ada");
    for (const path of ["ada", "gus", "yard", "yard/slip"]) assert.ok(all.includes(path), path);
    assert.equal((await world.call(api("/namespaces"))).status, 401);
    const token = await world.tokenOf("gus", "read_user");
    assert.equal((await world.call(api("/namespaces"), { token })).status, 403);
  });
});
