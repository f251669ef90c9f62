/** Statements about the targets of events. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, oneOf, row, text } from "../platform/row.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import type { Cap } from "./cap.ts";
import { type ToldNumber, wideNumbersOf } from "./store-wide-numbers.ts";
import { TARGET_KINDS, type Target, type TargetChange, TargetRow } from "./target.ts";

const changesOf = (changes: readonly TargetChange[]): Sql => sql`json_to_recordset(${json(
  changes.map((change, index) => ({
    index,
    project_id: change.projectId,
    kind: change.kind,
    key: change.key,
    number: change.number,
    title: change.title?.value,
    title_at: momentOf(change.title),
    confidential: change.confidential?.value,
    confidential_at: momentOf(change.confidential),
    // A JSON list would not become a PostgreSQL array.
    assignee_ids: change.assigneeIds && `{${change.assigneeIds.value.join(",")}}`,
    assignees_at: momentOf(change.assigneeIds),
    author_id: change.authorId?.value,
    author_at: momentOf(change.authorId),
  })),
)}) as c (index integer, project_id bigint, kind text, key text, number bigint, title text, title_at timestamptz(3),
  confidential boolean, confidential_at timestamptz(3), assignee_ids bigint[], assignees_at timestamptz(3),
  author_id bigint, author_at timestamptz(3))`;

/** PostgreSQL reads `now` as the time of its transaction. */
function momentOf(said: { at: Date | null } | undefined): string | undefined {
  return said && (said.at?.toISOString() ?? "now");
}

const columns = sql`project_id, source_id, kind, key, number, title, title_at, confidential, confidential_at,
  assignee_ids, assignees_at, author_id, author_at`;

/** A row that was inserted or changed: a target, or a wide number with the key of its target (`sameAs`). */
const ChangedRow = row({
  ...TargetRow.columns,
  projectId: integer,
  kind: oneOf(TARGET_KINDS),
  sameAs: nullable(text),
  joins: boolean,
});

/**
 * Inserts or changes the targets that have a key, each at most once in the list; a member is overwritten unless its new value
 * comes from an older event than the stored one. Locks the rows until the transaction ends. New wide numbers in `told` are
 * inserted before them; `joins`: something may have been recorded by that number alone (decision 0188).
 */
export function upsertTargets(
  db: Queries,
  sourceId: number,
  changes: readonly TargetChange[],
  told: readonly (ToldNumber & { key: string })[],
) {
  return db.many(ChangedRow, upsertOf(sourceId, changes, told));
}

/** The same as a part of a larger statement. */
export function upsertOf(
  sourceId: number,
  changes: readonly TargetChange[],
  told: readonly (ToldNumber & { key: string })[] = [],
): Sql {
  // A scalar subquery is looked up by its index; for `exists` the database would read all targets.
  const news = sql`union all
      select project_id, ${sourceId}::bigint, kind, '#' || number, number, null, null, false, null, '{}', null, null, null, key
      from ${wideNumbersOf(told)} where (select known.number from event_targets known
        where (known.project_id, known.source_id, known.kind, known.key) = (w.project_id, ${sourceId}, w.kind, w.key))
        is distinct from w.number`;
  // All rows are locked in one order, so that no two transactions deadlock.
  return sql`insert into event_targets as t (${columns}, same_as)
      select project_id, ${sourceId}::bigint, kind, key, number, title, title_at, coalesce(confidential, false),
        confidential_at, coalesce(assignee_ids, '{}'), assignees_at, author_id, author_at, null
      from ${changesOf(changes)} ${told.length > 0 ? news : sql``} order by 1, 3, 4
      on conflict (project_id, source_id, kind, key) do update set
        number = coalesce(excluded.number, t.number),
        title = case when excluded.title_at >= coalesce(t.title_at, '-infinity') then excluded.title else t.title end,
        title_at = greatest(excluded.title_at, t.title_at),
        confidential = case when excluded.confidential_at >= coalesce(t.confidential_at, '-infinity')
          then excluded.confidential else t.confidential end,
        confidential_at = greatest(excluded.confidential_at, t.confidential_at),
        assignee_ids = case when excluded.assignees_at >= coalesce(t.assignees_at, '-infinity')
          then excluded.assignee_ids else t.assignee_ids end,
        assignees_at = greatest(excluded.assignees_at, t.assignees_at),
        author_id = case when excluded.author_at < coalesce(t.author_at, 'infinity')
          then excluded.author_id else t.author_id end,
        author_at = least(excluded.author_at, t.author_at),
        same_as = case when t.same_as = t.number::text then excluded.same_as else t.same_as end
      returning t.id, coalesce(t.number, t.id) as number, t.key, t.confidential, t.project_id, t.kind, t.same_as,
        t.same_as is not null and (t.xmax <> 0 or (select alone.id from event_targets alone
          where (alone.project_id, alone.source_id, alone.kind, alone.key)
            = (t.project_id, t.source_id, t.kind, t.number::text)) is not null) as joins`;
}

/** Inserts new targets without a key and allots each a number; leaves those out whose number is already used as a key. */
export function insertTargets(
  db: Queries,
  sourceId: number,
  changes: readonly TargetChange[],
): Promise<(Target & { index: number })[]> {
  return db.many(
    row({ ...TargetRow.columns, index: integer }),
    sql`with numbered as materialized (
        select nextval('event_target_numbers') as n, c.* from ${changesOf(changes)}),
      made as (
        insert into event_targets (id, ${columns})
        select n, project_id, ${sourceId}, kind, n::text, number, title, title_at, coalesce(confidential, false),
          confidential_at, coalesce(assignee_ids, '{}'), assignees_at, author_id, author_at
        from numbered
        on conflict do nothing
        returning id, coalesce(number, id) as number, key, confidential)
      select made.*, numbered.index from made join numbered on numbered.n = made.id`,
  );
}

/** Updates the caps of the events of targets, except internal comments, which stay internal. */
export function updateCaps(
  db: Queries,
  changes: readonly { targetRef: number; cap: Cap }[],
): Promise<number> {
  const refs = changes.map(({ targetRef }) => targetRef);
  const caps = changes.map(({ cap }) => cap);
  return db.run(
    sql`update events e set cap = c.cap
      from unnest(${refs}::bigint[], ${caps}::event_cap[]) as c (ref, cap)
      where e.target_ref = c.ref and e.cap <> c.cap and e.cap not in ('internal', 'internal_code')`,
  );
}
