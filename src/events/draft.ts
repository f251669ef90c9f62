/** An event as its sender wrote it, and the rules that turn it into an event to record (contract-events §1). */
import { createHash } from "node:crypto";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import {
  type Action,
  isAllowedPair,
  type NewEvent,
  type NoteableType,
  type NoteData,
  type TargetType,
  type WikiPage,
} from "./event.ts";
import { type PushedRef, pushData } from "./push.ts";

/** The author as the sender names them; neither member: the sender. */
export interface NamedAuthor {
  authorId?: number | undefined;
  authorUsername?: string | undefined;
}

/** A comment as written. */
export interface NoteDraft {
  id?: number | undefined;
  body: string;
  system: boolean;
  internal: boolean;
  attachment: unknown;
  noteableType?: NoteableType | undefined;
  noteableIid?: number | undefined;
  noteableId?: number | undefined;
  commitId?: string | undefined;
}

/** An event as written: the types of its members are checked, but not yet whether they fit together. */
export interface EventDraft extends NamedAuthor {
  action: Action;
  targetType: TargetType | null;
  targetIid?: number | undefined;
  targetId?: number | undefined;
  title?: string | undefined;
  confidential?: boolean | undefined;
  assigneeIds?: readonly number[] | undefined;
  createdAt?: Date | undefined;
  push?: PushedRef | undefined;
  note?: NoteDraft | undefined;
  wikiPage?: WikiPage | undefined;
  importedFrom: string;
  externalId?: string | undefined;
}

/** Refuses an author who does not exist, and says by which member they were named. */
export function unknownAuthor({ authorId }: NamedAuthor): Problem {
  return unprocessable(`${authorId === undefined ? "author_username" : "author_id"} names nobody`);
}

/** Where and when an event happens, and by whom. */
export type Circumstances = Pick<NewEvent, "projectId" | "authorId"> & { createdAt: Date };

/**
 * Turns a draft into an event to record.
 * @throws ParameterProblem a missing member; Problem unprocessable: an action that such a target cannot have, or members that
 *   contradict each other
 */
export function eventOf(draft: EventDraft, { projectId, authorId, createdAt }: Circumstances): NewEvent {
  const { action, targetType, note, push, wikiPage } = draft;
  if (!isAllowedPair(action, targetType)) {
    throw unprocessable(`action ${action} is not possible with target_type ${targetType ?? "null"}`);
  }
  if (action === "pushed" && !push) throw new ParameterProblem(["push_data is missing"]);
  if (action === "commented" && !note) throw new ParameterProblem(["note is missing"]);
  if (action !== "pushed" && push) throw unprocessable("push_data is only possible with the action pushed");
  if (action !== "commented" && note) throw unprocessable("note is only possible with the action commented");
  if (wikiPage && targetType !== "WikiPage::Meta") {
    throw unprocessable("wiki_page is only possible with target_type WikiPage::Meta");
  }
  if (note?.id !== undefined && draft.targetId !== undefined && note.id !== draft.targetId) {
    throw unprocessable("note[id] is not target_id");
  }
  const hasTarget = targetType !== null;
  // A project for which the sender gives no number is known by its id here.
  const ownId = targetType === "Project" && draft.targetIid === undefined ? projectId : undefined;
  return {
    projectId,
    authorId,
    action,
    targetType,
    targetIid: hasTarget ? draft.targetIid : undefined,
    targetId: hasTarget ? (draft.targetId ?? note?.id ?? ownId) : undefined,
    title: draft.title ?? wikiPage?.title,
    confidential: draft.confidential,
    assigneeIds: draft.assigneeIds,
    push: push && pushData(push),
    commits: push?.action === "removed" ? undefined : push?.commits,
    note: note && noteData(note, targetType),
    wikiPage,
    createdAt,
    importedFrom: draft.importedFrom,
    externalId: draft.externalId,
  };
}

/** The times at which an event may have happened, by the database's clock. */
export interface Window {
  now: Date;
  oldest: Date;
  latest: Date;
  /** Of projects that keep their events for a shorter time (decision 0119), by id: the oldest time, in milliseconds. */
  short: Readonly<Record<string, number>>;
}

/** Whether lists of the project show events of this time. */
export function isShownAt(at: Date, { oldest, short }: Window, projectId: number): boolean {
  return at.getTime() >= Math.max(oldest.getTime(), short[projectId] ?? 0);
}

/** Refuses a time that is too old for any list, or in the future. @throws Problem unprocessable */
export function checkMoment(at: Date, window: Window, projectId: number): void {
  if (at < window.oldest) throw unprocessable("created_at is older than two years");
  if (!isShownAt(at, window, projectId))
    throw unprocessable("created_at is before the event retention of the project");
  if (at > window.latest) throw unprocessable("created_at is in the future");
}

/** The name that a sender gives to a request, and the hash by which a repetition of it is told from another one. */
export interface ReplayKey {
  externalId: string;
  bodyHash: Buffer;
}

/** The replay key of what was written, whose body is everything but `externalId`; undefined: it has none. */
export function replayKeyOf({
  externalId,
  ...body
}: {
  externalId?: string | undefined;
}): ReplayKey | undefined {
  return externalId === undefined ? undefined : { externalId, bodyHash: bodyHash(body) };
}

/** Why a request is refused whose key stands for another body. */
export const KEY_REUSED = "external_id was already used with a different body";

/** SHA-256 of a body, whatever the order of its members: tells whether a key is sent again with the same body. */
export function bodyHash(body: unknown): Buffer {
  return createHash("sha256").update(canonical(body)).digest();
}

function canonical(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}

function noteData(note: NoteDraft, targetType: TargetType | null): NoteData {
  const type = targetType === "DiscussionNote" || targetType === "DiffNote" ? targetType : null;
  const guessed = note.commitId !== undefined ? "Commit" : type === "DiffNote" ? "MergeRequest" : "Issue";
  return {
    type,
    body: note.body,
    attachment: note.attachment ?? null,
    system: note.system,
    internal: note.internal,
    noteableType: note.noteableType ?? guessed,
    noteableIid: note.noteableIid ?? null,
    noteableId: note.noteableId ?? null,
    commitId: note.commitId ?? null,
  };
}

function unprocessable(words: string): Problem {
  return new Problem("unprocessable", words);
}
