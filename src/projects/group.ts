/** A group with what the asker may do in it. */
import { NamespaceRow } from "../accounts/namespace.ts";
import { integer, type RowOf, row, text } from "../platform/row.ts";
import { lifecycleColumns } from "./lifecycle.ts";

/** The columns by which lists of groups can be sorted besides the whole path; equal ones are sorted by id. */
export const GROUP_ORDERS = ["id", "name", "path"] as const;
export type GroupOrder = (typeof GROUP_ORDERS)[number];

export const GroupRow = row({
  ...NamespaceRow.columns,
  ...lifecycleColumns,
  /** The names of the groups around it and its own, as `Harbour / Berths`. */
  fullName: text,
  /** The asker's effective access level, 0 for none; administrators have 50 everywhere. */
  access: integer,
});
export type Group = RowOf<typeof GroupRow>;
