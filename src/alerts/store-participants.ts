/** Statements about the people who took part in an incident. */
import { USER_STATES } from "../accounts/user.ts";
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";

const ParticipantRow = row({ id: integer, username: text, name: text, state: oneOf(USER_STATES) });
export type Participant = RowOf<typeof ParticipantRow>;

/** Who opened the incident, and whoever wrote or caused a line of its timeline. */
const took = (incidentId: number): Sql => sql`users u where u.id in (
  select author_id from incidents where id = ${incidentId}
  union select author_id from incident_notes where incident_id = ${incidentId})`;

/** A page of the participants, ordered by id. */
export function listParticipants(
  db: Queries,
  incidentId: number,
  page: { limit: number; offset: number },
): Promise<Participant[]> {
  return db.many(
    ParticipantRow,
    sql`select u.id, u.username, u.name, u.state from ${took(incidentId)}
      order by u.id limit ${page.limit} offset ${page.offset}`,
  );
}

export function countParticipants(db: Queries, incidentId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${took(incidentId)}`);
}
