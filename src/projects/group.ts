/** A group with what the asker may do in it. */
import { NamespaceRow } from "../accounts/namespace.ts";
import { integer, type RowOf, row } from "../platform/row.ts";
import { restColumns } from "./rest.ts";

export const GroupRow = row({
  ...NamespaceRow.columns,
  ...restColumns,
  /** The asker's effective access level, 0 for none; administrators have 50 everywhere. */
  access: integer,
});
export type Group = RowOf<typeof GroupRow>;
