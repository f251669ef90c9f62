/**
 * Whether a project or group is read-only: archived or marked for deletion, by itself or with a group around it (decisions 0152,
 * 0153).
 */
import { boolean, instant, nullable, type RowOf, row, text } from "../platform/row.ts";
import { isAtLeast } from "./role.ts";

export type PlaceKind = "project" | "group";

/** A project or group, by its number or its path. */
export interface PlaceReference {
  kind: PlaceKind;
  reference: string;
}

/** The columns of projects and groups that show it. */
export const lifecycleColumns = {
  /** Since when it, or a group around it, is archived. */
  archivedAt: nullable(instant),
  /** Since when it, or a group around it, is marked for deletion. */
  markedForDeletionAt: nullable(instant),
  /** When it is due for removal. */
  removalDueAt: nullable(instant),
  isArchivedItself: boolean,
  isMarkedItself: boolean,
  /** The path of the outermost group around it that is archived. */
  archivedWith: nullable(text),
  /** The path of the outermost group around it that is marked for deletion. */
  markedWith: nullable(text),
};
const LifecycleRow = row(lifecycleColumns);
export type Lifecycle = RowOf<typeof LifecycleRow>;

/** Why it takes no changes, as a sentence; undefined if it does. */
export function readOnlyReason(kind: PlaceKind, place: Lifecycle): string | undefined {
  const { archivedAt, removalDueAt, archivedWith, markedWith, isArchivedItself, isMarkedItself } = place;
  const its = (isItself: boolean, around: string | null) =>
    isItself || around === null ? `This ${kind}` : `The group ${around}, which holds this ${kind},`;
  if (removalDueAt !== null) {
    const marked = `${its(isMarkedItself, markedWith)} is marked for deletion`;
    return `${marked} and goes for good on ${momentOf(removalDueAt)}. Until then it can only be read, or restored by its owners.`;
  }
  if (archivedAt === null) return undefined;
  return `${its(isArchivedItself, archivedWith)} is archived and can only be read.`;
}

/** Whether it is archived or marked for deletion, and so takes no changes. */
export function isReadOnly({ archivedAt, removalDueAt }: Lifecycle): boolean {
  return archivedAt !== null || removalDueAt !== null;
}

/** Which of the two it is, for a place that is read-only. */
export function readOnlyState({ removalDueAt }: Lifecycle): "archived" | "marked for deletion" {
  return removalDueAt === null ? "archived" : "marked for deletion";
}

const momentOf = (at: Date): string => {
  const day = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;
  return `${at.toLocaleDateString("en-GB", day)}, ${at.toISOString().slice(11, 16)} UTC`;
};

/**
 * The notice above every page of a place that is read-only; `way` leads owners to the form that restores it, and others to the
 * group that decides.
 */
export interface ReadOnlyNotice {
  text: string;
  way?: { label: string; href: string } | undefined;
}

/** Undefined: it is not read-only. */
export function readOnlyNotice(
  kind: PlaceKind,
  place: Lifecycle & { fullPath: string; access: number },
): ReadOnlyNotice | undefined {
  const text = readOnlyReason(kind, place);
  if (text === undefined) return undefined;
  const { removalDueAt, isArchivedItself, isMarkedItself, archivedWith, markedWith } = place;
  const isMarked = removalDueAt !== null;
  const around = isMarked ? markedWith : archivedWith;
  if (!(isMarked ? isMarkedItself : isArchivedItself)) {
    return { text, way: around === null ? undefined : { label: "To the group", href: `/${around}` } };
  }
  if (!isAtLeast(place.access, "owner")) {
    return { text: isMarked ? text : `${text} Its owners can unarchive it.` };
  }
  const [label, part] = isMarked ? ["Restore it", "delete"] : ["Unarchive it", "archive"];
  return { text, way: { label, href: `${settingsAddress(kind, place)}#${part}` } };
}

/** The beginning of the addresses of the forms that archive, delete or restore it. */
export function lifecycleAddress(kind: PlaceKind, place: { fullPath: string }): string {
  return kind === "project" ? `/${place.fullPath}/-/settings` : settingsAddress(kind, place);
}

/** The settings that contain these forms. */
export function settingsAddress(kind: PlaceKind, { fullPath }: { fullPath: string }): string {
  return kind === "project"
    ? `/${fullPath}/-/settings/general`
    : `/groups/${encodeURIComponent(fullPath)}/-/settings`;
}
