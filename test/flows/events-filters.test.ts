/** Filters beyond the specification, on every list and with every kind of pagination, compared with a filter over all rows. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { ACTIONS } from "../../src/events/event.ts";
import { rowsOfTargets, TARGET_FILTERS } from "../../src/events/filter.ts";
import { about, allArrived, comment, type Kind, push, record, recordOnly } from "../support/events.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

interface Row {
  id: number;
  at: number;
  project: number;
  author: Person;
  action: string;
  type: string | null;
  /** What a search compares. */
  words: string[];
}

let world: World;
let group: { id: number; full_path: string };
let below: { id: number; path_with_namespace: string };
const rows: Row[] = [];
const DAY = 86_400_000;
const start = Math.floor((Date.now() - 300 * DAY) / DAY) * DAY;
const people: Person[] = ["dev", "max", "rep"];

before(async () => {
  world = await startWorld();
  const acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json;
  const made = await world.call("/api/v4/groups", {
    as: "olga",
    json: { name: "Yard", path: "yard", parent_id: acme.id, visibility: "private" },
  });
  assert.equal(made.status, 201, made.text);
  group = made.json;
  const project = await world.call("/api/v4/projects", {
    as: "olga",
    json: { name: "Crane", path: "crane", namespace_id: group.id, visibility: "private" },
  });
  assert.equal(project.status, 201, project.text);
  below = project.json;
  for (const person of people) {
    const reply = await world.call(`/api/v4/projects/${below.id}/members`, {
      as: "olga",
      json: { user_id: world.ids[person], access_level: 30 },
    });
    assert.equal(reply.status, 201, reply.text);
  }
  const kinds: Kind[] = [
    push,
    { ...about("created", "Issue", 1), title: "Late Vessels 100%" },
    { ...about("closed", "WorkItem", 2), title: "berths_and\\quays" },
    { ...about("merged", "MergeRequest", 3), title: "Count BERTHS" },
    { ...about("approved", "MergeRequest", 3), title: "Count BERTHS" },
    comment("Issue", 1),
    comment("MergeRequest", 3),
    { ...comment("Issue", 1, { type: "DiscussionNote" }), targetType: "DiscussionNote" },
    { ...about("destroyed", "Milestone", 4), title: "Spring" },
    { action: "created", targetType: "WikiPage::Meta", wikiPage: { slug: "h", title: "H", format: "md" } },
    { action: "joined", targetType: null },
  ];
  const titles: Record<number, string> = {
    1: "Late Vessels 100%",
    2: "berths_and\\quays",
    3: "Count BERTHS",
    4: "Spring",
  };
  for (let i = 0; i < 200; i++) {
    const author = people[i % 3] as Person;
    const projectId = [world.rocket.id, world.open.id, below.id][(i % 7) % 3] as number;
    const kind = kinds[(i * 5) % kinds.length] as Kind;
    const at = start + (i % 23) * 7 * 3_600_000 + (i % 4) * 1000;
    const [id] = await recordOnly(world, [
      { ...kind, projectId, authorId: world.ids[author], createdAt: new Date(at) },
    ]);
    const number = kind.note ? kind.note.noteableIid : kind.targetIid;
    const words = [number && titles[number], kind.note?.body, kind.push?.commitTitle].filter(
      (one) => typeof one === "string",
    );
    rows.push({
      id: id as number,
      at,
      project: projectId,
      author,
      action: kind.action,
      type: kind.targetType ?? null,
      words,
    });
    if (i === 120) await compactEventCounts(world.platform);
  }
  await allArrived(world.platform.db);
});

const isWithin = (text: string, sought: string) => text.toLowerCase().includes(sought.toLowerCase());
const ids = (json: { id: number }[]) => json.map(({ id }) => id);

const isTarget = (row: Row, words: readonly (typeof TARGET_FILTERS)[number][]) => {
  const { types, targetless } = rowsOfTargets(words);
  return row.type === null
    ? (targetless as string[]).includes(row.action)
    : (types as string[]).includes(row.type);
};

test("every filter agrees with filtering all rows, by page, cursor and arrival, in 120 random lists (reference events A3, A7, D; contract-events §4)", async () => {
  // Two or three of the eleven filters at a time; with more, most lists would be empty.
  const sometimes = <T>(filter: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary: filter, weight: 1 });
  const some = <T>(...words: T[]) =>
    sometimes(fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }));
  const moment = sometimes(fc.integer({ min: -2, max: 170 }));
  const zones = ["UTC", "Pacific/Auckland", "America/St_Johns"];
  // Each filter once where it matches something, besides the random cases.
  const plain = { list: "all", zone: "Pacific/Auckland", perPage: 20, byName: false, comma: false };
  const fixed = [
    { action: ["pushed"] },
    { notAction: ["pushed"] },
    { target: ["issue"] },
    { notTarget: ["note"] },
    { authors: ["max"] },
    { notAuthors: ["rep"] },
    { notAuthors: ["dev", "rep"], byName: true },
    { group: "acme/yard" },
    { search: "BERTH" },
    { from: 20, to: 100 },
    { on: 3 },
  ].map((filter): [never] => [{ ...plain, ...filter } as never]);
  let found = 0;
  const used = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        list: fc.constantFrom("own", "user", "project", "all", "group", "below"),
        action: some(...ACTIONS),
        notAction: some(...ACTIONS),
        target: some(...TARGET_FILTERS),
        notTarget: some(...TARGET_FILTERS),
        authors: some(...people),
        notAuthors: some(...people),
        byName: fc.boolean(),
        group: fc.constantFrom(undefined, undefined, "acme", "acme/yard"),
        search: fc.constantFrom(
          undefined,
          undefined,
          undefined,
          "BERTH",
          "100%",
          "_and\\",
          "WORDS",
          "one",
          "nothing at all",
        ),
        from: moment,
        to: moment,
        on: sometimes(fc.integer({ min: 0, max: 8 })),
        zone: fc.constantFrom(...zones),
        sort: fc.constantFrom(undefined, "asc", "desc"),
        perPage: fc.integer({ min: 3, max: 60 }),
        comma: fc.boolean(),
      }),
      async (asked) => {
        const query = new URLSearchParams();
        const put = (name: string, words: readonly (string | number)[] | undefined) => {
          if (!words) return;
          if (asked.comma) query.set(name, words.join(","));
          else for (const word of words) query.append(`${name}[]`, String(word));
        };
        put("action", asked.action);
        put("target_type", asked.target);
        put("not[action]", asked.notAction);
        put("not[target_type]", asked.notTarget);
        const who = (names: readonly Person[] | undefined) =>
          asked.byName ? names?.map((name) => name.toUpperCase()) : names?.map((name) => world.ids[name]);
        const of = asked.byName ? "author_username" : "author_id";
        put(of, who(asked.authors));
        put(`not[${of}]`, who(asked.notAuthors));
        if (asked.group) query.set("group_id", asked.group);
        if (asked.search) query.set("search", asked.search);
        const momentAt = (hours: number) => new Date(start + hours * 3_600_000 + 1);
        if (asked.from !== undefined) {
          // The same time, written with another offset.
          const local = new Date(momentAt(asked.from).getTime() + 5.5 * 3_600_000)
            .toISOString()
            .replace("Z", "+05:30");
          query.set("created_after", local);
        }
        query.set("created_before", momentAt(asked.to ?? 400).toISOString());
        const day =
          asked.on === undefined ? undefined : new Date(start + asked.on * DAY).toISOString().slice(0, 10);
        if (day) {
          query.set("on", day);
          query.set("tz", asked.zone);
        }
        if (asked.sort) query.set("sort", asked.sort);
        if (asked.list === "all") query.set("scope", "all");
        query.set("per_page", String(asked.perPage));
        const paths: Record<string, string> = {
          own: "/events",
          user: "/users/max/events",
          project: `/projects/${world.rocket.id}/events`,
          all: "/events",
          group: "/groups/acme/events",
          below: `/groups/${group.id}/events`,
        };
        const dayIn = new Intl.DateTimeFormat("en-CA", { timeZone: asked.zone, dateStyle: "short" });
        const wanted = rows
          .filter((row) => asked.list !== "own" || row.author === "dev")
          .filter((row) => asked.list !== "user" || row.author === "max")
          .filter((row) => asked.list !== "project" || row.project === world.rocket.id)
          .filter((row) => asked.list !== "below" || row.project === below.id)
          .filter((row) => asked.group !== "acme/yard" || row.project === below.id)
          .filter((row) => !asked.action || (asked.action as string[]).includes(row.action))
          .filter((row) => !asked.notAction || !(asked.notAction as string[]).includes(row.action))
          .filter((row) => !asked.target || isTarget(row, asked.target))
          .filter((row) => !asked.notTarget || !isTarget(row, asked.notTarget))
          .filter((row) => !asked.authors || asked.authors.includes(row.author))
          .filter((row) => !asked.notAuthors?.includes(row.author))
          .filter((row) => !asked.search || row.words.some((one) => isWithin(one, asked.search as string)))
          .filter((row) => asked.from === undefined || row.at >= momentAt(asked.from).getTime())
          .filter((row) => row.at < momentAt(asked.to ?? 400).getTime())
          .filter((row) => !day || dayIn.format(new Date(row.at)) === day)
          .sort((a, b) => (a.at - b.at || a.id - b.id) * (asked.sort === "asc" ? 1 : -1))
          .map(({ id }) => id);
        if (wanted.length > 0) {
          found++;
          for (const name of query.keys()) used.add(name.replace(/(_id|_username)?(\[\])?$/, ""));
        }
        const path = `/api/v4${paths[asked.list]}`;
        const paged: number[] = [];
        for (let page = 1; ; page++) {
          query.set("page", String(page));
          const reply = await world.call(`${path}?${query}`, { as: "dev" });
          assert.equal(reply.status, 200, reply.text);
          assert.equal(reply.headers.get("x-total"), String(wanted.length), `${path}?${query}`);
          paged.push(...ids(reply.json));
          if (!reply.headers.get("x-next-page")) break;
        }
        assert.deepEqual(paged, wanted, `${path}?${query}`);
        query.delete("page");
        const walked: number[] = [];
        let next: string | undefined = `${path}?${query}&pagination=keyset`;
        while (next) {
          const reply = await world.call(next, { as: "dev" });
          assert.equal(reply.headers.get("x-total"), String(wanted.length), next);
          walked.push(...ids(reply.json));
          const link: string | null = reply.headers.get("link");
          next = link?.match(/^<(.*)>; rel="next"$/)?.[1]?.slice(world.url.length);
        }
        assert.deepEqual(walked, wanted);
        const arrived: number[] = [];
        for (let since = "start"; ; ) {
          const reply = await world.call(`${path}?${query}&since=${since}`, { as: "dev" });
          arrived.push(...ids(reply.json));
          since = reply.headers.get("x-next-since") as string;
          if (reply.json.length === 0) break;
        }
        assert.deepEqual(
          arrived,
          [...wanted].sort((a, b) => a - b),
        );
      },
    ),
    { numRuns: fixed.length + 120, examples: fixed },
  );
  assert.ok(found > 25, String(found));
  // A filter that is never used proves nothing.
  const filters = ["action", "target_type", "author", "created_after", "on", "search", "group"];
  const refusals = ["not[action]", "not[target_type]", "not[author_id]", "not[author_username]"];
  const missing = [...filters, ...refusals].filter((name) => !used.has(name));
  assert.deepEqual(missing, [], "no list filtered by these had events");
});

test("the events of a group are those of all projects below it that the caller may see (reference events E11)", async () => {
  const list = async (path: string, as?: Person) =>
    world.call(`/api/v4${path}?per_page=100`, as ? { as } : {});
  const seen = async (as?: Person) =>
    new Set(
      (await list("/groups/acme/events", as)).json.map((event: { project_id: number }) => event.project_id),
    );
  assert.deepEqual(await seen("dev"), new Set([world.rocket.id, world.open.id, below.id]));
  assert.deepEqual(await seen("stan"), new Set([world.open.id]));
  assert.equal((await list("/groups/acme%2Fyard/events", "stan")).status, 404);
  assert.equal((await list("/groups/nowhere/events", "dev")).json.message, "404 Group Not Found");
  const hidden = await world.call("/api/v4/events?group_id=acme%2Fyard", { as: "stan" });
  assert.deepEqual([hidden.status, hidden.json], [404, { message: "404 Group Not Found" }]);
});

test("include adds the project, target and commits to events, which do not have them otherwise (reference events E9, E10)", async () => {
  const path = `/api/v4/projects/${world.rocket.id}/events?per_page=100`;
  const plain = (await world.call(path, { as: "dev" })).json;
  assert.ok(plain.every((event: object) => !("project" in event || "target" in event || "commits" in event)));
  const { json } = await world.call(`${path}&include=project,target,commits`, { as: "dev" });
  const of = (action: string) => json.find((event: { action: string }) => event.action === action);
  assert.deepEqual(of("pushed").project, {
    id: world.rocket.id,
    name: of("pushed").project.name,
    path_with_namespace: "acme/rocket",
    web_url: `${world.url}/acme/rocket`,
  });
  assert.deepEqual(of("pushed").commits, [{ id: "2".repeat(40), title: "One" }]);
  assert.equal(of("pushed").target, null);
  assert.deepEqual(
    [of("merged").target.type, of("merged").target.iid, of("merged").target.title],
    ["MergeRequest", 3, "Count BERTHS"],
  );
  const wrong = await world.call(`${path}&include=everything`, { as: "dev" });
  assert.deepEqual([wrong.status, wrong.json], [400, { error: "include does not have a valid value" }]);
});

test("a page far from the start has the same events as walking there by cursor, in both orders (reference events F4)", async () => {
  const many = Array.from({ length: 1300 }, (_, i) => ({
    ...push,
    projectId: world.open.id,
    authorId: world.ids.max,
    createdAt: new Date(start + (i % 40) * DAY + i),
  }));
  await record(world, many);
  for (const list of [
    "/projects/acme%2Fopen/events",
    "/users/max/events",
    "/events?scope=all",
    "/groups/acme/events",
  ]) {
    for (const sort of ["asc", "desc"]) {
      for (const filter of [
        "",
        "&action=pushed",
        `&created_before=${new Date(start + 39.5 * DAY).toISOString()}`,
      ]) {
        const base = `/api/v4${list}${list.includes("?") ? "&" : "?"}sort=${sort}${filter}`;
        const walked: number[] = [];
        let next: string | undefined = `${base}&per_page=100&pagination=keyset`;
        while (next) {
          const reply = await world.call(next, { as: "dev" });
          walked.push(...ids(reply.json));
          next = reply.headers
            .get("link")
            ?.match(/^<(.*)>; rel="next"$/)?.[1]
            ?.slice(world.url.length);
        }
        assert.ok(walked.length > 1200);
        for (const page of [101, 118, 125]) {
          const reply = await world.call(`${base}&per_page=10&page=${page}`, { as: "dev" });
          assert.deepEqual(ids(reply.json), walked.slice((page - 1) * 10, page * 10), `${base} ${page}`);
          assert.equal(reply.headers.get("x-total"), String(walked.length));
        }
      }
    }
  }
});

test("unknown values and invalid times are refused with the parameter's name (reference events A2)", async () => {
  for (const [query, error] of [
    ["action=created,foo", "action does not have a valid value"],
    ["not[action]=foo", "not[action] does not have a valid value"],
    ["not[target_type][]=foo", "not[target_type] does not have a valid value"],
    ["author_id=x", "author_id is invalid"],
    ["created_after=yesterday", "created_after is invalid"],
    ["created_before=2026-13-01T00:00:00Z", "created_before is invalid"],
    ["on=2026-01-01&tz=Nowhere/Land", "tz is invalid"],
  ]) {
    const reply = await world.call(`/api/v4/events?${query}`, { as: "dev" });
    assert.deepEqual([reply.status, reply.json], [400, { error }], query);
  }
  const nobody = await world.call("/api/v4/events?scope=all&author_username=nobody-at-all", { as: "dev" });
  assert.deepEqual([nobody.status, nobody.json], [200, []]);
});

test("a time whose plus sign is not percent-encoded is read as the same time (contract-events §1; reference events A3)", async () => {
  const totals = async (moment: string) =>
    (await world.call(`/api/v4/events?scope=all&created_after=${moment}`, { as: "dev" })).headers.get(
      "x-total",
    );
  // Another event ten hours earlier, so that ignoring the offset would give another total.
  const early = { action: "created", target_type: "Issue", created_at: new Date(Date.now() - 50 * DAY) };
  const late = { ...early, created_at: new Date(early.created_at.getTime() + 10 * 3_600_000) };
  for (const json of [early, late]) {
    assert.equal(
      (await world.call("/api/v4/projects/acme%2Frocket/events", { as: "dev", json })).status,
      201,
    );
  }
  const at = new Date(late.created_at.getTime() - 1000);
  const local = new Date(at.getTime() + 13 * 3_600_000).toISOString().slice(0, 23);
  const right = await totals(at.toISOString());
  assert.ok(Number(right) > 0);
  for (const offset of ["%2B13:00", "+13:00", "+1300", "+13"])
    assert.equal(await totals(local + offset), right);
  assert.notEqual(await totals(`${local}Z`), right);
});

test("a search does not find events that the caller may not see, neither by page, total, cursor nor arrival (reference events A9; decision 0181)", async () => {
  const on = { projectId: world.open.id, authorId: world.ids.max };
  const secret = { ...about("created", "Issue", 71), title: "Nothing", confidential: true };
  await record(world, [
    { ...comment("Issue", 1, { body: "A password: Rosebud-1" }), ...on },
    { ...comment("Issue", 1, { body: "Only among us: ROSEBUD-2", internal: true }), ...on },
    { ...secret, ...on },
    { ...comment("Issue", 71, { body: "rosebud-3" }), ...on },
    {
      ...push,
      push: { ...(push.push as NonNullable<Kind["push"]>), commitTitle: "Add Rosebud-4" },
      projectId: world.rocket.id,
      authorId: world.ids.max,
    },
  ]);
  const lists = [
    "/users/max/events",
    `/projects/${world.open.id}/events`,
    `/projects/${world.rocket.id}/events`,
  ];
  const found = async (as: Person | undefined, sought: string) => {
    let n = 0;
    for (const list of lists) {
      const path = `/api/v4${list}?search=${sought}`;
      const page = await world.call(path, as ? { as } : {});
      // Listing a user's events needs a token, and a project that the caller cannot see is 404.
      if (page.status === 401 || page.status === 404) continue;
      const walked = await world.call(`${path}&pagination=keyset`, as ? { as } : {});
      const arrived = await world.call(`${path}&since=start`, as ? { as } : {});
      const told = [page, walked, arrived].map(({ json }) => json.length);
      assert.deepEqual(told, Array(3).fill(Number(page.headers.get("x-total"))), path);
      n += page.json.length;
    }
    return n;
  };
  for (const [sought, seenBy] of [
    ["rosebud-1", ["rep", "gus", "stan", undefined]],
    ["rosebud-2", ["rep"]],
    ["rosebud-3", ["rep"]],
    ["rosebud-4", ["rep"]],
  ] as [string, (Person | undefined)[]][]) {
    for (const as of ["rep", "gus", "stan", undefined] as (Person | undefined)[]) {
      assert.equal((await found(as, sought)) > 0, seenBy.includes(as), `${as} ${sought}`);
    }
  }
});
