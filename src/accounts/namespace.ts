/** A namespace: the first part of a path, which belongs to a user or a group. */
import { instant, integer, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

/** Who may see a project or group, the fewest first: its members, all who are signed in, everybody. */
export const VISIBILITIES = ["private", "internal", "public"] as const;
export type Visibility = (typeof VISIBILITIES)[number];
export const PLANS = ["premium", "free"] as const;

export const NamespaceRow = row({
  id: integer,
  kind: oneOf(["user", "group"]),
  ownerId: nullable(integer),
  parentId: nullable(integer),
  lineage: list(integer),
  path: text,
  fullPath: text,
  name: text,
  description: text,
  visibility: oneOf(VISIBILITIES),
  plan: oneOf(PLANS),
  createdAt: instant,
});
export type Namespace = RowOf<typeof NamespaceRow>;

const LONGEST_PATH = 2000;

/** Whether a text is worth looking for among the paths; the database would refuse one with a NUL. */
export function mayBePath(text: string): boolean {
  return !text.includes("\0") && text.length <= LONGEST_PATH;
}
