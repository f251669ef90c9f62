/** Reads lines of GitHub's public archive and of its events API (decision 0103). */
import { entryOf } from "../../platform/entry-of.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import type { EventDraft } from "../draft.ts";
import type { ForgeEvent, Reading } from "../source.ts";
import { event, ignored, readGithub, readRepository } from "./github.ts";
import { numberOf, part, parts, textOf } from "./payload.ts";

/** A line as read: its repository, its id at GitHub, its time, and its content. */
export interface ArchiveLine {
  /** `owner/name`. */
  repository: string | undefined;
  /** GitHub's id of the repository. */
  repositoryId: string | undefined;
  number: string | undefined;
  createdAt: string | undefined;
  reading: Reading;
}

/** The names of webhooks for the same events. */
const KINDS: Readonly<Record<string, string>> = {
  PushEvent: "push",
  IssuesEvent: "issues",
  IssueCommentEvent: "issue_comment",
  CommitCommentEvent: "commit_comment",
  PullRequestEvent: "pull_request",
  PullRequestReviewEvent: "pull_request_review",
  PullRequestReviewCommentEvent: "pull_request_review_comment",
  MemberEvent: "member",
  GollumEvent: "gollum",
};

/** Whether an object looks like a line of the archive. */
export function isArchiveLine(value: JsonObject): boolean {
  return /^[A-Z]\w*Event$/.test(textOf(value, "type") ?? "") && "actor" in value && "repo" in value;
}

/** Reads a line of the archive. */
export function readArchive(line: JsonObject): ArchiveLine {
  const number = typeof line.id === "number" ? String(line.id) : textOf(line, "id");
  const repository = textOf(part(line, "repo"), "name");
  const repositoryId = numberOf(part(line, "repo"), "id")?.toString();
  const createdAt = textOf(line, "created_at");
  return {
    repository,
    repositoryId,
    number,
    createdAt,
    reading: readingOf(line, textOf(line, "type") ?? ""),
  };
}

function readingOf(line: JsonObject, type: string): Reading {
  const { id, name } = part(line, "repo");
  const short = typeof name === "string" ? name.slice(name.lastIndexOf("/") + 1) : undefined;
  const payload: JsonObject = {
    ...part(line, "payload"),
    sender: { login: part(line, "actor").login },
    repository: { id, name: short },
  };
  if (type === "CreateEvent" || type === "DeleteEvent") return readRef(payload, type);
  const kind = entryOf(KINDS, type);
  if (!kind) return ignored(`GitHub's ${type} has no counterpart among events`);
  return readGithub(kind, asWebhook(kind, payload));
}

/** Adapts the payloads of the archive where they differ from those of webhooks. */
function asWebhook(kind: string, payload: JsonObject): JsonObject {
  if (kind === "push") {
    const commits = parts(payload, "commits");
    const last = commits.at(-1);
    return { ...payload, after: payload.head, head_commit: last && { message: last.message } };
  }
  if (kind === "pull_request_review" && payload.action === "created") {
    return { ...payload, action: "submitted" };
  }
  if (kind === "pull_request" && payload.action === "merged") {
    return {
      ...payload,
      action: "closed",
      pull_request: { ...part(payload, "pull_request"), merged: true },
    };
  }
  return payload;
}

/** Archives report new and removed refs apart from pushes, without commits. */
function readRef(payload: JsonObject, type: "CreateEvent" | "DeleteEvent"): Reading {
  const refType = textOf(payload, "ref_type");
  const ref = textOf(payload, "ref", 1024);
  if (refType === "repository" && type === "CreateEvent") {
    return { result: "events", events: readRepository(payload, "created") as ForgeEvent[] };
  }
  if (!ref || (refType !== "branch" && refType !== "tag")) {
    return ignored(`GitHub's ${type} of ${refType ?? "nothing"} has no counterpart among events`);
  }
  const action = type === "CreateEvent" ? "created" : "removed";
  const push: EventDraft["push"] = {
    ref,
    refType,
    action,
    commitFrom: null,
    commitTo: null,
    commitCount: 0,
    commitTitle: null,
  };
  return { result: "events", events: [event(payload, { action: "pushed", targetType: null, push }, [])] };
}
