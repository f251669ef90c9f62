/** The size of pages: lists that are full, and the pages with the most on them (reference ux §9, item 17). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { CHAPTERS } from "../../src/operations/manual.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { about, push, record } from "../support/events.ts";
import { fillLists } from "../support/full-lists.ts";
import { daysAgo } from "../support/past-days.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

/** What a page may have, before compression. */
const MOST_BYTES = 45 * 1024;

let world: World;
const visitors = new Map<Person, Visitor>();
before(async () => {
  world = await startWorld();
  await fillLists(world);
  await fillMembers();
  await fireAlerts();
  await workThroughTheYear();
  for (const person of ["ada", "max"] as const) visitors.set(person, await signedIn(world, person));
});

async function fillMembers(): Promise<void> {
  await world.platform.db.run(sql`with made as (
      insert into users (username, name, email)
      select 'mate-' || n, 'Mate van Lindqvist ' || n, 'mate-' || n || '@example.org' from generate_series(1, 120) n
      returning id),
    direct as (insert into members (project_id, user_id, access_level)
      select ${world.rocket.id}, id, 30 from made),
    above as (insert into members (namespace_id, user_id, access_level)
      select n.id, made.id, 30 from made, namespaces n where n.full_path = 'acme')
    insert into namespaces (kind, owner_id, path, full_path, name)
      select 'user', id, 'm' || id, 'm' || id, 'm' || id from made`);
}

/** In a project of few people: each of up to a hundred to whom an alert can be assigned is 50 bytes of its list. */
async function fireAlerts(): Promise<void> {
  const made = await world.call("/api/v4/projects", {
    as: "max",
    json: { name: "Harbour yard", path: "yard" },
  });
  assert.equal(made.status, 201, made.text);
  const source = await aSource(world, "http", { name: "Yard sensors" }, "max/yard");
  for (let n = 0; n < 25; n++) {
    const payload = {
      title: `Berth allocation queue ${n} is not draining, and ships wait outside`,
      service: "berth-allocator",
      severity: ["critical", "high", "medium", "low"][n % 4],
      fingerprint: `queue ${n}`,
    };
    for (let again = 0; again <= n % 3; again++) assert.equal((await source.send(payload)).status, 200);
  }
}

/** On five days of seven, as people do. */
async function workThroughTheYear(): Promise<void> {
  const made = { projectId: world.rocket.id, authorId: world.ids.max };
  const days = Array.from({ length: 364 }, (_, n) => n + 1).filter((n) => n % 7 > 1);
  await record(
    world,
    days.map((n) => ({
      ...(n % 2 === 0
        ? { ...about("created", "Issue", n), title: `Roster export forgets filter ${n}` }
        : push),
      ...made,
      createdAt: daysAgo(n, "10:30:00.000"),
    })),
  );
}

/** The first pages of lists that have more than one, and pages with a chart or a calendar. */
const PAGES: readonly (readonly ["ada" | "max", string])[] = [
  ["max", "/"],
  ["max", "/projects"],
  ["max", "/max"],
  ["max", "/acme/rocket"],
  ["max", "/acme/rocket/activity"],
  ["max", "/max/yard/-/alerts"],
  ["max", "/max/yard/-/alerts?tab=all"],
  ["max", "/max/yard/-/alerts/1"],
  ["max", "/-/alerts"],
  ["max", "/acme/rocket/-/incidents"],
  ["max", "/acme/rocket/-/members"],
  ["max", "/acme/rocket/-/invitations"],
  ["max", "/acme/rocket/-/environments"],
  ["max", "/acme/rocket/-/silences"],
  ["max", "/acme/rocket/-/settings/operations"],
  ["max", "/acme/rocket/-/settings/operations/receipts"],
  ["max", "/acme/rocket/-/settings/sources"],
  ["max", "/acme/rocket/-/settings/hooks"],
  ["max", "/profile"],
  ["max", "/profile/applications"],
  ["max", "/profile/personal_access_tokens"],
  ["max", "/profile/sessions"],
  ["max", "/profile/security_log"],
  ["max", "/search?q=mate"],
  ["ada", "/admin"],
  ["ada", "/admin/users"],
  ["ada", "/admin/users/applications"],
  ["ada", "/admin/applications?of=everybody"],
  ["ada", "/admin/invitations"],
  ["ada", "/admin/identities"],
  ["ada", "/admin/audit"],
  ["ada", "/-/help"],
  ["ada", "/-/help/decisions"],
];

for (const [person, path] of PAGES) {
  test(`${path} has at most 45 KB (reference ux §9, item 17; decision 0325)`, async () => {
    const { status, text } = (await visitors.get(person)?.get(path)) ?? { status: 0, text: "" };
    assert.equal(status, 200, path);
    const bytes = Buffer.byteLength(text);
    assert.ok(bytes <= MOST_BYTES, `${path} has ${bytes} bytes`);
  });
}

/** Pages that may have more: how many KB, and why. */
const LONGER: Readonly<Record<string, readonly [kilobytes: number, why: string]>> = {
  ...Object.fromEntries(
    CHAPTERS.map(({ slug }) => [
      `/-/help/${slug}`,
      [105, "a document, whose links from elsewhere name its sections"] as const,
    ]),
  ),
  "/-/help/asvs": [130, "a table of 273 requirements, in which a browser searches"],
  "/-/docs": [
    105,
    "all operations of the API, one line each, on purpose on one page: a browser searches in it",
  ],
};

test("pages that may have more than 45 KB are named, each with its limit (decision 0325)", async () => {
  for (const [path, [kilobytes, why]] of Object.entries(LONGER)) {
    const { status, text } = await world.call(path);
    assert.equal(status, 200, path);
    const bytes = Buffer.byteLength(text);
    assert.ok(bytes <= kilobytes * 1024, `${path} has ${bytes} bytes: ${why}`);
  }
});
