/** Parts of statements that say which events a list is of and who may see them; permission is never judged after a query. */
import { type Sql, sql } from "../platform/sql.ts";
import { ACTIONS_OF_PROJECT, type EventFilter, type EventQuery, TYPES_OF_FILTER } from "./filter.ts";

/** Whose events, and who asks. */
export type Asked = Pick<EventQuery, "subject" | "asker">;

/** Of `e`: the two years that are shown, judged by the database's clock (spec: Events 4), and the filters. */
export function matches(filter: EventFilter): Sql {
  const { before = null, after = null } = filter;
  return sql`e.created_at >= greatest(now() - interval '2 years',
      (${after}::date + 1)::timestamp at time zone 'UTC')
    and e.created_at < coalesce(${before}::date::timestamp at time zone 'UTC', 'infinity')
    and ${isOfKind(filter)}`;
}

/** Of `e`: the filters of action and target type. */
export function isOfKind(filter: EventFilter): Sql {
  const { target } = filter;
  const action = filter.action ?? null;
  const types = target ? TYPES_OF_FILTER[target] : null;
  return sql`(${action}::event_action is null or e.action = ${action}::event_action)
    and (${types}::event_target_type[] is null or e.target_type = any (${types}::event_target_type[])
      or (${target === "project"} and e.target_type is null and e.action = any (${ACTIONS_OF_PROJECT}::event_action[])))`;
}

/** Of `e`: the subject, where it is a project or an author. */
export function ofSubject({ subject }: Asked): Sql {
  if (subject === "memberships") return sql`true`;
  return "projectId" in subject
    ? sql`e.project_id = ${subject.projectId}`
    : sql`e.author_id = ${subject.authorId}`;
}

/** The caps that are open to the asker in the project of `e`. */
export function capsOf({ subject, asker }: Asked): Sql {
  const signedIn = asker !== undefined;
  if (subject !== "memberships" && "projectId" in subject) {
    const { visibility, access } = subject;
    return sql`(select event_caps(${visibility}, ${access}, ${signedIn}))::event_cap[]`;
  }
  return sql`(select event_caps(p.visibility, case when ${asker?.isAdmin ?? false} then 50 else coalesce(
        (select r.access_level from project_roles r where r.project_id = p.id and r.user_id = ${asker?.id ?? null}), 0)
      end, ${signedIn})
    from projects p where p.id = e.project_id)::event_cap[]`;
}

/** The asker's projects with their caps; `offset 0` keeps the caps from being worked out anew for every event. */
export function memberships({ asker }: Pick<Asked, "asker">): Sql {
  return sql`select r.project_id,
      event_caps(p.visibility, case when ${asker?.isAdmin ?? false} then 50 else r.access_level end, true) as caps
    from project_roles r join projects p on p.id = r.project_id where r.user_id = ${asker?.id ?? null} offset 0`;
}

/** Of `e`: open to the asker, or confidential and theirs (reference events A9). */
export function mayBeSeen(asked: Asked, caps: Sql): Sql {
  return sql`(e.cap = any (${caps})
    or (e.cap in ('confidential', 'confidential_code') and ${couldBeRead(caps)}
      and exists (select from event_targets t where t.id = e.target_ref and ${isOfAsker(asked)})))`;
}

/** Of `e`: it would be open if its target were not confidential. */
export function couldBeRead(caps: Sql): Sql {
  return sql`(case e.cap when 'confidential' then 'issue' else 'code' end)::event_cap = any (${caps})`;
}

/** Of `t`: the asker made the target or is assigned to it. */
export function isOfAsker({ asker }: Pick<Asked, "asker">): Sql {
  const id = asker?.id ?? null;
  return sql`(t.author_id = ${id} or t.assignee_ids @> array[${id}]::bigint[])`;
}
