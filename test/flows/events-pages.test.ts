/** The activity pages of projects and groups, and the page of a user. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { about, comment, push, record } from "../support/events.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  await awayFromMidnight();
  const dev = { projectId: world.open.id, authorId: world.ids.dev };
  await record(world, [
    { ...push, ...dev },
    { ...about("created", "Issue", 7), ...dev, title: "Late <b>vessels</b> & more" },
    { ...comment("Issue", 7, { body: "The lock is <i>released</i>." }), ...dev },
    { ...about("merged", "MergeRequest", 9), ...dev },
    { ...about("created", "Issue", 8), ...dev, confidential: true, title: "A secret matter" },
    { action: "joined", ...dev },
  ]);
});

test("anyone sees the activity of a public project, grouped by day and escaped, without confidential events (reference ux 7)", async () => {
  const page = await world.call("/acme/open/activity");
  assert.equal(page.status, 200);
  assert.match(page.text, /<li class="day">Today, /);
  assert.match(page.text, /pushed 1 commit to <code class="ref">main<\/code>/);
  assert.match(page.text, /opened issue <span class="title">#7 Late &lt;b&gt;vessels&lt;\/b&gt; &amp; more/);
  assert.match(page.text, /<div class="quote">The lock is &lt;i&gt;released&lt;\/i&gt;\.<\/div>/);
  assert.match(page.text, /merged merge request <span class="title">!9/);
  assert.doesNotMatch(page.text, /A secret matter/);
});

test("filters of the activity page are in its URL and in the form, and invalid values are reported (reference ux 7)", async () => {
  const page = await world.call("/acme/open/activity?action=pushed&after=2020-01-02");
  assert.match(page.text, /<option value="pushed" selected>/);
  assert.match(page.text, /name="after"[^>]* value="2020-01-02"/);
  assert.doesNotMatch(page.text, /opened issue/);
  const wrong = await world.call("/acme/open/activity?after=yesterday&action=danced&page=-1&target_type[]=x");
  assert.equal(wrong.status, 200);
  assert.match(wrong.text, /After is a day written like 2026-11-18\./);
  const none = await world.call("/acme/open/activity?action=destroyed");
  assert.match(none.text, /Nothing matches.*href="\/acme\/open\/activity">Show all</s);
});

test("activity of a project, a group and one's own projects is filtered by username in any case, and the page of a user is not (reference ux 7)", async () => {
  const only = await world.call("/acme/open/activity?author_username=%40DEV");
  assert.match(only.text, /name="author_username"[^>]* value="DEV"/);
  for (const field of ["Person", "After", "Before"])
    assert.match(only.text, new RegExp(`<label><span class="sub">${field}</span><input`));
  assert.match(only.text, /href="\/dev">Dev Developer<\/a> opened issue/);
  const other = await world.call("/acme/open/activity?author_username=rep");
  assert.doesNotMatch(other.text, /href="\/dev">Dev Developer<\/a>/);
  assert.match((await world.call("/acme/open/activity?author_username=nobody-here")).text, /Nothing matches/);
  const lines = await world.call("/acme/open/activity?author_username=rep&export=ndjson");
  assert.doesNotMatch(lines.text, /"author_username":"dev"/);
  const group = await world.call("/groups/acme/-/activity?author_username=rep");
  assert.match(group.text, /name="author_username"[^>]* value="rep"/);
  assert.doesNotMatch(group.text, /href="\/dev">Dev Developer<\/a>/);
  const own = await (await signedIn(world, "dev")).get("/-/activity?author_username=dev");
  assert.match(own.text, /name="author_username"[^>]* value="dev"/);
  const profile = await world.call("/dev?author_username=rep");
  assert.doesNotMatch(profile.text, /name="author_username"/);
  assert.match(profile.text, /href="\/dev">Dev Developer<\/a> opened issue/);
});

test("older activity is linked, with the filters kept (reference ux 7)", async () => {
  await record(
    world,
    Array.from({ length: 45 }, (_, n) => ({
      ...about("closed", "Milestone", n + 1),
      projectId: world.open.id,
      authorId: world.ids.max,
    })),
  );
  const first = await world.call("/acme/open/activity?target_type=milestone");
  assert.match(first.text, /href="\/acme\/open\/activity\?target_type=milestone&amp;page=2">Older/);
  const last = await world.call("/acme/open/activity?target_type=milestone&page=3");
  assert.match(last.text, /href="\/acme\/open\/activity\?target_type=milestone&amp;page=2">.*Newer/);
  assert.doesNotMatch(last.text, /Older</);
});

test("private projects and private profiles are answered with the same 404 as unknown ones (reference ux 7)", async () => {
  for (const path of ["/acme/rocket/activity", "/acme/none/activity", "/nobody-here"]) {
    assert.equal((await world.call(path)).status, 404, path);
  }
  await world.platform.db.run(sql`update users set private_profile = true where username = 'rep'`);
  const hidden = await world.call("/rep");
  const unknown = await world.call("/nobody-here");
  const anonymous = (text: string) => text.replace(/[0-9a-f-]{36}/g, "");
  assert.equal(hidden.status, 404);
  assert.equal(anonymous(hidden.text), anonymous(unknown.text));
});

test("a private profile hides the user's page but not their events in projects, and the setting says so (contract-events §4, users)", async () => {
  const dev = await signedIn(world, "dev");
  const choose = (more: object) =>
    dev.submit("/profile", { name: "Dev Developer", time_zone: "Etc/UTC", ...more });
  await choose({ private_profile: "yes" });
  assert.equal((await world.call("/dev")).status, 404);
  assert.match(
    (await world.call("/acme/open/activity?action=pushed")).text,
    /Dev Developer.*pushed 1 commit/s,
  );
  assert.equal((await (await signedIn(world, "ada")).get("/dev")).status, 200);
  const { text } = await dev.get("/profile");
  assert.match(
    text,
    /Only you and administrators see your page and your activity\. Projects still show what happened in them\./,
  );
  await choose({});
});

test("a user's page has the calendar, the counts and the events that the visitor may see, and a link to edit it for the user (reference ux 7)", async () => {
  const page = await world.call("/DEV");
  assert.equal(page.status, 200);
  assert.match(page.text, /<h1>Dev Developer<\/h1>/);
  assert.match(page.text, /4 contributions in the last year/);
  assert.match(page.text, /<dt>Pushes<\/dt><dd>1<\/dd>/);
  assert.match(page.text, /in <a href="\/acme\/open\/activity">Open<\/a>/);
  assert.doesNotMatch(page.text, /A secret matter/);
  const empty = await world.call("/stan");
  assert.match(empty.text, /No public activity/);
  // Users who look at what others see of them look there for the way to change it.
  const edit = /href="\/profile">[^/]*<\/use><\/svg>Edit profile<|href="\/profile">.{0,200}Edit profile</;
  const dev = await signedIn(world, "dev");
  assert.match((await dev.get("/dev")).text, edit);
  for (const { text } of [page, await dev.get("/stan")]) assert.doesNotMatch(text, /Edit profile/);
});

test("a group's page shows its projects and their events, as far as the visitor may see them (reference ux 7)", async () => {
  const nobody = await world.call("/acme");
  assert.equal(nobody.status, 200);
  assert.match(nobody.text, /href="\/acme\/open">/);
  assert.doesNotMatch(nobody.text, /acme\/rocket|A secret matter/);
  assert.match(nobody.text, /Recent activity/);
  assert.match(nobody.text, /href="\/groups\/acme\/-\/activity">All activity/);
  const all = await world.call("/groups/acme/-/activity?target_type=milestone");
  assert.match(all.text, /href="\/groups\/acme\/-\/activity\?target_type=milestone&amp;page=2">Older/);
  assert.equal((await world.call("/groups/nowhere/-/activity")).status, 302);
});

test("a day of the calendar links to its events, by the days of the user's time zone (reference ux 7; decision 0112)", async () => {
  const { db } = world.platform;
  await db.run(sql`update users set time_zone = 'Pacific/Auckland' where id = ${world.ids.max}`);
  // 10:30 UTC is shortly before midnight in Auckland, 12 or 13 hours ahead, and 12:30 UTC is after it.
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  const made = { projectId: world.open.id, authorId: world.ids.max };
  await record(world, [
    {
      ...about("created", "Issue", 71),
      ...made,
      title: "Before midnight",
      createdAt: new Date(`${day}T10:30:00Z`),
    },
    {
      ...about("created", "Issue", 72),
      ...made,
      title: "After midnight",
      createdAt: new Date(`${day}T12:30:00Z`),
    },
  ]);
  const page = await world.call("/max");
  assert.ok(page.text.includes(`href="?on=${day}#feed"`));
  assert.ok(page.text.includes(`href="?on=${next}#feed"`));
  const first = await world.call(`/max?on=${day}`);
  assert.match(first.text, /Before midnight/);
  assert.doesNotMatch(first.text, /After midnight/);
  assert.match(first.text, /Pacific\/Auckland/);
  const second = await world.call(`/max?on=${next}`);
  assert.match(second.text, /After midnight/);
  assert.doesNotMatch(second.text, /Before midnight/);
  assert.match((await world.call("/max?on=never")).text, /On is a day written like/);
});

test("activity names an incident as an incident, both when it opens and in comments on it (reference ux 7)", async () => {
  const source = await aSource(world);
  const [sent] = (await source.send({ title: "Lock <is> stuck" })).json;
  const { issue_iid: iid } = (
    await world.call(`/api/v4/projects/acme%2Frocket/alert_management_alerts/${sent.iid}`, { as: "dev" })
  ).json;
  const note = { as: "dev", json: { body: "Looked at it." } } as const;
  assert.equal((await world.call(`/api/v4/projects/acme%2Frocket/issues/${iid}/notes`, note)).status, 201);
  const { text } = await (await signedIn(world, "dev")).get("/acme/rocket/activity");
  assert.match(
    text,
    new RegExp(`commented on incident <a href="/acme/rocket/-/incidents/${iid}">#${iid} Lock`),
  );
  assert.match(text, new RegExp(`opened incident <a href="/acme/rocket/-/incidents/${iid}">#${iid} Lock`));
});
