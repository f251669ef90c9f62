/** Random worlds with random changes: every way of reading events is compared with a simple model of the visibility rules. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { ACTIONS } from "../../src/events/event.ts";
import { asksForKinds, type EventFilter, type SoughtQuery, TARGET_FILTERS } from "../../src/events/filter.ts";
import type { ReadPlan } from "../../src/events/list-hint.ts";
import { readPageApart } from "../../src/events/store-pages.ts";
import { isWide } from "../../src/events/subject.ts";
import {
  ada,
  apply,
  authorsOf,
  change,
  feedTokens,
  groups,
  log,
  modelOf,
  nothingIsLost,
  projects,
  READERS,
  some,
  startChangingWorld,
  world,
} from "../support/changing-world.ts";
import { countEvents } from "../support/count-events.ts";
import { allArrived, recordOnly } from "../support/events.ts";
import {
  type Facts,
  type Happened,
  readFacts,
  type VisibilityModel,
  type Whose,
  type Wish,
} from "../support/visibility-model.ts";
import type { Person } from "../support/world.ts";

const DAY = 86_400_000;
before(startChangingWorld);

/** Two or three filters at a time: with more, hardly any list has events. */
const sometimes = <T>(filter: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 5 }, { arbitrary: filter, weight: 1 });
const words = <T>(...list: T[]) =>
  sometimes(fc.uniqueArray(fc.constantFrom(...list), { minLength: 1, maxLength: 3 }));
const look = fc.record({
  viewer: fc.option(fc.nat(), { nil: undefined, freq: 8 }),
  whose: fc.constantFrom("own", "all", "all", "user", "user", "project", "project", "group"),
  which: fc.nat(),
  plain: fc.boolean(),
  action: words(...ACTIONS),
  notAction: words(...ACTIONS),
  target: words(...TARGET_FILTERS),
  notTarget: words(...TARGET_FILTERS),
  authors: sometimes(fc.array(fc.nat(), { minLength: 1, maxLength: 3 })),
  notAuthors: sometimes(fc.array(fc.nat(), { minLength: 1, maxLength: 2 })),
  group: sometimes(fc.nat()),
  search: sometimes(fc.constant("zEBRA")),
  after: sometimes(fc.constantFrom(2, 11, 46, 400, 720)),
  before: sometimes(fc.constantFrom(0, 2, 11, 46, 400)),
  from: sometimes(fc.constantFrom(1.9, 12.3, 50.1, 500.7)),
  to: sometimes(fc.constantFrom(1.9, 12.3, 50.1, 500.7)),
  sort: fc.constantFrom("asc" as const, "desc" as const),
  perPage: fc.integer({ min: 2, max: 30 }),
});
type Look = typeof look extends fc.Arbitrary<infer T> ? T : never;

interface Asked {
  who: Person | undefined;
  viewer: { id: number } | undefined;
  whose: Whose;
  wish: Wish;
  path: string;
  query: URLSearchParams;
  /** The events in the requested order; undefined: refused. */
  expected: Happened[] | undefined;
  isBlocked: boolean;
  filter: EventFilter;
}

const dayAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

function asked(one: Look, facts: Facts, model: VisibilityModel): Asked {
  const who = one.viewer === undefined ? undefined : some(READERS, one.viewer);
  const viewer = who && { id: world.ids[who] };
  const people = [...authorsOf(), 999_999];
  const places: Record<Look["whose"], [Whose, string]> = {
    own: [{ own: true }, "/events"],
    all: [{ all: true }, "/events"],
    user: [{ user: some(authorsOf(), one.which) }, `/users/${some(authorsOf(), one.which)}/events`],
    project: [{ project: some(projects, one.which) }, `/projects/${some(projects, one.which)}/events`],
    group: [{ group: some(groups, one.which) }, `/groups/${some(groups, one.which)}/events`],
  };
  const [whose, path] = places[one.whose];
  const query = new URLSearchParams();
  if (one.whose === "all") query.set("scope", "all");
  const wish: Wish = {};
  const filter: EventFilter = { sort: one.sort };
  if (one.sort === "asc") query.set("sort", "asc");
  if (!one.plain) {
    const put = (name: string, list: readonly (string | number)[] | undefined) => {
      if (list) query.set(name, list.join(","));
    };
    wish.action = filter.action = one.action;
    put("action", one.action);
    wish.notAction = filter.notActions = one.notAction;
    put("not[action]", one.notAction);
    wish.target = filter.target = one.target;
    put("target_type", one.target);
    wish.notTarget = filter.notTargets = one.notTarget;
    put("not[target_type]", one.notTarget);
    wish.authors = filter.authorIds = one.authors?.map((n) => some(people, n));
    put("author_id", wish.authors);
    wish.notAuthors = filter.notAuthorIds = one.notAuthors?.map((n) => some(people, n));
    put("not[author_id]", wish.notAuthors);
    if (one.group !== undefined) {
      wish.group = filter.groupId = some(groups, one.group);
      query.set("group_id", String(wish.group));
    }
    if (one.search) {
      wish.search = filter.search = one.search;
      query.set("search", one.search);
    }
    let from = 0;
    let to = Number.POSITIVE_INFINITY;
    if (one.after !== undefined) {
      filter.after = dayAgo(one.after);
      query.set("after", filter.after);
      from = Date.parse(filter.after) + DAY;
    }
    if (one.before !== undefined) {
      filter.before = dayAgo(one.before);
      query.set("before", filter.before);
      to = Date.parse(filter.before);
    }
    if (one.from !== undefined) {
      filter.from = new Date(facts.now - one.from * DAY);
      query.set("created_after", filter.from.toISOString());
      from = Math.max(from, filter.from.getTime());
    }
    if (one.to !== undefined) {
      filter.to = new Date(facts.now - one.to * DAY);
      query.set("created_before", filter.to.toISOString());
      to = Math.min(to, filter.to.getTime());
    }
    wish.from = from;
    wish.to = to;
  }
  const expected = model.list(viewer, whose, wish);
  if (one.sort === "asc") expected?.reverse();
  const isBlocked = facts.users.some(({ id, state }) => id === viewer?.id && state !== "active");
  return { who, viewer, whose, wish, path, query, expected, isBlocked, filter };
}

const idsOf = (events: readonly { id: number }[]) => events.map(({ id }) => id);
const tags = new Map<string, { etag: string; ids: number[]; total: string | null }>();

/** One response, which may be a 304 since the last one. */
async function read(who: Person | undefined, path: string) {
  const key = `${who} ${path}`;
  const known = tags.get(key);
  const headers = known ? { "if-none-match": known.etag } : {};
  const reply = await world.call(`/api/v4${path}`, who ? { as: who, headers } : { headers });
  const etag = reply.headers.get("etag");
  if (reply.status === 304) {
    assert.ok(known);
    return { reply, status: 200, ids: known.ids, total: reply.headers.get("x-total") ?? known.total };
  }
  if (reply.status !== 200) return { reply, status: reply.status, ids: [], total: null };
  const ids = idsOf(reply.json);
  const total = reply.headers.get("x-total");
  if (etag) tags.set(key, { etag, ids, total });
  return { reply, status: 200, ids, total };
}

function isRefused({ who, whose, expected, isBlocked }: Asked, status: number): boolean {
  if (isBlocked) {
    assert.ok([401, 403].includes(status), `a blocked user got ${status}`);
    return true;
  }
  if (expected !== undefined) return false;
  assert.equal(status, who === undefined && !("project" in whose || "group" in whose) ? 401 : 404);
  return true;
}

async function byPages(given: Asked, perPage: number): Promise<void> {
  const { who, path, query, expected } = given;
  const got: number[] = [];
  for (let page = 1; ; page++) {
    const { reply, status, ids, total } = await read(
      who,
      `${path}?${query}&per_page=${perPage}&page=${page}`,
    );
    if (isRefused(given, status)) return;
    assert.equal(status, 200, reply.text);
    assert.equal(total, String(expected?.length), "total");
    got.push(...ids);
    if (!reply.headers.get("x-next-page")) break;
    assert.equal(ids.length, perPage);
  }
  assert.deepEqual(got, idsOf(expected ?? []));
}

async function byCursor(given: Asked, perPage: number): Promise<void> {
  const { who, path, query, expected } = given;
  const got: number[] = [];
  for (let next: string | undefined = `${path}?${query}&per_page=${perPage}&pagination=keyset`; next; ) {
    const { reply, status, ids, total }: Awaited<ReturnType<typeof read>> = await read(who, next);
    if (isRefused(given, status)) return;
    assert.equal(total, String(expected?.length), "total");
    got.push(...ids);
    next = /<([^>]*)>; rel="next"/
      .exec(reply.headers.get("link") ?? "")?.[1]
      ?.slice(`${world.url}/api/v4`.length);
  }
  assert.deepEqual(got, idsOf(expected ?? []));
}

async function byArrival(given: Asked, perPage: number): Promise<void> {
  const { who, path, query, expected } = given;
  await allArrived(world.platform.db);
  const got: number[] = [];
  for (let since = "start"; ; ) {
    const { reply, status, ids } = await read(who, `${path}?${query}&per_page=${perPage}&since=${since}`);
    if (isRefused(given, status)) return;
    got.push(...ids);
    since = reply.headers.get("x-next-since") as string;
    if (ids.length === 0) break;
  }
  assert.deepEqual(
    [...got].sort((a, b) => a - b),
    idsOf(expected ?? []).sort((a, b) => a - b),
  );
}

async function byExport(given: Asked): Promise<void> {
  const { who, path, query, expected } = given;
  const reply = await world.call(`/api/v4${path}/export?${query}`, who ? { as: who } : {});
  if (isRefused(given, reply.status)) return;
  assert.equal(reply.status, 200, reply.text);
  const lines = reply.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const end = lines.pop();
  assert.equal(end.events, expected?.length);
  assert.deepEqual(idsOf(lines), idsOf(expected ?? []));
}

/** With every plan there is, whichever the service would choose. */
async function byWays(given: Asked, perPage: number): Promise<void> {
  const { viewer, whose, expected, isBlocked, filter, who } = given;
  if (!expected || isBlocked) return;
  const { db } = world.platform;
  const isAdmin = (await readFacts(db)).users.some(({ id, isAdmin }) => id === viewer?.id && isAdmin);
  const subject: SoughtQuery["subject"] =
    "own" in whose
      ? { kind: "author", authorId: viewer?.id ?? 0 }
      : "all" in whose
        ? { kind: "memberships" }
        : "user" in whose
          ? { kind: "person", person: String(whose.user) }
          : "project" in whose
            ? { kind: "reference", reference: String(whose.project) }
            : { kind: "group", groupId: whose.group };
  const query: SoughtQuery = {
    subject,
    asker: viewer && { ...viewer, isAdmin },
    filter,
    limit: perPage,
    offset: 0,
  };
  // With a floor, the projects of a user with many roles are read in another way; this floor is before all events.
  const floor = new Date(Date.now() - 800 * DAY);
  const ways: ReadPlan[] = [
    { way: "time", floor: undefined },
    ...(isWide(subject) ? [undefined, floor].map((floor) => ({ way: "projects" as const, floor })) : []),
    ...(asksForKinds(filter) ? [{ way: "days" as const, floor: undefined }] : []),
  ];
  assert.equal(await countEvents(db, query), expected.length, `${who} total`);
  for (const way of ways) {
    for (const offset of [0, 2]) {
      const { rows } = await readPageApart(db, { ...query, offset }, way);
      assert.deepEqual(
        idsOf(rows),
        idsOf(expected.slice(offset, offset + perPage)),
        `${JSON.stringify(way)} ${offset}`,
      );
    }
  }
}

/** All users send the same request at once, so that their lists may share a statement. */
async function together(one: Look, facts: Facts, model: VisibilityModel): Promise<void> {
  await Promise.all(
    [...READERS.keys()].map(async (viewer) => {
      const given = asked({ ...one, viewer }, facts, model);
      const { who, path, query, expected } = given;
      const { status, ids, total } = await read(who, `${path}?${query}&per_page=100`);
      if (isRefused(given, status)) return;
      assert.deepEqual(ids, idsOf(expected ?? []).slice(0, 100), `${who} ${path}?${query}`);
      assert.equal(total, String(expected?.length), `${who} ${path}?${query}`);
    }),
  );
}

async function byFeed(one: Look, facts: Facts, model: VisibilityModel): Promise<void> {
  const { who, viewer, whose, isBlocked } = asked({ ...one, plain: true, sort: "desc" }, facts, model);
  if ("own" in whose || "all" in whose) return;
  const place =
    "user" in whose
      ? (await ada("GET", `/users/${whose.user}`)).json.username
      : "project" in whose
        ? (await ada("GET", `/projects/${whose.project}`)).json.path_with_namespace
        : (await ada("GET", `/groups/${whose.group}`)).json.full_path;
  const token = who && feedTokens.get(who);
  const reply = await world.call(`/${place}.json${token ? `?feed_token=${token}` : ""}`);
  if (isBlocked) return assert.equal(reply.status, 401);
  // The feed of a user is public; a private profile has none.
  const user = "user" in whose ? facts.users.find(({ id }) => id === whose.user) : undefined;
  const isAdmin = facts.users.some(({ id, isAdmin }) => id === viewer?.id && isAdmin);
  const isHidden = user?.isPrivate && user.id !== viewer?.id && !isAdmin;
  const expected = user
    ? isHidden
      ? undefined
      : facts.events
          .filter((event) => event.author === user.id && model.sees(viewer, event))
          .sort((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id)
    : model.list(viewer, whose);
  if (!expected) return assert.equal(reply.status, 404, `${who} ${place}`);
  assert.equal(reply.status, 200, `${who} ${place} ${reply.text}`);
  const got = reply.json.items.map(({ id }: { id: string }) => Number(/(\d+)$/.exec(id)?.[1]));
  assert.deepEqual(got, idsOf(expected).slice(0, 20));
}

async function byCalendar(one: Look, facts: Facts, model: VisibilityModel): Promise<void> {
  const { who, viewer, isBlocked, whose } = asked(
    { ...one, whose: "user", viewer: one.viewer ?? 0, plain: true },
    facts,
    model,
  );
  if (!viewer || !("user" in whose)) return;
  const from = dayAgo(60);
  const reply = await world.call(`/api/v4/users/${whose.user}/calendar?from=${from}`, who ? { as: who } : {});
  if (isBlocked) return assert.ok([401, 403].includes(reply.status));
  assert.deepEqual(reply.json, model.calendar(viewer, whose.user, Date.parse(from)));
}

/** Reads a stream from its beginning to an event that is written now. */
async function byStream(one: Look, facts: Facts): Promise<void> {
  const list = asked(
    { ...one, whose: ["own", "all", "project"][one.which % 3] as "own", plain: true },
    facts,
    modelOf(facts),
  );
  const { who, viewer, whose, isBlocked } = list;
  const model = () => readFacts(world.platform.db).then(modelOf);
  const base = "project" in whose ? `/projects/${whose.project}` : "";
  const stop = new AbortController();
  const token = who && (await world.tokenOf(who, "api"));
  const reply = await fetch(
    `${world.url}/api/v4${base === "" ? "/events/stream" : `${base}/events/stream`}?since=start${"all" in whose ? "&scope=all" : ""}`,
    {
      headers: token ? { authorization: `Bearer ${token}` } : {},
      signal: stop.signal,
    },
  );
  if (isRefused({ ...list, isBlocked }, reply.status)) return void (await reply.text());
  assert.equal(reply.status, 200);
  const where =
    "project" in whose
      ? whose.project
      : facts.projects.find(({ id }) => modelOf(facts).level(viewer, id) > 0)?.id;
  if (where === undefined) return stop.abort();
  const [last] = await recordOnly(world, [
    { action: "joined", targetType: null, projectId: where, authorId: viewer?.id ?? world.ids.ada },
  ]);
  const got: number[] = [];
  let text = "";
  const reader = (reply.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  while (got.at(-1) !== last) {
    const end = text.indexOf("\n\n");
    if (end < 0) {
      const { done, value } = await reader.read();
      assert.ok(!done, "the stream ended");
      text += value;
      continue;
    }
    const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
    text = text.slice(end + 2);
    if (data) got.push(JSON.parse(data).id);
  }
  stop.abort();
  const expected = (await model()).list(viewer, whose) ?? [];
  assert.deepEqual(
    got.sort((a, b) => a - b),
    idsOf(expected).sort((a, b) => a - b),
    `stream of ${who}`,
  );
}

async function places(one: Look, facts: Facts, model: VisibilityModel): Promise<void> {
  const { who, viewer, isBlocked } = asked({ ...one, plain: true }, facts, model);
  const list = async (path: string) => {
    const found: number[] = [];
    for (let page = 1; ; page++) {
      const reply = await world.call(`/api/v4${path}per_page=100&page=${page}`, who ? { as: who } : {});
      if (isBlocked) return undefined;
      found.push(...idsOf(reply.json));
      if (reply.headers.get("x-next-page")) continue;
      assert.equal(reply.headers.get("x-total"), String(found.length));
      return found.sort((a, b) => a - b);
    }
  };
  const all = facts.projects.map(({ id }) => id).sort((a, b) => a - b);
  const seen = await list("/projects?");
  if (!seen) return;
  assert.deepEqual(
    seen,
    all.filter((id) => model.seesProject(viewer, id)),
    `projects of ${who}`,
  );
  if (viewer)
    assert.deepEqual(
      await list("/projects?membership=true&"),
      all.filter((id) => model.level(viewer, id) > 0),
    );
  const every = facts.groups
    .filter(({ kind }) => kind === "group")
    .map(({ id }) => id)
    .sort((a, b) => a - b);
  assert.deepEqual(
    await list("/groups?"),
    every.filter((id) => model.seesGroup(viewer, id)),
    `groups of ${who}`,
  );
}

const MODES = [
  "pages",
  "pages",
  "cursor",
  "arrival",
  "export",
  "ways",
  "together",
  "feed",
  "calendar",
  "stream",
  "places",
] as const;

async function compare(one: Look, mode: (typeof MODES)[number], facts: Facts): Promise<void> {
  const model = modelOf(facts);
  const given = asked(one, facts, model);
  try {
    if (mode === "pages") await byPages(given, one.perPage);
    else if (mode === "cursor") await byCursor(given, one.perPage);
    else if (mode === "arrival") await byArrival(given, one.perPage);
    else if (mode === "export") await byExport(given);
    else if (mode === "ways") await byWays(given, one.perPage);
    else if (mode === "together") await together(one, facts, model);
    else if (mode === "feed") await byFeed(one, facts, model);
    else if (mode === "calendar") await byCalendar(one, facts, model);
    else if (mode === "stream") await byStream(one, facts);
    else await places(one, facts, model);
  } catch (error) {
    const told = `${mode}: ${given.who} ${given.path}?${given.query}; changes:\n${log.slice(-40).join("\n")}`;
    throw new Error(`${told}\n${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

test("every viewer sees in every way of reading exactly what a simple model of the rules allows, after any changes (contract §4, visibility; reference events A9; decision 0021; reference reliability S84)", async () => {
  const counts = { lists: 0, seen: 0, refused: 0, theirs: 0 };
  const countTheirs = (facts: Facts, model: VisibilityModel) => {
    const isTheirs = (name: Person) =>
      facts.events.some((event) => model.seesAsTheirs({ id: world.ids[name] }, event));
    counts.theirs += READERS.some(isTheirs) ? 1 : 0;
  };
  // There are some at the beginning, whatever the random changes do.
  const first = await readFacts(world.platform.db);
  countTheirs(first, modelOf(first));
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(look, fc.constantFrom(...MODES)), { minLength: 4, maxLength: 4 }),
      async (changes, looks) => {
        for (const one of changes) await apply(one);
        for (const [one, mode] of looks) {
          const facts = await readFacts(world.platform.db);
          nothingIsLost(facts);
          await compare(one, mode, facts);
          counts.lists++;
          const model = modelOf(facts);
          const { expected } = asked(one, facts, model);
          counts.seen += expected?.length ?? 0;
          counts.refused += expected ? 0 : 1;
          countTheirs(facts, model);
        }
      },
    ),
    // The world continues from run to run, so a failure cannot be shrunk; the seed is reported.
    { numRuns: 40, endOnFailure: true },
  );
  // At the end every viewer lists every project, so that no rare case is missed by chance.
  const [all] = fc.sample(look, { numRuns: 1, seed: 1 });
  assert.ok(all);
  const facts = await readFacts(world.platform.db);
  for (const which of projects.keys()) {
    for (const viewer of [undefined, ...READERS.keys()]) {
      const one = { ...all, viewer, whose: "project" as const, which, plain: true, perPage: 100 };
      await compare(one, "pages", facts);
    }
  }
  assert.ok(counts.seen > counts.lists && counts.refused > 0 && counts.theirs > 0, JSON.stringify(counts));
});
