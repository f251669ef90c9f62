/** Who made an application, as far as the person to whom it is shown may know (decision 0081). */
import { boolean, nullable, type RowOf, row, text } from "../platform/row.ts";

export const MakerRow = row({
  ownerUsername: nullable(text),
  isOfGroup: boolean,
  /** By itself: nobody made it whom we know. */
  selfRegistered: boolean,
  /** Null: of no group, or of one that the person does not see. */
  ownerGroupPath: nullable(text),
});
/** Whose it is; neither a person's nor a group's, nor registered by itself: the instance's. */
export type Maker = RowOf<typeof MakerRow>;

/** A group in words: its path is told only to whoever sees the group. */
export function groupOf({ ownerGroupPath }: Pick<Maker, "ownerGroupPath">): string {
  return ownerGroupPath === null ? "a group of this Gatehouse" : `the group ${ownerGroupPath}`;
}

/** The owner, in the words that follow "by". */
export function byWhom(maker: Maker): string {
  if (maker.ownerUsername !== null) return `@${maker.ownerUsername}`;
  if (maker.selfRegistered) return "nobody known here";
  return maker.isOfGroup ? groupOf(maker) : "the administrators";
}
