/** Reads the webhooks of Bitbucket, both of the Cloud and of the Data Center (decision 0284). */
import { createHmac } from "node:crypto";
import { entryOf } from "../../platform/entry-of.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { sameSecret } from "../../platform/secret.ts";
import { newestCommits } from "../commit.ts";
import type { EventDraft } from "../draft.ts";
import type { Action, NoteableType, TargetType } from "../event.ts";
import { pushesOf, type RefChange } from "../push.ts";
import {
  type ForgeEvent,
  type ForgeReader,
  type Outsider,
  type Reading,
  type TurnedTarget,
  toldReading,
} from "../source.ts";
import { hashOf, ignored, momentOf, one } from "./github.ts";
import { hostIn, numberOf, part, parts, textOf, titleOf, wholeOf } from "./payload.ts";

/** Reads Bitbucket's deliveries. */
export const bitbucket: ForgeReader = {
  isProven({ headers, body }, secret) {
    const given = one(headers["x-hub-signature"]);
    const right = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    return given !== undefined && sameSecret(given, right);
  },
  letters({ headers }, payload) {
    const kind = one(headers["x-event-key"]) ?? "";
    const deliveryId = one(headers["x-request-uuid"]) ?? one(headers["x-request-id"]);
    return [{ deliveryId, kind, reading: readBitbucket(kind, wholeOf(payload)) }];
  },
};

/** Reads a payload of this kind. */
export function readBitbucket(kind: string, payload: JsonObject): Reading {
  if (kind === "diagnostics:ping") return { result: "pong" };
  const events = entryOf(READERS, kind)?.(payload);
  if (typeof events === "string") return ignored(events);
  if (events) return toldReading(events);
  const reason = `Bitbucket's ${kind} has no counterpart among events`;
  return { result: "ignored", reason, turned: renamedOf(kind, payload) };
}

/** Returns the events; undefined: they have no counterpart; a sentence: why there are none. */
type KindReader = (payload: JsonObject) => ForgeEvent[] | string | undefined;

/** Where the kinds of the Cloud and of the Data Center mean the same, the former stands first. */
const READERS: Readonly<Record<string, KindReader>> = {
  "repo:push": (payload) => readPush(payload, parts(part(payload, "push"), "changes").map(cloudChange)),
  "repo:refs_changed": (payload) => readPush(payload, serverChanges(payload)),
  "pullrequest:created": (payload) => readRequest(payload, "created", "created_on"),
  "pr:opened": (payload) => readRequest(payload, "created"),
  "pullrequest:fulfilled": (payload) => readRequest(payload, "merged", "updated_on"),
  "pr:merged": (payload) => readRequest(payload, "merged"),
  "pullrequest:rejected": (payload) => readRequest(payload, "closed", "updated_on"),
  "pr:declined": (payload) => readRequest(payload, "closed"),
  "pullrequest:approved": (payload) => readRequest(payload, "approved"),
  "pr:reviewer:approved": (payload) => readRequest(payload, "approved"),
  "pullrequest:comment_created": (payload) => readComment(payload, "MergeRequest", requestIn(payload)),
  "pr:comment:added": (payload) => readComment(payload, "MergeRequest", requestIn(payload)),
  "issue:created": (payload) => readIssue(payload, "created", "created_on"),
  "issue:updated": readChangedIssue,
  "issue:comment_created": (payload) => readComment(payload, "Issue", part(payload, "issue")),
  "repo:commit_comment_created": (payload) => readComment(payload, "Commit", part(payload, "commit")),
  "repo:comment:added": (payload) => readComment(payload, "Commit", { hash: payload.commit }),
};

interface Change extends RefChange {
  at: Date | undefined;
}

const NO_COMMIT = "0".repeat(40);

/** A changed ref of the Cloud, which describes it as it was and as it is, and lists its newest commits, newest first. */
function cloudChange(change: JsonObject): Change {
  const ref = isObject(change.new) ? change.new : part(change, "old");
  const head = part(change, "new", "target");
  const commits = parts(change, "commits");
  return {
    ref: fullRef(textOf(ref, "type"), textOf(ref, "name")),
    before: hashOf(part(change, "old", "target").hash) ?? NO_COMMIT,
    after: hashOf(head.hash) ?? NO_COMMIT,
    commitCount: commits.length,
    commitTitle: textOf(head, "message") ?? null,
    commits: newestCommits(commits.toReversed().map(cloudCommit)),
    at: momentOf(head, "date"),
  };
}

function fullRef(type: string | undefined, name = ""): string {
  return `refs/${/tag/.test(type ?? "") ? "tags" : "heads"}/${name}`;
}

function cloudCommit(commit: JsonObject): JsonObject {
  const author = part(commit, "author");
  const name = textOf(part(author, "user"), "display_name") ?? textOf(author, "raw");
  return { id: commit.hash, message: commit.message, timestamp: commit.date, author_name: name };
}

/** The changed refs of the Data Center, which lists the newest commits of a push, newest first, but not which ref has them. */
function serverChanges(payload: JsonObject): Change[] {
  const changes = parts(payload, "changes");
  const listed = [...parts(payload, "commits"), part(payload, "toCommit")];
  const commits = changes.length === 1 ? parts(payload, "commits") : [];
  return changes.map((change) => ({
    ref: textOf(part(change, "ref"), "id") ?? textOf(change, "refId") ?? "",
    before: hashOf(change.fromHash) ?? NO_COMMIT,
    after: hashOf(change.toHash) ?? NO_COMMIT,
    commitCount: commits.length,
    commitTitle: textOf(listed.find(({ id }) => id === change.toHash) ?? {}, "message") ?? null,
    commits: newestCommits(commits.toReversed().map(serverCommit)),
    at: undefined,
  }));
}

function serverCommit(commit: JsonObject): JsonObject {
  const author = part(commit, "author");
  const name = textOf(author, "displayName") ?? textOf(author, "name");
  const timestamp = instantOf(commit.authorTimestamp)?.toISOString();
  return { id: commit.id, message: commit.message, timestamp, author_name: name };
}

/** A delivery is one push, of any number of refs. */
function readPush(payload: JsonObject, changes: readonly Change[]): ForgeEvent[] | string {
  const pushes = pushesOf(changes);
  if (pushes.length === 0) return "A push of refs that are neither branches nor tags, or of none";
  // The Cloud does not send the time of the push: it is no earlier than the newest commit, while a tag may be for an old one.
  const heads = changes.flatMap(({ at }) => at ?? []).toSorted((one, other) => Number(other) - Number(one));
  const moments = [momentOf(payload, "date"), ...heads];
  const author = outsider(payload);
  return pushes.map(({ push: { ref, ...push }, commits }) => {
    const full = ref === null ? null : fullRef(push.refType, ref);
    const told = { ...push, ref: full, commits };
    return {
      draft: { action: "pushed", targetType: null, push: told, importedFrom: "none" },
      author,
      moments,
    };
  });
}

function requestIn(payload: JsonObject): JsonObject {
  return isObject(payload.pullrequest) ? payload.pullrequest : part(payload, "pullRequest");
}

/** The event of a pull request. `moment`: its member with the time in the Cloud; the Data Center sends the time beside it. */
function readRequest(payload: JsonObject, action: Action, moment?: string): ForgeEvent[] {
  const request = requestIn(payload);
  const moments = [
    momentOf(payload, "date"),
    momentOf(part(payload, "approval"), "date"),
    moment === undefined ? undefined : momentOf(request, moment),
  ];
  return [event(payload, { action, ...target("MergeRequest", request) }, moments)];
}

function readIssue(payload: JsonObject, action: Action, moment: string): ForgeEvent[] {
  const issue = part(payload, "issue");
  return [event(payload, { action, ...target("Issue", issue) }, [momentOf(issue, moment)])];
}

/** The states in which an issue is open; there are five in which it is closed. */
const OPEN_STATES: ReadonlySet<unknown> = new Set(["submitted", "new", "open", "on hold"]);

function readChangedIssue(payload: JsonObject): ForgeEvent[] | undefined {
  const { old: before, new: after } = part(payload, "changes", "status");
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const [wasOpen, isOpen] = [OPEN_STATES.has(before), OPEN_STATES.has(after)];
  if (wasOpen === isOpen) return undefined;
  return readIssue(payload, isOpen ? "reopened" : "closed", "updated_on");
}

function readComment(payload: JsonObject, noteableType: NoteableType, on: JsonObject): ForgeEvent[] {
  const comment = part(payload, "comment");
  const draft = {
    action: "commented" as const,
    targetType: noteType(payload, comment),
    targetId: numberOf(comment, "id"),
    title: titleOf(on),
    note: {
      body: textOf(part(comment, "content"), "raw") ?? textOf(comment, "text") ?? "",
      system: false,
      internal: false,
      attachment: null,
      noteableType,
      noteableIid: noteableType === "Commit" ? undefined : numberOf(on, "id"),
      commitId: noteableType === "Commit" ? (hashOf(on.hash) ?? undefined) : undefined,
    },
  };
  const moments = [momentOf(comment, "created_on"), instantOf(comment.createdDate)];
  return [event(payload, draft, moments)];
}

function noteType(payload: JsonObject, comment: JsonObject): TargetType {
  if (isObject(comment.inline) || isObject(comment.anchor)) return "DiffNote";
  return isObject(comment.parent) || numberOf(payload, "commentParentId") ? "DiscussionNote" : "Note";
}

/** An issue or a pull request, which Bitbucket numbers within the repository alone. */
function target(targetType: TargetType, thing: JsonObject): Omit<EventDraft, "action" | "importedFrom"> {
  return { targetType, targetIid: numberOf(thing, "id"), title: titleOf(thing) };
}

/** A pull request or an issue that was edited, with its title (decision 0164). */
function renamedOf(kind: string, payload: JsonObject): TurnedTarget | undefined {
  const isRequest = kind === "pullrequest:updated" || kind === "pr:modified";
  const isIssue = kind === "issue:updated" && Object.hasOwn(part(payload, "changes"), "title");
  if (!isRequest && !isIssue) return undefined;
  const thing = isRequest ? requestIn(payload) : part(payload, "issue");
  const { targetType, targetIid, title } = target(isRequest ? "MergeRequest" : "Issue", thing);
  if (targetType === null || targetIid === undefined || title === undefined) return undefined;
  const moments = [momentOf(payload, "date"), momentOf(thing, "updated_on")];
  return { targetType, targetId: undefined, targetIid, title, moments };
}

function event(
  payload: JsonObject,
  draft: Omit<EventDraft, "importedFrom">,
  moments: ForgeEvent["moments"],
): ForgeEvent {
  return { draft: { ...draft, importedFrom: "none" }, author: outsider(payload), moments };
}

/** In the Cloud a nickname can be chosen and changed at will, so that people are known by the number of their account. */
function outsider(payload: JsonObject): Outsider {
  const actor = part(payload, "actor");
  const name = textOf(actor, "displayName") ?? textOf(actor, "display_name") ?? textOf(actor, "nickname");
  const login = ["name", "username", "account_id", "uuid"]
    .map((member) => textOf(actor, member))
    .find(Boolean);
  return { host: hostOf(payload), login: login ?? "ghost", name: name ?? login ?? "ghost" };
}

function hostOf(payload: JsonObject): string {
  const repositories = [part(payload, "repository"), part(requestIn(payload), "toRef", "repository")];
  const links = [part(payload, "actor"), ...repositories].map((thing) => part(thing, "links"));
  const addresses = links.flatMap((link) => [part(link, "html"), ...parts(link, "self")]);
  return addresses.map((address) => hostIn(textOf(address, "href"))).find(Boolean) ?? "bitbucket";
}

/** A time in milliseconds. */
function instantOf(value: unknown): Date | undefined {
  const at = typeof value === "number" ? new Date(value) : undefined;
  return at && Number.isFinite(at.getTime()) ? at : undefined;
}
