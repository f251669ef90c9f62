/** Projects with a shorter retention of events: who sets it, its effect on all lists, and what is removed (decision 0119). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sweepEvents } from "../../src/events/sweep.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, push, record } from "../support/events.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const DAY = 86_400_000;
const ROCKET = "/api/v4/projects/acme%2Frocket";
const PAGE = "/acme/rocket/-/settings/retention";
let world: World;
before(async () => {
  world = await startWorld();
});

const keep = (days: unknown, as: Person = "max") =>
  world.call(ROCKET, { method: "PUT", as, json: { event_retention_days: days } });
const ago = (days: number) => new Date(Date.now() - days * DAY);
const titles = (listed: { json: { target_title: string }[] }) =>
  listed.json.map(({ target_title }) => target_title);
const audits = () =>
  world.platform.db.many(
    row({ details: text }),
    sql`select details::text from audit_entries where action = 'event_retention_changed' order by id`,
  );

test("Maintainers set the retention by the API and on a page, which asks to confirm fewer days, and changes are audited (decision 0119)", async () => {
  assert.equal((await world.call(ROCKET, { as: "dev" })).json.event_retention_days, null);
  assert.equal((await keep(30, "dev")).status, 403);
  for (const wrong of [0, 732, 1.5, "many", -1]) {
    const { status, json } = await keep(wrong);
    assert.equal(status, 400, String(wrong));
    assert.match(json.error, /event_retention_days/);
  }
  assert.equal((await keep(30)).json.event_retention_days, 30);
  assert.equal((await keep(30)).status, 200);
  const untouched = await world.call(ROCKET, { method: "PUT", as: "max", json: { description: "Rockets" } });
  assert.equal(untouched.json.event_retention_days, 30);
  const visitor = await signedIn(world, "max");
  const shown = await visitor.get(PAGE);
  assert.match(shown.text, /name="event_retention_days"[^>]*value="30"/);
  for (const wrong of ["0", "732", "ten", "1e1"]) {
    const refused = await visitor.submit(PAGE, { event_retention_days: wrong });
    assert.equal(refused.status, 422);
    assert.match(refused.text, new RegExp(`value="${wrong}"`));
    assert.match(refused.text, /whole number from 1 to 731/);
  }
  // Fewer days delete events permanently, so exactly these days have to be confirmed (decision 0133).
  for (const agreed of [{}, { agreed: "8" }]) {
    const asked = await visitor.submit(PAGE, { event_retention_days: "7", ...agreed });
    assert.equal(asked.status, 422);
    assert.match(asked.text, /name="agreed" value="7"[\s\S]*Remove what is older than 7 days for good/);
    assert.match(asked.text, /name="event_retention_days"[^>]*value="7"/);
  }
  assert.equal((await world.call(ROCKET, { as: "dev" })).json.event_retention_days, 30);
  const saved = await visitor.submit(PAGE, { event_retention_days: "7", agreed: "7" });
  assert.equal(saved.status, 303);
  assert.match((await visitor.follow(saved)).text, /Events are kept for 7 days\./);
  await visitor.submit(PAGE, { event_retention_days: "" });
  assert.equal((await world.call(ROCKET, { as: "dev" })).json.event_retention_days, null);
  assert.deepEqual(
    (await audits()).map(({ details }) => JSON.parse(details)),
    [30, 7, "two years"].map((days) => ({ days, project: "acme/rocket" })),
  );
});

test("the retention is between 1 and 731 days (decision 0119)", async () => {
  for (const days of [731, 1, null]) assert.equal((await keep(days)).json.event_retention_days, days);
});

test("events past a new retention are hidden at once in every list, calendar, export and feed, and deleted by the sweep (decision 0119)", async () => {
  const { db } = world.platform;
  const make = (days: number, projectId: number, n: number) => ({
    ...about("created", "Issue", n),
    projectId,
    authorId: world.ids.dev,
    createdAt: ago(days),
  });
  await world.call(`${ROCKET}/events`, {
    as: "dev",
    json: {
      ...{ action: "created", target_type: "Issue", target_iid: 1, target_title: "Issue 1" },
      external_id: "old",
      created_at: ago(40).toISOString(),
    },
  });
  await record(
    world,
    [2, 3].map((n) => make(20 * n, world.rocket.id, n)),
  );
  await record(world, [make(5, world.rocket.id, 4), make(50, world.open.id, 5)]);
  const from = ago(100).toISOString().slice(0, 10);
  const lists = {
    [`${ROCKET}/events?`]: ["Issue 4"],
    [`${ROCKET}/events?search=issue&`]: ["Issue 4"],
    [`${ROCKET}/events?after=${from}&sort=asc&`]: ["Issue 4"],
    [`${ROCKET}/events?pagination=keyset&`]: ["Issue 4"],
    [`${ROCKET}/events?since=start&`]: ["Issue 4"],
    "/api/v4/events?": ["Issue 4", "Issue 5"],
    "/api/v4/events?scope=all&": ["Issue 4", "Issue 5"],
    "/api/v4/events?scope=all&since=start&sort=asc&": ["Issue 4", "Issue 5"],
    "/api/v4/users/dev/events?pagination=keyset&": ["Issue 4", "Issue 5"],
    "/api/v4/groups/acme/events?": ["Issue 4", "Issue 5"],
  };
  const calendar = async () => {
    const { json } = await world.call(
      `/api/v4/users/dev/calendar?from=${from}&to=${ago(0).toISOString().slice(0, 10)}`,
      { as: "dev" },
    );
    return Object.values(json as Record<string, number>).reduce((sum, n) => sum + n, 0);
  };
  const read = (path: string, headers = {}) =>
    world.call(`${path}target_type=issue&per_page=100`, { as: "dev", headers });
  const tags = new Map<string, string>();
  for (const path of Object.keys(lists)) tags.set(path, (await read(path)).headers.get("etag") ?? "");
  assert.equal(await calendar(), 5);
  await keep(30);
  const check = async () => {
    for (const [path, expected] of Object.entries(lists)) {
      const listed = await read(path, { "if-none-match": tags.get(path) ?? "" });
      assert.equal(listed.status, 200, path);
      assert.deepEqual(titles(listed).sort(), expected, path);
      const total = listed.headers.get("x-total");
      if (total !== null) assert.equal(Number(total), expected.length, path);
    }
    assert.equal(await calendar(), 2);
    const exported = await world.call(`${ROCKET}/events/export?target_type=issue`, { as: "dev" });
    assert.match(exported.text, /"events":1,/);
    const { feed_token } = (await world.call("/api/v4/user/feed_token", { as: "dev" })).json;
    const feed = await world.call(`/acme/rocket.atom?feed_token=${feed_token}`, {});
    assert.match(feed.text, /Issue 4/);
    assert.doesNotMatch(feed.text, /Issue [123]/);
  };
  await check();
  const kept = async () =>
    db.one(
      row({ events: integer, keys: integer }),
      sql`select (select count(*) from events where project_id = ${world.rocket.id} and target_type = 'Issue') as events,
        (select count(*) from event_keys where project_id = ${world.rocket.id}) as keys`,
    );
  assert.deepEqual(await kept(), { events: 4, keys: 1 });
  assert.equal((await sweepEvents(world.platform)).removed, 3);
  assert.deepEqual(await kept(), { events: 1, keys: 0 });
  assert.equal((await sweepEvents(world.platform)).removed, 0);
  await check();
  await keep(null);
  await check();
});

test("an event older than its project's retention is refused (decision 0119)", async () => {
  await keep(10);
  const body = (days: number) => ({
    action: "created",
    target_type: "Issue",
    target_iid: 9,
    created_at: ago(days).toISOString(),
  });
  const refused = await world.call(`${ROCKET}/events`, { as: "dev", json: body(10.01) });
  assert.equal(refused.status, 422);
  assert.equal(refused.json.message, "created_at is before the event retention of the project");
  assert.equal((await world.call(`${ROCKET}/events`, { as: "dev", json: body(9.99) })).status, 201);
  const rows = [world.rocket, world.open].map(({ id }) => ({ ...body(11), project_id: id }));
  const { json } = await world.call("/api/v4/events/bulk", { as: "dev", json: rows });
  assert.deepEqual(
    json.results.map(({ status }: { status: string }) => status),
    ["invalid", "created"],
  );
  await keep(null);
});

test("pages far back in an author's list leave out the events that a project no longer retains (decisions 0093, 0119)", async () => {
  const authorId = world.ids.gus;
  // More than are read from the start: the last pages are found by their day.
  const total = 10_400;
  const open = Array.from({ length: total }, (_, n) => ({
    ...push,
    projectId: world.open.id,
    authorId,
    createdAt: ago(1 + n / 20),
  }));
  const rocket = Array.from({ length: 300 }, (_, n) => ({
    ...push,
    projectId: world.rocket.id,
    authorId,
    createdAt: ago(1.01 + n),
  }));
  const ids = await record(world, open);
  await record(world, rocket);
  await keep(1);
  for (const page of [1, 11, 101, 104]) {
    const listed = await world.call(`/api/v4/users/gus/events?per_page=100&page=${page}`, { as: "ada" });
    assert.equal(listed.headers.get("x-total"), String(total));
    assert.deepEqual(
      listed.json.map(({ id }: { id: number }) => id),
      ids.slice((page - 1) * 100, page * 100),
    );
  }
});
