/** A project as the asker sees it. */
import { PLANS, VISIBILITIES } from "../accounts/namespace.ts";
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { lifecycleColumns } from "./lifecycle.ts";

/** The most days that two years can have. */
export const MAX_DAYS = 731;
/** The columns by which lists of projects can be sorted; equal ones are sorted by id. */
export const PROJECT_ORDERS = ["id", "name", "path", "created_at", "updated_at", "last_activity_at"] as const;
export type ProjectOrder = (typeof PROJECT_ORDERS)[number];

/** A project with its namespace and what the caller may do there (0: not a member). */
export const ProjectRow = row({
  id: integer,
  name: text,
  path: text,
  fullPath: text,
  description: text,
  visibility: oneOf(VISIBILITIES),
  defaultBranch: text,
  creatorId: nullable(integer),
  ...lifecycleColumns,
  /** Days of 24 hours for which events are kept; null: the two years of all (decision 0119). */
  eventRetentionDays: nullable(integer),
  createdAt: instant,
  lastActivityAt: instant,
  namespaceId: integer,
  namespaceName: text,
  /** With the names of the groups around it. */
  namespaceFullName: text,
  namespacePath: text,
  namespaceFullPath: text,
  namespaceKind: oneOf(["user", "group"]),
  namespaceParentId: nullable(integer),
  /** The plan of the top-level namespace. */
  plan: oneOf(PLANS),
  /** The caller's effective access level; administrators have 50 everywhere. */
  access: integer,
});
export type Project = RowOf<typeof ProjectRow>;
