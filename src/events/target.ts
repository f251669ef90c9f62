/** The target of an event: how it is identified, and what several events together say about it. */
import { createHash } from "node:crypto";
import { boolean, integer, type RowOf, row, text } from "../platform/row.ts";
import type { NewEvent, NoteableType, TargetType } from "./event.ts";

/** Kinds with numbers of their own; issues, work items and incidents share theirs. */
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

/** What one or more events say about a target, folded: for each member the newest event that has it decides. */
export interface TargetChange {
  projectId: number;
  kind: TargetKind;
  /** Undefined: no number was sent, so it is a new target, and we allot its number. */
  key: string | undefined;
  number: number | undefined;
  title: Said<string> | undefined;
  confidential: Said<boolean> | undefined;
  assigneeIds: Said<readonly number[]> | undefined;
  authorId: Said<number> | undefined;
}

/** A value, and the time of the event that has it; null: now. */
export interface Said<T> {
  value: T;
  at: Date | null;
}

/** A target after a change. */
export const TargetRow = row({ id: integer, number: integer, key: text, confidential: boolean });
export type Target = RowOf<typeof TargetRow>;

/** The kind of the target that the event describes; of a comment, of what was commented on. Undefined: it describes none. */
export function describedKind(event: Pick<NewEvent, "targetType" | "note">): TargetKind | undefined {
  if (event.note) return KINDS[event.note.noteableType];
  return event.targetType ? KINDS[event.targetType] : undefined;
}

/** The target that the event describes, and what the event says about it. */
export function changeOf(event: NewEvent): TargetChange | undefined {
  const kind = describedKind(event);
  if (kind === undefined) return undefined;
  const { note } = event;
  const [iid, id] = note ? [note.noteableIid, note.noteableId] : [event.targetIid, event.targetId];
  const at = event.createdAt ?? null;
  const said = <T>(value: T | undefined) => (value === undefined ? undefined : { value, at });
  const name = note ? note.commitId?.toLowerCase() : event.wikiPage?.slug;
  return {
    projectId: event.projectId,
    kind,
    key: keyOf({ iid, id, name }, event.otherRepository),
    number: id ?? undefined,
    title: said(event.title),
    confidential: said(event.confidential),
    assigneeIds: said(event.assigneeIds),
    authorId: event.action === "created" ? said(event.authorId) : undefined,
  };
}

/** The space for a key in PostgreSQL's index, beside the other columns. */
const MAX_KEY_BYTES = 2500;

/** The numbers and the name by which an event names its target. */
interface Named {
  iid: number | null | undefined;
  id: number | null | undefined;
  name: string | undefined;
}

/**
 * What identifies a target in its project, source and kind; undefined: nothing. A slash keeps a slug that looks like a number
 * apart from numbers, and a name that is too long is replaced by its hash. What another repository counts or names begins with
 * its id; a wide number does not, because it is the same in all repositories of a forge.
 */
function keyOf({ iid, id, name }: Named, otherRepository: string | undefined): string | undefined {
  const whose = otherRepository === undefined ? "" : `${otherRepository}#`;
  if (iid) return `${whose}${iid}`;
  if (id && (iid === undefined || iid === null)) return String(id);
  if (!name) return undefined;
  const isShort = Buffer.byteLength(name) <= MAX_KEY_BYTES;
  return `${whose}/${isShort ? name : `sha256:${createHash("sha256").update(name).digest("hex")}`}`;
}

/** The wide number if a change has nothing else to identify its target: sent alone or, as in our answers, as both numbers. */
export function wideAlone({ key, number }: TargetChange): number | undefined {
  return number !== undefined && key === String(number) ? number : undefined;
}

/** A name by which changes of the same target are found. */
export function identityOf(change: TargetChange): string | undefined {
  return change.key === undefined ? undefined : `${change.projectId} ${change.kind} ${change.key}`;
}

/** One change for each target that has a key. */
export function foldedChanges(changes: readonly TargetChange[]): TargetChange[] {
  const byIdentity = new Map<string | undefined, TargetChange>();
  for (const change of changes) {
    const before = byIdentity.get(identityOf(change));
    byIdentity.set(identityOf(change), before ? foldChange(before, change) : change);
  }
  return [...byIdentity.values()];
}

/**
 * Folds a change that arrived later into an earlier one of the same target: the newer time decides; if equal, the later change.
 */
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

// Batches have explicit times; a null time only occurs if an event is recorded alone.
function momentOf(said: Said<unknown>): number {
  return said.at?.getTime() ?? Number.POSITIVE_INFINITY;
}
