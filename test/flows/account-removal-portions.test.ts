/**
 * Deleting a user with very many events, alerts or incidents moves them to a placeholder user in batches (decision
 * 0104).
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { json, Sql, sql } from "../../src/platform/sql.ts";
import { eventCounts } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const OPEN = "/api/v4/projects/acme%2Fopen/events";

async function counted(): Promise<string> {
  await compactEventCounts(world.platform);
  return eventCounts(world);
}

/** Records from now on how many rows each statement updates in these tables. */
async function watchUpdates(...tables: string[]): Promise<void> {
  await world.owner.run(sql`drop table if exists portions`);
  await world.owner.run(sql`create table portions (relation text, n bigint)`);
  await world.owner.run(sql`create or replace function note_portion() returns trigger language plpgsql security definer as
    $$ begin insert into portions select tg_table_name, count(*) from gone; return null; end $$`);
  for (const table of tables) {
    const watch = `create trigger watch_updates after update on ${table} referencing old table as gone
      for each statement execute function note_portion()`;
    await world.owner.run(new Sql([watch], []));
  }
}

function widestUpdates() {
  return world.owner.many(
    row({ relation: text, n: integer }),
    sql`select relation, max(n) as n from portions where n > 0 group by 1 order by 1`,
  );
}

test("erasing a user updates thousands of events in batches and removes their name from stored commits and cached lists (decision 0104)", async () => {
  const { db } = world.platform;
  const { stan, max } = world.ids;
  const project = world.open.id;
  const pushed = {
    commitCount: 1,
    action: "pushed",
    refType: "branch",
    commitFrom: null,
    commitTo: "a1",
    ref: "main",
    commitTitle: "One",
    refCount: null,
  };
  const commits = [
    { id: "a1", title: "One", author_name: "Stan Stranger" },
    { id: "b2", title: "Two", author_name: "Max Maintainer" },
  ];
  const at = sql`now() - interval '300 days' + n * interval '1 hour'`;
  await db.run(sql`insert into event_targets (project_id, source_id, kind, key, author_id, assignee_ids)
    select ${project}, 7, 'issue', n::text, case when n % 3 < 2 then ${stan}::bigint end,
      case when n % 3 > 0 then array[${max}, ${stan}]::bigint[] else '{}' end from generate_series(1, 5000) n`);
  await db.run(sql`insert into events (created_at, project_id, author_id, action, cap, target_type, target_id, target_iid, target_ref)
    select ${at}, ${project}, ${stan}, 'created', 'issue', 'Issue', id, n, id
    from (select id, key::integer as n from event_targets where source_id = 7) t`);
  for (const author of [stan, max]) {
    await db.run(sql`insert into events (created_at, project_id, author_id, action, cap, push_data)
      select ${at}, ${project}, ${author}, 'pushed', 'code', ${json(pushed)}::jsonb from generate_series(1, 1200) n`);
  }
  await db.run(sql`insert into event_commits (created_at, event_id, commits) select created_at, id, ${json(commits)}::jsonb
    from events where action = 'pushed' and author_id in (${stan}, ${max})`);
  // More rows than one transaction looks at.
  await db.run(sql`insert into event_commits (created_at, event_id, commits)
    select now() - interval '1 year' + n * interval '1 minute', -n, ${json(commits.slice(0, 1))}::jsonb
    from generate_series(1, 11000) n`);
  await watchUpdates("events", "event_targets", "event_commits");
  const list = `${OPEN}?include=commits&action=pushed&author_username=max`;
  const before = await world.call(list, { as: "max" });
  assert.match(before.text, /Stan Stranger/);
  await compactEventCounts(world.platform);
  const reply = await world.call(`/api/v4/users/${stan}?erase=true`, { as: "ada", method: "DELETE" });
  assert.equal(reply.status, 204, reply.text);
  const etag = before.headers.get("etag") as string;
  const after = await world.call(list, { as: "max", headers: { "if-none-match": etag } });
  assert.equal(after.status, 200, "the ETag must change with the commits");
  assert.match(after.text, /Max Maintainer/);
  assert.doesNotMatch(after.text, /Stan Stranger/);
  const left = await db.one(
    row({ events: integer, targets: integer, commits: integer, others: integer }),
    sql`select (select count(*) from events where author_id = ${stan}) as events,
      (select count(*) from event_targets where author_id = ${stan} or ${stan}::bigint = any (assignee_ids)) as targets,
      (select count(*) from event_commits where commits::text like '%Stan%') as commits,
      (select count(*) from event_commits where event_id > 0) as others`,
  );
  assert.deepEqual(left, { events: 0, targets: 0, commits: 0, others: 1200 });
  assert.deepEqual(await widestUpdates(), [
    { relation: "event_commits", n: 10_000 },
    { relation: "event_targets", n: 2000 },
    { relation: "events", n: 2000 },
  ]);
  const kept = await counted();
  await world.owner.run(sql`select rebuild_event_rollups()`);
  assert.equal(await counted(), kept);
});

test("deleting a user reassigns thousands of incidents, notes and alert activities in batches (decision 0104)", async () => {
  const { db } = world.platform;
  const { gus } = world.ids;
  const project = world.rocket.id;
  const many = 5000;
  await db.run(sql`insert into incidents (project_id, iid, title, description, severity, author_id, closed_by)
    select ${project}, n, 'Trouble ' || n, '', 'high', ${gus}, ${gus} from generate_series(1, ${many}::integer) n`);
  await db.run(sql`insert into incident_notes (incident_id, author_id, body)
    select id, ${gus}, 'Seen.' from incidents where author_id = ${gus}`);
  await db.run(sql`with alert as (
      insert into alerts (project_id, iid, title, severity, fingerprint_hash, grouped, events, deliveries, started_at, first_payload)
      values (${project}, 1, 'Trouble', 'high', sha256('trouble'), true, 1, 1, now(), '{}') returning id)
    insert into alert_activity (alert_id, author_id, kind, body)
    select id, ${gus}, 'comment', 'Seen.' from alert, generate_series(1, ${many}::integer)`);
  await watchUpdates("incidents", "incident_notes", "alert_activity");
  const reply = await world.call(`/api/v4/users/${gus}`, { as: "ada", method: "DELETE" });
  assert.equal(reply.status, 204, reply.text);
  assert.deepEqual(await widestUpdates(), [
    { relation: "alert_activity", n: 2000 },
    { relation: "incident_notes", n: 2000 },
    { relation: "incidents", n: 2000 },
  ]);
  const { kept } = await db.one(
    row({ kept: integer }),
    sql`select count(*) as kept from incidents i join users u on u.id = i.author_id and u.id = i.closed_by
      where u.username ~ '^ghost-' and u.is_placeholder`,
  );
  assert.equal(kept, many);
});
