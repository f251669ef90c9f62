/** Seeds the events of the bench: many millions over several connections, in order of time, with indexes created afterwards. */
import pg from "pg";
import {
  AUTHORS,
  MANY_EVENTS,
  MANY_PROJECTS,
  PROJECTS,
  SECRETS,
  TARGETS_PER_PROJECT,
  WIDE_READER,
} from "./seeded.ts";

/** As many as most machines have cores; each fills one portion at a time. */
const LANES = 2;
/** Rows per statement. */
const PORTION = 500_000;
/** Sorting and aggregating in memory makes the difference. */
const SETTINGS = "-c timezone=UTC -c synchronous_commit=off -c work_mem=512MB -c maintenance_work_mem=512MB";

type Part = (name: string, work: () => Promise<unknown>) => Promise<void>;

/**
 * Seeds `count` events of all projects over two years: half pushes, three tenths issues and merge requests, one tenth comments
 * and one tenth people joining. Adds some events in the many projects of the wide reader.
 */
export async function seedEvents(connection: pg.ClientConfig, count: number, part: Part): Promise<void> {
  const lanes = await Promise.all(
    Array.from({ length: LANES }, async () => {
      const lane = new pg.Client({ ...connection, options: SETTINGS });
      await lane.connect();
      return lane;
    }),
  );
  const [first] = lanes as [pg.Client];
  try {
    await first.query(TARGETS);
    await first.query("select ensure_event_partitions(25, 1)");
    // Autovacuum would only interfere, and log warnings.
    const tables = await countedTables(first, { isEmptyToo: true });
    await inLanes(
      [first],
      tables.map((name) => `alter table ${name} set (autovacuum_enabled = false)`),
    );
    const remade = await withoutIndexes(first);
    // The triggers' counts are computed once, after all rows are inserted.
    await first.query("alter table events disable trigger user");
    await part(`${count} events`, () => inLanes(lanes, portionsOf(count)));
    await first.query(`select setval('event_ids', ${count})`);
    await first.query(manyProjects());
    await first.query("alter table events enable trigger user");
    await part("counts of events", () => first.query("select rebuild_event_rollups()"));
    await part("indexes of events and counts", () => inLanes(lanes, remade.indexes));
    await part("foreign keys", () => inLanes([first], remade.keys));
    // Lists count by index-only scans, which need the visibility map.
    await part("vacuum and analyze events", async () => {
      await inLanes(
        lanes,
        (await countedTables(first, { isEmptyToo: false })).map((name) => `vacuum (analyze) ${name}`),
      );
      await first.query("analyze only events");
    });
    await inLanes(
      [first],
      tables.map((name) => `alter table ${name} reset (autovacuum_enabled)`),
    );
  } finally {
    await Promise.all(lanes.map((lane) => lane.end()));
  }
}

/** Runs the statements; each lane takes the next one when it is done. */
async function inLanes(lanes: readonly pg.Client[], statements: readonly string[]): Promise<void> {
  const waiting = [...statements];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let statement = waiting.shift(); statement !== undefined; statement = waiting.shift()) {
        await lane.query(statement);
      }
    }),
  );
}

/**
 * Drops what slows down every insert (indexes without a constraint, and foreign keys), and returns the statements that create it
 * again.
 */
async function withoutIndexes(client: pg.Client): Promise<{ indexes: string[]; keys: string[] }> {
  const tables = ["events", "event_days", "event_author_totals", "event_project_totals"];
  const keys = await client.query<{ of: string; name: string; made: string }>(
    `select conrelid::regclass::text as of, conname as name, pg_get_constraintdef(oid) as made from pg_constraint
      where contype = 'f' and conrelid = any($1::regclass[])`,
    [tables],
  );
  const indexes = await client.query<{ name: string; made: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
      from pg_index i where i.indrelid = any($1::regclass[])
        and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { of, name } of keys.rows) await client.query(`alter table ${of} drop constraint ${name}`);
  for (const { name } of indexes.rows) await client.query(`drop index ${name}`);
  return {
    // PostgreSQL returns the definition for the parent table only; the partitions need the index too.
    indexes: indexes.rows.map(({ made }) => made.replace(" ON ONLY ", " ON ")),
    keys: keys.rows.map(({ of, name, made }) => `alter table ${of} add constraint ${name} ${made}`),
  };
}

/**
 * The partitions of events, and the tables that count them. Empty partitions are not vacuumed, as by autovacuum: afterwards the
 * planner would take them as free, and would sort a person's list instead of reading it in order.
 */
async function countedTables(client: pg.Client, { isEmptyToo }: { isEmptyToo: boolean }): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'events'::regclass and ($1 or pg_relation_size(inhrelid) > 0)`,
    [isEmptyToo],
  );
  return [...rows.map(({ name }) => name), "event_days", "event_author_totals", "event_targets"];
}

const TARGETS = `insert into event_targets (project_id, source_id, kind, key, number, title, title_at)
  select p, 0, case when t % 2 = 0 then 'issue' else 'merge_request' end, t::text, p * 1000 + t,
    'Something that somebody worked on, number ' || t, now()
  from generate_series(1, ${PROJECTS}) p, generate_series(1, ${TARGETS_PER_PROJECT}) t`;

/** Events 1 to `count`, evenly over two years; their content depends on their number only. */
function portionsOf(count: number): string[] {
  const starts = Array.from({ length: Math.ceil(count / PORTION) }, (_, at) => 1 + at * PORTION);
  return starts.map((start) => portion(start, Math.min(count, start + PORTION - 1), count));
}

function portion(from: number, to: number, count: number): string {
  const pick = (seed: number, size: number) => `mod(abs(hashint8extended(n, ${seed}) / 2), ${size})::integer`;
  return `insert into events (id, created_at, project_id, author_id, action, cap, target_type, target_id, target_iid,
      target_ref, push_data, note)
    select n, at, project, author,
      (case when tenth < 5 then 'pushed' when tenth = 8 then 'commented' when tenth = 9 then 'joined'
        when tenth = 5 then 'created' when tenth = 6 then 'closed' else 'reopened' end)::event_action,
      (case when tenth < 5 then 'code' when tenth = 9 then 'project' when kind = 'issue' then 'issue'
        else 'merge_request' end)::event_cap,
      (case when tenth in (5, 6, 7) then case when kind = 'issue' then 'Issue' else 'MergeRequest' end
        when tenth = 8 then 'Note' end)::event_target_type,
      case when tenth in (5, 6, 7) then number when tenth = 8 then n end,
      case when tenth in (5, 6, 7) then iid when tenth = 8 then n end,
      case when tenth in (5, 6, 7, 8) then target end,
      case when tenth < 5 then jsonb_build_object('commitCount', 1 + n % 9, 'action', 'pushed', 'refType', 'branch',
        'commitFrom', md5(n::text) || '00000000', 'commitTo', md5((n + 1)::text) || '00000000', 'ref', 'main',
        'commitTitle', 'Change the thing with the number ' || n, 'refCount', null) end,
      case when tenth = 8 then jsonb_build_object('type', null, 'body', 'A remark about ' || n || ', not very long.',
        'attachment', null, 'system', false, 'internal', false,
        'noteableType', case when kind = 'issue' then 'Issue' else 'MergeRequest' end, 'noteableIid', iid,
        'noteableId', number, 'commitId', null) end
    from (select n, ${pick(1, 10)} as tenth, 1 + ${pick(2, PROJECTS)} as project, 1 + ${pick(3, AUTHORS)} as author,
        1 + ${pick(4, TARGETS_PER_PROJECT)} as iid, now() - interval '729 days' * (1 - n::float8 / ${count}) as at
      from generate_series(${from}, ${to}) n) made
    join (select id as target, project_id, kind, key, number from event_targets) t
      on t.project_id = made.project and t.key = made.iid::text
    order by n`;
}

/** People joining the projects of the wide reader, evenly over the same time. */
function manyProjects(): string {
  return `insert into events (created_at, project_id, author_id, action, cap)
    select now() - interval '729 days' * (1 - n::float8 / ${MANY_EVENTS}), ${PROJECTS} + 2 + 2 * (n % ${MANY_PROJECTS}),
      ${WIDE_READER}, 'joined', 'project'
    from generate_series(1, ${MANY_EVENTS}) n order by n`;
}

/** The projects, memberships and token of a reader who is a direct member of many projects, and of nothing else. */
export function wideReader(): string[] {
  return [
    `insert into namespaces (kind, path, full_path, name, visibility)
      select 'group', 'wide-' || n, 'wide-' || n, 'Wide ' || n, 'private' from generate_series(1, 50) n`,
    `insert into projects (namespace_id, path, full_path, name, visibility, creator_id)
      select s.id, 'part-' || n, s.full_path || '/part-' || n, 'Part ' || n, 'private', ${WIDE_READER}
      from generate_series(1, ${2 * MANY_PROJECTS}) n join namespaces s on s.full_path = 'wide-' || (1 + n % 50) order by n`,
    `insert into members (project_id, user_id, access_level)
      select id, ${WIDE_READER}, 30 from projects where id > ${PROJECTS} and id % 2 = 0`,
    `insert into access_tokens (digest, kind, user_id, scopes, name, last_used_at)
      select sha256(convert_to('${SECRETS.reader}' || ${WIDE_READER}, 'UTF8')), 'personal', ${WIDE_READER}, '{api}',
        'bench', now() + interval '1 day'`,
  ];
}
