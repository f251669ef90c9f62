/** Conditions of statements by a filter, for every asker and every list. */
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { type EventFilter, listOf, rowsOfTargets, spanOf } from "./filter.ts";

/** Of `e`: the time that is shown, by the database's clock (spec: Events 4), and the filters; `floor` excludes older events. */
export function matches(filter: EventFilter, floor?: Date): Sql {
  return sql`${within(filter, floor)} and ${isOfKind(filter)} and ${hasWords(filter)}`;
}

/** Of `e`: the two years and the filter's interval. Bounds that depend on now() exclude months when a plan is run. */
export function within(filter: EventFilter, floor?: Date): Sql {
  const { from = null, to = null } = spanOf(filter);
  return sql`e.created_at >= greatest(now() - interval '2 years', ${from}::timestamptz, ${floor ?? null}::timestamptz)
    and e.created_at < least(now() + interval '1000 years', ${to}::timestamptz)`;
}

/** Of `e` and `p`: action, target type, author and group. */
export function isOfKind(filter: EventFilter): Sql {
  const actions = listOf(filter.action);
  const targets = listOf(filter.target);
  const { notActions, notTargets, authorIds, authorNames, notAuthorIds, notAuthorNames, groupId } = filter;
  return joinSql(
    [
      actions && sql`e.action = any (${actions}::event_action[])`,
      notActions?.length && sql`e.action <> all (${notActions}::event_action[])`,
      ...(targets ? [isAnyTarget(targets)] : []),
      notTargets?.length && sql`not ${isAnyTarget(notTargets)}`,
      ...(authorIds || authorNames ? [isAuthor(authorIds, authorNames)] : []),
      (notAuthorIds || notAuthorNames) && sql`not ${isAuthor(notAuthorIds, notAuthorNames)}`,
      groupId !== undefined && sql`p.lineage @> array[${groupId}::bigint]`,
    ],
    " and ",
  );
}

function isAnyTarget(words: NonNullable<EventFilter["notTargets"]>): Sql {
  const { types, targetless } = rowsOfTargets(words);
  return sql`(case when e.target_type is null then e.action = any (${targetless}::event_action[])
    else e.target_type = any (${types}::event_target_type[]) end)`;
}

function isAuthor(ids: readonly number[] = [], names: readonly string[] = []): Sql {
  if (names.length === 0) return sql`e.author_id = any (${ids}::bigint[])`;
  return sql`e.author_id = any (array(select id from users where lower(username) = any (${names}::text[])) || ${ids}::bigint[])`;
}

/** Of `e`: the text is in what everybody sees who may see the event: title, comment, or commit of the push (decision 0181). */
function hasWords({ search }: EventFilter): Sql {
  if (search === undefined) return sql`true`;
  const isIn = (words: Sql) => sql`strpos(lower(${words}), lower(${search})) > 0`;
  const title = sql`coalesce((select t.title from event_targets t where t.id = e.target_ref),
    case when e.target_type = 'Project' then (select named.name from projects named where named.id = e.project_id) end)`;
  return sql`case e.action when 'pushed' then ${isIn(sql`e.push_data ->> 'commitTitle'`)}
    when 'commented' then ${isIn(title)} or ${isIn(sql`e.note ->> 'body'`)} else ${isIn(title)} end`;
}
