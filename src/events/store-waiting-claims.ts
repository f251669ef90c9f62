/** The statement about claims of outside identities that wait for a person's answer (decision 0132). */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const WaitingRow = row({
  host: text,
  login: text,
  createdAt: instant,
  username: text,
  name: text,
  /** Null: it waits for an administrator. */
  fullPath: nullable(text),
  total: integer,
});
export type WaitingClaim = RowOf<typeof WaitingRow>;

/**
 * The oldest claims that this person may answer and that have no answer: for administrators all, for others one row for each
 * project in which they are Maintainers, the identity has events and the claimant may see them, unless it is archived or marked
 * for deletion. Claims to identities that no source has named cannot be answered, and nobody answers their own.
 */
export function listWaitingClaims(
  db: Queries,
  viewer: { id: number; isAdmin: boolean },
  limit: number,
): Promise<WaitingClaim[]> {
  const claims = sql`event_claims c join users u on u.id = c.user_id
    join event_outsiders o on o.host = c.host and o.login = c.login`;
  const places = viewer.isAdmin
    ? sql`select c.id, null::text as full_path from ${claims}
        where not exists (select from event_claim_answers a where a.claim_id = c.id)`
    : sql`select c.id, p.full_path from ${claims}
        join (select author_id, project_id, n from event_author_totals
          union all select author_id, project_id, n from event_deltas) t on t.author_id = o.user_id
        join project_roles r on r.project_id = t.project_id and r.user_id = ${viewer.id} and r.access_level >= 40
        join projects p on p.id = r.project_id and not p.archived
        where not exists (select from event_claim_answers a
            where a.claim_id = c.id and (a.project_id = p.id or a.project_id is null))
          and (p.visibility in ('public', 'internal') or u.is_admin
            or exists (select from project_roles s where s.project_id = p.id and s.user_id = c.user_id))
        group by c.id, p.full_path having sum(t.n) > 0`;
  return db.many(
    WaitingRow,
    sql`select c.host, coalesce(c.told, c.login) as login, c.created_at, u.username, u.name, w.full_path, count(*) over () as total
      from (${places}) w join event_claims c on c.id = w.id join users u on u.id = c.user_id
      where c.user_id <> ${viewer.id}
      order by c.id, w.full_path limit ${limit}`,
  );
}
