/** Records of events and of the calendar on the API (spec: Event). */
import { type AuthorRecord, authorRecord } from "../accounts/wire.ts";
import { actionName, type Event, type NoteData, type PushData } from "./event.ts";
import type { FoundCommits } from "./find-commits.ts";
import type { Include } from "./wire-query.ts";

/** Returns the number of contributions by day, earliest first; days without contributions are left out. */
export function calendarRecord(given: readonly { day: string; n: number }[]): Record<string, number> {
  const days = new Map<string, number>();
  for (const { day, n } of given) days.set(day, (days.get(day) ?? 0) + n);
  return Object.fromEntries([...days].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The list that a record is in; `written` is a response of the write API. */
export type Listing = "user" | "project" | "written";

/** An event as the API shows it. The order of members is fixed (contract-events §1); undefined ones are left out of the JSON. */
export function eventRecord(
  event: Event,
  listing: Listing,
  publicUrl: string,
  include: readonly Include[] = [],
  commits: FoundCommits = new Map(),
) {
  const author = authorRecord(
    { id: event.authorId, username: event.authorUsername, name: event.authorName, state: event.authorState },
    publicUrl,
  );
  return {
    id: event.id,
    title: null,
    project_id: event.projectId,
    action_name: actionName(event),
    action: event.action,
    target_id: event.targetId,
    target_iid: event.targetIid,
    target_type: event.targetType,
    author_id: event.authorId,
    data: listing === "user" ? undefined : null,
    target_title: event.targetTitle,
    created_at: event.createdAt.toISOString(),
    note: event.note ? noteRecord(event, event.note, author) : undefined,
    author,
    wiki_page: event.wikiPage
      ? { format: event.wikiPage.format, slug: event.wikiPage.slug, title: event.wikiPage.title }
      : undefined,
    imported: event.importedFrom !== "none",
    imported_from: event.importedFrom,
    push_data: event.pushData ? pushRecord(event.pushData) : undefined,
    author_username: event.authorUsername,
    external_id: listing === "written" ? event.externalId : undefined,
    project: include.includes("project") ? projectRecord(event, publicUrl) : undefined,
    target: include.includes("target") ? targetRecord(event, publicUrl) : undefined,
    commits: include.includes("commits") ? commitsOf(event, commits) : undefined,
  };
}

/** With `include=project`. */
function projectRecord({ projectId, projectName, projectFullPath }: Event, publicUrl: string) {
  return {
    id: projectId,
    name: projectName,
    path_with_namespace: projectFullPath,
    web_url: `${publicUrl}/${projectFullPath}`,
  };
}

/** With `include=target`: the target, for a comment the item commented on; null if there is none. */
function targetRecord(event: Event, publicUrl: string) {
  const { note, targetType, targetTitle } = event;
  if (targetType === null) return null;
  const type = note ? note.noteableType : targetType;
  const iid = note ? note.noteableIid : event.targetIid;
  const hasPage = event.isOwn && iid !== null && (type === "Incident" || type === "Issue");
  return {
    id: note ? (note.noteableId ?? event.noteableNumber) : event.targetId,
    iid,
    type,
    title: targetTitle,
    web_url: hasPage ? `${publicUrl}/${event.projectFullPath}/-/incidents/${iid}` : null,
  };
}

/**
 * With `include=commits`: the commits that the sender listed, oldest first, otherwise the last one; undefined if it is no push.
 */
function commitsOf({ id, pushData: push }: Event, commits: FoundCommits) {
  if (!push) return undefined;
  const named = commits.get(id);
  if (named) {
    return named.map(({ id: hash, title, author_name, timestamp }) => ({
      id: hash,
      title,
      author_name,
      timestamp,
    }));
  }
  return push.commitTo === null ? [] : [{ id: push.commitTo, title: push.commitTitle }];
}

function noteRecord(event: Event, note: NoteData, author: AuthorRecord) {
  const at = event.createdAt.toISOString();
  return {
    id: event.targetId,
    type: note.type,
    body: note.body,
    attachment: note.attachment,
    author,
    created_at: at,
    updated_at: at,
    system: note.system,
    noteable_id: note.noteableId ?? event.noteableNumber,
    noteable_type: note.noteableType,
    project_id: event.projectId,
    // Threads on merge requests can be resolved, single comments cannot.
    resolvable: note.type !== null && note.noteableType === "MergeRequest",
    commit_id: note.commitId ?? undefined,
    confidential: note.internal,
    internal: note.internal,
    imported: event.importedFrom !== "none",
    imported_from: event.importedFrom,
    noteable_iid: note.noteableIid,
  };
}

function pushRecord(push: PushData) {
  return {
    commit_count: push.commitCount,
    action: push.action,
    ref_type: push.refType,
    commit_from: push.commitFrom,
    commit_to: push.commitTo,
    ref: push.ref,
    commit_title: push.commitTitle,
    ref_count: push.refCount,
  };
}
