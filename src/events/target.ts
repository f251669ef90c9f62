/** The target of an event: which one it is, and what several events together say of it. */
import { createHash } from "node:crypto";
import { boolean, integer, type RowOf, row, text } from "../platform/row.ts";
import type { NewEvent, NoteableType, TargetType } from "./event.ts";

/** Kinds with numbers of their own; issues, work items and incidents count together. */
export const TARGET_KINDS = [
  "issue",
  "merge_request",
  "milestone",
  "snippet",
  "wiki",
  "commit",
  "project",
  "user",
] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** The source of events that come by the write API. */
export const WRITE_API = 0;
/** The source of events that the service itself records, such as those of incidents. */
export const OWN = -1;

const KINDS: Readonly<Record<TargetType | NoteableType, TargetKind | undefined>> = {
  Issue: "issue",
  WorkItem: "issue",
  Incident: "issue",
  MergeRequest: "merge_request",
  Milestone: "milestone",
  Snippet: "snippet",
  "WikiPage::Meta": "wiki",
  Commit: "commit",
  Project: "project",
  User: "user",
  Note: undefined,
  DiscussionNote: undefined,
  DiffNote: undefined,
};

/** What one or more events say of a target, folded: for each member the newest event that sends it decides. */
export interface TargetChange {
  projectId: number;
  kind: TargetKind;
  /** Undefined: no number was sent, so it is a new target, numbered by us. */
  key: string | undefined;
  number: number | undefined;
  title: Said<string> | undefined;
  confidential: Said<boolean> | undefined;
  assigneeIds: Said<readonly number[]> | undefined;
  authorId: Said<number> | undefined;
}

/** A value, and when the event that says it was; null: now. */
export interface Said<T> {
  value: T;
  at: Date | null;
}

/** A target as it is after a change. */
export const TargetRow = row({ id: integer, number: integer, key: text, confidential: boolean });
export type Target = RowOf<typeof TargetRow>;

/** The kind of what the event describes: its target, or what a comment is on. Undefined: it describes nothing. */
export function describedKind(event: Pick<NewEvent, "targetType" | "note">): TargetKind | undefined {
  if (event.note) return KINDS[event.note.noteableType];
  return event.targetType ? KINDS[event.targetType] : undefined;
}

/** The target that the event describes, and what it says of it. */
export function changeOf(event: NewEvent): TargetChange | undefined {
  const kind = describedKind(event);
  if (kind === undefined) return undefined;
  const { note } = event;
  const [iid, id] = note ? [note.noteableIid, note.noteableId] : [event.targetIid, event.targetId];
  const at = event.createdAt ?? null;
  const said = <T>(value: T | undefined) => (value === undefined ? undefined : { value, at });
  const name = note ? note.commitId?.toLowerCase() : event.wikiPage?.slug;
  const number = iid ?? id;
  return {
    projectId: event.projectId,
    kind,
    key: number ? String(number) : name ? keyOf(name) : undefined,
    number: id ?? undefined,
    title: said(event.title),
    confidential: said(event.confidential),
    assigneeIds: said(event.assigneeIds),
    authorId: event.action === "created" ? said(event.authorId) : undefined,
  };
}

/** What PostgreSQL's index of keys has room for, with the columns before. */
const MOST_KEY_BYTES = 2500;

/** A slug may look like a number and is none. One that is too long stands for itself by its hash. */
function keyOf(name: string): string {
  if (Buffer.byteLength(name) <= MOST_KEY_BYTES) return `/${name}`;
  return `/sha256:${createHash("sha256").update(name).digest("hex")}`;
}

/** The wide number where it is all that a change is known by, sent alone or as we answer it: as the number within the project too. */
export function wideAlone({ key, number }: TargetChange): number | undefined {
  return number !== undefined && key === String(number) ? number : undefined;
}

/** A name for a target by which changes of the same one are found. */
export function identityOf(change: TargetChange): string | undefined {
  return change.key === undefined ? undefined : `${change.projectId} ${change.kind} ${change.key}`;
}

/** One change for each target that bears a key. */
export function foldedChanges(changes: readonly TargetChange[]): TargetChange[] {
  const byIdentity = new Map<string | undefined, TargetChange>();
  for (const change of changes) {
    const before = byIdentity.get(identityOf(change));
    byIdentity.set(identityOf(change), before ? foldChange(before, change) : change);
  }
  return [...byIdentity.values()];
}

/** Folds a later arrival into an earlier one of the same target: the newer moment decides, on a tie the later. */
function foldChange(before: TargetChange, after: TargetChange): TargetChange {
  return {
    ...before,
    number: after.number ?? before.number,
    title: newer(before.title, after.title),
    confidential: newer(before.confidential, after.confidential),
    assigneeIds: newer(before.assigneeIds, after.assigneeIds),
    authorId: older(before.authorId, after.authorId),
  };
}

function newer<T>(before: Said<T> | undefined, after: Said<T> | undefined): Said<T> | undefined {
  if (!before || !after) return after ?? before;
  return momentOf(after) >= momentOf(before) ? after : before;
}

function older<T>(before: Said<T> | undefined, after: Said<T> | undefined): Said<T> | undefined {
  if (!before || !after) return before ?? after;
  return momentOf(after) < momentOf(before) ? after : before;
}

// Batches carry explicit moments; "now" appears only where one event stands alone.
function momentOf(said: Said<unknown>): number {
  return said.at?.getTime() ?? Number.POSITIVE_INFINITY;
}
