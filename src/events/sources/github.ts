/** Reads GitHub's webhooks (reference events C1, C2). */
import { createHmac } from "node:crypto";
import { entryOf } from "../../platform/entry-of.ts";
import { parseInstant } from "../../platform/instant.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import { sameSecret } from "../../platform/secret.ts";
import { newestCommits } from "../commit.ts";
import type { EventDraft } from "../draft.ts";
import type { Action, NoteableType, TargetType } from "../event.ts";
import { type ForgeEvent, type ForgeReader, type Outsider, type Reading, toldReading } from "../source.ts";
import { hostIn, numberOf, part, parts, textOf, titleOf, wholeOf } from "./payload.ts";
import { renamedOf } from "./renamed.ts";

/** Reads GitHub's deliveries. */
export const github: ForgeReader = {
  isProven({ headers, body }, secret) {
    const given = headers["x-hub-signature-256"];
    const right = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    return typeof given === "string" && sameSecret(given, right);
  },
  letters({ headers }, payload) {
    const kind = one(headers["x-github-event"]) ?? "";
    const reading = readGithub(kind, wholeOf(payload));
    return [{ deliveryId: one(headers["x-github-delivery"]), kind, reading }];
  },
};

/** Reads a GitHub payload of this kind. */
export function readGithub(kind: string, payload: JsonObject): Reading {
  if (kind === "ping") return { result: "pong" };
  const reader = entryOf(READERS, kind);
  const action = textOf(payload, "action");
  const name = action ? `${kind}.${action}` : kind;
  if (!reader) return ignored(`GitHub's ${name} has no counterpart among events`);
  const events = reader(payload, action ?? "");
  if (typeof events === "string") return ignored(events);
  if (!events || events.length === 0) {
    const reason = `GitHub's ${name} has no counterpart among events`;
    return { result: "ignored", reason, turned: renamedOf(kind, payload) };
  }
  return toldReading(events);
}

/** Returns the events; undefined: the action has no counterpart; a sentence: why there are none. */
type KindReader = (payload: JsonObject, action: string) => ForgeEvent[] | string | undefined;

const READERS: Readonly<Record<string, KindReader>> = {
  push: readPush,
  issues: readIssue,
  issue_comment: readIssueComment,
  commit_comment: readCommitComment,
  pull_request: readPullRequest,
  pull_request_review: readReview,
  pull_request_review_comment: readReviewComment,
  milestone: readMilestone,
  member: readMember,
  repository: readRepository,
  gollum: readWiki,
};

/** The event of a push, or a sentence why there is none. */
export function readPush(payload: JsonObject): ForgeEvent[] | string {
  const ref = textOf(payload, "ref");
  if (!ref || !/^refs\/(heads|tags)\/./.test(ref)) return "A push to a ref that is neither branch nor tag";
  const { before, after } = payload;
  const [from, to] = [hashOf(before), hashOf(after)];
  if (from === null && to === null) return "A push without commits before and after";
  const head = part(payload, "head_commit");
  const action = from === null ? "created" : to === null ? "removed" : "pushed";
  const push = {
    ref,
    action,
    commitFrom: from,
    commitTo: to,
    commitCount:
      numberOf(payload, "size") ?? numberOf(payload, "total_commits") ?? parts(payload, "commits").length,
    commitTitle: textOf(head, "message") ?? null,
    commits: to === null ? [] : newestCommits(payload.commits),
  } as const;
  const pushedAt = numberOf(part(payload, "repository"), "pushed_at");
  const moments = [pushedAt ? new Date(pushedAt * 1000) : undefined, momentOf(head, "timestamp")];
  return [event(payload, { action: "pushed", targetType: null, push }, moments)];
}

const ISSUE_ACTIONS: Readonly<Record<string, readonly [Action, string]>> = {
  opened: ["created", "created_at"],
  closed: ["closed", "closed_at"],
  reopened: ["reopened", "updated_at"],
};

/** The event of an issue, or undefined for actions without counterpart. */
export function readIssue(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  const [ours, moment] = entryOf(ISSUE_ACTIONS, action) ?? [];
  if (!ours || !moment) return undefined;
  const issue = part(payload, "issue");
  return [event(payload, { action: ours, ...target("Issue", issue) }, [momentOf(issue, moment)])];
}

/** The event of a pull request, or undefined for actions without counterpart. */
export function readPullRequest(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  const request = part(payload, "pull_request");
  const isMerged = action === "closed" && request.merged === true;
  const [ours, moment] = isMerged
    ? (["merged", "merged_at"] as const)
    : (entryOf(ISSUE_ACTIONS, action) ?? []);
  if (!ours || !moment) return undefined;
  const draft = { action: ours, ...target("MergeRequest", request) };
  return [event(payload, draft, [momentOf(request, moment)])];
}

/** The event of a comment on an issue or a pull request. */
export function readIssueComment(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  if (action !== "created") return undefined;
  const issue = part(payload, "issue");
  // GitHub treats a pull request as an issue in comments; the id is then not that of the pull request.
  const on =
    issue.pull_request || payload.is_pull === true
      ? { type: "MergeRequest" as const, iid: numberOf(issue, "number"), id: undefined }
      : { type: "Issue" as const, iid: numberOf(issue, "number"), id: numberOf(issue, "id") };
  return [comment(payload, "Note", part(payload, "comment"), on, textOf(issue, "title"))];
}

function readCommitComment(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  if (action !== "created") return undefined;
  const note = part(payload, "comment");
  const on = { type: "Commit", commitId: hashOf(note.commit_id) ?? undefined } as const;
  return [comment(payload, "Note", note, on, undefined)];
}

function readReviewComment(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  if (action !== "created") return undefined;
  const request = part(payload, "pull_request");
  return [
    comment(payload, "DiffNote", part(payload, "comment"), onRequest(request), textOf(request, "title")),
  ];
}

function readReview(payload: JsonObject, action: string): ForgeEvent[] | string | undefined {
  if (action !== "submitted") return undefined;
  const review = part(payload, "review");
  const request = part(payload, "pull_request");
  const events: ForgeEvent[] = [];
  if (textOf(review, "state")?.toLowerCase() === "approved") {
    const draft = { action: "approved" as const, ...target("MergeRequest", request) };
    events.push(event(payload, draft, [momentOf(review, "submitted_at")]));
  }
  if (textOf(review, "body")) {
    events.push(comment(payload, "DiscussionNote", review, onRequest(request), textOf(request, "title")));
  }
  return events.length > 0 ? events : "A review without words that does not approve";
}

const MILESTONE_ACTIONS: Readonly<Record<string, readonly [Action, string | undefined]>> = {
  created: ["created", "created_at"],
  closed: ["closed", "closed_at"],
  opened: ["reopened", "updated_at"],
  deleted: ["destroyed", undefined],
};

function readMilestone(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  const [ours, moment] = entryOf(MILESTONE_ACTIONS, action) ?? [];
  if (!ours) return undefined;
  const milestone = part(payload, "milestone");
  const moments = moment ? [momentOf(milestone, moment)] : [];
  return [event(payload, { action: ours, ...target("Milestone", milestone) }, moments)];
}

function readMember(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  const ours = action === "added" ? "joined" : action === "removed" ? "left" : undefined;
  if (!ours) return undefined;
  const joined = event(payload, { action: ours, ...projectTarget(payload) }, []);
  // The author is the person who joined, not the one who added them.
  return [{ ...joined, author: outsider(part(payload, "member"), payload) }];
}

/** The event of a created repository. */
export function readRepository(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  if (action !== "created") return undefined;
  const moments = [momentOf(part(payload, "repository"), "created_at")];
  return [event(payload, { action: "created", ...projectTarget(payload) }, moments)];
}

/** The most pages of a change, as of CloudEvents in a batch: they are written in one transaction. */
const MAX_PAGES = 10_000;

function readWiki(payload: JsonObject): ForgeEvent[] | string {
  const pages = parts(payload, "pages");
  if (pages.length > MAX_PAGES) return "A change of more than 10,000 pages of a wiki at once";
  const author = outsider(part(payload, "sender"), payload);
  return pages.flatMap((page) => {
    const slug = textOf(page, "page_name", 1000);
    if (!slug) return [];
    const title = textOf(page, "title") ?? slug;
    const action = textOf(page, "action") === "created" ? "created" : "updated";
    const wikiPage = { slug, title, format: "markdown" };
    const draft = { action, targetType: "WikiPage::Meta", title, wikiPage, importedFrom: "none" } as const;
    return [{ draft, author, moments: [] }];
  });
}

/** What was commented on. */
interface On {
  type: NoteableType;
  iid?: number | undefined;
  id?: number | undefined;
  commitId?: string | undefined;
}

/** A pull request that was commented on. */
export function onRequest(request: JsonObject): On {
  return { type: "MergeRequest", iid: numberOf(request, "number"), id: numberOf(request, "id") };
}

/** The event of a comment. */
export function comment(
  payload: JsonObject,
  targetType: TargetType,
  note: JsonObject,
  on: On,
  title: string | undefined,
): ForgeEvent {
  const draft = {
    action: "commented" as const,
    targetType,
    targetId: numberOf(note, "id"),
    title,
    note: {
      body: textOf(note, "body") ?? "",
      system: false,
      internal: false,
      attachment: null,
      noteableType: on.type,
      noteableIid: on.iid,
      noteableId: on.id,
      commitId: on.commitId,
    },
  };
  return event(payload, draft, [momentOf(note, "created_at"), momentOf(note, "submitted_at")]);
}

/** The target of an event, as far as the payload contains it. */
export function target(
  targetType: TargetType,
  thing: JsonObject,
): Omit<EventDraft, "action" | "importedFrom"> {
  return {
    targetType,
    targetId: numberOf(thing, "id"),
    targetIid: numberOf(thing, "number"),
    title: titleOf(thing),
  };
}

function projectTarget(payload: JsonObject): Omit<EventDraft, "action" | "importedFrom"> {
  const repository = part(payload, "repository");
  return { targetType: "Project", targetId: numberOf(repository, "id"), title: textOf(repository, "name") };
}

/** An event whose author is the sender of the payload. */
export function event(
  payload: JsonObject,
  draft: Omit<EventDraft, "importedFrom">,
  moments: ForgeEvent["moments"],
): ForgeEvent {
  const author = outsider(part(payload, "sender"), payload);
  return { draft: { ...draft, importedFrom: "none" }, author, moments };
}

/** A person with their server; GitHub's own if the payload names none. */
export function outsider(person: JsonObject, payload: JsonObject): Outsider {
  const address = textOf(person, "html_url") ?? textOf(part(payload, "repository"), "html_url");
  const login = textOf(person, "login") ?? "ghost";
  return {
    host: hostIn(address) ?? "github.com",
    login,
    name: textOf(person, "name") ?? textOf(person, "full_name") ?? login,
  };
}

/** A commit hash; null for zeros and for anything else. */
export function hashOf(value: unknown): string | null {
  return typeof value === "string" && /^[0-9a-f]{1,64}$/i.test(value) && !/^0+$/.test(value) ? value : null;
}

/** A time in the payload. */
export function momentOf(payload: JsonObject, name: string): Date | undefined {
  const text = textOf(payload, name);
  return text === undefined ? undefined : parseInstant(text);
}

/** A delivery of which nothing is recorded. */
export function ignored(reason: string): Reading {
  return { result: "ignored", reason };
}

/** A header that may occur once. */
export function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
