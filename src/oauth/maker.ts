/** The owner of an application, as far as the person to whom it is shown may know (decision 0081). */
import { boolean, nullable, type RowOf, row, text } from "../platform/row.ts";

export const MakerRow = row({
  ownerUsername: nullable(text),
  isOfGroup: boolean,
  /** Whether it registered itself, so that nobody known made it. */
  selfRegistered: boolean,
  /** Null: no group owns it, or the person may not see that group. */
  ownerGroupPath: nullable(text),
});
/** The owner of an application: the instance unless it is a person's or a group's, or registered itself. */
export type Maker = RowOf<typeof MakerRow>;

/** Names the group; its path is shown only to those who may see the group. */
export function groupOf({ ownerGroupPath }: Pick<Maker, "ownerGroupPath">): string {
  return ownerGroupPath === null ? "a group of this Gatehouse" : `the group ${ownerGroupPath}`;
}

/** The owner, as the words after "by". */
export function byWhom(maker: Maker): string {
  if (maker.ownerUsername !== null) return `@${maker.ownerUsername}`;
  if (maker.selfRegistered) return "nobody known here";
  return maker.isOfGroup ? groupOf(maker) : "the administrators";
}
