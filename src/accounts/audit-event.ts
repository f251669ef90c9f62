/** Entries of the audit log as events about a user, a project, a group or the instance (decision 0293). */
import type { Queries } from "../platform/db.ts";
import { oneOf, type RowOf, row } from "../platform/row.ts";
import { AuditEntryRow } from "./audit.ts";

/** What an event is about, in the words of the GitLab v4 API. */
export const ENTITY_TYPES = ["User", "Group", "Project", "Gitlab::Audit::InstanceScope"] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

export const AuditEventRow = row({ ...AuditEntryRow.columns, entityType: oneOf(ENTITY_TYPES) });
export type AuditEvent = RowOf<typeof AuditEventRow>;

/** Entries name projects and groups by path. */
export type PlaceType = Extract<EntityType, "Group" | "Project">;

/** A path, in lower case, that a project or group has, or had and keeps, and since when. */
export interface PlaceNamed {
  id: number;
  path: string;
  since: Date;
}

/**
 * Finds the current and kept former paths of one project or group, or those with these paths, in any case. Passed in by
 * `api-doors.ts`: the log knows no places.
 */
export type FindPlacesNamed = (
  db: Queries,
  type: PlaceType,
  by: { id: number } | { paths: readonly string[] },
) => Promise<PlaceNamed[]>;

/** The path by which an entry names a project or group; undefined: it is about neither. */
export function pathOfEntity({ entityType, details }: AuditEvent): string | undefined {
  if (entityType === "Project") return String(details.project);
  return entityType === "Group" ? String(details.group) : undefined;
}

/** The project or group that an event is about; undefined: it has been removed, or another one has its path now. */
export function placeOf(event: AuditEvent, named: readonly PlaceNamed[]): PlaceNamed | undefined {
  const path = pathOfEntity(event)?.toLowerCase();
  return named.find((place) => place.path === path && place.since <= event.at);
}
