/** The owner of an application, as far as the person to whom it is shown may know (decision 0081). */
import { boolean, nullable, type RowOf, row, text } from "../platform/row.ts";

export const OwnerRow = row({
  ownerUsername: nullable(text),
  isOfGroup: boolean,
  /** Whether it registered itself, so that nobody known made it. */
  selfRegistered: boolean,
  /** Null: no group owns it, or the person may not see that group. */
  ownerGroupPath: nullable(text),
});
/** The owner of an application: the instance unless it is a person's or a group's, or registered itself. */
export type Owner = RowOf<typeof OwnerRow>;

/** Names the group; its path is shown only to those who may see the group. */
export function groupOf({ ownerGroupPath }: Pick<Owner, "ownerGroupPath">): string {
  return ownerGroupPath === null ? "a group of this Gatehouse" : `the group ${ownerGroupPath}`;
}

/** The owner, as the words after "by". */
export function ownerWords(owner: Owner): string {
  if (owner.ownerUsername !== null) return `@${owner.ownerUsername}`;
  if (owner.selfRegistered) return "nobody known here";
  return owner.isOfGroup ? groupOf(owner) : "the administrators";
}
