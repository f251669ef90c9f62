/** The lists of events: permissions, filters, order, pagination, and the boundaries of days and of the two years. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import type { NewEvent } from "../../src/events/event.ts";
import { ACTIONS } from "../../src/events/event.ts";
import { sweepEvents } from "../../src/events/sweep.ts";
import { sql } from "../../src/platform/sql.ts";
import { insertMember } from "../../src/projects/store-members.ts";
import { about, comment, type Kind, push, record, recordOnly } from "../support/events.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

// The time zone of the process must not matter: days are those of UTC.
process.env.TZ = "Pacific/Auckland";

let world: World;
before(async () => {
  world = await startWorld();
});

const ids = async (path: string, as?: Person): Promise<number[]> => {
  const reply = await world.call(`/api/v4${path}`, as ? { as } : {});
  assert.equal(reply.status, 200, reply.text);
  return reply.json.map((event: { id: number }) => event.id);
};

const DAY = 86_400_000;

test("each role sees the kinds of events that it may read (reference events A9; reference reliability S84; spec: GET /projects/:project_id/events)", async () => {
  const kinds: Record<string, Kind> = {
    push,
    commitComment: comment("Commit", 1),
    mergeRequest: about("created", "MergeRequest", 1),
    diffComment: comment("MergeRequest", 1),
    internalOnRequest: comment("MergeRequest", 1, { internal: true }),
    issue: about("created", "Issue", 1),
    issueComment: comment("Issue", 1),
    internal: comment("Issue", 1, { internal: true }),
    confidential: { ...about("created", "Issue", 2), confidential: true, assigneeIds: [world.ids.gus] },
    confidentialComment: comment("Issue", 2),
    othersConfidential: { ...about("created", "Incident", 3), confidential: true },
    milestone: about("created", "Milestone", 1),
    wiki: {
      action: "created",
      targetType: "WikiPage::Meta",
      wikiPage: { slug: "home", title: "H", format: "md" },
    },
    snippet: about("created", "Snippet", 1),
    joined: { action: "joined", targetType: null },
    made: about("created", "Project", 1),
  };
  const readable = ["issue", "issueComment", "milestone", "wiki", "snippet", "joined", "made"];
  const code = ["push", "commitComment", "mergeRequest", "diffComment"];
  const closed = ["internal", "confidential", "confidentialComment", "othersConfidential"];
  const own = ["confidential", "confidentialComment"];
  const everything = [...readable, ...code, ...closed, "internalOnRequest"];
  await insertMember(
    world.platform.db,
    { projectId: world.rocket.id },
    { userId: world.ids.stan, accessLevel: 15, expiresAt: null, createdBy: null },
  );
  for (const project of [world.rocket, world.open]) {
    const names = Object.keys(kinds);
    const events = Object.values(kinds).map(
      (kind): NewEvent => ({ ...kind, projectId: project.id, authorId: world.ids.olga }),
    );
    const numbers = await record(world, events);
    const isOpen = project === world.open;
    // Stan is a planner in the private project and not a member of the public one.
    const expected: [Person | undefined, string[] | undefined][] = [
      ["ada", everything],
      ["olga", everything],
      ["max", everything],
      ["dev", everything],
      ["rep", everything],
      ["stan", isOpen ? [...readable, ...code] : [...readable, ...closed]],
      ["gus", isOpen ? [...readable, ...code, ...own] : [...readable, ...own]],
      [undefined, isOpen ? [...readable, ...code] : undefined],
    ];
    for (const [person, seen] of expected) {
      const path = `/projects/${project.id}/events?per_page=100`;
      if (!seen) {
        assert.equal((await world.call(`/api/v4${path}`)).status, 404);
        continue;
      }
      const listed = new Set(await ids(path, person));
      const names_ = names.filter((_, index) => listed.has(numbers[index] as number));
      assert.deepEqual(names_.sort(), [...seen].sort(), `${person} in ${project.fullPath}`);
      if (!person) continue;
      const byAuthor = new Set(await ids("/users/olga/events?per_page=100", person));
      const ofAuthor = names.filter((_, index) => byAuthor.has(numbers[index] as number));
      assert.deepEqual(ofAuthor.sort(), [...seen].sort(), `${person} of olga in ${project.fullPath}`);
    }
  }
});

test("when an issue becomes confidential or public, its past events follow (contract-events §1)", async () => {
  const place = { projectId: world.open.id, authorId: world.ids.olga };
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const [opened] = await record(world, [{ ...about("created", "Issue", 50), ...place, createdAt: at(50) }]);
  const [note] = await record(world, [{ ...comment("Issue", 50), ...place, createdAt: at(40) }]);
  const path = "/projects/acme%2Fopen/events?per_page=100";
  const sees = async (id: number | undefined) => (await ids(path)).includes(id as number);
  assert.ok((await sees(opened)) && (await sees(note)));
  const close = { ...about("updated", "Issue", 50), ...place };
  await record(world, [{ ...close, confidential: true, createdAt: at(20) }]);
  assert.ok(!(await sees(opened)) && !(await sees(note)));
  await record(world, [{ ...close, confidential: false, createdAt: at(30) }]);
  assert.ok(!(await sees(opened)), "an older event changes nothing");
  await record(world, [{ ...close, confidential: false, createdAt: at(10) }]);
  assert.ok((await sees(opened)) && (await sees(note)));
});

test("X-Total counts exactly the events that the caller may see, and all pages but the last are full (spec: Limits 5; reference events A5)", async () => {
  for (const [path, person] of [
    ["/projects/acme%2Frocket/events", "gus"],
    ["/projects/acme%2Fopen/events", undefined],
    ["/users/olga/events", "gus"],
    ["/users/olga/events", "stan"],
    ["/events?scope=all", "gus"],
    ["/events?scope=all", "olga"],
    ["/events", "olga"],
  ] as [string, Person | undefined][]) {
    const join = path.includes("?") ? "&" : "?";
    const all = await ids(`${path}${join}per_page=100`, person);
    const seen: number[] = [];
    for (let page = 1; ; page++) {
      const reply = await world.call(
        `/api/v4${path}${join}per_page=3&page=${page}`,
        person ? { as: person } : {},
      );
      assert.equal(Number(reply.headers.get("x-total")), all.length, `${path} ${person}`);
      assert.equal(Number(reply.headers.get("x-total-pages")), Math.max(1, Math.ceil(all.length / 3)));
      seen.push(...reply.json.map((event: { id: number }) => event.id));
      if (!reply.headers.get("x-next-page")) break;
      assert.equal(reply.json.length, 3);
    }
    assert.deepEqual(seen, all, `${path} ${person}`);
  }
  const beyond = await world.call("/api/v4/events?page=500", { as: "olga" });
  assert.deepEqual(beyond.json, []);
  assert.ok(Number(beyond.headers.get("x-total")) > 0);
});

test("filters, order and pages agree with filtering all rows, in 150 random lists (spec: Events 1, 2, 3; spec: GET /events action; spec: GET /events target_type; spec: GET /events before; spec: GET /events after; spec: GET /events sort; spec: GET /users/:id/events action; spec: GET /users/:id/events target_type; spec: GET /users/:id/events before; spec: GET /users/:id/events after; spec: GET /users/:id/events sort; spec: GET /projects/:project_id/events action; spec: GET /projects/:project_id/events target_type; spec: GET /projects/:project_id/events before; spec: GET /projects/:project_id/events after; spec: GET /projects/:project_id/events sort; spec: GET /events scope)", async () => {
  const rows: {
    id: number;
    at: number;
    project: number;
    author: Person;
    action: string;
    type: string | null;
  }[] = [];
  const types: Record<string, string[]> = {
    issue: ["Issue", "WorkItem", "Incident"],
    milestone: ["Milestone"],
    merge_request: ["MergeRequest"],
    note: ["Note", "DiscussionNote", "DiffNote"],
    project: ["Project"],
    snippet: ["Snippet"],
    user: ["User"],
  };
  const shapes: Kind[] = [
    push,
    about("created", "Issue", 201),
    about("closed", "WorkItem", 202),
    about("reopened", "Incident", 203),
    about("merged", "MergeRequest", 204),
    about("approved", "MergeRequest", 204),
    about("updated", "Snippet", 205),
    about("destroyed", "Milestone", 206),
    comment("Issue", 201),
    comment("MergeRequest", 204),
    { action: "joined", targetType: null },
    { action: "left", targetType: "Project" },
    { action: "expired", targetType: "User" },
    { action: "created", targetType: null },
  ];
  const people: Person[] = ["dev", "max"];
  const start = Date.now() - 400 * DAY;
  for (let i = 0; i < 240; i++) {
    const author = people[Math.floor(i / shapes.length) % 2] as Person;
    const project = i % 3 === 0 ? world.open : world.rocket;
    const kind = shapes[i % shapes.length] as Kind;
    // Many rows share a time, and some are at the boundary of a day.
    const day = Math.floor((start + (i % 17) * 3 * DAY) / DAY) * DAY;
    const at = day + ([0, DAY - 1, 43_200_000, 1][i % 4] as number);
    const [id] = await recordOnly(world, [
      { ...kind, projectId: project.id, authorId: world.ids[author], createdAt: new Date(at) },
    ]);
    rows.push({
      id: id as number,
      at,
      project: project.id,
      author,
      action: kind.action,
      type: kind.targetType ?? null,
    });
  }
  const known = new Set(rows.map(({ id }) => id));
  // One or two filters at a time; with all of them, hardly any list would have an event.
  const sometimes = <T>(filter: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: filter, weight: 1 });
  const word = sometimes(fc.constantFrom(...ACTIONS));
  const target = sometimes(fc.constantFrom(...Object.keys(types)));
  const edge = sometimes(fc.integer({ min: -2, max: 52 }));
  const used = new Set<string>();
  let found = 0;
  const lists = fc.constantFrom("own", "user", "project", "all");
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        list: lists,
        action: word,
        target,
        after: edge,
        before: edge,
        sort: fc.constantFrom(undefined, "asc", "desc"),
        perPage: fc.integer({ min: 1, max: 40 }),
      }),
      async ({ list, action, target, after, before, sort, perPage }) => {
        const dayOf = (offset: number) => new Date(start + offset * DAY).toISOString().slice(0, 10);
        const query = new URLSearchParams();
        if (action) query.set("action", action);
        if (target) query.set("target_type", target);
        if (after !== undefined) query.set("after", dayOf(after));
        // Rows of other tests are newer than these days.
        query.set("before", dayOf(before ?? 60));
        if (sort) query.set("sort", sort);
        if (list === "all") query.set("scope", "all");
        query.set("per_page", String(perPage));
        const paths: Record<string, string> = {
          own: "/events",
          user: "/users/max/events",
          project: `/projects/${world.rocket.id}/events`,
          all: "/events",
        };
        const wanted = rows
          .filter((row) => list !== "own" || row.author === "dev")
          .filter((row) => list !== "user" || row.author === "max")
          .filter((row) => list !== "project" || row.project === world.rocket.id)
          .filter((row) => !action || row.action === action)
          .filter((row) => {
            if (!target) return true;
            if (row.type !== null) return types[target]?.includes(row.type);
            return target === "project" && row.action !== "pushed";
          })
          .filter((row) => after === undefined || row.at >= Date.parse(dayOf(after)) + DAY)
          .filter((row) => row.at < Date.parse(dayOf(before ?? 60)))
          .sort((a, b) => (a.at - b.at || a.id - b.id) * (sort === "asc" ? 1 : -1))
          .map(({ id }) => id);
        if (wanted.length > 0) {
          found++;
          for (const [name, value] of Object.entries({ list, action, target, after, before, sort })) {
            if (value !== undefined) used.add(name === "list" ? value.toString() : name);
          }
        }
        const got: number[] = [];
        for (let page = 1; ; page++) {
          query.set("page", String(page));
          const reply = await world.call(`/api/v4${paths[list]}?${query}`, { as: "dev" });
          assert.equal(reply.headers.get("x-total"), String(wanted.length));
          got.push(...reply.json.map((event: { id: number }) => event.id));
          if (!reply.headers.get("x-next-page")) break;
        }
        assert.ok(got.every((id) => known.has(id)));
        assert.deepEqual(got, wanted);
      },
    ),
    { numRuns: 150 },
  );
  assert.ok(found > 30, `${found} lists had events`);
  const parts = ["own", "user", "project", "all", "action", "target", "after", "before", "sort"];
  assert.deepEqual([...used].sort(), parts.sort());
});

test("events older than two years are not listed, and those slightly younger are (spec: Events 4; spec: Limits 1)", async () => {
  const { db } = world.platform;
  const [old, young] = await record(
    world,
    [about("closed", "Milestone", 301), about("reopened", "Milestone", 302)].map((kind) => ({
      ...kind,
      projectId: world.open.id,
      authorId: world.ids.rep,
      createdAt: new Date(Date.now() - 10 * DAY),
    })),
  );
  await db.run(
    sql`update events set created_at = now() - interval '2 years' - interval '1 millisecond' where id = ${old}`,
  );
  await db.run(
    sql`update events set created_at = now() - interval '2 years' + interval '20 minutes' where id = ${young}`,
  );
  for (const path of ["/events", "/users/rep/events", "/projects/acme%2Fopen/events", "/events?scope=all"]) {
    const listed = await ids(
      `${path}${path.includes("?") ? "&" : "?"}target_type=milestone&sort=asc&per_page=100`,
      "rep",
    );
    assert.ok(listed.includes(young as number), path);
    assert.ok(!listed.includes(old as number), path);
  }
});

test("target types that only GitLab has events of match nothing, and excluding them excludes nothing (reference events A7)", async () => {
  for (const path of [
    "/events?",
    "/users/rep/events?",
    "/projects/acme%2Fopen/events?",
    "/events?scope=all&",
  ]) {
    for (const word of ["design", "epic"]) {
      assert.deepEqual(await ids(`${path}target_type=${word}`, "rep"), [], `${path} ${word}`);
      const [all, without] = [await ids(path, "rep"), await ids(`${path}not[target_type]=${word}`, "rep")];
      assert.ok(all.length > 0, path);
      assert.deepEqual(without, all, `${path} ${word}`);
    }
  }
});

test("partitions of months older than two years and a day are dropped, also one whose detaching was interrupted (spec: Events 4)", async () => {
  await world.owner.run(sql`create table events_2019_03 partition of events
    for values from ('2019-03-01 00:00+00') to ('2019-04-01 00:00+00')`);
  await world.owner.run(sql`create table events_2019_04 (like events)`);
  const swept = await sweepEvents(world.platform);
  assert.ok(swept.dropped.includes("events_2019_03"));
  assert.ok(swept.dropped.includes("events_2019_04"), "one whose detaching was interrupted is dropped too");
  assert.deepEqual((await sweepEvents(world.platform)).dropped, []);
});

test("users and projects are found by id and by name in any case, and unknown ones are answered with 404 (reference events A10; spec: GET /users/:id/events id; spec: GET /projects/:project_id/events project_id)", async () => {
  const same = await ids(`/projects/${world.rocket.id}/events`, "dev");
  assert.deepEqual(await ids("/projects/ACME%2FRocket/events", "dev"), same);
  const person = await ids(`/users/${world.ids.dev}/events`, "dev");
  assert.deepEqual(await ids("/users/DEV/events", "dev"), person);
  for (const id of [
    "0",
    "999999",
    "99999999999999999999",
    "rocket",
    "acme%252Frocket",
    "acme%2Fnone",
    "-1",
  ]) {
    const reply = await world.call(`/api/v4/projects/${id}/events`, { as: "dev" });
    assert.deepEqual([reply.status, reply.json], [404, { message: "404 Project Not Found" }], id);
  }
  for (const id of ["0", "999999", "99999999999999999999", "nobody", "-1", "x".repeat(300)]) {
    const reply = await world.call(`/api/v4/users/${id}/events`, { as: "dev" });
    assert.deepEqual([reply.status, reply.json], [404, { message: "404 User Not Found" }], id);
  }
  for (const path of [
    "/projects/%00/events",
    "/users/%00/events",
    "/projects/a%2F%00/events",
    "/users/%ff/events",
  ]) {
    const { status } = await world.call(`/api/v4${path}`, { as: "dev" });
    assert.ok(status === 400 || status === 404, `${path}: ${status}`);
  }
});

test("lists of events require their scopes, and only a public project's list is open to anonymous callers (contract §4; spec: GET /events token scope; spec: GET /users/:id/events token scope)", async () => {
  const paths = ["/api/v4/events", "/api/v4/users/dev/events"];
  for (const path of paths) {
    for (const scope of ["read_user", "read_api", "api"]) {
      const reply = await world.call(path, { token: await world.tokenOf("dev", scope) });
      assert.equal(reply.status, 200, `${path} ${scope}`);
    }
    const refused = await world.call(path, { token: await world.tokenOf("dev", "profile") });
    assert.equal(refused.status, 403);
    assert.equal(refused.json.error, "insufficient_scope");
    const nobody = await world.call(path);
    assert.deepEqual([nobody.status, nobody.json], [401, { message: "401 Unauthorized" }]);
    assert.ok(nobody.headers.get("www-authenticate"));
  }
  const project = "/api/v4/projects/acme%2Fopen/events";
  assert.equal((await world.call(project)).status, 200);
  const refused = await world.call(project, { token: await world.tokenOf("dev", "read_user") });
  assert.deepEqual([refused.status, refused.json.scope], [403, "read_api api"]);
  assert.equal((await world.call(project, { token: "gpat_wrong" })).status, 401);
});

test("invalid parameters are all named in one 400, unknown ones are ignored, and no query causes a 5xx (reference events A2; spec: Events 3)", async () => {
  const cases: [string, string][] = [
    ["action=foo", "action does not have a valid value"],
    ["action=Created", "action does not have a valid value"],
    ["target_type=Issue", "target_type does not have a valid value"],
    ["before=2026-02-30", "before is invalid"],
    ["after=x", "after is invalid"],
    ["sort=up", "sort does not have a valid value"],
    ["page=0", "page does not have a valid value"],
    ["page=x", "page is invalid"],
    ["per_page=0", "per_page has a value not allowed"],
    ["per_page=x", "per_page is invalid"],
    [
      "action=foo&before=x&sort=up",
      "action does not have a valid value, before is invalid, sort does not have a valid value",
    ],
  ];
  for (const path of ["/api/v4/events", "/api/v4/users/dev/events", "/api/v4/projects/acme%2Fopen/events"]) {
    for (const [query, error] of cases) {
      const reply = await world.call(`${path}?${query}`, { as: "dev" });
      assert.deepEqual([reply.status, reply.json], [400, { error }], `${path}?${query}`);
    }
    for (const query of [
      ...["per_page=500", "scope=own", "scope=all&scope=x", "scope[]=all", "unknown=1", "before=2026-1-2"],
      ...["before=2026-01-02T03:04:05Z", "after=0001-01-01", "before=9999-12-31", "after=9999-12-31"],
      ...["page=1000000&per_page=100", "before=0001-01-01", "action=", "target_type=wiki"],
    ]) {
      const reply = await world.call(`${path}?${query}`, { as: "dev" });
      assert.equal(reply.status, 200, `${path}?${query}: ${reply.text}`);
    }
    for (const query of [
      ...[
        "action[]=created",
        "action=created&action=closed",
        "before=%00",
        "before[]=2026-01-01",
        "page=1e9",
      ],
      ...[
        "page=99999999999999999999",
        "page=-1",
        "per_page=1.5",
        "sort[a]=asc&sort=%ff",
        "after=-1",
        "page=١",
      ],
    ]) {
      const reply = await world.call(`${path}?${query}`, { as: "dev" });
      assert.ok(reply.status < 500, `${path}?${query}: ${reply.status}`);
    }
  }
  const clamped = await world.call("/api/v4/events?per_page=500", { as: "olga" });
  assert.equal(clamped.headers.get("x-per-page"), "100");
});

test("HEAD returns the headers of GET without a body, and pagination links keep every filter (reference events A1, A5)", async () => {
  const path = "/api/v4/events?action=created&sort=asc&per_page=2&after=2020-01-01";
  const head = await world.call(path, { as: "olga", method: "HEAD" });
  const get = await world.call(path, { as: "olga" });
  assert.equal(head.status, 200);
  assert.equal(head.text, "");
  for (const name of ["x-total", "x-next-page", "x-prev-page", "link", "content-type"]) {
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  }
  assert.equal(get.headers.get("content-type"), "application/json");
  const next = /<([^>]+)>; rel="next"/.exec(get.headers.get("link") ?? "")?.[1] ?? "";
  const asked = new URL(next).searchParams;
  assert.deepEqual(
    ["action", "sort", "per_page", "after", "page"].map((name) => asked.get(name)),
    ["created", "asc", "2", "2020-01-01", "2"],
  );
});

test("the cursor parameter works only with pagination=keyset and is ignored otherwise (contract-events §4, keyset)", async () => {
  const path = "/api/v4/events?per_page=1";
  const first = await world.call(`${path}&pagination=keyset`, { as: "olga" });
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  const cursor = new URL(next).searchParams.get("cursor");
  const moved = await world.call(`${path}&pagination=keyset&cursor=${cursor}`, { as: "olga" });
  assert.notEqual(moved.json[0].id, first.json[0].id);
  assert.deepEqual((await world.call(`${path}&cursor=${cursor}`, { as: "olga" })).json, first.json);
});

test("the events of a private profile are an empty list for others, and listed for its owner and administrators (contract-events §4, users)", async () => {
  const { db } = world.platform;
  await db.run(sql`update users set private_profile = true where id = ${world.ids.olga}`);
  const reply = await world.call("/api/v4/users/olga/events", { as: "max" });
  assert.deepEqual([reply.status, reply.json], [200, []]);
  assert.deepEqual([reply.headers.get("x-total"), reply.headers.get("x-total-pages")], ["0", "1"]);
  for (const place of ["pagination=keyset&cursor=x", "since=x"]) {
    const refused = await world.call(`/api/v4/users/olga/events?${place}`, { as: "max" });
    assert.equal(refused.status, 400, place);
  }
  assert.ok((await ids("/users/olga/events", "olga")).length > 0);
  assert.ok((await ids("/users/olga/events", "ada")).length > 0);
  await db.run(sql`update users set private_profile = false where id = ${world.ids.olga}`);
});

test("when a membership ends, its events are hidden at once (reference events A9)", async () => {
  const { db } = world.platform;
  assert.ok((await ids("/events?scope=all", "stan")).length > 0);
  await db.run(sql`delete from members where user_id = ${world.ids.stan}`);
  assert.deepEqual(await ids("/events?scope=all", "stan"), []);
  const reply = await world.call("/api/v4/projects/acme%2Frocket/events", { as: "stan" });
  assert.equal(reply.status, 404);
});

test("the events of an internal project are open to signed-in users, and the project is 404 without a token (contract §4, visibility)", async () => {
  const group = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  const fields = { name: "Inside", path: "inside", namespace_id: group, visibility: "internal" };
  const made = await world.call("/api/v4/projects", { as: "olga", json: fields });
  assert.equal(made.status, 201, made.text);
  for (const place of [made.json.id, "acme%2Finside"]) {
    for (const list of ["events", "events?since=start", "events?pagination=keyset", "events/export"]) {
      const path = `/api/v4/projects/${place}/${list}`;
      const nobody = await world.call(path);
      assert.deepEqual([nobody.status, nobody.json], [404, { message: "404 Project Not Found" }], path);
      assert.equal((await world.call(path, { as: "stan" })).status, 200, path);
    }
  }
});
