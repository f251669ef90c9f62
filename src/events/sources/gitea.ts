/** Reads the webhooks of Gitea, Forgejo and Gogs, whose payloads are GitHub's in most parts (reference events C1, C2; decision 0284). */
import { createHmac } from "node:crypto";
import { entryOf } from "../../platform/entry-of.ts";
import { formDecoded } from "../../platform/form-decoded.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import { sameSecret } from "../../platform/secret.ts";
import type { Action, PushData } from "../event.ts";
import { type ForgeEvent, type ForgeReader, type RawDelivery, type Reading, toldReading } from "../source.ts";
import {
  comment,
  event,
  hashOf,
  ignored,
  momentOf,
  one,
  onRequest,
  readIssue,
  readIssueComment,
  readPullRequest,
  readPush,
  readRepository,
  target,
} from "./github.ts";
import { part, parts, textOf, wholeOf } from "./payload.ts";
import { renamedOf } from "./renamed.ts";

/** Reads Gitea's deliveries. */
export const gitea = readerWith("gitea", "Gitea");
/** Reads Forgejo's deliveries. */
export const forgejo = readerWith("forgejo", "Forgejo");
/** Reads the deliveries of Gogs, from which the other two descend. */
export const gogs = readerWith("gogs", "Gogs");

function readerWith(word: string, name: string): ForgeReader {
  return {
    isProven(delivery, secret) {
      const given = delivery.headers[`x-${word}-signature`];
      if (typeof given !== "string") return false;
      return signedTexts(delivery).some((text) => {
        return sameSecret(given, createHmac("sha256", secret).update(text).digest("hex"));
      });
    },
    letters({ headers }, payload) {
      const kind = one(headers[`x-${word}-event`]) ?? "";
      const reading = readGitea(name, kind, wholeOf(payload));
      return [{ deliveryId: one(headers[`x-${word}-delivery`]), kind, reading }];
    },
  };
}

/**
 * What may be signed: the body, and of a form, unlike at GitHub, the payload that is its only field. A form is not parsed: its
 * sender is not proven yet, and it may have millions of fields.
 */
function signedTexts({ headers, body }: RawDelivery): (Buffer | string)[] {
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers["content-type"] ?? "");
  const [, encoded] = isForm ? (/^payload=([^&]*)$/.exec(body.toString("latin1")) ?? []) : [];
  const payload = encoded === undefined ? undefined : formDecoded(encoded);
  return payload === undefined ? [body] : [body, payload];
}

/** Reads a payload of this kind. */
export function readGitea(forge: string, kind: string, payload: JsonObject): Reading {
  const action = textOf(payload, "action");
  const events =
    forge === "Gogs" && kind === "create" ? readNewTag(payload) : eventsOf(kind, payload, action ?? "");
  if (typeof events === "string") return ignored(events);
  if (!events || events.length === 0) {
    const reason = `${forge}'s ${action ? `${kind}.${action}` : kind} has no counterpart among events`;
    return { result: "ignored", reason, turned: renamedOf(kind, payload) };
  }
  return toldReading(events);
}

function eventsOf(kind: string, payload: JsonObject, action: string): ForgeEvent[] | string | undefined {
  switch (kind) {
    case "push":
      return whyNoPush(payload) ?? readPush(asGithub(payload));
    case "delete":
      return readRemovedRef(payload);
    case "issues":
      return readIssue(payload, action);
    case "issue_comment":
      return readIssueComment(payload, action);
    case "pull_request":
      return readPullRequest(payload, action);
    case "pull_request_approved":
    case "pull_request_rejected":
    case "pull_request_comment":
      return readReview(kind, payload);
    case "repository":
      return readRepository(payload, action);
    case "wiki":
      return readWiki(payload, action);
    default:
      return undefined;
  }
}

/** The commits of a push come newest first, where GitHub's are oldest first, and Gogs and old versions do not name the newest. */
function asGithub(payload: JsonObject): JsonObject {
  const { head_commit, after } = payload;
  const commits = parts(payload, "commits");
  const head = commits.find(({ id }) => id === after);
  return {
    ...payload,
    commits: head === commits[0] ? commits.toReversed() : commits,
    head_commit: head_commit ?? head,
  };
}

/**
 * A removed tag is reported by both a push and `delete`, a removed branch by `delete` alone (decision 0225). The button that tests
 * a webhook sends a push of the newest commit onto itself (decision 0285).
 */
function whyNoPush(payload: JsonObject): string | undefined {
  const [from, to] = [hashOf(payload.before), hashOf(payload.after)];
  if (to === null && textOf(payload, "ref")?.startsWith("refs/tags/"))
    return "A removed tag is told by delete";
  return to !== null && from === to ? "A test: a push that changes nothing" : undefined;
}

function readRemovedRef(payload: JsonObject): ForgeEvent[] | undefined {
  return readRef(payload, textOf(payload, "ref_type") === "tag" ? "tag" : "branch", "removed");
}

/** Gogs reports a new tag by `create` alone, a new branch by a push too. */
function readNewTag(payload: JsonObject): ForgeEvent[] | string | undefined {
  return textOf(payload, "ref_type") === "tag"
    ? readRef(payload, "tag", "created")
    : "A new branch is told by a push";
}

function readRef(
  payload: JsonObject,
  refType: PushData["refType"],
  action: "created" | "removed",
): ForgeEvent[] | undefined {
  const ref = textOf(payload, "ref");
  if (!ref) return undefined;
  const commitTo = action === "created" ? hashOf(payload.sha) : null;
  const push = { ref, refType, action, commitFrom: null, commitTo, commitCount: 0, commitTitle: null };
  return [event(payload, { action: "pushed", targetType: null, push }, [])];
}

function readReview(kind: string, payload: JsonObject): ForgeEvent[] | string {
  const review = part(payload, "review");
  const request = part(payload, "pull_request");
  const moments = [momentOf(review, "submitted_at"), momentOf(request, "updated_at")];
  const events: ForgeEvent[] = [];
  if (kind === "pull_request_approved") {
    events.push(event(payload, { action: "approved", ...target("MergeRequest", request) }, moments));
  }
  const body = textOf(review, "content") ?? textOf(review, "body");
  if (body) {
    const note = comment(
      payload,
      "DiscussionNote",
      { ...review, body },
      onRequest(request),
      textOf(request, "title"),
    );
    events.push({ ...note, moments });
  }
  return events.length > 0 ? events : "A review without words that does not approve";
}

const WIKI_ACTIONS: Readonly<Record<string, Action>> = {
  created: "created",
  edited: "updated",
  deleted: "destroyed",
};

function readWiki(payload: JsonObject, action: string): ForgeEvent[] | undefined {
  const slug = textOf(payload, "page", 1000);
  const ours = entryOf(WIKI_ACTIONS, action);
  if (!slug || !ours) return undefined;
  const wikiPage = { slug, title: slug, format: "markdown" };
  return [event(payload, { action: ours, targetType: "WikiPage::Meta", title: slug, wikiPage }, [])];
}
