/** Parts of statements that select the events of a list that the asker may see; permission is never checked after a query. */
import { mayBePath } from "../accounts/namespace.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { EventFilter, SoughtQuery } from "./filter.ts";
import { hasManyRoles } from "./store-many-roles.ts";
import { isOfProject, type SoughtSubject, type Subject } from "./subject.ts";

/** Whose events, and who asks. */
export type Asked = Pick<SoughtQuery, "subject" | "asker" | "isShared">;

/**
 * `rights` and `place`, with which every statement with these parts begins. `rights` holds the groups and projects in which the
 * asker has at least the level in the column's name; it is read once, whatever the number of events or projects. If the asker has
 * roles in very many projects, these are in `singles` instead, since `rights` is passed on event by event. `place` is the project
 * of a list, if the asker may see it.
 */
export function rightsAnd(asked: Asked): Sql {
  const id = askerId(asked);
  const isMany = hasManyRoles(asked.asker);
  const projects = sql`coalesce(array_agg(project_id) filter (where access_level >= 20 and project_id is not null), '{}') as p20,
        coalesce(array_agg(project_id) filter (where access_level >= 15 and project_id is not null), '{}') as p15,
        coalesce(array_agg(project_id) filter (where project_id is not null), '{}') as p10`;
  const roles = sql`select namespace_id, project_id, access_level from members
        where user_id = ${id} and (expires_at is null or expires_at > now())`;
  const ranges = sql`range_agg(int8range(project_id, project_id, '[]'))`;
  return sql`rights as materialized (
      select coalesce(array_agg(namespace_id) filter (where access_level >= 20 and namespace_id is not null), '{}') as n20,
        coalesce(array_agg(namespace_id) filter (where access_level >= 15 and namespace_id is not null), '{}') as n15,
        coalesce(array_agg(namespace_id) filter (where namespace_id is not null), '{}') as n10,
        ${isMany ? sql`` : sql`${projects},`}
        now() - interval '2 years' as since
      from (
        ${roles}
        union all select id, null, 50 from namespaces where owner_id = ${id}) roles)${
          isMany
            ? sql`, singles as materialized (select ${projects},
            coalesce(${ranges} filter (where access_level >= 20), '{}') as r20,
            coalesce(${ranges} filter (where access_level >= 15), '{}') as r15,
            coalesce(${ranges}, '{}') as r10
          from (${roles}) roles where project_id is not null)`
            : sql``
        }${placeOrPerson(asked)}`;
}

/** The projects in which the asker has a role of their own, as a list, after `rightsAnd`. */
export function singlesOf({ asker }: Asked): Sql {
  return hasManyRoles(asker)
    ? sql`(select p10 from singles)::bigint[]`
    : sql`(select p10 from rights)::bigint[]`;
}

/** A text that changes whenever the asker's roles do, after `rightsAnd`. */
export function rightsText({ asker }: Asked): Sql {
  const from = hasManyRoles(asker) ? sql`rights, singles` : sql`rights`;
  return sql`(select md5((n20, n15, n10, p20, p15, p10)::text) from ${from})`;
}

function placeOrPerson(asked: Asked): Sql {
  const { subject } = asked;
  switch (subject.kind) {
    case "project":
      return knownPlace(asked, subject);
    case "reference":
      return namedPlace(asked, subject.reference);
    case "person":
      return namedPerson(asked, subject.person);
    case "author":
    case "group":
    case "memberships":
      return sql``;
  }
}

function knownPlace({ asker }: Asked, project: Extract<Subject, { kind: "project" }>): Sql {
  const { projectId, visibility, access } = project;
  return sql`, place as materialized (select ${projectId}::bigint as id, ${access}::integer as level,
      coalesce((select ${keptFrom} from projects p where p.id = ${projectId}), '-infinity') as kept_from,
      event_caps(${visibility}::text, ${access}::integer, ${asker !== undefined}::boolean) as caps)`;
}

function namedPlace(asked: Asked, reference: string): Sql {
  const { asker } = asked;
  const isAdmin = asker?.isAdmin ?? false;
  return sql`, place as materialized (
    select id, level, kept_from, event_caps(visibility, level, ${asker !== undefined}::boolean) as caps from (
      select p.id, p.visibility, coalesce(${keptFrom}, '-infinity') as kept_from, case when ${isAdmin}::boolean then 50 when ${hasLevel(20, { asker })} then 20
        when ${hasLevel(15, { asker })} then 15 when ${hasLevel(10, { asker })} then 10 else 0 end as level
      from projects p cross join rights r
      where p.id = ${projectIdOf(asked, reference)} and p.removal_began_at is null) found
    where level > 0 or visibility = 'public' or (visibility = 'internal' and ${asker !== undefined}::boolean))`;
}

/** Of `p`: the time since which it shows its events; null: the two years of all. Days have 24 hours (decision 0119). */
const keptFrom = sql`now() - p.event_retention_days * interval '24 hours'`;

/** The person of a list; none if the profile is private and the asker somebody else (contract-events §4, users). */
function namedPerson(asked: Asked, reference: string): Sql {
  const { asker } = asked;
  const { number, name } = namedOf(asked, reference, isPersonName);
  const isTheirs = isNumber(reference) ? sql`id = ${number}` : sql`lower(username) = lower(${name})`;
  return sql`, person as materialized (select id from users
    where ${isTheirs} and (not private_profile or id = ${askerId(asked)} or ${asker?.isAdmin ?? false}::boolean))`;
}

function projectIdOf(asked: Asked, reference: string): Sql {
  const { number, name } = namedOf(asked, reference, isProjectPath);
  if (isNumber(reference)) return number;
  return sql`coalesce((select id from projects where lower(full_path) = lower(${name})),
    (select project_id from project_redirects where old_path = lower(${name})))`;
}

/** Whether a name can be stored; otherwise nobody has it. */
const isPersonName = (name: string) => !name.includes("\0") && name.length <= 255;
const isProjectPath = (path: string) => path.includes("/") && mayBePath(path);

/** Whether it is a number, which is never taken for a name. */
export function isNumber(reference: string): boolean {
  return /^\d+$/.test(reference);
}

/** The number or name by which a subject was asked for; null where nothing can have it. */
export function nameOrNumber({ subject }: Asked): { number: number | null; name: string | null } {
  switch (subject.kind) {
    case "author":
      return { number: subject.authorId, name: null };
    case "person":
      return partOf(subject.person, isPersonName);
    case "reference":
      return partOf(subject.reference, isProjectPath);
    case "project":
    case "group":
    case "memberships":
      return { number: null, name: null };
  }
}

function partOf(given: string, mayBe: (name: string) => boolean) {
  if (!isNumber(given)) return { number: null, name: mayBe(given) ? given : null };
  return { number: Number.isSafeInteger(Number(given)) ? Number(given) : null, name: null };
}

function namedOf(
  { isShared }: Asked,
  given: string,
  mayBe: (name: string) => boolean,
): { number: Sql; name: Sql } {
  if (isShared) return { number: sql`q.number`, name: sql`q.name` };
  const { number, name } = partOf(given, mayBe);
  return { number: sql`${number}::bigint`, name: sql`${name}::text` };
}

/** The id of the asker; null: nobody. */
function askerId({ asker, isShared }: Pick<Asked, "asker" | "isShared">): Sql {
  return isShared ? sql`q.asker` : sql`${asker?.id ?? null}::bigint`;
}

/** Of `p` and the rights `r`: the asker has at least this level there. */
function hasLevel(level: keyof typeof byRoles, { asker }: Pick<Asked, "asker">): Sql {
  return hasManyRoles(asker) ? byManyRoles[level] : byRoles[level];
}

const byRoles = {
  10: sql`(p.lineage && r.n10 or p.id = any (r.p10))`,
  15: sql`(p.lineage && r.n15 or p.id = any (r.p15))`,
  20: sql`(p.lineage && r.n20 or p.id = any (r.p20))`,
};
const byManyRoles = {
  10: sql`(p.lineage && r.n10 or p.id <@ (select r10 from singles))`,
  15: sql`(p.lineage && r.n15 or p.id <@ (select r15 from singles))`,
  20: sql`(p.lineage && r.n20 or p.id <@ (select r20 from singles))`,
};

/** Whether all events are of the one project whose permission is in `place`, so that no `p` is needed. */
export function isOfOnePlace({ subject }: Asked, { groupId }: EventFilter = {}): boolean {
  return isOfProject(subject) && groupId === undefined;
}

/** Joins the project `p` of each `e`, and the rights `r`, where the permission depends on them. */
export function places(asked: Asked, filter: EventFilter = {}): Sql {
  return isOfOnePlace(asked, filter)
    ? sql``
    : sql`join projects p on p.id = e.project_id cross join rights r`;
}

/** The columns of `p` that decide the permission, and with which an event is shown. */
export const ofPlace = sql`p.id, p.visibility, p.event_retention_days, p.lineage, p.name, p.full_path`;

/** The same, looked up event by event, so that events are read in their order and no further than needed. */
export function placeOfEach(asked: Asked, filter: EventFilter = {}): Sql {
  return isOfOnePlace(asked, filter)
    ? sql``
    : sql`cross join lateral (select ${ofPlace} from projects p where p.id = e.project_id offset 0) p
      cross join rights r`;
}

/** The author, if the list is of one. */
export function authorOf({ subject, isShared }: Pick<Asked, "subject" | "isShared">): Sql | undefined {
  switch (subject.kind) {
    case "author":
    case "person":
      return idOf(subject, isShared);
    case "project":
    case "reference":
    case "group":
    case "memberships":
      return undefined;
  }
}

type OnePerson = Extract<SoughtSubject, { kind: "author" | "person" }>;

function idOf(subject: OnePerson, isShared: boolean | undefined): Sql {
  if (subject.kind === "person") return sql`(select id from person)`;
  return isShared ? sql`q.number` : sql`${subject.authorId}::bigint`;
}

/** Of `e` and `p`: the condition of the subject where `p` is known, without searching a list of projects for each event. */
export function isOfSubject(asked: Asked): Sql {
  return asked.subject.kind === "memberships" ? hasLevel(10, asked) : ofSubject(asked);
}

/** The same where projects `p` are searched by their indexes. */
export function ofSubject(asked: Asked): Sql {
  const { subject } = asked;
  switch (subject.kind) {
    case "memberships":
      return hasManyRoles(asked.asker)
        ? sql`(p.lineage && r.n10 or p.id = any (${singlesOf(asked)}))`
        : hasLevel(10, asked);
    case "group":
      return sql`p.lineage @> array[${subject.groupId}::bigint]`;
    case "author":
    case "person":
      return sql`e.author_id = ${idOf(subject, asked.isShared)}`;
    case "project":
    case "reference":
      return sql`e.project_id = (select id from place)`;
  }
}

/** Of `e`: not older than its project keeps events (decision 0119). Reads nothing that is not read for the rights anyway. */
export function isKept({ subject }: Asked): Sql {
  return isOfProject(subject)
    ? sql`e.created_at >= (select kept_from from place)`
    : sql`e.created_at >= greatest(r.since, ${keptFrom})`;
}

/**
 * Of `e`: kept, and open to the asker, or confidential and their own (reference events A9). `offset 0` makes the database look
 * the target up only where needed; the planner would rather read all targets once.
 */
export function mayBeSeen(asked: Asked): Sql {
  const { asker } = asked;
  if (asker?.isAdmin) return isKept(asked);
  if (!asker) return sql`(${isKept(asked)} and ${isOpen(asked)})`;
  return sql`(${isKept(asked)} and (${isOpen(asked)} or (${isOwnMatter(asked)}
    and exists (select from event_targets t where t.id = e.target_ref and ${isOfAsker(asked)} offset 0))))`;
}

/** Of `e`: confidential, and open to the asker if they created the target or are assigned to it. */
export function isOwnMatter({ subject, asker }: Asked): Sql {
  if (isOfProject(subject)) {
    return sql`e.cap in ('confidential', 'confidential_code') and
      (case e.cap when 'confidential' then 'issue' else 'code' end)::event_cap = any ((select caps from place)::event_cap[])`;
  }
  return sql`(e.cap in ('confidential', 'confidential_code') and p.visibility <> 'private'
    or e.cap = 'confidential' and ${hasLevel(10, { asker })})`;
}

/** Of `e` and `p`: open to the asker by `event_caps` (migration 0004); cheap conditions come first. */
export function isOpen({ subject, asker }: Asked): Sql {
  if (isOfProject(subject)) return sql`e.cap = any ((select caps from place)::event_cap[])`;
  if (!asker) return sql`(p.visibility = 'public' and e.cap <= 'snippet')`;
  if (asker.isAdmin) return sql`true`;
  return sql`(p.visibility <> 'private' and e.cap <= 'snippet'
    or ${hasLevel(20, { asker })}
    or e.cap in ('project', 'issue', 'milestone', 'wiki', 'snippet') and ${hasLevel(10, { asker })}
    or e.cap in ('confidential', 'internal') and ${hasLevel(15, { asker })})`;
}

/** Of `t`: the asker created the target or is assigned to it. */
export function isOfAsker(asked: Pick<Asked, "asker" | "isShared">): Sql {
  const id = askerId(asked);
  return sql`(t.author_id = ${id} or t.assignee_ids @> array[${id}])`;
}
