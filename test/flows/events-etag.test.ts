/** ETags of lists: they change whenever the response does; and readers miss no event while many writers are active. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, test } from "node:test";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { recordEvents } from "../../src/events/record.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, allArrived, comment, push, recordOnly } from "../support/events.ts";
import { isWaitedFor } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const call = (path: string, as: Person | undefined, headers = {}) =>
  world.call(path, as ? { as, headers } : { headers });

test("a conditional request is answered with 304 without reading events, for pages, searches and cursors, with the same X-Poll-Interval (contract-events §4, conditional; decisions 0143, 0200)", async () => {
  const { db } = world.platform;
  await recordOnly(world, [
    { ...about("created", "Issue", 900), projectId: world.open.id, authorId: world.ids.dev },
    { ...about("closed", "Issue", 900), projectId: world.open.id, authorId: world.ids.dev },
  ]);
  await allArrived(db);
  const queries = [
    "per_page=1",
    "search=issue",
    "pagination=keyset&per_page=1",
    "pagination=keyset&per_page=1&search=ISSUE",
    "since=start&per_page=1",
    "since=start&per_page=100",
    "since=start&per_page=100&search=issue",
  ];
  const first = await Promise.all(
    queries.map(async (query) => {
      const path = `/api/v4/projects/acme%2Fopen/events?${query}`;
      const reply = await call(path, undefined);
      assert.equal(reply.status, 200, reply.text);
      assert.ok(reply.json.length > 0, query);
      assert.equal(reply.headers.get("x-poll-interval"), "60", query);
      return { path, reply };
    }),
  );
  const [again, told] = await db.transaction(async (tx) => {
    // Makes every query of events wait.
    await tx.run(sql`lock table events in access exclusive mode`);
    const all = Promise.all(
      first.map(({ path, reply }) =>
        call(path, undefined, { "if-none-match": `"other", ${reply.headers.get("etag")}` }),
      ),
    );
    let answers: Awaited<typeof all> | undefined;
    all.then(
      (given) => {
        answers = given;
      },
      () => {},
    );
    await until(async () => answers !== undefined || (await isWaitedFor(tx)));
    return [answers, all] as const;
  });
  await told;
  assert.ok(again, "a response waited for the events");
  for (const [index, { path, reply }] of first.entries()) {
    assert.equal(again[index]?.status, 304, path);
    for (const name of ["etag", "x-total", "link", "x-per-page", "x-next-page", "x-poll-interval"]) {
      assert.equal(again[index]?.headers.get(name), reply.headers.get(name), `${name} of ${path}`);
    }
    if (!path.includes("since")) continue;
    const next = again[index]?.headers.get("x-next-since");
    if (path.includes("per_page=1&") || path.endsWith("per_page=1"))
      assert.equal(next, reply.headers.get("x-next-since"));
    const rest = await call(`${path.replace("since=start", `since=${next}`)}`, undefined);
    const isPage = path.endsWith("per_page=1");
    assert.equal(rest.json.length, isPage ? 1 : 0, `what follows ${path}`);
  }
});

test("an event held back for a running transaction is listed once that ends, though nothing in the list has changed (decisions 0026, 0143)", async () => {
  const { db } = world.platform;
  await allArrived(db);
  const path = "/api/v4/projects/acme%2Fopen/events?since=start&per_page=100&author_id=";
  const of = `${path}${world.ids.stan}`;
  const [held, id] = await db.transaction(async (tx) => {
    // A transaction older than the event, which stays open while the reader asks.
    await tx.run(sql`select pg_current_xact_id()`);
    const [written] = await recordOnly(world, [
      { ...push, projectId: world.open.id, authorId: world.ids.stan },
    ]);
    await compactEventCounts(world.platform);
    return [await call(of, undefined), written] as const;
  });
  assert.deepEqual([held.status, held.json], [200, []]);
  await allArrived(db);
  const after = await call(of, undefined, { "if-none-match": held.headers.get("etag") as string });
  assert.equal(after.status, 200);
  assert.deepEqual(
    after.json.map((event: { id: number }) => event.id),
    [id],
  );
  const known = await call(of, undefined, { "if-none-match": after.headers.get("etag") as string });
  assert.equal(known.status, 304);
});

test("an ETag from before a restore never matches afterwards, though counters continue from the backup's values (decisions 0094, 0108)", async () => {
  const { db } = world.platform;
  const path = "/api/v4/projects/acme%2Fopen/events?per_page=2";
  const before = await call(path, undefined);
  const etag = { "if-none-match": before.headers.get("etag") as string };
  assert.equal((await call(path, undefined, etag)).status, 304);
  await db.run(sql`select begin_event_epoch()`);
  assert.equal((await call(path, undefined, etag)).status, 200);
});

test("an ETag stays the same when pending events are added to the counts, whatever roles the caller has (contract-events §4, conditional; decision 0094)", async () => {
  const { db } = world.platform;
  // Besides the role in acme/rocket, one through its group, and one in a project that no list of the group includes.
  await db.run(sql`insert into members (namespace_id, project_id, user_id, access_level)
    select namespace_id, null::bigint, ${world.ids.rep}::bigint, 15 from projects where id = ${world.rocket.id}
    union all select null, ${world.free.id}::bigint, ${world.ids.rep}::bigint, 20`);
  const projects = [world.rocket, world.open, world.free];
  const lists: [string, Person | undefined][] = [
    ["/groups/acme/events", "rep"],
    ["/groups/acme/events?pagination=keyset&per_page=2", "gus"],
    ["/groups/acme/events", undefined],
    ["/events?scope=all", "rep"],
    ["/events?scope=all&search=issue", "rep"],
    ["/events?scope=all", "gus"],
    ["/users/dev/events", "rep"],
    ["/projects/acme%2Frocket/events", "rep"],
  ];
  const read = () => Promise.all(lists.map(([path, as]) => call(`/api/v4${path}`, as)));
  await compactEventCounts(world.platform);
  const before = await read();
  await recordOnly(
    world,
    projects.map(({ id: projectId }) => ({ ...push, projectId, authorId: world.ids.dev })),
  );
  const waiting = await read();
  await compactEventCounts(world.platform);
  for (const [index, [path, as]] of lists.entries()) {
    const tag = waiting[index]?.headers.get("etag") as string;
    assert.equal(
      (await call(`/api/v4${path}`, as, { "if-none-match": tag })).status,
      304,
      `${path} as ${as}`,
    );
    assert.notEqual(tag, before[index]?.headers.get("etag"), `${path} as ${as}`);
  }
  await db.run(
    sql`delete from members where user_id = ${world.ids.rep} and project_id is distinct from ${world.rocket.id}`,
  );
});

test("the ETag differs whenever the response does, through 120 random changes, and an unchanged list is answered with 304 (contract-events §4, conditional)", async () => {
  const { db } = world.platform;
  const at = (days: number) => new Date(Date.now() - days * 86_400_000);
  const write = (kind: object, days = 0) =>
    recordOnly(world, [
      {
        ...about("created", "Issue", 1),
        projectId: world.open.id,
        authorId: world.ids.dev,
        createdAt: at(days),
        ...kind,
      } as never,
    ]);
  let n = 0;
  const changes: Record<string, () => Promise<unknown>> = {
    write: () => write({}, n % 3),
    push: () => write({ ...push, targetType: null, projectId: world.rocket.id, authorId: world.ids.max }),
    old: () => write({}, 700),
    title: () => write({ action: "updated", title: `Title ${n}`, authorId: world.ids.max }),
    confidential: () => write({ action: "updated", confidential: n % 2 === 0 }),
    assignees: () =>
      write({ action: "updated", confidential: true, assigneeIds: n % 2 ? [world.ids.gus] : [] }),
    comment: () => write({ ...comment("Issue", 1, { internal: n % 2 === 0 }), authorId: world.ids.rep }),
    compact: () => compactEventCounts(world.platform),
    rename: () => db.run(sql`update users set name = ${`Dev ${n}`} where id = ${world.ids.dev}`),
    block: () =>
      db.run(sql`update users set state = ${n % 2 ? "blocked" : "active"} where id = ${world.ids.max}`),
    project: () => db.run(sql`update projects set name = ${`Open ${n}`} where id = ${world.open.id}`),
    visibility: () =>
      db.run(
        sql`update projects set visibility = ${n % 2 ? "internal" : "public"} where id = ${world.open.id}`,
      ),
    role: () =>
      db.run(sql`update members set access_level = ${n % 2 ? 10 : 20} where user_id = ${world.ids.rep}`),
    ends: () =>
      db.run(sql`update members set expires_at = ${n % 2 ? at(1) : at(-1)} where user_id = ${world.ids.gus}`),
    delete: () => db.run(sql`delete from events where id = (select max(id) from events)`),
    erase: () =>
      db.run(sql`update events set external_id = ${String(n)}, imported_from = 'elsewhere'
      where id = (select max(id) from events)`),
    ages: () =>
      db.run(sql`update events set created_at = now() - interval '2 years' + interval '1 second'
        where id = (select min(id) from events where created_at > now() - interval '2 years')`),
    time: () => new Promise((done) => setTimeout(done, 300)),
    move: () =>
      db.run(sql`update events set author_id = ${world.ids.rep} where id = (select min(id) from events)`),
    rebuild: () => world.owner.run(sql`select rebuild_event_rollups()`),
  };
  const lists: [string, Person | undefined][] = [
    ["/projects/acme%2Fopen/events", undefined],
    ["/projects/acme%2Fopen/events?include=project,target", "gus"],
    ["/projects/acme%2Frocket/events", "rep"],
    ["/users/dev/events?per_page=3", "gus"],
    ["/users/max/events", "stan"],
    ["/events?scope=all", "gus"],
    ["/events?scope=all&per_page=2&page=2", "rep"],
    ["/groups/acme/events?action=created,updated", "stan"],
    ["/projects/acme%2Fopen/events?search=title&sort=asc", "gus"],
    ["/projects/acme%2Fopen/events?search=title&pagination=keyset&per_page=2", undefined],
    ["/projects/acme%2Frocket/events?pagination=keyset&per_page=3", "gus"],
    ["/projects/acme%2Fopen/events?since=start&per_page=2", "gus"],
    ["/projects/acme%2Frocket/events?since=start&per_page=100", "rep"],
    ["/users/dev/events?since=start&per_page=100&search=title", "olga"],
    ["/events", "dev"],
  ];
  const answers = new Map<string, string>();
  const latest = new Map<string, string>();
  let same = 0;
  let differing = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(changes)), async (change) => {
      n++;
      await changes[change]?.();
      for (const [path, as] of lists) {
        const before = latest.get(`${path} ${as}`);
        const conditional = before && (await call(`/api/v4${path}`, as, { "if-none-match": before }));
        const read = async () => {
          const reply = await call(`/api/v4${path}`, as);
          const etag = reply.headers.get("etag") as string;
          const total = reply.headers.get("x-total");
          const answer = createHash("sha256").update(`${total} ${reply.text}`).digest("hex");
          return { reply, etag, total, answer, key: `${path} ${as} ${etag}` };
        };
        let found = await read();
        if (found.reply.status === 404) continue;
        // An event may pass its retention between the computation of the ETag and the query; the next ETag covers it.
        if ((answers.get(found.key) ?? found.answer) !== found.answer) found = await read();
        const { reply, etag, total, answer, key } = found;
        assert.equal(reply.status, 200, reply.text);
        assert.equal(answers.get(key) ?? answer, answer, `${change}: ${path} as ${as}`);
        answers.set(key, answer);
        if (conditional && etag === before) {
          assert.equal(conditional.status, 304, `${change}: ${path} as ${as}`);
          assert.equal(conditional.headers.get("x-total"), total);
          assert.equal(conditional.headers.get("link"), reply.headers.get("link"));
          assert.equal(conditional.text, "");
          same++;
        } else if (conditional) {
          differing++;
        }
        latest.set(`${path} ${as}`, etag);
      }
    }),
    { numRuns: 120 },
  );
  assert.ok(same > 50 && differing > 100, `${same} same, ${differing} differing`);
});

test("a reader that follows X-Next-Since misses none of the events of 1,000 overlapping transactions (contract-events §4, gap-free tail; decision 0026)", async () => {
  const { db } = world.platform;
  const made: number[] = [];
  const author = world.ids.olga;
  let isOver = false;
  const writer = async (n: number) => {
    await db.transaction(async (tx) => {
      const projectId = (n % 2 ? world.rocket : world.open).id;
      const [event] = await recordEvents(tx, [{ ...push, projectId, authorId: author }], 0);
      // Transactions end in another order than they began.
      await new Promise((done) => setTimeout(done, (n * 7) % 13));
      made.push(event?.id as number);
    });
  };
  const walk = async (path: string, as: Person) => {
    const seen: number[] = [];
    for (let since = "start"; ; ) {
      const isLast = isOver;
      const reply = await call(`/api/v4${path}&since=${since}&per_page=50`, as);
      assert.equal(reply.status, 200, reply.text);
      since = reply.headers.get("x-next-since") as string;
      seen.push(...reply.json.map((event: { id: number }) => event.id));
      if (reply.json.length > 0) continue;
      if (isLast) return seen;
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  const walks = [
    walk("/users/olga/events?action=pushed", "ada"),
    walk("/groups/acme/events?author_username=olga&action=pushed", "olga"),
    walk(`/events?scope=all&author_id=${author}`, "olga"),
  ];
  // As many in parallel as there are connections, except for those that the readers need.
  let next = 0;
  const lane = async () => {
    while (next < 1000) await writer(next++);
  };
  await Promise.all(Array.from({ length: 6 }, lane));
  await allArrived(db);
  isOver = true;
  for (const seen of await Promise.all(walks)) {
    assert.equal(new Set(seen).size, seen.length);
    const known = new Set(seen);
    assert.deepEqual(
      made.filter((id) => !known.has(id)),
      [],
    );
  }
  assert.equal(made.length, 1000);
});

test("a project's last_activity_at follows its events, at most once a minute (decision 0095)", async () => {
  const { db } = world.platform;
  await db.run(sql`update projects set last_activity_at = now() - interval '1 day'`);
  const read = async () =>
    (await call("/api/v4/projects/acme%2Frocket", "olga")).json.last_activity_at as string;
  const place = { projectId: world.rocket.id, authorId: world.ids.dev };
  const first = new Date(Date.now() - 1000);
  await recordOnly(world, [{ ...push, ...place, createdAt: first }]);
  await recordOnly(world, [{ ...push, ...place, createdAt: new Date(Date.now() - 400 * 86_400_000) }]);
  await compactEventCounts(world.platform);
  const moved = await read();
  assert.ok(Date.parse(moved) >= first.getTime(), moved);
  await recordOnly(world, [{ ...push, ...place }]);
  await compactEventCounts(world.platform);
  assert.equal(await read(), moved);
});
