/** Statements about the wide numbers of targets, which some events give alone (decision 0188). */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, oneOf, row, text } from "../platform/row.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import { TARGET_KINDS, type TargetChange } from "./target.ts";

/** A wide number that a sender gave, and the key of the target that came with it. */
export type ToldNumber = Pick<TargetChange, "projectId" | "kind"> & {
  number: number;
  key?: string | undefined;
};

/** Rows `w` of these numbers. */
export function wideNumbersOf(told: readonly ToldNumber[]): Sql {
  return sql`json_to_recordset(${json(
    told.map(({ projectId, kind, number, key }) => ({ project_id: projectId, kind, number, key })),
  )}) as w (project_id bigint, kind text, number bigint, key text)`;
}

/**
 * Finds the target of each wide number: the key of the one that came with both its numbers, or to which we allotted this one;
 * else the number itself. Locks the numbers until the transaction ends, so that nobody records both meanwhile.
 */
export function upsertWideNumbers(db: Queries, sourceId: number, told: readonly ToldNumber[]) {
  // What we allotted is looked up by its id: by the project, all of its targets would be read.
  return db.many(
    row({ projectId: integer, kind: oneOf(TARGET_KINDS), number: integer, sameAs: text }),
    sql`insert into event_targets as t (project_id, source_id, kind, key, number, same_as)
      select project_id, ${sourceId}::bigint, kind, '#' || number, number, coalesce((select ours.key
        from (select * from event_targets t where t.id = w.number offset 0) ours
        where ours.number is null
          and (ours.project_id, ours.source_id, ours.kind) = (w.project_id, ${sourceId}, w.kind)), number::text)
      from ${wideNumbersOf(told)} order by 1, 3, 4
      on conflict (project_id, source_id, kind, key) do update set same_as = t.same_as
      returning project_id, kind, number, same_as`,
  );
}

/** Moves what was recorded by a wide number alone to the target that came with both numbers; undefined: there is nothing. */
export function joinTargets(
  db: Queries,
  sourceId: number,
  { projectId, kind, number, sameAs }: Pick<ToldNumber, "projectId" | "kind" | "number"> & { sameAs: string },
) {
  return db.find(
    row({ id: integer, confidential: boolean }),
    sql`select id, confidential from join_event_targets(${projectId}, ${sourceId}, ${kind}, ${number}, ${sameAs})`,
  );
}
