/** A push in the form in which events store it (contract-events §1, push_data and pushes). */
import type { PushedCommit } from "./commit.ts";
import type { PushData } from "./event.ts";

/** A push to one ref as its sender describes it; `ref` may be short or full. */
export interface PushedRef {
  ref: string | null;
  refType?: PushData["refType"] | undefined;
  action?: PushData["action"] | undefined;
  commitFrom: string | null;
  commitTo: string | null;
  commitCount: number;
  commitTitle: string | null;
  commits?: readonly PushedCommit[] | undefined;
  /** How many refs it stands for; null or absent: one. */
  refCount?: number | null | undefined;
}

/** Above this many changes of one kind, a push of several refs becomes one event (reference events A8). */
const MAX_EVENTS_A_PUSH = 3;

/** Shortens the ref, takes its type from its full name, and leaves out the commits that a new or removed ref cannot have. */
export function pushData(push: PushedRef): PushData {
  const full = /^refs\/(heads|tags)\/(.+)$/s.exec(push.ref ?? "");
  const action = push.action ?? "pushed";
  return {
    commitCount: push.commitCount,
    action,
    refType: full ? (full[1] === "tags" ? "tag" : "branch") : (push.refType ?? "branch"),
    commitFrom: action === "created" ? null : commit(push.commitFrom),
    commitTo: action === "removed" ? null : commit(push.commitTo),
    ref: full?.[2] ?? push.ref,
    commitTitle: push.commitTitle === null ? null : commitTitle(push.commitTitle),
    refCount: push.refCount ?? null,
  };
}

/** What `git` reports about one ref: zeros before a new one and after a removed one. */
export interface RefChange {
  /** The full name. */
  ref: string;
  before: string;
  after: string;
  commitCount: number;
  commitTitle: string | null;
  commits?: readonly PushedCommit[] | undefined;
}

/** A push of several refs as its sender describes it. */
export interface PushedRefs {
  changes: readonly RefChange[];
  authorId?: number | undefined;
  authorUsername?: string | undefined;
  createdAt?: Date | undefined;
  externalId?: string | undefined;
}

/** What one event stores of a push. */
export interface PushOfEvent {
  push: PushData;
  commits?: readonly PushedCommit[] | undefined;
}

/**
 * The events of one push of several refs: one for each ref, or one for all of a type and action if there are more than three.
 * Refs that are neither branch nor tag are left out, and so are those that exist neither before nor after (decision 0024).
 */
export function pushesOf(changes: readonly RefChange[]): PushOfEvent[] {
  const pushes = changes
    .filter(({ ref }) => /^refs\/(heads|tags)\/./.test(ref))
    .filter(({ before, after }) => commit(before) !== null || commit(after) !== null)
    .map(({ ref, before, after, commitCount, commitTitle: title, commits }) => {
      const action = commit(before) === null ? "created" : commit(after) === null ? "removed" : "pushed";
      const told = {
        ref,
        action,
        commitFrom: before,
        commitTo: after,
        commitCount,
        commitTitle: title,
      } as const;
      return { push: pushData(told), commits };
    });
  const groups = Map.groupBy(pushes, ({ push }) => `${push.refType} ${push.action}`);
  return [...groups.values()].flatMap((group) =>
    group.length > MAX_EVENTS_A_PUSH ? [{ push: summary(group) }] : group,
  );
}

function summary(group: readonly PushOfEvent[]): PushData {
  const { action, refType } = (group[0] as PushOfEvent).push;
  const none = { commitFrom: null, commitTo: null, ref: null, commitTitle: null };
  return { commitCount: 0, action, refType, ...none, refCount: group.length };
}

/** Null for zeros, which stand for no commit. */
function commit(hash: string | null): string | null {
  return hash === null || /^0+$/.test(hash) ? null : hash;
}

/** The first line of a message that is not blank, as git takes it, trimmed and cut to 70 characters; null: there is none. */
export function commitTitle(message: string): string | null {
  const line = [...(message.trim().split(/\r\n|\r|\n/, 1)[0] ?? "").trim()];
  return line.length > 70 ? `${line.slice(0, 67).join("")}...` : line.join("") || null;
}
