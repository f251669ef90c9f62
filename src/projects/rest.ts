/**
 * Whether a project or group is at rest: archived or marked for deletion, by itself or with a group around it (decisions 0152,
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
export const restColumns = {
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
const RestRow = row(restColumns);
export type Rest = RowOf<typeof RestRow>;

/** Why it takes no changes, as a sentence; undefined if it does. */
export function restWords(kind: PlaceKind, rest: Rest): string | undefined {
  const { archivedAt, removalDueAt, archivedWith, markedWith, isArchivedItself, isMarkedItself } = rest;
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
export function isAtRest({ archivedAt, removalDueAt }: Rest): boolean {
  return archivedAt !== null || removalDueAt !== null;
}

/** Which of the two it is, for a place at rest. */
export function restKind({ removalDueAt }: Rest): "archived" | "marked for deletion" {
  return removalDueAt === null ? "archived" : "marked for deletion";
}

const momentOf = (at: Date): string => {
  const day = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;
  return `${at.toLocaleDateString("en-GB", day)}, ${at.toISOString().slice(11, 16)} UTC`;
};

/**
 * The notice above every page of a place at rest; `way` leads owners to the form that restores it, and others to the group that
 * decides.
 */
export interface RestNotice {
  text: string;
  way?: { label: string; href: string } | undefined;
}

/** Undefined: it is not at rest. */
export function restNotice(
  kind: PlaceKind,
  place: Rest & { fullPath: string; access: number },
): RestNotice | undefined {
  const text = restWords(kind, place);
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
  return { text, way: { label, href: `${restHome(kind, place)}#${part}` } };
}

/** The beginning of the addresses of the forms that archive, delete or restore it. */
export function restForms(kind: PlaceKind, place: { fullPath: string }): string {
  return kind === "project" ? `/${place.fullPath}/-/settings` : restHome(kind, place);
}

/** The settings that contain these forms. */
export function restHome(kind: PlaceKind, { fullPath }: { fullPath: string }): string {
  return kind === "project"
    ? `/${fullPath}/-/settings/general`
    : `/groups/${encodeURIComponent(fullPath)}/-/settings`;
}
