/** Reads GitLab's webhooks, both project hooks and system hooks (reference events C1, C2). */
import { createHash } from "node:crypto";
import { signatureOf } from "../../outbox/signature.ts";
import { cutText } from "../../platform/cut-text.ts";
import { entryOf } from "../../platform/entry-of.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import { sameSecret } from "../../platform/secret.ts";
import { newestCommits } from "../commit.ts";
import type { EventDraft } from "../draft.ts";
import type { Action, NoteableType, TargetType } from "../event.ts";
import {
  type ForgeEvent,
  type ForgeReader,
  isFresh,
  type Outsider,
  type RawDelivery,
  type Reading,
  type TurnedTarget,
  toldReading,
} from "../source.ts";
import { hashOf, ignored, momentOf, one } from "./github.ts";
import { hostIn, MAX_OF_TITLE, numberOf, part, parts, textOf, titleOf, wholeOf } from "./payload.ts";
import { iidOf } from "./repository.ts";

/** Reads GitLab's deliveries. */
export const gitlab: ForgeReader = {
  isProven(delivery, secret) {
    const token = one(delivery.headers["x-gitlab-token"]);
    if (token !== undefined) return sameSecret(token, secret);
    return isSigned(delivery, secret) && isFresh(delivery.headers["webhook-timestamp"], delivery.nowSeconds);
  },
  letters(delivery, payload) {
    const kind = one(delivery.headers["x-gitlab-event"]) ?? "";
    const reading = readGitlab(placed(wholeOf(payload), one(delivery.headers["x-gitlab-instance"])));
    return [{ deliveryId: deliveryId(delivery), kind, reading }];
  },
};

function deliveryId({ headers, body }: RawDelivery): string | undefined {
  // A signature covers only `webhook-id`: under another key, a recorded delivery could be sent again as a new one.
  const signed = headers["webhook-signature"] === undefined ? undefined : one(headers["webhook-id"]);
  const id = signed ?? one(headers["idempotency-key"]) ?? one(headers["webhook-id"]);
  const uuid = one(headers["x-gitlab-event-uuid"]);
  if (id !== undefined || uuid === undefined) return id;
  // An event of GitLab has the same UUID in all of its webhooks.
  return `${uuid} ${createHash("sha256").update(body).digest("hex")}`;
}

/** Whether the delivery has a signature of Standard Webhooks: `v1,` and base64, several separated by spaces. */
function isSigned({ headers, body }: RawDelivery, secret: string): boolean {
  const id = one(headers["webhook-id"]);
  const timestamp = one(headers["webhook-timestamp"]);
  const given = one(headers["webhook-signature"]);
  if (id === undefined || timestamp === undefined || given === undefined) return false;
  const right = signatureOf(secret, { id, timestamp, body });
  return given.split(" ").some((signature) => sameSecret(signature, right));
}

/** Reads a payload, which names its kind itself. */
export function readGitlab(payload: JsonObject): Reading {
  const kind = textOf(payload, "object_kind") ?? textOf(payload, "event_name") ?? "";
  // Milestones have the action beside their attributes.
  const action = textOf(part(payload, "object_attributes"), "action") ?? textOf(payload, "action");
  const events = entryOf(READERS, kind)?.(payload, action ?? "");
  if (typeof events === "string") return ignored(events);
  if (events) return toldReading(events);
  const reason = `GitLab's ${action ? `${kind}.${action}` : kind} has no counterpart among events`;
  return action === "update"
    ? { result: "ignored", reason, turned: turnedOf(kind, payload) }
    : ignored(reason);
}

type KindReader = (payload: JsonObject, action: string) => ForgeEvent[] | string | undefined;

const READERS: Readonly<Record<string, KindReader>> = {
  push: readPush,
  tag_push: readPush,
  issue: (payload, action) => readTarget(payload, "Issue", entryOf(ISSUE_ACTIONS, action)),
  work_item: (payload, action) => readTarget(payload, "WorkItem", entryOf(ISSUE_ACTIONS, action)),
  incident: (payload, action) => readTarget(payload, "Incident", entryOf(ISSUE_ACTIONS, action)),
  merge_request: (payload, action) => readTarget(payload, "MergeRequest", entryOf(REQUEST_ACTIONS, action)),
  milestone: (payload, action) => readTarget(payload, "Milestone", entryOf(MILESTONE_ACTIONS, action)),
  note: readNote,
  wiki_page: readWiki,
  user_add_to_team: (payload) => readMember(payload, "joined"),
  user_remove_from_team: (payload) => readMember(payload, "left"),
  project_create: readProject,
};

type Told = readonly [Action, ...string[]];

const ISSUE_ACTIONS: Readonly<Record<string, Told>> = {
  open: ["created", "created_at"],
  close: ["closed", "closed_at", "updated_at"],
  reopen: ["reopened", "updated_at"],
};
const REQUEST_ACTIONS: Readonly<Record<string, Told>> = {
  ...ISSUE_ACTIONS,
  merge: ["merged", "merged_at", "updated_at"],
  approved: ["approved", "updated_at"],
  approval: ["approved", "updated_at"],
};
const MILESTONE_ACTIONS: Readonly<Record<string, Told>> = {
  create: ["created", "created_at"],
  close: ["closed", "updated_at"],
  reopen: ["reopened", "updated_at"],
  activate: ["reopened", "updated_at"],
  delete: ["destroyed"],
};

function readPush(payload: JsonObject): ForgeEvent[] | string {
  const ref = textOf(payload, "ref");
  if (!ref || !/^refs\/(heads|tags)\/./.test(ref)) return "A push to a ref that is neither branch nor tag";
  const [from, to] = [hashOf(payload.before), hashOf(payload.after)];
  if (from === null && to === null) return "A push without commits before and after";
  const commits = parts(payload, "commits");
  const head = commits.find((commit) => commit.id === to) ?? commits.at(-1) ?? {};
  const push = {
    ref,
    action: from === null ? "created" : to === null ? "removed" : "pushed",
    commitFrom: from,
    commitTo: to,
    commitCount: numberOf(payload, "total_commits_count") ?? commits.length,
    commitTitle: textOf(head, "message") ?? textOf(head, "title") ?? null,
    commits: to === null ? [] : newestCommits(payload.commits),
  } as const;
  return [event(payload, { action: "pushed", targetType: null, push }, [momentOf(head, "timestamp")])];
}

const ISSUES: Readonly<Record<string, TargetType>> = {
  issue: "Issue",
  work_item: "WorkItem",
  incident: "Incident",
};
const ISSUE_TYPES: ReadonlySet<TargetType> = new Set(Object.values(ISSUES));
const TITLED: Readonly<Record<string, TargetType>> = {
  ...ISSUES,
  merge_request: "MergeRequest",
  milestone: "Milestone",
};

/** GitLab reports by an update that something was renamed, and that an issue was made confidential. */
function turnedOf(kind: string, payload: JsonObject): TurnedTarget | undefined {
  const targetType = entryOf(TITLED, kind);
  const thing = part(payload, "object_attributes");
  const isRenamed = Object.hasOwn(part(payload, "changes"), "title");
  const title = isRenamed ? titleOf(thing) : undefined;
  const isTold = typeof thing.confidential === "boolean" && entryOf(ISSUES, kind) !== undefined;
  const confidential = isTold ? isConfidential(payload) : undefined;
  if (!targetType || (title === undefined && confidential === undefined)) return undefined;
  const [targetId, targetIid] = [numberOf(thing, "id"), iidOf(payload, thing)];
  return { targetType, targetId, targetIid, title, confidential, moments: [momentOf(thing, "updated_at")] };
}

function isConfidential(payload: JsonObject): boolean {
  const { confidential } = part(payload, "object_attributes");
  return confidential === true || textOf(payload, "event_type") === "confidential_issue";
}

function readTarget(payload: JsonObject, type: TargetType, told: Told | undefined): ForgeEvent[] | undefined {
  if (!told) return undefined;
  const [action, ...moments] = told;
  const thing = part(payload, "object_attributes");
  const isIssue = ISSUE_TYPES.has(type);
  const draft = {
    action,
    targetType: issueType(type, thing),
    targetId: numberOf(thing, "id"),
    targetIid: iidOf(payload, thing),
    title: titleOf(thing),
    confidential: isIssue ? isConfidential(payload) : undefined,
  };
  const times = moments.map((name) => momentOf(thing, name));
  return [event(payload, draft, times)];
}

/** Incidents are sent as issues with a type, by newer versions as work items with a type. */
function issueType(type: TargetType, thing: JsonObject): TargetType {
  return ISSUE_TYPES.has(type) && textOf(thing, "type") === "Incident" ? "Incident" : type;
}

/** The member of the payload that contains what was commented on. */
const NOTEABLES: Readonly<Record<string, readonly [NoteableType, string]>> = {
  Issue: ["Issue", "issue"],
  WorkItem: ["Issue", "issue"],
  MergeRequest: ["MergeRequest", "merge_request"],
  Commit: ["Commit", "commit"],
  Snippet: ["Snippet", "snippet"],
  "WikiPage::Meta": ["WikiPage::Meta", "wiki_page"],
};

function readNote(payload: JsonObject, action: string): ForgeEvent[] | string | undefined {
  const note = part(payload, "object_attributes");
  if (action !== "" && action !== "create") return undefined;
  const [noteableType, member] = entryOf(NOTEABLES, textOf(note, "noteable_type") ?? "") ?? [];
  if (!noteableType || !member) return "A comment on something that has no counterpart";
  const on = part(payload, member);
  const isCommit = noteableType === "Commit";
  const isConfidential = on.confidential === true;
  const isClosed = textOf(payload, "event_type") === "confidential_note";
  const draft = {
    action: "commented" as const,
    targetType: noteType(note),
    targetId: numberOf(note, "id"),
    title:
      cutText(textOf(on, "title") ?? textOf(on, "message")?.split("\n", 1)[0] ?? "", MAX_OF_TITLE) ||
      undefined,
    confidential: isClosedNoteable(noteableType, on),
    note: {
      body: textOf(note, "note") ?? textOf(note, "description") ?? "",
      system: note.system === true,
      // A confidential comment on an issue that is not confidential is an internal one.
      internal: note.internal === true || (isClosed && !isConfidential),
      attachment: null,
      noteableType,
      noteableIid: iidOf(payload, on),
      noteableId: isCommit ? undefined : numberOf(on, "id"),
      commitId: isCommit ? (hashOf(on.id) ?? hashOf(note.commit_id) ?? undefined) : undefined,
    },
  };
  return [event(payload, draft, [momentOf(note, "created_at")])];
}

/** Whether an issue or snippet that was commented on is closed to some, if it says so; the level of public snippets is 20. */
function isClosedNoteable(type: NoteableType, { confidential, visibility_level: level }: JsonObject) {
  if (type === "Issue") return typeof confidential === "boolean" ? confidential : undefined;
  return type === "Snippet" && typeof level === "number" ? level < 20 : undefined;
}

function noteType(note: JsonObject): TargetType {
  const type = textOf(note, "type");
  if (type === "DiffNote" || type === "DiscussionNote") return type;
  return note.position ? "DiffNote" : "Note";
}

const WIKI_ACTIONS: Readonly<Record<string, Action>> = {
  create: "created",
  update: "updated",
  delete: "destroyed",
};

function readWiki(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  const page = part(payload, "object_attributes");
  const slug = textOf(page, "slug", 1000);
  const ours = entryOf(WIKI_ACTIONS, action);
  if (!slug || !ours) return undefined;
  const title = textOf(page, "title") ?? slug;
  const wikiPage = { slug, title, format: textOf(page, "format") ?? "markdown" };
  return [event(payload, { action: ours, targetType: "WikiPage::Meta", title, wikiPage }, [])];
}

/** Members and projects are reported by system hooks, whose payloads are flat. */
function readMember(payload: JsonObject, action: "joined" | "left"): ForgeEvent[] {
  const login = textOf(payload, "user_username") ?? "ghost";
  const author = { host: hostOf(payload), login, name: textOf(payload, "user_name") ?? login };
  const moments = [momentOf(payload, action === "joined" ? "created_at" : "updated_at")];
  return [{ ...event(payload, { action, ...projectTarget(payload) }, moments), author }];
}

function readProject(payload: JsonObject): ForgeEvent[] {
  const draft = { action: "created" as const, ...projectTarget(payload) };
  return [event(payload, draft, [momentOf(payload, "created_at")])];
}

function projectTarget(payload: JsonObject) {
  const title = textOf(payload, "project_name") ?? textOf(payload, "name");
  return { targetType: "Project", targetId: numberOf(payload, "project_id"), title } as const;
}

function event(
  payload: JsonObject,
  draft: Omit<EventDraft, "importedFrom">,
  moments: ForgeEvent["moments"],
): ForgeEvent {
  return { draft: { ...draft, importedFrom: "none" }, author: outsider(payload), moments };
}

function outsider(payload: JsonObject): Outsider {
  const user = part(payload, "user");
  const login =
    textOf(user, "username") ?? textOf(payload, "user_username") ?? textOf(payload, "owner_name") ?? "ghost";
  const name = textOf(user, "name") ?? textOf(payload, "user_name") ?? login;
  return { host: hostOf(payload), login, name };
}

function hostOf(payload: JsonObject): string {
  return hostIn(addressIn(payload)) ?? "gitlab";
}

function addressIn(payload: JsonObject): string | undefined {
  return textOf(part(payload, "project"), "web_url") ?? textOf(part(payload, "repository"), "homepage");
}

/** Payloads about members and new projects do not name their GitLab; without the header its people would exist twice. */
function placed(payload: JsonObject, instance: string | undefined): JsonObject {
  if (instance === undefined || addressIn(payload) !== undefined) return payload;
  // Not in `project`: what belongs to a group has none, which says how it is numbered.
  return { ...payload, repository: { ...part(payload, "repository"), homepage: instance } };
}
