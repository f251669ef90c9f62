/** Statements about entries of the audit log as events with an entity (decision 0293). */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { type AuditEvent, AuditEventRow, type EntityType, type PlaceNamed } from "./audit-event.ts";
import { auditColumns } from "./store-audit.ts";

export interface AuditEventFilter {
  entityType?: EntityType | undefined;
  /** Only about this user; with the entity type `User`. */
  userId?: number | undefined;
  /** Only about the project or group that had one of these paths; with the entity type `Project` or `Group`. */
  places?: readonly PlaceNamed[] | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
}

/** As on the page of the log: an entry with an affected user is about them, even if it names a place as well. */
const entityType = sql`case when e.user_id is not null then 'User' when e.details ? 'project' then 'Project'
  when e.details ? 'group' then 'Group' else 'Gitlab::Audit::InstanceScope' end`;

const eventColumns = sql`${auditColumns}, ${entityType} as entity_type`;

function conditions({ entityType: type, userId, places, createdAfter, createdBefore }: AuditEventFilter) {
  return [
    type !== undefined && sql`${entityType} = ${type}`,
    userId !== undefined && sql`e.user_id = ${userId}`,
    ...(places === undefined ? [] : [isAbout(places)]),
    createdAfter && sql`e.at >= ${createdAfter}`,
    createdBefore && sql`e.at <= ${createdBefore}`,
  ];
}

function isAbout(places: readonly PlaceNamed[]): Sql {
  const [paths, since] = [places.map(({ path }) => path), places.map((place) => place.since)];
  return sql`exists (select from unnest(${paths}::text[], ${since}::timestamptz[]) named (path, since)
    where named.path = lower(coalesce(e.details ->> 'project', e.details ->> 'group')) and named.since <= e.at)`;
}

/** Newest first. */
export function listAuditEvents(
  db: Queries,
  filter: AuditEventFilter,
  page: { limit: number; offset: number },
): Promise<AuditEvent[]> {
  const where = joinSql([sql`true`, ...conditions(filter)], " and ");
  return db.many(
    AuditEventRow,
    sql`select ${eventColumns} from audit_entries e where ${where}
      order by e.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

/** Entries are numbered without gaps, so all of them need not be counted. */
export function countAuditEvents(db: Queries, filter: AuditEventFilter): Promise<number> {
  const which = conditions(filter);
  return countOf(
    db,
    which.length === 0
      ? sql`select coalesce(max(id), 0) as n from audit_entries`
      : sql`select count(*) as n from audit_entries e where ${joinSql(which, " and ")}`,
  );
}

export function findAuditEvent(db: Queries, id: number): Promise<AuditEvent | undefined> {
  return db.find(AuditEventRow, sql`select ${eventColumns} from audit_entries e where e.id = ${id}`);
}
