/** A world with random changes to everything that determines who can see which events. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { removeOverdue } from "../../src/events/remove-overdue.ts";
import { hasManyRoles, lookAtRoles } from "../../src/events/store-many-roles.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "./alerts.ts";
import { runJob } from "./jobs.ts";
import { type Facts, readFacts, type Said, VisibilityModel } from "./visibility-model.ts";
import { PASSWORD, type Person, startWorld, type World } from "./world.ts";

const DAY = 86_400_000;
const LEVELS = [10, 15, 20, 30, 40, 50] as const;
const VISIBILITIES = ["private", "internal", "public"] as const;
/** The people who read; Ada makes all changes and is never changed. */
export const READERS: Person[] = ["ada", "olga", "max", "dev", "rep", "gus", "stan"];

export let world: World;
export const groups: number[] = [];
export const projects: number[] = [];
export const feedTokens = new Map<Person, string>();
/** Log of changes, to find out why a comparison failed. */
export const log: string[] = [];
const sources: { id: number; project: number; url: string; secret: string }[] = [];
const alerts: Source[] = [];
/** Two people who act and are removed; they do not read. */
const passing: number[] = [];
const erased = new Set<number>();
let claimId: number;
/** Projects in which the outside person is linked to Dev. */
const granted = new Set<number>();
const sayings = new Map<string, Said[]>();
const targetOf = new Map<number, string>();
/** Targets by the name with their global id, and their name with the iid, once an event had both. */
const toldAs = new Map<string, string>();
/** Recorded events, and the author that each must have now; undefined: nobody who reads. */
const written = new Map<number, () => number | undefined>();
/** Events that must have been removed. */
const swept = new Set<number>();
let deliveries = 0;
let arrivals = 0;

export const some = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
/** Once an event names a target by both its ids, all events that name it by either belong to one target (decision 0188). */
export const modelOf = (facts: Facts) => {
  const nameOf = (target: string) => toldAs.get(target) ?? target;
  const said = new Map<string, Said[]>();
  for (const [target, list] of sayings)
    said.set(nameOf(target), [...(said.get(nameOf(target)) ?? []), ...list]);
  const targets = new Map([...targetOf].map(([id, target]) => [id, nameOf(target)]));
  return new VisibilityModel(facts, targets, said, (id) => written.has(id));
};
/** Everybody who may be the author of an event. */
export const authorsOf = () => [
  ...READERS.map((name) => world.ids[name]),
  ...passing.filter((id) => !erased.has(id)),
];

/** Sends a request as Ada, who may do everything. */
export async function ada(method: string, path: string, json?: unknown) {
  const reply = await world.call(`/api/v4${path}`, {
    as: "ada",
    method,
    ...(json === undefined ? {} : { json }),
  });
  assert.ok(reply.status < 500, `${method} ${path}: ${reply.status} ${reply.text}`);
  return reply;
}

/**
 * Creates nested groups, projects of every visibility, sources, outside people and alerts; Rep gets roles in very many
 * projects.
 */
export async function startChangingWorld(): Promise<void> {
  world = await startWorld();
  const group = async (path: string, visibility: string, parent?: number) => {
    const made = await ada("POST", "/groups", { name: path, path, visibility, parent_id: parent });
    assert.equal(made.status, 201, made.text);
    groups.push(made.json.id);
    return made.json.id as number;
  };
  const acme = (await ada("GET", "/groups/acme")).json.id;
  groups.push(acme);
  const sub = await group("sub", "internal", acme);
  const deep = await group("deep", "private", sub);
  const side = await group("side", "private");
  const inner = await group("inner", "private", side);
  projects.push(world.rocket.id, world.open.id);
  const places: [string, string | number, string][] = [
    ["one", sub, "internal"],
    ["two", deep, "private"],
    ["three", side, "private"],
    ["four", inner, "private"],
    ["own", "dev", "public"],
  ];
  for (const [path, namespace, visibility] of places) {
    const json = { name: path, path, namespace_id: namespace, visibility };
    const made = await world.call("/api/v4/projects", { as: namespace === "dev" ? "dev" : "ada", json });
    assert.equal(made.status, 201, made.text);
    projects.push(made.json.id);
  }
  for (const username of ["eve", "finn"]) {
    const json = { username, name: username, email: `${username}@example.org`, password: PASSWORD };
    const made = await ada("POST", "/users", json);
    assert.equal(made.status, 201, made.text);
    passing.push(made.json.id);
  }
  for (const project of [world.rocket.id, projects[3] as number]) {
    const made = await ada("POST", `/projects/${project}/event_sources`, { name: "GitLab", type: "gitlab" });
    assert.equal(made.status, 201, made.text);
    sources.push({ ...made.json, project });
  }
  alerts.push(await aSource(world), await aSource(world, "generic", {}, "acme/open"));
  // Rep's roles are looked up in the way for people with very many roles.
  const { db } = world.platform;
  const many = await group("many", "public");
  await db.run(sql`insert into projects (namespace_id, path, full_path, name, visibility, creator_id)
    select ${many}, 'part-' || n, 'many/part-' || n, 'Part ' || n, 'private', ${world.ids.olga} from generate_series(1, 101) n`);
  await db.run(sql`insert into members (project_id, user_id, access_level)
    select id, ${world.ids.rep}, (array[10, 15, 20, 30])[1 + id % 4] from projects where namespace_id = ${many}`);
  projects.push(
    ...(await readFacts(db)).projects
      .filter(({ namespace }) => namespace === many)
      .slice(0, 2)
      .map(({ id }) => id),
  );
  await lookAtRoles(db, { id: world.ids.rep });
  assert.ok(hasManyRoles({ id: world.ids.rep }));
  for (const person of READERS) {
    feedTokens.set(person, (await world.call("/api/v4/user/feed_token", { as: person })).json.feed_token);
  }
  const made = await world.call("/api/v4/user/outside_identities", {
    as: "dev",
    json: { host: "gitlab.example", username: "octo" },
  });
  assert.equal(made.status, 201, made.text);
  claimId = made.json.id;
  await writeMatters();
}

/**
 * Creates in every project a confidential issue of each reader, which only the passing of time and transfers change: some
 * can see one only as its author.
 */
async function writeMatters(): Promise<void> {
  const row = {
    kind: CREATED,
    named: "iid",
    internal: false,
    confidential: true,
    ago: 0,
    zebra: false,
  } as const;
  const rows = projects.flatMap((_, project) =>
    READERS.map((_, author): ARow => ({ ...row, project, author, iid: 50 + author, assignees: undefined })),
  );
  await write(rows);
}

const say = (target: string, said: Omit<Said, "arrival">) => {
  const before = sayings.get(target) ?? [];
  sayings.set(target, [...before, { ...said, arrival: ++arrivals }]);
};

const KINDS = [
  ["pushed", null],
  ["created", "Issue"],
  ["closed", "WorkItem"],
  ["reopened", "Incident"],
  ["updated", "Issue"],
  ["created", "MergeRequest"],
  ["merged", "MergeRequest"],
  ["approved", "MergeRequest"],
  ["created", "Milestone"],
  ["created", "Snippet"],
  ["updated", "WikiPage::Meta"],
  ["joined", null],
  ["left", "User"],
  ["created", "Project"],
  ["commented", "Issue"],
  ["commented", "MergeRequest"],
  ["commented", "Commit"],
  ["commented", "Snippet"],
] as const;
const KIND_OF: Record<string, string> = {
  Issue: "issue",
  WorkItem: "issue",
  Incident: "issue",
};

const aRow = fc.record({
  kind: fc.nat(KINDS.length - 1),
  project: fc.nat(),
  author: fc.nat(),
  iid: fc.integer({ min: 1, max: 3 }),
  named: fc.constantFrom("iid", "iid", "id", "both"),
  internal: fc.boolean(),
  confidential: fc.constantFrom(undefined, undefined, undefined, true, true, false),
  assignees: fc.option(fc.array(fc.nat(), { maxLength: 2 }), { nil: undefined, freq: 2 }),
  ago: fc.constantFrom(0, 0, 1, 3, 10, 45, 45.5, 390, 410, 700),
  zebra: fc.boolean(),
});

type ARow = typeof aRow extends fc.Arbitrary<infer T> ? T : never;

async function write(rows: readonly ARow[]): Promise<void> {
  const people = authorsOf();
  const start = Date.now() - 3_600_000;
  const made = rows.map((row, n) => {
    const [action, type] = KINDS[row.kind] as (typeof KINDS)[number];
    const author = some(people, row.author);
    const assignees = row.assignees?.map((one) => some(people, one));
    const at = Math.floor(start - row.ago * DAY) + n * 1000;
    const isNote = action === "commented";
    const describes = type !== null && type !== "User";
    const isNumbered = describes && type !== "Project" && type !== "Commit";
    // Far from the ids that the service assigns.
    const wide = 1_000_000_000 + row.iid;
    const [iid, id] = [row.named === "id" ? undefined : row.iid, row.named === "iid" ? undefined : wide];
    const body = {
      project_id: some(projects, row.project),
      action,
      target_type: isNote ? "Note" : type,
      author_id: author,
      created_at: new Date(at).toISOString(),
      ...(isNumbered && !isNote ? { target_iid: iid, target_id: id } : {}),
      ...(describes ? { confidential: row.confidential, assignee_ids: assignees } : {}),
      ...(isNote
        ? {
            note: {
              body: row.zebra ? "a Zebra" : "yak",
              internal: row.internal,
              noteable_type: type,
              ...(type === "Commit" ? { commit_id: `${row.iid}a` } : { noteable_iid: iid, noteable_id: id }),
            },
          }
        : {}),
      ...(action === "pushed"
        ? { push_data: { ref: "main", commit_count: 1, commit_title: row.zebra ? "zebra" : "yak" } }
        : {}),
    };
    const key = type === "Project" ? "" : type === "Commit" ? `${row.iid}a` : (iid ?? `#${wide}`);
    const named = (by: string | number) => `${body.project_id} api ${KIND_OF[type ?? ""] ?? type} ${by}`;
    const target = describes ? named(key) : undefined;
    const tells = isNumbered && row.named === "both" ? named(`#${wide}`) : undefined;
    return {
      body,
      target,
      tells,
      at,
      author,
      assignees,
      confidential: row.confidential,
      makes: action === "created",
    };
  });
  const reply = await world.call("/api/v4/events/bulk", { as: "ada", json: made.map(({ body }) => body) });
  assert.equal(reply.status, 200, reply.text);
  made.forEach(({ target, tells, at, author, assignees, confidential, makes }, n) => {
    const { status, id } = reply.json.results[n];
    if (status !== "created") {
      assert.match(reply.json.results[n].error, /archived|before the event retention/);
      return;
    }
    written.set(id, () => (erased.has(author) ? undefined : author));
    if (target === undefined) return;
    targetOf.set(id, target);
    if (tells) toldAs.set(tells, target);
    say(target, {
      at,
      confidential,
      assignees,
      author: makes ? () => (erased.has(author) ? undefined : author) : undefined,
    });
  });
}

/** GitLab delivers an event about an issue of an outside person. */
async function deliver(
  n: number,
  iid: number,
  action: "open" | "update",
  confidential: boolean,
): Promise<void> {
  const source = some(sources, n);
  const at = Date.now();
  const stamp = new Date(at).toISOString();
  const payload = {
    object_kind: "issue",
    event_type: confidential ? "confidential_issue" : "issue",
    user: { id: 7, name: "Octo", username: "octo" },
    project: { id: 1, web_url: "https://gitlab.example/a/b", path_with_namespace: "a/b" },
    object_attributes: {
      id: 500 + iid,
      iid,
      title: `Outside ${iid}`,
      action,
      confidential,
      created_at: stamp,
      updated_at: stamp,
    },
  };
  const reply = await world.call(new URL(source.url).pathname, {
    json: payload,
    headers: {
      "x-gitlab-token": source.secret,
      "x-gitlab-event": "Issue Hook",
      "idempotency-key": `d${++deliveries}`,
    },
  });
  if (reply.status === 403) return;
  assert.equal(reply.status, 202, reply.text);
  const target = `${source.project} ${source.id} issue ${iid}`;
  const author = () => (granted.has(source.project) ? world.ids.dev : undefined);
  if (action === "open") {
    const [id] = reply.json.event_ids;
    assert.ok(id, reply.text);
    written.set(id, author);
    targetOf.set(id, target);
  } else assert.equal(reply.json.status, "ignored");
  say(target, { at, confidential, author: action === "open" ? author : undefined });
}

const CREATED = KINDS.findIndex(([action, type]) => action === "created" && type === "Issue");
const COMMENTED = KINDS.findIndex(([action, type]) => action === "commented" && type === "Issue");
let issues = 100;

/** Creates an issue and events about it, each naming it by other ids, and one of them by both (decision 0188). */
async function name(row: ARow, names: readonly ARow["named"][], closing: number): Promise<void> {
  const iid = ++issues;
  for (const [n, named] of names.entries()) {
    const isClosing = n === closing % names.length;
    const kind = isClosing ? CREATED : COMMENTED;
    const confidential = isClosing ? true : undefined;
    await write([
      { ...row, iid, named, kind, internal: false, confidential, ago: 0, author: row.author + n },
    ]);
  }
}

/** One random change. */
export const change = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant("name" as const),
      row: aRow,
      names: fc.shuffledSubarray(["iid", "id", "id", "both"] as const, { minLength: 2 }),
      closing: fc.nat(),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      rows: fc.array(aRow, { minLength: 1, maxLength: 12 }),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("deliver" as const),
      n: fc.nat(),
      iid: fc.integer({ min: 1, max: 2 }),
      update: fc.boolean(),
      confidential: fc.boolean(),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("role" as const),
      inGroup: fc.boolean(),
      place: fc.nat(),
      person: fc.nat(),
      level: fc.nat(),
      expires: fc.constantFrom("no", "no", "over", "later"),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("leave" as const),
      inGroup: fc.boolean(),
      place: fc.nat(),
      person: fc.nat(),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("visibility" as const),
      inGroup: fc.boolean(),
      place: fc.nat(),
      word: fc.nat(),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constant("moveProject" as const), place: fc.nat(), into: fc.nat() }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ do: fc.constant("moveGroup" as const), place: fc.nat(), into: fc.nat() }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("person" as const),
      person: fc.nat(),
      what: fc.constantFrom("block", "unblock", "unblock", "admin", "plain", "plain", "hide", "show"),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("archive" as const),
      inGroup: fc.boolean(),
      place: fc.nat(),
      word: fc.constantFrom("archive", "unarchive", "unarchive"),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("keep" as const),
      place: fc.nat(),
      days: fc.constantFrom(null, null, 30, 400),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      n: fc.nat(),
      word: fc.constantFrom("approve", "refuse"),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("alert" as const),
      n: fc.nat(),
      title: fc.constantFrom("Outage", "Trouble"),
      ends: fc.boolean(),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ do: fc.constantFrom("compact" as const, "sweep" as const, "expire" as const) }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("erase" as const, "remove" as const, "pathChange" as const),
      n: fc.nat(200),
    }),
    weight: 1,
  },
);
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

export async function apply(one: Change): Promise<void> {
  log.push(JSON.stringify(one));
  const { db } = world.platform;
  const person = "person" in one ? world.ids[some(READERS.slice(1), one.person)] : 0;
  const root = "inGroup" in one && one.inGroup ? "groups" : "projects";
  const placeId = "place" in one ? some("inGroup" in one && one.inGroup ? groups : projects, one.place) : 0;
  switch (one.do) {
    case "write":
      return write(one.rows);
    case "name":
      return name(one.row, one.names, one.closing);
    case "deliver":
      return deliver(one.n, one.iid, one.update ? "update" : "open", one.confidential);
    case "role": {
      const member = {
        user_id: person,
        access_level: some(LEVELS, one.level),
        expires_at: one.expires === "no" ? null : "2099-01-01",
      };
      const added = await ada("POST", `/${root}/${placeId}/members`, member);
      if (added.status === 409) await ada("PUT", `/${root}/${placeId}/members/${person}`, member);
      if (one.expires !== "over") return;
      const column = root === "groups" ? sql`namespace_id` : sql`project_id`;
      await db.run(sql`update members set expires_at = now() - interval '1 second'
        where ${column} = ${placeId} and user_id = ${person} and expires_at is not null`);
      return;
    }
    case "leave":
      await ada("DELETE", `/${root}/${placeId}/members/${person}`);
      return;
    case "visibility":
      await ada("PUT", `/${root}/${placeId}`, { visibility: some(VISIBILITIES, one.word) });
      return;
    case "moveProject": {
      const into = one.into % (groups.length + 1) === groups.length ? "dev" : some(groups, one.into);
      await ada("PUT", `/projects/${placeId}/transfer`, { namespace: into });
      return;
    }
    case "moveGroup": {
      const group = some(groups, one.place);
      const into = one.into % (groups.length + 1) === groups.length ? null : some(groups, one.into);
      await ada("POST", `/groups/${group}/transfer`, { group_id: into });
      return;
    }
    case "person": {
      const { what } = one;
      if (what === "block" || what === "unblock") await ada("POST", `/users/${person}/${what}`);
      else if (what === "admin" || what === "plain")
        await ada("PUT", `/users/${person}`, { admin: what === "admin" });
      else await ada("PUT", `/users/${person}`, { private_profile: what === "hide" });
      return;
    }
    case "archive":
      await ada("POST", `/${root}/${placeId}/${one.word}`);
      return;
    case "keep":
      await ada("PUT", `/projects/${placeId}`, { event_retention_days: one.days });
      return;
    case "claim": {
      const { project } = some(sources, one.n);
      const reply = await ada("POST", `/projects/${project}/outside_identities/${claimId}/${one.word}`);
      if (reply.status !== 204) return;
      if (one.word === "approve") granted.add(project);
      else granted.delete(project);
      return;
    }
    case "alert": {
      const reply = await some(alerts, one.n).send({
        title: one.title,
        ...(one.ends ? { end_time: new Date().toISOString() } : {}),
      });
      assert.ok([200, 403, 404].includes(reply.status), reply.text);
      return;
    }
    case "compact":
      return void (await compactEventCounts(world.platform));
    case "sweep": {
      const { events, projects: places, now } = await readFacts(db);
      for (const { id, project, at } of events) {
        const days = places.find((place) => place.id === project)?.days;
        if (days && at.getTime() < now - days * DAY) swept.add(id);
      }
      return void (await removeOverdue(world.platform));
    }
    case "expire":
      return runJob(world, "memberships");
    case "erase": {
      const user = passing.find((id) => !erased.has(id));
      if (user === undefined) return;
      await ada("DELETE", `/users/${user}?erase=${one.n % 2 === 0}`);
      erased.add(user);
      return;
    }
    case "remove": {
      // Never a project with a source, and not too many.
      const at = one.n;
      if (projects.length < 6) return;
      const candidates = projects.filter(
        (id) => !sources.some(({ project }) => project === id) && id !== world.open.id,
      );
      const project = some(candidates, at);
      const { full_path } = {
        full_path: (await ada("GET", `/projects/${project}`)).json.path_with_namespace,
      };
      await ada("DELETE", `/projects/${project}`);
      const gone = await ada(
        "DELETE",
        `/projects/${project}?permanently_remove=true&full_path=${encodeURIComponent(full_path)}`,
      );
      assert.equal(gone.status, 202, gone.text);
      for (const { id, project: of } of (await readFacts(db)).events) if (of === project) swept.add(id);
      await runJob(world, "removals");
      projects.splice(projects.indexOf(project), 1);
      return;
    }
    case "pathChange":
      await ada("PUT", `/projects/${some(projects, one.n)}`, { path: `renamed-${log.length}` });
      return;
  }
}

/** Asserts that every recorded event exists, with the author that it must have. */
export function nothingIsLost({ events, users }: Facts): void {
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const [id, author] of written) {
    const event = byId.get(id);
    assert.equal(event === undefined, swept.has(id), `event ${id}`);
    if (!event) continue;
    const person = author();
    if (person !== undefined) assert.equal(event.author, person, `author of ${id}`);
    else
      assert.ok(
        !users.some(
          (user) => user.id === event.author && READERS.some((name) => world.ids[name] === user.id),
        ),
        `author of ${id}`,
      );
  }
}
