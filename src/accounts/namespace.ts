/** A namespace: the first part of a path, which belongs to a user or a group. */
import { instant, integer, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

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
  visibility: oneOf(["private", "internal", "public"]),
  plan: oneOf(["premium", "free"]),
  createdAt: instant,
});
export type Namespace = RowOf<typeof NamespaceRow>;
