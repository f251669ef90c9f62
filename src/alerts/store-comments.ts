/** Statements about the comments of alerts, which are stored with their activity. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { instant, integer, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Note, type NoteKind, NoteRow } from "./store-incidents.ts";

const commentColumns = sql`t.id, t.body, t.kind <> 'comment' as system, t.author_id, u.username as author_username,
  u.name as author_name, u.state as author_state, t.created_at, t.created_at as updated_at`;

const isOfKind = (kind: NoteKind | undefined) =>
  kind === undefined ? sql`true` : kind === "comments" ? sql`t.kind = 'comment'` : sql`t.kind <> 'comment'`;

/** Lists comments and the service's own lines, in order of their ids. */
export function listComments(
  db: Queries,
  alertId: number,
  page: { limit: number; offset: number; ascending: boolean; kind: NoteKind | undefined },
): Promise<Note[]> {
  const direction = page.ascending ? sql`asc` : sql`desc`;
  return db.many(
    NoteRow,
    sql`select ${commentColumns} from alert_activity t left join users u on u.id = t.author_id
      where t.alert_id = ${alertId} and ${isOfKind(page.kind)} order by t.id ${direction} limit ${page.limit} offset ${page.offset}`,
  );
}

export function countComments(db: Queries, alertId: number, kind: NoteKind | undefined): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from alert_activity t where alert_id = ${alertId} and ${isOfKind(kind)}`,
  );
}

export function insertComment(
  db: Queries,
  { alertId, authorId, body }: { alertId: number; authorId: number; body: string },
): Promise<Note> {
  return db.one(
    NoteRow,
    sql`with t as (
        insert into alert_activity (alert_id, author_id, kind, body)
        values (${alertId}, ${authorId}, 'comment', ${body}) returning id, body, kind, author_id, created_at
      )
      select ${commentColumns} from t left join users u on u.id = t.author_id`,
  );
}

export const ToldRow = row({ id: integer, body: text, createdAt: instant });
export type ToldLine = RowOf<typeof ToldRow>;

/** Lists what tools said of an alert and this service did, without what people wrote or did, or their names (decision 0186). */
export function listToldByTools(
  db: Queries,
  alertId: number,
  { notes, limit, ascending }: { notes: boolean; limit: number; ascending: boolean },
): Promise<ToldLine[]> {
  const kinds = notes ? sql`kind = 'comment'` : sql`kind in ('fired', 'recovered', 'incident', 'status')`;
  return db.many(
    ToldRow,
    sql`select id, body, created_at from alert_activity
      where alert_id = ${alertId} and author_id is null and ${kinds}
      order by id ${ascending ? sql`asc` : sql`desc`} limit ${limit}`,
  );
}
