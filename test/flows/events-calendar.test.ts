/** A user's calendar: days of a time zone, daylight saving included, and only events that the caller may see. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { TIME_ZONES } from "../../src/accounts/profile.ts";
import type { NewEvent } from "../../src/events/event.ts";
import { zoneOf } from "../../src/events/wire-query.ts";
import { boolean, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { zoneWords } from "../../src/ui/time.ts";
import { about, comment, type Kind, push, record } from "../support/events.ts";
import { type Person, startWorld, type World } from "../support/world.ts";
import { latestDayOf } from "../support/zone-days.ts";

const DAY = 86_400_000;
/** Zones and hours of their days on which clocks are changed: forward and back, whole and half hours from UTC. */
const CHANGES = [
  ["Pacific/Auckland", 25],
  ["Pacific/Auckland", 23],
  ["America/St_Johns", 23],
  ["America/St_Johns", 25],
] as const;
/** Two days for events of one test each: not near those days, which have events of the same person. */
const [COUNTED_DAY, SEEN_DAY] = [calmDay(40), calmDay(60)];
/** A July that is over and whose events are kept. */
const JULY = `${new Date(Date.now() - 213 * DAY).getUTCFullYear()}-07`;

function calmDay(daysAgo: number): string {
  const changed = CHANGES.map(([zone, hours]) => Date.parse(latestDayOf(zone, hours).day));
  let at = Math.floor(Date.now() / DAY - daysAgo) * DAY;
  while (changed.some((other) => Math.abs(other - at) <= 3 * DAY)) at -= DAY;
  return new Date(at).toISOString().slice(0, 10);
}

let world: World;
before(async () => {
  world = await startWorld();
});

const made = (kind: Kind, at: string | number, project: { id: number } = world.open): NewEvent => ({
  ...kind,
  projectId: project.id,
  authorId: world.ids.dev,
  createdAt: new Date(at),
});
const calendar = async (query: string, as: Person = "dev", who = "dev") => {
  const reply = await world.call(`/api/v4/users/${who}/calendar?${query}`, { as });
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
};

test("an empty tz parameter counts as absent, like every other parameter (contract-events §4, calendar)", async () => {
  for (const address of ["users/dev/calendar?tz=", "events?on=2026-04-05&tz="]) {
    assert.equal((await world.call(`/api/v4/${address}`, { as: "dev" })).status, 200, address);
  }
});

test("an event counts on its day in the requested time zone, also on days of 23 and 25 hours (contract-events §4, calendar)", async () => {
  // Daylight saving ends in Auckland in April (25 hours) and begins in September (23 hours); in St John's, half an hour apart
  // from its neighbours, it begins in March and ends in November.
  for (const [zone, hours] of CHANGES) {
    const { day, before, after, begins, ends } = latestDayOf(zone, hours);
    const edges = [begins.getTime() - 1, begins.getTime(), ends.getTime() - 1, ends.getTime()];
    await record(
      world,
      edges.map((at) => made(push, at)),
    );
    const tz = `tz=${zone}`;
    assert.deepEqual(await calendar(`${tz}&from=${before}&to=${after}`), {
      [before]: 1,
      [day]: 2,
      [after]: 1,
    });
    assert.deepEqual(await calendar(`${tz}&from=${day}&to=${day}`), { [day]: 2 });
    const on = await world.call(`/api/v4/users/dev/events?on=${day}&${tz}`, { as: "dev" });
    assert.equal(on.headers.get("x-total"), "2");
  }
  // The same events on the days of UTC: in Auckland a day begins before noon of the date before.
  const { day, before } = latestDayOf("Pacific/Auckland", 25);
  assert.deepEqual(await calendar(`from=${before}&to=${day}`), { [before]: 2, [day]: 2 });
});

test("a calendar counts pushes, opened and closed issues, opened, closed, merged and approved merge requests, and comments (contract-events §4, calendar)", async () => {
  const at = `${COUNTED_DAY}T12:00:00Z`;
  const counted: Kind[] = [
    push,
    ...(["created", "closed"] as const).flatMap((action) => [
      about(action, "Issue", 1),
      about(action, "Incident", 2),
      about(action, "WorkItem", 4),
    ]),
    ...(["created", "closed", "merged", "approved"] as const).map((action) =>
      about(action, "MergeRequest", 3),
    ),
    comment("Issue", 1),
    comment("MergeRequest", 3),
  ];
  const others: Kind[] = [
    about("reopened", "Issue", 1),
    about("updated", "Issue", 1),
    about("reopened", "MergeRequest", 3),
    about("created", "Milestone", 1),
    { action: "joined", targetType: null },
    { action: "created", targetType: "WikiPage::Meta", wikiPage: { slug: "h", title: "H", format: "md" } },
  ];
  await record(
    world,
    [...counted, ...others].map((kind) => made(kind, at)),
  );
  assert.deepEqual(await calendar(`from=${COUNTED_DAY}&to=${COUNTED_DAY}`), {
    [COUNTED_DAY]: counted.length,
  });
});

test("without from and to, a calendar has the last 365 days in the requested time zone; events past their retention are not counted (contract-events §4, calendar; spec: Events 4)", async () => {
  const now = Date.now();
  const daysAgo = (days: number) => new Date(now - days * 86_400_000);
  const twoYearsAgo = new Date(now);
  twoYearsAgo.setUTCFullYear(twoYearsAgo.getUTCFullYear() - 2);
  // PostgreSQL turns 29 February into the 28th, and JavaScript into 1 March.
  if (twoYearsAgo.getUTCMonth() !== new Date(now).getUTCMonth()) twoYearsAgo.setUTCDate(0);
  const old = new Date(twoYearsAgo.getTime() - 3_600_000);
  await record(
    world,
    [daysAgo(0), daysAgo(364), daysAgo(365), old].map((createdAt) => ({
      ...{ ...push, createdAt },
      ...{ projectId: world.open.id, authorId: world.ids.max },
    })),
  );
  // A zone whose date differs from that of UTC, and where midnight is at least half an hour away.
  const isLate = (now % 86_400_000) / 3_600_000 >= 10.5;
  const [zone, hours] = isLate ? ["Pacific/Kiritimati", 14] : ["Pacific/Pago_Pago", -11];
  const dayOf = (at: Date) => new Date(at.getTime() + hours * 3_600_000).toISOString().slice(0, 10);
  assert.deepEqual(await calendar(`tz=${zone}`, "max", "max"), {
    [dayOf(daysAgo(364))]: 1,
    [dayOf(daysAgo(0))]: 1,
  });
  assert.deepEqual(
    await calendar(`tz=${zone}&from=${dayOf(old)}&to=${dayOf(daysAgo(366))}`, "max", "max"),
    {},
  );
});

test("a calendar counts the events that its reader may see, and a private profile's calendar is empty for others (contract-events §4, calendar; reference events A9)", async () => {
  const at = `${SEEN_DAY}T12:00:00Z`;
  await record(world, [
    made(push, at, world.rocket),
    made(about("created", "Issue", 9), at, world.rocket),
    made(push, at),
  ]);
  const days = `from=${SEEN_DAY}&to=${SEEN_DAY}`;
  assert.deepEqual(await calendar(days, "rep"), { [SEEN_DAY]: 3 });
  assert.deepEqual(await calendar(days, "gus"), { [SEEN_DAY]: 2 });
  assert.deepEqual(await calendar(days, "stan"), { [SEEN_DAY]: 1 });
  const shy = await world.call("/api/v4/users", {
    as: "ada",
    json: {
      username: "shy",
      name: "Shy",
      email: "shy@example.org",
      password: "a very long password",
      private_profile: true,
    },
  });
  assert.equal(shy.status, 201, shy.text);
  assert.deepEqual(await calendar(days, "dev", "shy"), {});
});

test("old time zone names are mapped to their current names, which alone a database with the tables of Debian 13 knows (contract-events §4, calendar)", async () => {
  const { db } = world.platform;
  for (const [before, now] of [
    ["Asia/Calcutta", "Asia/Kolkata"],
    ["Europe/Kiev", "Europe/Kyiv"],
    ["America/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ] as const) {
    assert.deepEqual([zoneOf(before), zoneOf(now), zoneOf(now.toLowerCase())], [now, now, now]);
    await db.run(sql`update users set time_zone = ${before} where username = 'gus'`);
    const page = await world.call("/gus");
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(`Days are those of ${zoneWords(now)}.`), now);
  }
  // No time zone that can be chosen is passed to the database by a name that it does not know.
  const known = await db.many(row({ name: text }), sql`select name from pg_timezone_names`);
  const names = new Set(known.map(({ name }) => name));
  for (const zone of TIME_ZONES) assert.ok(names.has(zoneOf(zone) ?? ""), zone);
});

test("every name of the time zone database is accepted in any case, with its daylight saving, and other names are refused (contract-events §4, calendar)", async () => {
  const { db } = world.platform;
  // Half past ten in the evening UTC is the next day in Brussels in summer; in winter time it would be the same day.
  await record(world, [{ ...made(push, `${JULY}-02T22:30:00Z`), authorId: world.ids.rep }]);
  const dayIn = async (tz: string) =>
    Object.keys(await calendar(`from=${JULY}-01&to=${JULY}-04&tz=${tz}`, "rep", "rep"));
  for (const tz of ["CET", "cet", "Europe/Berlin", "europe/berlin", "NZ", "Etc/GMT-2", "MET"]) {
    assert.deepEqual(await dayIn(tz), [`${JULY}-03`], tz);
  }
  for (const tz of [
    "GMT",
    "gmt",
    "UTC",
    "utc",
    "Zulu",
    "EST5EDT",
    "est5edt",
    "Etc/GMT%2B5",
    "Etc/GMT+5",
    "EST",
    "W-SU",
  ]) {
    const expected = [`${JULY}-${tz === "W-SU" ? "03" : "02"}`];
    assert.deepEqual(await dayIn(tz), expected, tz);
  }
  const names = await db.many(
    row({ name: text }),
    sql`select name from pg_timezone_names where name <> 'Factory'`,
  );
  assert.ok(names.length > 400);
  for (const { name } of names) {
    const zone = zoneOf(name);
    assert.ok(zone, name);
    const { same } = await db.one(
      row({ same: boolean }),
      sql`select bool_and((at at time zone ${zone}::text) = (at at time zone ${name}::text)) as same
        from unnest(array['2026-01-15T12:00Z', '2026-07-15T12:00Z']::timestamptz[]) at`,
    );
    // The database reads four of the names as their winter time all year.
    assert.equal(same, !["CET", "EET", "MET", "WET"].includes(name), name);
  }
  for (const tz of [
    "PST",
    "IST",
    "BST",
    "EST5",
    "UTC+1",
    "GMT+5",
    "SystemV/PST8PDT",
    "posix/Europe/Berlin",
    "5",
    "Foo5Bar",
    "Factory",
    "localtime",
  ]) {
    for (const path of [`users/dev/calendar?tz=${tz}`, `events?on=2026-07-03&tz=${tz}`]) {
      const reply = await world.call(`/api/v4/${path}`, { as: "dev" });
      assert.deepEqual([reply.status, reply.json], [400, { error: "tz is invalid" }], path);
    }
  }
});

test("invalid days and time zones are refused with the parameter's name, and an unknown user is 404 (contract-events §4, calendar)", async () => {
  for (const [query, error] of [
    ["from=x", "from is invalid"],
    ["to=2026-02-30", "to is invalid"],
    ["tz=Mars/Olympus", "tz is invalid"],
    ["tz=%2B02:00", "tz is invalid"],
  ]) {
    const reply = await world.call(`/api/v4/users/dev/calendar?${query}`, { as: "dev" });
    assert.deepEqual([reply.status, reply.json], [400, { error }], query);
  }
  assert.equal((await world.call("/api/v4/users/nobody/calendar", { as: "dev" })).status, 404);
  assert.deepEqual(await calendar("from=2026-03-01&to=2026-02-01"), {});
  // The year before this date has days that the database cannot represent.
  assert.deepEqual(await calendar("to=0001-01-01"), {});
});

test("where clocks are set back over midnight, the day begins at the first of the two midnights (decision 0095)", async () => {
  // In the Azores, clocks go back at 1:00 on the last Sunday of October, so that 0:30 comes twice.
  const now = new Date();
  const autumn = new Date(Date.UTC(now.getUTCFullYear() - 1, 9, 31));
  autumn.setUTCDate(31 - autumn.getUTCDay());
  const day = autumn.toISOString().slice(0, 10);
  const before = new Date(autumn.getTime() - 86_400_000).toISOString().slice(0, 10);
  const project = { projectId: world.open.id, authorId: world.ids.rep };
  const ids = await record(
    world,
    ["T00:30:00Z", "T01:30:00Z"].map((time) => ({ ...push, ...project, createdAt: new Date(day + time) })),
  );
  const on = async (date: string) =>
    (await world.call(`/api/v4/events?on=${date}&tz=Atlantic/Azores&sort=asc`, { as: "rep" })).json.map(
      ({ id }: { id: number }) => id,
    );
  assert.deepEqual([await on(before), await on(day)], [[], ids]);
  const zone = "tz=Atlantic/Azores";
  assert.deepEqual(await calendar(`from=${day}&to=${day}&${zone}`, "rep", "rep"), { [day]: 2 });
  assert.deepEqual(await calendar(`from=${before}&to=${before}&${zone}`, "rep", "rep"), {});
});
