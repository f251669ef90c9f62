/** An event: its actions and target types, which pairs of them are allowed, and its row as the database returns it. */
import { USER_STATES } from "../accounts/user.ts";
import { boolean, instant, integer, jsonb, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import type { PushedCommit } from "./commit.ts";

/** The twelve words of the `action` filter (spec: Events 1). */
export const ACTIONS = [
  "created",
  "updated",
  "closed",
  "reopened",
  "pushed",
  "commented",
  "merged",
  "joined",
  "left",
  "destroyed",
  "expired",
  "approved",
] as const;
export type Action = (typeof ACTIONS)[number];

/** What an event can be about, in the names that records carry (contract-events §1). */
export const TARGET_TYPES = [
  "Issue",
  "WorkItem",
  "Incident",
  "MergeRequest",
  "Milestone",
  "Note",
  "DiscussionNote",
  "DiffNote",
  "Project",
  "Snippet",
  "User",
  "WikiPage::Meta",
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** What can be commented on. */
export const NOTEABLE_TYPES = ["Issue", "MergeRequest", "Commit", "Snippet", "WikiPage::Meta"] as const;
export type NoteableType = (typeof NOTEABLE_TYPES)[number];

/** The target types of comments. */
export const NOTE_TYPES = ["Note", "DiscussionNote", "DiffNote"] as const;

export const REF_TYPES = ["branch", "tag"] as const;
export const PUSH_ACTIONS = ["pushed", "created", "removed"] as const;

/** What a push did to one ref, or to `refCount` of them (contract-events §1). */
export interface PushData {
  commitCount: number;
  action: (typeof PUSH_ACTIONS)[number];
  refType: (typeof REF_TYPES)[number];
  commitFrom: string | null;
  commitTo: string | null;
  ref: string | null;
  commitTitle: string | null;
  refCount: number | null;
}

/** A comment, without what its event already contains. */
export interface NoteData {
  type: "DiscussionNote" | "DiffNote" | null;
  body: string;
  attachment: unknown;
  system: boolean;
  /** Visible only from Planner upward. */
  internal: boolean;
  noteableType: NoteableType;
  noteableIid: number | null;
  noteableId: number | null;
  commitId: string | null;
}

export interface WikiPage {
  slug: string;
  title: string;
  format: string;
}

/** An event to be recorded. Absent members of a target leave what is stored of it unchanged. */
export interface NewEvent {
  /** The id that was reserved with a replay key; absent: a new one. */
  id?: number | undefined;
  projectId: number;
  authorId: number;
  action: Action;
  /** Null or absent: pushes, and rows without a target. */
  targetType?: TargetType | null | undefined;
  /** The number within the project and kind; absent: equals `targetId`. */
  targetIid?: number | undefined;
  /** The wide number; absent: one is allotted. */
  targetId?: number | undefined;
  /** Of the target; if the event is a comment, of what was commented on. So are the next two. */
  title?: string | undefined;
  confidential?: boolean | undefined;
  assigneeIds?: readonly number[] | undefined;
  push?: PushData | undefined;
  /** The commits of the push that its sender listed, at most the newest 20. */
  commits?: readonly PushedCommit[] | undefined;
  note?: NoteData | undefined;
  wikiPage?: WikiPage | undefined;
  /** Whose numbers and slugs these are, if a source reports about several repositories; absent: its own (decision 0294). */
  otherRepository?: string | undefined;
  /** Visible only to Reporters and above, in every project: for what happens to the service's own incidents. */
  isForReporters?: boolean | undefined;
  /** Absent: the transaction's time. */
  createdAt?: Date | undefined;
  /** The platform from which it was imported; absent: `none`. */
  importedFrom?: string | undefined;
  externalId?: string | undefined;
  /** The placeholder that would be the author if the identity had not been claimed (decision 0118). */
  toldAs?: number | undefined;
}

/** An event as lists show it, with the present state of its author and its target. */
export const EventRow = row({
  id: integer,
  createdAt: instant,
  projectId: integer,
  projectName: text,
  projectFullPath: text,
  action: oneOf(ACTIONS),
  targetType: nullable(oneOf(TARGET_TYPES)),
  targetId: nullable(integer),
  targetIid: nullable(integer),
  targetTitle: nullable(text),
  pushData: nullable(jsonb<PushData>()),
  note: nullable(jsonb<NoteData>()),
  wikiPage: nullable(jsonb<WikiPage>()),
  importedFrom: text,
  externalId: nullable(text),
  authorId: integer,
  authorUsername: text,
  authorName: text,
  authorState: oneOf(USER_STATES),
  /** The wide number of what a comment is on. */
  noteableNumber: nullable(integer),
  /** Whether it is about an incident or project of the service itself, which has a page. */
  isOwn: boolean,
});
export type Event = RowOf<typeof EventRow>;

/** The action in words for people (contract §4, action_name; reference events A6). */
export function actionName(
  event: Pick<Event, "action" | "targetType" | "importedFrom"> & {
    pushData: Pick<PushData, "action"> | null;
  },
): string {
  switch (event.action) {
    case "pushed":
      return PUSHED[event.pushData?.action ?? "pushed"];
    case "created":
      if (event.targetType === null || event.targetType === "Project") {
        return event.importedFrom === "none" ? "created" : "imported";
      }
      return event.targetType === "WikiPage::Meta" ? "created" : "opened";
    case "commented":
      return "commented on";
    case "merged":
      return "accepted";
    case "expired":
      return "removed due to membership expiration from";
    default:
      return event.action;
  }
}

const PUSHED = { pushed: "pushed", created: "pushed new", removed: "deleted" } as const;

const TRACKED = ["Issue", "WorkItem", "Incident", "MergeRequest", "Milestone"] as const;
const MADE = [...TRACKED, "Snippet", "WikiPage::Meta", "Project", null] as const;
const MEMBERSHIP = ["Project", "User", null] as const;

/** Which targets each action can have (contract-events §1, allowed pairs). */
export const ALLOWED_TARGETS: Readonly<Record<Action, readonly (TargetType | null)[]>> = {
  created: MADE,
  updated: MADE,
  closed: TRACKED,
  reopened: TRACKED,
  pushed: [null],
  commented: NOTE_TYPES,
  merged: ["MergeRequest"],
  joined: MEMBERSHIP,
  left: MEMBERSHIP,
  destroyed: ["Milestone", "Snippet", "WikiPage::Meta"],
  expired: MEMBERSHIP,
  approved: ["MergeRequest"],
};

/** Whether the action can happen to such a target. */
export function isAllowedPair(action: Action, targetType: TargetType | null): boolean {
  return ALLOWED_TARGETS[action].includes(targetType);
}
