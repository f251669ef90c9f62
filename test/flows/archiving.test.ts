/** Archived projects and groups: permissions, what is readable and what is refused, paused timers, unarchiving. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sweepHeartbeats } from "../../src/alerts/record-heartbeat.ts";
import { releaseSilenced } from "../../src/alerts/release-silenced.ts";
import { resolveTimeouts } from "../../src/alerts/resolve-timeouts.ts";
import { resolveUnheard } from "../../src/alerts/resolve-unheard.ts";
import { text as column, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { push, record } from "../support/events.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const post = (path: string, as: Person = "olga") => world.call(`/api/v4/${path}`, { as, method: "POST" });
const get = (path: string, as: Person = "olga") => world.call(`/api/v4/${path}`, { as });
const ROCKET = "projects/acme%2Frocket";

describe("an archived project", () => {
  it("can be archived and unarchived by its owners and administrators only; repeating the request changes nothing (GitLab v4 API, POST /projects/:id/archive)", async () => {
    for (const as of ["max", "dev", "gus"] as const)
      assert.equal((await post(`${ROCKET}/archive`, as)).status, 403);
    assert.equal((await post(`${ROCKET}/archive`, "stan")).status, 404);
    for (const as of ["olga", "ada"] as const) {
      const reply = await post(`${ROCKET}/archive`, as);
      assert.deepEqual(
        [reply.status, reply.json.archived, reply.json.id],
        [201, true, world.rocket.id],
        reply.text,
      );
    }
    assert.equal((await get(ROCKET, "gus")).json.archived, true);
    for (const as of ["ada", "olga"] as const) {
      const reply = await post(`${ROCKET}/unarchive`, as);
      assert.deepEqual([reply.status, reply.json.archived], [201, false], reply.text);
    }
    const noted = await world.platform.db.many(
      row({ action: column, actor: column, project: column }),
      sql`select action, actor, details ->> 'project' as project from audit_entries where action like 'project%archived' order by id`,
    );
    assert.deepEqual(noted, [
      { action: "project_archived", actor: "olga", project: "acme/rocket" },
      { action: "project_unarchived", actor: "ada", project: "acme/rocket" },
    ]);
  });

  it("is filtered by the archived parameter of lists (GitLab v4 API, GET /projects?archived=)", async () => {
    await post(`${ROCKET}/archive`);
    const paths = async (query: string) =>
      (await get(query)).json.map((one: { path: string }) => one.path).sort();
    for (const root of ["projects", "groups/acme/projects"]) {
      assert.deepEqual(await paths(`${root}?archived=true`), ["rocket"]);
      assert.ok((await paths(root)).includes("rocket"));
      const others = await paths(`${root}?archived=false`);
      assert.ok(others.includes("open") && !others.includes("rocket"), others.join());
    }
    assert.equal((await get("projects?archived=true")).headers.get("x-total"), "1");
    await post(`${ROCKET}/unarchive`);
  });

  it("stays readable and refuses alerts and events with the reason; accepted ones remain (decision 0153)", async () => {
    const source = await aSource(world, "http", { name: "Before" });
    assert.equal((await source.send({ title: "Accepted" })).status, 200);
    await record(world, [{ projectId: world.rocket.id, authorId: world.ids.dev, ...push }]);
    const made = await world.call(`/api/v4/${ROCKET}/event_sources`, { as: "max", json: { name: "Forge" } });
    const events = (await get(`${ROCKET}/events`, "dev")).headers.get("x-total");
    await post(`${ROCKET}/archive`);
    const refused = await source.send({ title: "Refused" });
    assert.equal(refused.status, 403);
    assert.match(refused.json.message, /archived or marked for deletion and accepts no alerts/);
    const receive = new URL(made.json.receive_url ?? made.json.url).pathname;
    const forge = await world.call(receive, { json: {}, headers: { "x-github-event": "push" } });
    assert.equal(forge.status, 403, forge.text);
    assert.match(forge.json.message, /takes no events/);
    const alerts = (await get(`${ROCKET}/alert_management_alerts`, "dev")).json;
    assert.deepEqual(
      alerts.map((one: { title: string }) => one.title),
      ["Accepted"],
    );
    assert.equal((await get(`${ROCKET}/events`, "dev")).headers.get("x-total"), events);
    for (const path of ["issues", "members", "environments", "alert_integrations", "hooks", "alert_silences"])
      assert.equal((await get(`${ROCKET}/${path}`)).status, 200, path);
    await post(`${ROCKET}/unarchive`);
    assert.equal((await source.send({ title: "Accepted" })).status, 200);
  });

  it("pauses its timers, and they start again when it is unarchived (decision 0153)", async () => {
    const { db } = world.platform;
    const source: Source = await aSource(world, "http", { name: "Timers" });
    await source.send({ title: "Silent for long", fingerprint: "long" });
    const beat = await world.call(`/api/v4/${ROCKET}/alert_heartbeats`, {
      as: "max",
      json: { name: "Nightly", interval_seconds: 60, grace_seconds: 0 },
    });
    assert.equal(beat.status, 201, beat.text);
    const settings = { as: "max", method: "PUT", json: { resolve_after_hours: 1 } } as const;
    assert.equal((await world.call(`/api/v4/${ROCKET}/alert_settings`, settings)).status, 200);
    await post(`${ROCKET}/archive`);
    const long = sql`now() - interval '1 day'`;
    await db.run(sql`update alert_timeout_watch set up_since = ${long}, looked_at = now()`);
    await db.run(sql`update alert_belief_watch set looked_at = now()`);
    await db.run(sql`update alert_heartbeat_watch set looked_at = now()`);
    await db.run(sql`update alerts set last_seen_at = ${long}, believed_until = ${long} + interval '5 minutes'
      where title = 'Silent for long'`);
    await db.run(sql`update alert_heartbeats set last_ping_at = ${long}, due_at = ${long}`);
    await db.run(sql`delete from alert_activity`);
    const sweepAll = async () => {
      for (const job of [sweepHeartbeats, releaseSilenced, resolveUnheard, resolveTimeouts])
        await job(world.platform);
    };
    const state = async () => {
      const { json } = await get(`${ROCKET}/alert_management_alerts?search=Silent`, "dev");
      const heartbeat = await get(`${ROCKET}/alert_heartbeats/${beat.json.id}`, "max");
      return [json[0].status, heartbeat.json.state === "late"];
    };
    const archived = await state();
    await sweepAll();
    assert.deepEqual(await state(), archived, "while archived");
    assert.equal(archived[0], "triggered");
    await post(`${ROCKET}/unarchive`);
    await sweepAll();
    assert.deepEqual(await state(), archived, "after unarchiving, before the timers have run out");
    await db.run(sql`update projects set awake_since = ${long} where id = ${world.rocket.id}`);
    await sweepAll();
    assert.equal((await state())[0], "resolved");
  });
});

describe("an archived group", () => {
  it("archives its subgroups and projects, and unarchiving it leaves those archived that were archived themselves (GitLab v4 API, POST /groups/:id/archive)", async () => {
    const make = async (json: object) => (await world.call("/api/v4/groups", { as: "olga", json })).json;
    const top = await make({ name: "Top", path: "top" });
    const below = await make({ name: "Below", path: "below", parent_id: top.id });
    const project = async (name: string, namespace_id: number) =>
      (await world.call("/api/v4/projects", { as: "olga", json: { name, namespace_id } })).json.id as number;
    const [one, two] = [await project("one", top.id), await project("two", below.id)];
    await post(`projects/${one}/archive`);
    assert.equal((await post(`groups/${top.id}/archive`, "max")).status, 404);
    const reply = await post(`groups/${top.id}/archive`);
    assert.deepEqual([reply.status, reply.json.archived], [200, true], reply.text);
    const archived = async () =>
      Promise.all(
        [`groups/${below.id}`, `projects/${one}`, `projects/${two}`].map(
          async (path) => (await get(path)).json.archived,
        ),
      );
    assert.deepEqual(await archived(), [true, true, true]);
    const names = (await get("groups?archived=true")).json.map((group: { path: string }) => group.path);
    assert.deepEqual(names.sort(), ["below", "top"]);
    const within = await post(`projects/${two}/unarchive`);
    assert.equal(within.status, 422);
    assert.match(within.json.message, /since the group top around it is archived/);
    const refused = await world.call(`/api/v4/projects/${two}/environments`, {
      as: "olga",
      json: { name: "x" },
    });
    assert.match(refused.json.message, /The group top, which holds this project, is archived/);
    const away = await world.call(`/api/v4/projects/${two}/transfer`, {
      as: "olga",
      method: "PUT",
      json: { namespace: "acme" },
    });
    assert.equal(away.status, 403, away.text);
    const beside = await make({ name: "Beside", path: "beside" });
    for (const [method, path, json] of [
      ["PUT", "projects/acme%2Frocket/transfer", { namespace: "top" }],
      ["POST", `groups/${beside.id}/transfer`, { group_id: top.id }],
      ["POST", "projects", { name: "late", namespace_id: below.id }],
      ["POST", "groups", { name: "late", path: "late", parent_id: below.id }],
    ] as const) {
      const into = await world.call(`/api/v4/${path}`, { as: "olga", method, json });
      assert.equal(into.status, 403, `${method} ${path}: ${into.text}`);
      assert.match(into.json.message, /archived/, path);
    }
    assert.equal((await post(`groups/${top.id}/unarchive`)).status, 200);
    assert.deepEqual(await archived(), [false, true, false]);
    await post(`projects/${one}/unarchive`);
    assert.deepEqual(await archived(), [false, false, false]);
  });
});

describe("a project created while its group is being archived", () => {
  it("is archived with the group, whichever transaction commits first (decision 0153)", async () => {
    const reply = await world.call("/api/v4/groups", { as: "olga", json: { name: "Busy", path: "busy" } });
    const group = reply.json.id as number;
    const archivedOf = async (path: string) => (await get(`projects/busy%2F${path}`)).json.archived;
    const insert =
      "insert into projects (namespace_id, path, full_path, name) values ($1, $2::text, 'busy/' || $2, $2)";
    const archive = await meanwhile(world, [[insert, group, "early"]], () => post(`groups/${group}/archive`));
    assert.equal(archive.status, 200, archive.text);
    assert.equal(await archivedOf("early"), true);
    await post(`groups/${group}/unarchive`);
    assert.equal(await archivedOf("early"), false);
    const update = "update namespaces set archived_at = now() where id = $1";
    const made = await meanwhile(world, [[update, group]], () =>
      world.call("/api/v4/projects", { as: "olga", json: { name: "late", namespace_id: group } }),
    );
    assert.deepEqual([made.status, made.json.archived], [201, true], made.text);
  });
});

describe("the pages of an archived project", () => {
  it("all say that it is archived, and link owners to the form that unarchives it, which works without JavaScript (decision 0153)", async () => {
    const olga = await signedIn(world, "olga");
    const max = await signedIn(world, "max");
    const settings = "/acme/rocket/-/settings/general";
    assert.doesNotMatch((await max.get(settings)).text, /settings\/general\/archive|id="archive"/);
    const form = /<form method="post" action="([^"]+archive)">/;
    const [, action = ""] = form.exec((await olga.get(settings)).text) ?? [];
    const sent = await olga.post(action, { archived: "true" });
    assert.deepEqual([sent.status, sent.location], [303, `${settings}#main`], sent.text);
    assert.match((await olga.follow(sent)).text, /Rocket is archived\./);
    const words = /This project is archived and can only be read\./;
    for (const path of [
      "",
      "/activity",
      "/-/alerts",
      "/-/incidents",
      "/-/members",
      "/-/settings/operations",
    ]) {
      const [owners, others] = [await olga.get(`/acme/rocket${path}`), await max.get(`/acme/rocket${path}`)];
      assert.match(owners.text, words, path);
      assert.match(
        owners.text,
        /<a href="\/acme\/rocket\/-\/settings\/general#archive">Unarchive it<\/a>/,
        path,
      );
      assert.match(others.text, words, path);
      assert.doesNotMatch(others.text, /Unarchive it/, path);
    }
    assert.match((await olga.get("/projects?search=rocket")).text, /<span class="badge">Archived<\/span>/);
    assert.equal(
      (await max.submit("/acme/rocket/-/settings/archive", { archived: "false" }, "/projects")).status,
      403,
    );
    const [, undo = ""] = form.exec((await olga.get(settings)).text) ?? [];
    const dev = await signedIn(world, "dev");
    assert.doesNotMatch(
      (await dev.get("/")).text,
      /acme\/rocket\/-\/alerts\/\d/,
      "alerts of archived projects are not on the start page",
    );
    const back = await olga.post(undo, { archived: "false" });
    assert.match((await olga.follow(back)).text, /Rocket takes new things in again\./);
    assert.doesNotMatch((await olga.get("/acme/rocket")).text, words);
    assert.match((await dev.get("/")).text, /acme\/rocket\/-\/alerts\/\d/);
  });
});
