/** Statements about silences. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, row, text } from "../platform/row.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import { type Silence, type SilenceFields, SilenceRow } from "./silence.ts";

/** Whether the silence `s` is in force, by the clock of the database and in the zone of its windows. */
export const inForce = sql`s.starts_at <= now() and coalesce(s.ends_at > now(), true) and (s.days = '{}' or (
  select case when s.from_time < s.to_time
      then extract(isodow from t)::int = any (s.days) and t::time >= s.from_time::time and t::time < s.to_time::time
      else (extract(isodow from t)::int = any (s.days) and t::time >= s.from_time::time)
        or (extract(isodow from t - interval '1 day')::int = any (s.days) and t::time < s.to_time::time) end
  from (select now() at time zone s.zone as t) here))`;

const silenceColumns = sql`s.id, s.comment, s.matchers, s.starts_at, s.ends_at, s.days, s.from_time, s.to_time, s.zone,
  s.author_id, u.username as author_username, u.name as author_name, u.state as author_state,
  ${inForce} as in_force, coalesce(s.ends_at <= now(), false) as is_over,
  (select count(*) from alerts a where a.project_id = s.project_id and a.silence_id = s.id
    and a.status <> 'resolved') as alert_count, s.created_at, s.updated_at`;
const silences = sql`alert_silences s left join users u on u.id = s.author_id`;

/** Lists silences: those that are not over first, then the newest. */
export function listSilences(
  db: Queries,
  projectId: number,
  page: { limit: number; offset: number },
): Promise<Silence[]> {
  return db.many(
    SilenceRow,
    sql`select ${silenceColumns} from ${silences} where s.project_id = ${projectId}
      order by coalesce(s.ends_at <= now(), false), s.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

/** Counts all silences, and those that are not over. */
export function countSilences(db: Queries, projectId: number) {
  return db.one(
    row({ total: integer, alive: integer }),
    sql`select count(*) as total, count(*) filter (where coalesce(ends_at > now(), true)) as alive
      from alert_silences where project_id = ${projectId}`,
  );
}

export function findSilence(db: Queries, projectId: number, id: number): Promise<Silence | undefined> {
  return db.find(
    SilenceRow,
    sql`select ${silenceColumns} from ${silences} where s.project_id = ${projectId} and s.id = ${id}`,
  );
}

const written = ({ recurrence }: SilenceFields) => sql`${recurrence?.days ?? []}::smallint[],
  ${recurrence?.from ?? null}::text, ${recurrence?.to ?? null}::text, ${recurrence?.zone ?? null}::text`;

export async function insertSilence(
  db: Queries,
  projectId: number,
  authorId: number | null,
  one: SilenceFields,
): Promise<number> {
  const { id } = await db.one(
    row({ id: integer }),
    sql`insert into alert_silences
        (project_id, author_id, comment, matchers, starts_at, ends_at, days, from_time, to_time, zone)
      values (${projectId}, ${authorId}, ${one.comment}, ${json(one.matchers)}::jsonb,
        coalesce(${one.startsAt}::timestamptz(3), date_trunc('milliseconds', now())), ${one.endsAt}::timestamptz(3),
        ${written(one)})
      returning id`,
  );
  return id;
}

/** Updates a silence; 0 if it is over. */
export function updateSilence(
  db: Queries,
  projectId: number,
  id: number,
  one: SilenceFields,
): Promise<number> {
  return db.run(
    sql`update alert_silences set comment = ${one.comment}, matchers = ${json(one.matchers)}::jsonb,
        starts_at = coalesce(${one.startsAt}::timestamptz(3), starts_at), ends_at = ${one.endsAt}::timestamptz(3),
        (days, from_time, to_time, zone) = (${written(one)}), updated_at = now(),
        judged_until = case when matchers = ${json(one.matchers)}::jsonb then judged_until else 0 end
      where project_id = ${projectId} and id = ${id} and coalesce(ends_at > clock_timestamp(), true)`,
  );
}

/** Ends a silence now; one that has not begun never begins. */
export function endSilence(db: Queries, projectId: number, id: number): Promise<number> {
  return db.run(
    sql`update alert_silences set starts_at = least(starts_at, date_trunc('milliseconds', now())),
        ends_at = date_trunc('milliseconds', now()), updated_at = now()
      where project_id = ${projectId} and id = ${id} and coalesce(ends_at > clock_timestamp(), true)`,
  );
}

/**
 * Replaces the old name of an integration by the new one in the silences of a project that are not over, unless another
 * integration of the project has the old name, or has it as its id. Returns the changed silences.
 */
export function renameIntegration(
  db: Queries,
  projectId: number,
  { id, from, to }: { id: number; from: string; to: string },
) {
  const named = (
    matcher: Sql,
  ) => sql`${matcher} @> '{"field":"integration"}' and ${matcher} ->> 'value' = ${from}
    and ${matcher} ->> 'operator' in ('equals', 'not_equals')`;
  return db.many(
    row({ id: integer, comment: text }),
    sql`update alert_silences s set updated_at = now(), matchers = (
        select jsonb_agg(case when ${named(sql`m`)} then m || jsonb_build_object('value', ${to}::text) else m end order by n)
        from jsonb_array_elements(s.matchers) with ordinality as each (m, n))
      where s.project_id = ${projectId} and coalesce(s.ends_at > clock_timestamp(), true)
        and exists (select from jsonb_array_elements(s.matchers) as each (m) where ${named(sql`m`)})
        and not exists (select from alert_integrations g where g.project_id = ${projectId}
          and g.id <> ${id} and (g.name = ${from} or g.id::text = ${from}))
      returning s.id, s.comment`,
  );
}

/** Checks a zone and an end against the clock and the time zones of the database. */
export function judgeTimes(db: Queries, zone: string | null, endsAt: Date | null) {
  return db.one(
    row({ knowsZone: boolean, isPast: boolean }),
    sql`select ${zone}::text is null or exists (select from pg_timezone_names where name = ${zone}) as knows_zone,
      coalesce(${endsAt}::timestamptz <= now(), false) as is_past`,
  );
}

/** Marks that from now on recording alerts of this project must look up its reach. */
export function markReaching(db: Queries, projectId: number): Promise<number> {
  return db.run(
    sql`insert into alert_settings (project_id, reaches) values (${projectId}, true)
      on conflict (project_id) do update set reaches = true`,
  );
}

/**
 * Lists projects that are not archived and have open alerts whose silence is over, is between windows, or was changed. Each
 * silence is evaluated once.
 */
export function listReleasable(db: Queries) {
  return db.many(
    row({ projectId: integer }),
    sql`select distinct h.project_id from (
        select project_id, silence_id from alerts where silence_id is not null and status <> 'resolved' group by 1, 2
      ) h join projects p on p.id = h.project_id and not p.archived
      left join alert_silences s on s.id = h.silence_id
      where s.id is null or not (${inForce}) or s.judged_until is not null limit 50`,
  );
}

/**
 * Locks the silences of a project whose changed conditions were not yet checked for all open alerts, until the transaction
 * ends.
 */
export function lockChanged(db: Queries, projectId: number) {
  return db.many(
    row({ id: integer }),
    sql`select id from alert_silences where project_id = ${projectId} and judged_until is not null order by id for update`,
  );
}

/** Sets up to which alert id they are checked; null: all. */
export function updateJudged(
  db: Queries,
  silences: readonly { id: number }[],
  until: number | null,
): Promise<number> {
  return db.run(
    sql`update alert_silences set judged_until = ${until}::bigint where id = any (${silences.map(({ id }) => id)}::bigint[])`,
  );
}

/** Lists up to `limit` of a project's open alerts whose silence is not in force or was changed, the oldest first. */
export function listHeld(db: Queries, projectId: number, limit: number) {
  return db.many(
    row({ id: integer, iid: integer, isOver: boolean }),
    sql`select a.id, a.iid, s.id is null or not (${inForce}) as is_over from alerts a left join alert_silences s on s.id = a.silence_id
      where a.project_id = ${projectId} and a.silence_id is not null and a.status <> 'resolved'
        and (s.id is null or not (${inForce}) or a.id > s.judged_until)
      order by a.id limit ${limit}`,
  );
}

/** Sets the silence of alerts, or none. */
export function updateSilenceOf(
  db: Queries,
  rows: readonly { id: number; silenceId: number | null }[],
): Promise<number> {
  return db.run(
    sql`update alerts a set silence_id = i."silenceId"
      from json_to_recordset(${json(rows)}::json) as i (id bigint, "silenceId" bigint) where a.id = i.id`,
  );
}
