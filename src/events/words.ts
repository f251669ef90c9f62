/** The words for an event on pages and in feeds: `opened merge request`, then `!12 Count berths`. */
import type { Action, Event, PushData } from "./event.ts";

/** The action and the kind of its target; `nameOf` gives the name that follows. */
export function deedOf(event: Event): string {
  const { action, pushData, note } = event;
  if (pushData) return pushDeed(pushData);
  if (isAboutProject(event)) {
    const isImported = event.targetType === "Project" && event.importedFrom !== "none";
    return action === "created" && isImported ? "imported project" : (PROJECT_DEEDS[action] ?? action);
  }
  const noun = nounOf(note ? notedOn(event) : event.targetType);
  const opened = action === "created" && ["issue", "incident", "merge request", "work item"].includes(noun);
  return `${opened ? "opened" : (VERBS[action] ?? action)} ${noun}`;
}

/** The name of the target: a ref, the project, or number and title; empty when none is known. */
export function nameOf(event: Event): string {
  if (event.pushData) return event.pushData.ref ?? "";
  if (isAboutProject(event)) return event.projectName;
  const { note } = event;
  const { kind, number } = thingOf(event);
  const sign = kind === "MergeRequest" ? "!" : kind === "Milestone" ? "%" : kind === "Snippet" ? "$" : "#";
  const isNumbered = number !== null && kind !== "Commit" && kind !== "WikiPage::Meta";
  const name = event.targetTitle ?? event.wikiPage?.title ?? (note?.commitId ?? "").slice(0, 8);
  return [isNumbered ? `${sign}${number}` : "", name].filter(Boolean).join(" ");
}

/** Whether the target is the project itself. */
export function isAboutProject({ targetType, pushData }: Event): boolean {
  return !pushData && (targetType === null || targetType === "Project" || targetType === "User");
}

/** The page of the target, if the service itself has one. */
export function pageOf(event: Event): string | undefined {
  const { kind, number } = thingOf(event);
  const hasPage = event.isOwn && number !== null && (kind === "Incident" || kind === "Issue");
  return hasPage ? `/${event.projectFullPath}/-/incidents/${number}` : undefined;
}

/** The kind and number of the target; of a comment, of what was commented on. */
function thingOf({ note, targetType, targetIid }: Event) {
  return note
    ? { kind: note.noteableType, number: note.noteableIid }
    : { kind: targetType, number: targetIid };
}

const VERBS: Partial<Record<Action, string>> = { commented: "commented on", destroyed: "removed" };
const PROJECT_DEEDS: Partial<Record<Action, string>> = {
  created: "created project",
  joined: "joined project",
  left: "left project",
  expired: "lost access to project",
  updated: "changed project",
};

const PLURALS = { branch: "branches", tag: "tags" };

function pushDeed({ action, refType, ref, refCount, commitCount }: PushData): string {
  const [many, kind] = refCount === null ? ["", refType] : [`${refCount} `, PLURALS[refType]];
  if (action === "removed") return `deleted ${many}${kind}`;
  if (action === "created") return `pushed ${many}new ${kind}`;
  if (refCount !== null) return `pushed to ${many}${kind}`;
  const commits = commitCount > 0 ? ` ${commitCount} ${commitCount === 1 ? "commit" : "commits"}` : "";
  return `pushed${commits}${ref === null ? "" : " to"}`;
}

/** The service's own issues are incidents, and are always called so. */
function notedOn({ note, isOwn }: Event): string {
  return isOwn && note?.noteableType === "Issue" ? "Incident" : (note?.noteableType ?? "");
}

function nounOf(type: string | null): string {
  const nouns: Partial<Record<string, string>> = {
    WorkItem: "work item",
    MergeRequest: "merge request",
    "WikiPage::Meta": "wiki page",
  };
  return nouns[type ?? ""] ?? (type ?? "").toLowerCase();
}
