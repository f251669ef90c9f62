/** Who sees which events: with every role, wherever it is granted, in every list, total and way of reading. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { EventFilter, SoughtQuery } from "../../src/events/filter.ts";
import { findEvents } from "../../src/events/store-lists.ts";
import { hasManyRoles, lookAtRoles } from "../../src/events/store-many-roles.ts";
import { readPageApart } from "../../src/events/store-pages.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, comment, type Kind, push, recordOnly } from "../support/events.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const DAY = 86_400_000;
/**
 * Who may see an event of a kind: those who may read the project or its code, Planners, Reporters, or its author and assignees.
 */
type Opens = "read" | "code" | "planner" | "reporter" | "theirs" | "theirs as code";
let kinds: Record<string, [Opens, Kind]>;

let world: World;
let acme: number;
/** Projects in Acme with each visibility, and a private one of a user. */
let places: { id: number; fullPath: string; visibility: "private" | "internal" | "public"; own: boolean }[];
/** The kind and project of each event, in the order of lists. */
const written: { id: number; name: string; place: (typeof places)[number]; byStan: boolean }[] = [];

before(async () => {
  world = await startWorld();
  const { db } = world.platform;
  acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  const inner = { name: "Inner", path: "inner", namespace_id: acme, visibility: "internal" };
  const made = await world.call("/api/v4/projects", { as: "olga", json: inner });
  assert.equal(made.status, 201, made.text);
  const mine = await world.call("/api/v4/projects", { as: "stan", json: { name: "Mine", path: "mine" } });
  assert.equal(mine.status, 201, mine.text);
  places = [
    { ...world.rocket, visibility: "private", own: false },
    { id: made.json.id, fullPath: "acme/inner", visibility: "internal", own: false },
    { ...world.open, visibility: "public", own: false },
    { id: mine.json.id, fullPath: "stan/mine", visibility: "private", own: true },
  ];
  const hidden = { confidential: true, assigneeIds: [world.ids.gus] };
  const theirs = { confidential: true, assigneeIds: [world.ids.gus, world.ids.stan] };
  kinds = {
    joined: ["read", { action: "joined", targetType: null }],
    issue: ["read", about("created", "Issue", 1)],
    milestone: ["read", about("created", "Milestone", 1)],
    wiki: [
      "read",
      {
        action: "created",
        targetType: "WikiPage::Meta",
        wikiPage: { slug: "home", title: "H", format: "md" },
      },
    ],
    snippet: ["read", about("created", "Snippet", 1)],
    push: ["code", push],
    request: ["code", about("created", "MergeRequest", 1)],
    internal: ["planner", comment("Issue", 1, { internal: true })],
    confidential: ["planner", { ...about("created", "Issue", 2), ...hidden }],
    confidentialRequest: ["reporter", { ...about("created", "MergeRequest", 2), ...hidden }],
    internalOnRequest: ["reporter", comment("MergeRequest", 1, { internal: true })],
    assigned: ["theirs", { ...about("created", "Issue", 3), ...theirs }],
    authored: ["theirs", { ...about("created", "Issue", 4), ...hidden }],
    assignedRequest: ["theirs as code", { ...about("created", "MergeRequest", 3), ...theirs }],
    // Being the author of something that is not confidential grants nothing.
    authoredRequest: ["code", about("created", "MergeRequest", 4)],
    internalOnAuthored: ["planner", comment("Issue", 4, { internal: true })],
  };
  // All on one day, several at the same moment, so that dates are counted by day and the order depends on the ids.
  const noon = Math.floor(Date.now() / DAY - 3) * DAY + DAY / 2;
  const events = places.flatMap((place) =>
    Object.entries(kinds).map(([name, [, kind]], index) => {
      const byStan = name.startsWith("authored");
      return { place, name, kind, byStan, createdAt: new Date(noon - Math.floor(index / 3) * 1000) };
    }),
  );
  // Creating the projects has recorded events too.
  await db.run(sql`delete from events`);
  const ids = await recordOnly(
    world,
    events.map(({ place, kind, byStan, createdAt }) => ({
      ...kind,
      projectId: place.id,
      authorId: byStan ? world.ids.stan : world.ids.olga,
      createdAt,
    })),
  );
  const at = new Map(ids.map((id, index) => [id, events[index]?.createdAt.getTime() ?? 0]));
  written.push(
    ...events.map(({ place, name, byStan }, index) => ({ id: ids[index] as number, name, place, byStan })),
  );
  written.sort((a, b) => (at.get(b.id) ?? 0) - (at.get(a.id) ?? 0) || b.id - a.id);
});

interface Role {
  from: "project" | "group";
  level: 10 | 15 | 20;
  isOver?: boolean;
}

/** Gives a user this role and no other, in Acme or in each of its projects. */
async function give(person: number, role: Role | undefined): Promise<void> {
  const { db } = world.platform;
  await db.run(sql`delete from members where user_id = ${person}
    and (namespace_id = ${acme} or project_id = any (${places.map(({ id }) => id)}::bigint[]))`);
  if (!role) return;
  const until = role.isOver ? sql`now() - interval '1 second'` : sql`now() + interval '1 day'`;
  if (role.from === "group") {
    await db.run(sql`insert into members (namespace_id, user_id, access_level, expires_at)
      values (${acme}, ${person}, ${role.level}, ${until})`);
    return;
  }
  const projectIds = places.filter(({ own }) => !own).map(({ id }) => id);
  await db.run(sql`insert into members (project_id, user_id, access_level, expires_at)
    select id, ${person}, ${role.level}, ${until} from unnest(${projectIds}::bigint[]) id`);
}

/** Eve is assigned to nothing and owns nothing. */
type Asker = "stan" | "eve" | "ada" | undefined;
let eve: number;

/** The rule for one event, in its simplest form (reference events A9). */
function isSeen({ name, place }: (typeof written)[number], asker: Asker, role: Role | undefined): boolean {
  const has = role && !role.isOver && !place.own ? role.level : 0;
  const level = asker === "ada" || (asker === "stan" && place.own) ? 50 : asker ? has : 0;
  if (level >= 20) return true;
  const isOpen = place.visibility === "public" || (place.visibility === "internal" && asker !== undefined);
  const reads = isOpen || level >= 10;
  switch (kinds[name]?.[0]) {
    case "read":
      return reads;
    case "code":
      return isOpen;
    case "planner":
      return level >= 15;
    case "theirs":
      return level >= 15 || (asker === "stan" && reads);
    case "theirs as code":
      return asker === "stan" && isOpen;
    default:
      return false;
  }
}

/** Compares every list of this asker with the rule; `isKept` says which projects show events. */
async function compare(
  asker: Asker,
  role: Role | undefined,
  { isKept = (_place: { id: number }): boolean => true, isPlain = false } = {},
): Promise<void> {
  const { db } = world.platform;
  const told = `${asker} ${JSON.stringify(role)}`;
  const seen = written.filter((one) => isKept(one.place) && isSeen(one, asker, role));
  const has = role && !role.isOver && (asker === "stan" || asker === "eve");
  const own = ({ own: isOwn }: (typeof places)[number]) => asker === "stan" && isOwn;
  type List = [SoughtQuery["subject"], typeof seen | undefined];
  const lists: List[] = [
    [{ kind: "person", person: "olga" }, seen.filter(({ byStan }) => !byStan)],
    [{ kind: "person", person: "stan" }, seen.filter(({ byStan }) => byStan)],
    [{ kind: "group", groupId: acme }, seen.filter(({ place }) => !place.own)],
    ...(asker
      ? [
          [
            { kind: "memberships" },
            seen.filter(({ place }) => own(place) || (has && !place.own)),
          ] satisfies List,
        ]
      : []),
    ...places.map((place): List => {
      const isOpen = place.visibility === "public" || (place.visibility === "internal" && asker);
      const isThere = isOpen || asker === "ada" || own(place) || (has && !place.own);
      return [
        { kind: "reference", reference: place.fullPath },
        isThere ? seen.filter((one) => one.place === place) : undefined,
      ];
    }),
  ];
  const filters: [EventFilter, (name: string) => boolean][] = [
    [{}, () => true],
    [{ after: new Date(Date.now() - 10 * DAY).toISOString().slice(0, 10) }, () => true],
    [{ target: "project" }, (name) => name === "joined"],
    [{ target: "issue" }, (name) => kinds[name]?.[1].targetType === "Issue"],
    [
      { search: "issue" },
      (name) => kinds[name]?.[1].targetType === "Issue" || /^internal(OnAuthored)?$/.test(name),
    ],
  ];
  const who = asker && { id: asker === "eve" ? eve : world.ids[asker], isAdmin: asker === "ada" };
  for (const [subject, expected] of lists) {
    for (const [filter, matches] of isPlain ? filters.slice(0, 1) : filters) {
      const words = `${told} ${JSON.stringify([subject, filter])}`;
      const query: SoughtQuery = { subject, asker: who, filter, limit: 100, offset: 0 };
      const found = await findEvents(db, query);
      if (!expected) {
        assert.equal(found, undefined, words);
        continue;
      }
      const wanted = expected.filter(({ name }) => matches(name)).map(({ id }) => id);
      const nameOf = (id: number) => written.find((one) => one.id === id);
      assert.deepEqual(
        found?.events.map(({ id }) => id),
        wanted,
        `${words}: ${found?.events.map(({ id }) => `${nameOf(id)?.name} of ${nameOf(id)?.place.fullPath}`)}`,
      );
      assert.equal(found?.total, wanted.length, words);
      if (!isPlain || (subject.kind !== "memberships" && subject.kind !== "group")) continue;
      const { rows } = await readPageApart(db, query, { floor: undefined, way: "projects" });
      assert.deepEqual(
        rows.map(({ id }) => id),
        wanted,
        words,
      );
    }
  }
}

const ROLES: (Role | undefined)[] = [
  undefined,
  ...([10, 15, 20] as const).flatMap((level): Role[] => [
    { from: "project", level },
    { from: "group", level },
  ]),
  { from: "project", level: 20, isOver: true },
  { from: "group", level: 20, isOver: true },
];

test("a role has the same effect whether it comes from a project, its group or the ownership of its namespace, and none once it expired (reference events A9; contract §4, visibility)", async () => {
  for (const isPlain of [true, false]) {
    // The first time before the events are counted.
    if (!isPlain) await compactEventCounts(world.platform);
    for (const role of ROLES) {
      await give(world.ids.stan, role);
      await compare("stan", role, { isPlain });
    }
    await compare("ada", undefined, { isPlain });
    await compare(undefined, undefined, { isPlain });
  }
});

test("events beyond a project's retention are in no list or total, for any asker (decision 0119)", async () => {
  const { db } = world.platform;
  const keep = (days: number | null) =>
    db.run(sql`update projects set event_retention_days = ${days}::integer where id = ${world.open.id}`);
  const isKept = ({ id }: { id: number }) => id !== world.open.id;
  await keep(1);
  for (const role of [undefined, ROLES[1], ROLES[6]]) {
    await give(world.ids.stan, role);
    await compare("stan", role, { isKept });
  }
  await compare("ada", undefined, { isKept });
  await compare(undefined, undefined, { isKept });
  await keep(null);
});

test("a project whose removal has begun is not found by anybody, and a renamed project is found by its old path (decisions 0152, 0188)", async () => {
  const { db } = world.platform;
  const asker = { id: world.ids.ada, isAdmin: true };
  const find = (reference: string) =>
    findEvents(db, { subject: { kind: "reference", reference }, asker, filter: {}, limit: 100, offset: 0 });
  await db.run(
    sql`insert into project_redirects (old_path, project_id) values ('acme/before', ${world.open.id})`,
  );
  assert.equal((await find("Acme/Before"))?.events.length, Object.keys(kinds).length);
  await db.run(sql`update projects set removal_began_at = now() where id = ${world.open.id}`);
  for (const reference of ["acme/open", "acme/before", String(world.open.id)]) {
    assert.equal(await find(reference), undefined, reference);
  }
  await db.run(sql`update projects set removal_began_at = null where id = ${world.open.id}`);
});

test("a role has the same effect for a user with roles in very many projects (reference events A9; decision 0093)", async () => {
  const { db } = world.platform;
  const json = { username: "eve", name: "Eve", email: "eve@example.org", password: PASSWORD };
  const made = await world.call("/api/v4/users", { as: "ada", json });
  assert.equal(made.status, 201, made.text);
  eve = made.json.id;
  await db.run(sql`insert into projects (namespace_id, path, full_path, name, visibility, creator_id)
    select namespace_id, 'part-' || n, 'free/part-' || n, 'Part', 'private', ${world.ids.olga}
    from projects, generate_series(1, 101) n where id = ${world.free.id}`);
  await db.run(sql`insert into members (project_id, user_id, access_level)
    select id, ${eve}, 20 from projects where name = 'Part'`);
  await lookAtRoles(db, { id: eve });
  assert.ok(hasManyRoles({ id: eve }));
  for (const role of ROLES) {
    await give(eve, role);
    await compare("eve", role, { isPlain: true });
  }
});
