/** `gatehouse events import`: rows and GitHub's archive, with refusals, duplicates and interruptions (decision 0103). */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { archived, fileOf, importFile, linesOf } from "../support/files.ts";
import { daysAgo } from "../support/past-days.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const CREATED_AT = daysAgo(100, "04:05:06.789").toISOString();

const issue = (target_iid: number, more: object = {}) => ({
  project_id: "acme/rocket",
  action: "created",
  target_type: "Issue",
  target_iid,
  target_title: `Leak ${target_iid}\twith\\backslash "and" quotes`,
  created_at: CREATED_AT,
  author_username: "dev",
  ...more,
});

async function run(...args: string[]) {
  const { code, stdout, stderr } = await importFile(world, [...args, "--json"]).ended;
  return { code, stderr, json: code === 0 || code === 65 ? JSON.parse(stdout) : undefined };
}

async function total(as: "dev" | "ada" = "dev", project = "acme%2Frocket"): Promise<number> {
  const reply = await world.call(`/api/v4/projects/${project}/events?per_page=1`, { as });
  return Number(reply.headers.get("x-total"));
}

/** The number of events, and the totals of what is counted by day, project and author. */
async function tally() {
  await compactEventCounts(world.platform);
  return world.platform.db.one(
    row({
      events: integer,
      days: integer,
      projectDays: integer,
      projects: integer,
      authors: integer,
      sums: integer,
    }),
    sql`select (select count(*) from events) as events, (select sum(n) from event_days)::bigint as days,
      (select sum(n) from event_project_days)::bigint as project_days,
      (select sum(n) from event_project_totals)::bigint as projects,
      (select sum(n) from event_author_totals)::bigint as authors,
      (select sum(n_open + n_code + n_planner + n_reporter) from event_sums where author_id = 0)::bigint as sums`,
  );
}

async function assertCounted(): Promise<void> {
  const { events, ...counted } = await tally();
  assert.deepEqual(counted, {
    days: events,
    projectDays: events,
    projects: events,
    authors: events,
    sums: events,
  });
}

test("rows of the bulk API are imported with their texts, and refused lines are reported by number (decision 0103)", async () => {
  const lines = [
    issue(1, { external_id: "i-1" }),
    "",
    "{broken",
    issue(2, { action: "danced" }),
    issue(3, { author_username: "nobody-here" }),
    issue(4, { project_id: "acme/none" }),
    issue(5, { author_username: undefined }),
    issue(6, { created_at: "2001-01-01" }),
    issue(1, { external_id: "i-1" }),
    issue(7, { external_id: "i-1" }),
    {
      ...issue(1, { target_title: undefined }),
      action: "commented",
      target_type: "Note",
      note: { body: "one\ntwo\\three\t\u{1F680}", noteable_type: "Issue", noteable_iid: 1 },
    },
  ];
  const file = fileOf("rows.ndjson", linesOf(lines));
  const refusals = fileOf("refusals.ndjson", "");
  const before = await total();
  const dry = await run(file, "--dry-run");
  assert.equal(dry.json.created, 4);
  assert.equal(await total(), before, "a dry run writes nothing");
  const { code, json } = await run(file, "--refusals", refusals);
  assert.equal(code, 65);
  assert.deepEqual([json.lines, json.created, json.duplicate, json.ignored, json.invalid], [11, 2, 1, 0, 7]);
  const told = readFileSync(refusals, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    told.map(({ line }) => line),
    [3, 4, 5, 6, 7, 8, 10],
  );
  assert.match(told[1].error, /action/);
  assert.equal(told[3].error, "404 Project Not Found");
  assert.match(told[4].error, /--author/);
  const events = (await world.call("/api/v4/projects/acme%2Frocket/events?target_type=note", { as: "dev" }))
    .json;
  assert.equal(events[0].note.body, "one\ntwo\\three\t\u{1F680}");
  assert.equal(events[0].target_title, 'Leak 1\twith\\backslash "and" quotes');
  assert.equal(events[0].created_at, CREATED_AT);
  assert.equal(events[0].author_username, "dev");
  assert.equal(await total(), before + 2);
  await assertCounted();
});

test("lines of an imported file are not imported again, and lines appended to it are (decision 0103)", async () => {
  const rows = Array.from({ length: 700 }, (_, n) => issue(1000 + n));
  const file = fileOf("growing.ndjson", linesOf(rows));
  const before = await total();
  assert.equal((await run(file, "--author", "dev")).json.created, 700);
  const again = await run(file, "--author", "dev");
  assert.deepEqual([again.json.created, again.json.lines, again.json.resumed_after], [0, 0, 700]);
  appendFileSync(file, linesOf([issue(1700)]));
  const more = await run(file, "--author", "dev");
  assert.deepEqual([more.json.created, more.json.lines, more.json.resumed_after], [1, 1, 700]);
  assert.equal(await total(), before + 701);
  const other = fileOf("other.ndjson", linesOf([...rows.slice(0, 699), issue(5), issue(1700)]));
  const refused = await run(other, "--author", "dev");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /--restart/);
  await assertCounted();
});

test("a short file that has grown is resumed after its last line, whether or not that ended with a newline (decision 0103)", async () => {
  const before = await total();
  const text = (from: number, to: number, title = "Short") =>
    linesOf(
      Array.from({ length: to - from }, (_, at) =>
        issue(from + at, { target_title: `${title} ${from + at}` }),
      ),
    );
  const file = fileOf("growing.ndjson", text(9000, 9003).trimEnd());
  assert.equal((await run(file)).json.created, 3);
  for (const [from, to] of [
    [9003, 9005],
    [9005, 9006],
    // Beyond the 64 KiB by which a file is identified.
    [9006, 9700],
    [9700, 9701],
  ] as const) {
    appendFileSync(file, (from === 9003 ? "\n" : "") + text(from, to));
    const { json } = await run(file);
    assert.deepEqual([json.created, json.resumed_after], [to - from, from - 9000], `${from}`);
  }
  assert.equal((await run(file)).json.created, 0);
  assert.equal(await total(), before + 701);
  const other = fileOf("other.ndjson", text(9000, 9002) + text(9002, 9004, "Other"));
  assert.equal(
    (await run(other)).json.resumed_after,
    0,
    "another file with the same beginning is imported from its start",
  );
  const { json } = await run(file, "--restart");
  assert.deepEqual([json.created, json.resumed_after], [701, 0]);
  assert.equal((await run(file)).json.created, 0);
});

test("a resumed import reports how many lines earlier runs refused, until it is restarted (decision 0103)", async () => {
  const rows = [...Array.from({ length: 700 }, (_, n) => issue(2000 + n)), "oops"];
  const file = fileOf("refused-before.ndjson", linesOf(rows));
  const first = await run(file);
  assert.deepEqual([first.code, first.json.invalid, first.json.refused_before], [65, 1, 0]);
  const again = await run(file);
  assert.deepEqual([again.code, again.json.invalid, again.json.refused_before], [65, 0, 1]);
  appendFileSync(file, linesOf([issue(2700)]));
  const { code, stdout } = await importFile(world, [file]).ended;
  assert.equal(code, 65);
  assert.match(
    stdout,
    /^Resumed after line 701, before which 1 were refused \(--restart checks them again\)\. Wrote 1/,
  );
  const whole = fileOf("refused-before.ndjson", linesOf(rows.slice(0, 700)));
  const anew = await run(whole, "--restart");
  assert.deepEqual([anew.code, anew.json.created, anew.json.refused_before], [0, 700, 0]);
});

test("lines of GitHub's archive are imported from gzip, once, with the identities of the project's event source (decision 0103)", async () => {
  const source = await world.call("/api/v4/projects/acme%2Frocket/event_sources", {
    as: "max",
    json: { name: "GitHub", type: "github", identities: { octocat: world.ids.rep } },
  });
  assert.equal(source.status, 201, source.text);
  const request = { id: 5, number: 4, title: "Seal", merged: true };
  const lines = [
    archived(1, "PushEvent", {
      ref: "refs/heads/main",
      head: "a1",
      before: "b2",
      size: 3,
      commits: [{ sha: "a1", message: "Seal it\nwell", author: { name: "Mona", email: "m@example.org" } }],
    }),
    archived(2, "IssuesEvent", { action: "opened", issue: { id: 6, number: 3, title: "Drip" } }),
    archived(3, "PullRequestEvent", { action: "closed", pull_request: request }),
    archived(4, "PullRequestReviewEvent", {
      action: "created",
      review: { id: 9, state: "approved", body: "Good" },
      pull_request: request,
    }),
    archived(5, "WatchEvent", { action: "started" }),
    archived(6, "CreateEvent", { ref: "v1", ref_type: "tag" }),
    archived(7, "DeleteEvent", { ref: "old", ref_type: "branch" }),
    archived(
      8,
      "IssueCommentEvent",
      { action: "created", issue: { id: 6, number: 3, title: "Drip" }, comment: { id: 77, body: "Where?" } },
      { actor: { login: "mona" } },
    ),
    archived(
      9,
      "IssuesEvent",
      { action: "opened", issue: { id: 8, number: 9, title: "Else" } },
      { repo: { name: "acme/unknown" } },
    ),
    archived(
      10,
      "IssuesEvent",
      { action: "closed", issue: { id: 6, number: 3, title: "Drip" } },
      { created_at: "2020-01-01T00:00:00Z" },
    ),
  ];
  const file = fileOf("archive.json.gz", gzipSync(linesOf(lines)));
  const before = await total();
  const { code, json } = await run(file);
  assert.deepEqual([code, json.created, json.ignored, json.invalid], [65, 7, 1, 2]);
  assert.equal(await total(), before + 8, "an approval with a comment is two events");
  const pushes = `/api/v4/users/rep/events?action=pushed&include=commits&per_page=100`;
  const found = (await world.call(pushes, { as: "ada" })).json.map(
    (event: { commits: unknown }) => event.commits,
  );
  assert.deepEqual(
    found.filter((list: unknown[]) => list.length > 0),
    [[{ id: "a1", title: "Seal it", author_name: "Mona" }]],
  );
  const byRep = (await world.call(`/api/v4/users/rep/events?per_page=100`, { as: "ada" })).json;
  assert.deepEqual(byRep.map((event: { action_name: string }) => event.action_name).sort(), [
    "accepted",
    "approved",
    "commented on",
    "deleted",
    "opened",
    "pushed",
    "pushed new",
  ]);
  const pushed = byRep.find((event: { action_name: string }) => event.action_name === "pushed");
  assert.equal(pushed.push_data.commit_title, "Seal it");
  assert.equal(pushed.push_data.commit_count, 3);
  assert.equal(pushed.imported_from, "github");
  const again = await run(file, "--restart");
  assert.deepEqual([again.json.created, again.json.duplicate], [0, 7]);
  assert.equal(await total(), before + 8);
  await assertCounted();
});

test("an import that is killed up to five times loses nothing and imports nothing twice (decision 0103)", async () => {
  const rows = Array.from({ length: 70_000 }, (_, n) =>
    issue(10_000 + (n % 9000), { target_title: `Row ${n}` }),
  );
  const file = fileOf("long.ndjson", linesOf(rows));
  const before = await total();
  let kills = 0;
  for (const share of [0.1, 0.3, 0.5, 0.7, 0.85]) {
    const run = importFile(world, [file]);
    const deadline = Date.now() + 240_000;
    const isFar = async () =>
      (
        await world.platform.db.one(
          row({ n: integer }),
          sql`select count(*) as n from events where project_id = ${world.rocket.id}`,
        )
      ).n >=
      before + share * rows.length;
    while (run.process.exitCode === null && Date.now() < deadline && !(await isFar())) await sleep(2);
    if (run.process.exitCode === null) {
      run.process.kill("SIGKILL");
      kills += 1;
    }
    await run.ended;
  }
  assert.ok(kills >= 3, `${kills} kills`);
  const last = await run(file);
  assert.equal(last.code, 0, last.stderr);
  assert.ok(last.json.resumed_after > 0);
  assert.equal(await total(), before + rows.length);
  await assertCounted();
});

test("an import into an unknown project or event source ends before its first line, and stores no position (decision 0103)", async () => {
  const file = fileOf("too-early.ndjson", linesOf([{ action: "created", author_username: "dev" }]));
  const early = await run(file, "--project", "acme/too-early");
  assert.deepEqual([early.code, early.stderr.trim()], [1, "There is no project acme/too-early"]);
  const { json: acme } = await world.call("/api/v4/groups/acme", { as: "ada" });
  const json = { name: "Too early", path: "too-early", namespace_id: acme.id };
  const { status } = await world.call("/api/v4/projects", { as: "ada", json });
  assert.equal(status, 201);
  const now = await run(file, "--project", "acme/too-early");
  assert.deepEqual([now.json?.created, now.json?.resumed_after], [1, 0]);

  const nowhere = await run(file, "--project", "acme/rocket", "--source", "999999");
  assert.deepEqual([nowhere.code, nowhere.stderr.trim()], [1, "There is no event source 999999"]);
  const made = await world.call("/api/v4/projects/acme%2Frocket/event_sources", {
    as: "ada",
    json: { name: "Of the rocket" },
  });
  const { id } = made.json;
  const foreign = await run(file, "--project", "acme/too-early", "--source", String(id));
  assert.deepEqual(
    [foreign.code, foreign.stderr.trim()],
    [1, `The event source ${id} is not one of acme/too-early`],
  );
});

test("standard input is imported, with refusals on standard error (decision 0103)", async () => {
  const { code, stdout, stderr } = await importFile(
    world,
    ["-", "--project", "acme/rocket", "--author", "max"],
    linesOf([{ action: "pushed", push_data: { ref: "main" } }, "oops"]),
  ).ended;
  assert.equal(code, 65);
  assert.match(stdout, /Wrote 1 of 2 lines/);
  assert.match(stderr, /line 2: The line is not valid JSON/);
});

test("batches written concurrently keep the order of the file: external ids are taken once, and the last row names the target (decision 0103)", async () => {
  // More than two batches of 20,000; the first batch's external ids are repeated in the second, which is written concurrently.
  const rows = Array.from({ length: 19_000 }, (_, n) =>
    issue(40_000 + (n % 40), { target_title: `First ${n}`, external_id: `pair-${n}` }),
  );
  const fresh = Array.from({ length: 4000 }, (_, n) =>
    issue(40_000 + (n % 40), { target_title: `Last ${n}`, external_id: `pair-new-${n}` }),
  );
  const file = fileOf("pairs.ndjson", linesOf([...rows, ...rows, ...fresh]));
  const before = await total();
  const { json, code, stderr } = await run(file);
  assert.equal(code, 0, stderr);
  assert.deepEqual([json.created, json.duplicate, json.invalid], [23_000, 19_000, 0]);
  assert.equal(await total(), before + 23_000);
  const shown = await world.call("/api/v4/projects/acme%2Frocket/events?search=Last%20&per_page=1", {
    as: "dev",
  });
  assert.equal(Number(shown.headers.get("x-total")), 23_000, "every event of a target has its last title");
  await assertCounted();
});

test("of two concurrent imports of one file at least one completes, and nothing is imported twice (decision 0103)", async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) =>
    issue(60_000 + (n % 300), { target_title: `Both ${n}` }),
  );
  const file = fileOf("twice.ndjson", linesOf(rows));
  const before = await total();
  const both = await Promise.all([run(file), run(file)]);
  assert.ok(both.some(({ code }) => code === 0));
  for (const { code, stderr } of both)
    if (code !== 0) assert.match(stderr, /Another process is importing this file/);
  assert.equal(await total(), before + rows.length);
  await assertCounted();
});
