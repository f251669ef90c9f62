/** The demo contains what it promises, is created only once, and is removed completely (decision 0060). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createUser } from "../../src/accounts/create-user.ts";
import { ensureBot } from "../../src/accounts/ensure-bot.ts";
import { alertBot } from "../../src/alerts/alert-bot.ts";
import { removeDemo } from "../../src/demo/remove-demo.ts";
import { type SeededDemo, seedDemo } from "../../src/demo/seed-demo.ts";
import { withinTransaction } from "../../src/demo/within-transaction.ts";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { Problem } from "../../src/platform/problem.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { createGroup } from "../../src/projects/create-group.ts";
import { createProject } from "../../src/projects/create-project.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, type Reply, startWorld, type World } from "../support/world.ts";

const BERTHS = "/api/v4/projects/harbourlight%2Fberth-scheduler";

let world: World;
let demo: SeededDemo;
let rowsBefore: Map<string, number>;

/** Like the command, which connects as the owner of the tables (decision 0210). */
const asOwner = () => ({ ...world.platform, db: world.owner });

before(async () => {
  world = await startWorld();
  // The bot that opens incidents belongs to the service; a demo may create it, and does not remove it.
  await alertBot(world.platform);
  // The callers of the tests get their tokens first.
  for (const person of ["stan", "max"] as const) await world.tokenOf(person, "api");
  rowsBefore = await countRows();
  demo = await seedDemo(asOwner());
});

/** The number of rows of every table, partitions included. Only the audit log is kept, by design (decision 0045). */
async function countRows(): Promise<Map<string, number>> {
  const db = world.owner;
  await compactEventCounts(world.platform);
  const tables = await db.many(
    row({ name: text }),
    sql`select relname::text as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'audit_entries' order by relname`,
  );
  // Versions of existing lists never go back, so those stay, and row 0 is that of all lists.
  const kept = ["event_sums", "event_versions"];
  const counts = new Map<string, number>();
  for (const { name } of tables.filter(({ name }) => !kept.includes(name))) {
    const { n } = await db.one(row({ n: integer }), new Sql([`select count(*) as n from "${name}"`], []));
    counts.set(name, n);
  }
  const { n } = await db.one(
    row({ n: integer }),
    sql`select (select count(*) from event_sums s left join users u on u.id = s.author_id
        left join namespaces n on n.id = s.namespace_id
        where (s.author_id <> 0 and u.id is null) or n.id is null or n_open + n_code + n_planner + n_reporter <> 0)
      + (select count(*) from event_versions v left join projects p on p.id = v.id left join users u on u.id = -v.id
        where v.id <> 0 and p.id is null and u.id is null) as n`,
  );
  counts.set("counts of what is gone", n);
  return counts;
}

const byMaya = (path: string): Promise<Reply> => world.call(path, { token: demo.token });
const totalOf = (reply: Reply) => Number(reply.headers.get("x-total"));

test("everyone of the demo can sign in with the printed password, on the page and with the password grant (decision 0060; reference ux §1)", async () => {
  assert.equal(demo.cast.people.length, 6);
  const { uid, secret } = demo.application;
  for (const { username, password, id } of demo.cast.people) {
    const visitor = new Visitor(world.url);
    const page = await visitor.submit("/users/sign_in", { username, password });
    assert.equal(page.status, 303, `${username}: ${page.status}`);
    const form = {
      grant_type: "password",
      username,
      password,
      scope: "read_user",
      client_id: uid,
      client_secret: secret,
    };
    const reply = await world.call("/oauth/token", { form });
    assert.equal(reply.status, 200, reply.text);
    const self = await world.call("/api/v4/user", { token: reply.json.access_token });
    assert.deepEqual([self.status, self.json.id], [200, id]);
  }
});

test("the private project is for its members, the internal one for signed-in users, and the public one for everyone (contract §4, visibility)", async () => {
  const statusOf = async (path: string, options = {}) => {
    const reply = await world.call(`/api/v4/projects/${encodeURIComponent(path)}/events`, options);
    return reply.status;
  };
  const stan = { as: "stan" as const };
  assert.deepEqual(
    [
      [await statusOf("harbourlight/berth-scheduler"), await statusOf("harbourlight/berth-scheduler", stan)],
      [await statusOf("harbourlight/pilot-roster"), await statusOf("harbourlight/pilot-roster", stan)],
      [await statusOf("quayside/tide-tables"), await statusOf("quayside/tide-tables", stan)],
    ],
    [
      [404, 404],
      [404, 200],
      [200, 200],
    ],
  );
});

test("events fill many pages of every list, from recent weeks back to two years ago (decision 0060; reference ux §1)", async () => {
  assert.ok(demo.events > 3000, `${demo.events}`);
  const newest = await byMaya(`${BERTHS}/events?per_page=100`);
  assert.equal(newest.json.length, 100);
  assert.ok(totalOf(newest) > 1500, `${totalOf(newest)}`);
  const oldest = await byMaya(`${BERTHS}/events?per_page=1&sort=asc`);
  const days = (Date.now() - Date.parse(oldest.json[0].created_at)) / 86_400_000;
  assert.ok(days > 725 && days < 730, `${days}`);
  assert.equal(oldest.json[0].action_name, "created");
  for (const action of [
    "pushed",
    "created",
    "closed",
    "reopened",
    "commented",
    "merged",
    "approved",
    "joined",
    "updated",
  ]) {
    assert.ok(totalOf(await byMaya(`${BERTHS}/events?action=${action}`)) > 0, action);
  }
  assert.ok(totalOf(await byMaya("/api/v4/events")) > 800);
  assert.ok(totalOf(await byMaya(`/api/v4/users/${demo.cast.idOf("tomas")}/events`)) > 500);
});

test("there are alerts in every status and severity, with counted repeats (README: Gatehouse)", async () => {
  const list = (query: string) => byMaya(`${BERTHS}/alert_management_alerts?${query}`);
  for (const status of ["triggered", "acknowledged", "resolved", "ignored"]) {
    assert.ok(totalOf(await list(`status=${status}`)) > 0, status);
  }
  for (const severity of ["critical", "high", "medium", "low", "info", "unknown"]) {
    assert.ok(totalOf(await list(`severity=${severity}`)) > 0, severity);
  }
  const [queue] = (await list("search=Berth%20allocation&status=acknowledged")).json;
  assert.equal(queue.events, 47);
  assert.deepEqual(queue.hosts.toSorted(), ["alloc-03", "alloc-04"]);
  assert.deepEqual(
    queue.assignees.map((person: { username: string }) => person.username),
    ["ines"],
  );
  assert.equal(queue.environment.name, "production");
  const [disk] = (await list("search=archive-02")).json;
  assert.deepEqual([disk.events, disk.deliveries, disk.monitoring_tool], [1, 12, "Prometheus"]);
  assert.ok(
    (await list("status=resolved&per_page=100")).json.some(
      (one: { recurrence_of: number }) => one.recurrence_of,
    ),
  );
});

test("alerts have the times of their story, not of the creation of the demo (decision 0060)", async () => {
  const { json: alerts } = await byMaya(`${BERTHS}/alert_management_alerts?per_page=100`);
  const now = Date.now();
  for (const { created_at, started_at, ended_at, updated_at } of alerts) {
    assert.ok(now - Date.parse(created_at) > 60_000 && now - Date.parse(updated_at) > 60_000, created_at);
    assert.ok(
      Math.abs(Date.parse(created_at) - Date.parse(started_at)) < 1000,
      `${created_at} ${started_at}`,
    );
    if (ended_at)
      assert.ok(Date.parse(ended_at) > Date.parse(started_at) && now - Date.parse(ended_at) > 60_000);
  }
});

test("incidents of resolved alerts are closed and the others open, with comments by people (contract-alerts, project settings; decision 0060)", async () => {
  const issues = (query: string) => byMaya(`${BERTHS}/issues?issue_type=incident&${query}`);
  const alerts = (status: string) => byMaya(`${BERTHS}/alert_management_alerts?status=${status}`);
  assert.equal(totalOf(await issues("state=closed")), totalOf(await alerts("resolved")));
  assert.equal(
    totalOf(await issues("state=opened")),
    totalOf(await alerts("triggered,acknowledged,ignored")),
  );
  const [queue] = (await alerts("acknowledged")).json.filter((one: { events: number }) => one.events === 47);
  const notes = await byMaya(`${BERTHS}/issues/${queue.issue_iid}/notes`);
  assert.ok(
    notes.json.some(
      (note: { author: { username: string }; body: string }) => note.author.username === "ines",
    ),
    notes.text,
  );
});

test("an integration of the demo accepts alerts with the printed key, and another one is disabled (decision 0060)", async () => {
  const [source] = demo.sources;
  const headers = { authorization: `Bearer ${source?.key}` };
  const reply = await world.call(source?.path ?? "", { json: { title: "Crane 4 is silent" }, headers });
  assert.equal(reply.status, 200, reply.text);
  const { json } = await byMaya(`${BERTHS}/alert_integrations`);
  const states = json.map(({ type, active }: { type: string; active: boolean }) => `${type} ${active}`);
  assert.deepEqual(states.toSorted(), ["generic true", "http false", "http true", "prometheus true"]);
});

test("a second demo is refused and changes nothing (decision 0060)", async () => {
  const rows = await countRows();
  await assert.rejects(
    seedDemo(asOwner()),
    (error) => error instanceof Problem && error.kind === "conflict" && /already/.test(error.message),
  );
  assert.deepEqual(await countRows(), rows);
});

test("removal is refused while a group of the demo contains somebody else's project (decision 0060)", async () => {
  const { db } = world.platform;
  const [namespace] = demo.cast.groups;
  assert.ok(namespace);
  const id = await createProject(db, world.ids.ada, { namespace, path: "hers", name: "Hers" });
  const rows = await countRows();
  await assert.rejects(
    removeDemo(db),
    (error) => error instanceof Problem && error.message.includes("harbourlight/hers"),
  );
  assert.deepEqual(await countRows(), rows);
  await db.run(sql`delete from projects where id = ${id}`);
});

test("removal deletes everything, including what the demo's users did elsewhere, and nothing else (decision 0060)", async () => {
  const { db } = world.platform;
  const maya = demo.cast.people[0];
  assert.ok(maya);
  // Maya fails to sign in, creates a group of her own, and has an event in another project.
  await new Visitor(world.url).submit("/users/sign_in", {
    username: maya.username,
    password: "not hers at all",
  });
  await createGroup(db, { id: maya.id, isAdmin: false }, { path: "sailing", name: "Sailing" });
  const event = { action: "created", target_type: "Issue", target_iid: 7, author_username: "maya" };
  const { json } = await world.call("/api/v4/projects/acme%2Fopen/events", { as: "max", json: event });
  assert.equal(json.author_username, "maya");
  const totalOf = async () =>
    (await world.call("/api/v4/projects/acme%2Fopen/events?per_page=1")).headers.get("x-total");
  const counted = Number(await totalOf());
  // As the service does every second: her event is then no pending change, but counted in its day.
  await db.run(sql`select compact_event_counts()`);

  const removed = await removeDemo(db);
  assert.deepEqual([removed.people, removed.groups, removed.projects], [6, 3, 3]);
  assert.equal(
    Number(await totalOf()),
    counted - 1,
    "the event count of the other project falls with her event",
  );
  // The target that Maya wrote about belongs to the other project and stays.
  rowsBefore.set("event_targets", (rowsBefore.get("event_targets") ?? 0) + 1);
  await db.run(sql`delete from sessions where user_id is null and pending_user_id is null`);
  assert.deepEqual(await countRows(), rowsBefore);
  await assert.rejects(removeDemo(db), (error) => error instanceof Problem && error.kind === "not_found");
});

test("a demo is refused completely if one of its usernames is taken, and the error names it (decision 0060)", async () => {
  const { platform } = world;
  const fields = { username: "Noor", name: "Noor N.", email: "noor@example.org", password: PASSWORD };
  const id = await createUser(platform, fields);
  const rows = await countRows();
  await assert.rejects(
    seedDemo(asOwner()),
    (error) => error instanceof Problem && /noor.*taken/.test(error.message),
  );
  assert.deepEqual(await countRows(), rows);
  await platform.db.run(sql`delete from users where id = ${id}`);
});

test("the demo can be created again after its removal (decision 0060)", async () => {
  const again = await seedDemo(asOwner());
  assert.equal(again.alerts, demo.alerts);
});

test("a demo is made beside a service that starts and creates the account of alerts at the same time (decision 0060)", async () => {
  const first = await startWorld();
  const { first: botId, worked } = await whileDoing(
    first,
    (tx) => ensureBot(withinTransaction(first.platform, tx), "alert-bot", "Alert Bot"),
    () => seedDemo({ ...first.platform, db: first.owner }),
  );
  assert.equal(worked.alerts, demo.alerts);
  assert.equal(await alertBot(first.platform), botId);
});
