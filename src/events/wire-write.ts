/** The request bodies for writing events, and their conversion to drafts (contract-events §1). */
import { parseInstant } from "../platform/instant.ts";
import { isOneOf } from "../platform/one-of.ts";
import { ParameterProblem } from "../platform/problem.ts";
import Type, { type Static, type TSchema } from "../platform/schema.ts";
import { newestCommits, readCommit } from "./commit.ts";
import type { EventDraft, NoteDraft } from "./draft.ts";
import { ACTIONS, NOTEABLE_TYPES, PUSH_ACTIONS, REF_TYPES, TARGET_TYPES, type TargetType } from "./event.ts";
import { TARGET_FILTERS, type TargetFilter, TYPES_OF_FILTER } from "./filter.ts";
import type { PushedRef, PushedRefs, RefChange } from "./push.ts";

/** Null counts as absent. */
const optional = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));
const number = (description: string) => optional(Type.Integer({ minimum: 1 }), description);
const HASH = "^[0-9a-fA-F]{1,64}$";
const hash = (description: string) => optional(Type.String({ pattern: HASH }), description);
const words = (description: string, maxLength = 1024) => optional(Type.String({ maxLength }), description);
const flag = (description: string) => optional(Type.Boolean(), description);
const commitMembers = {
  commit_count: optional(Type.Integer({ minimum: 0 }), "number of commits; default: 0"),
  commit_title: words(
    "title of the last commit; only the first 70 characters of its first line are stored",
    1_000_000,
  ),
  commits: optional(
    Type.Array(Type.Unknown(), { maxItems: 10_000 }),
    "commits, oldest first, each {id, title or message, author_name, timestamp}; the newest 20 are stored",
  ),
};

const PushBody = Type.Object(
  {
    action: optional(Type.Enum(PUSH_ACTIONS), "change of the ref; default: pushed"),
    ref_type: optional(
      Type.Enum(REF_TYPES),
      "type of the ref; default: branch; derived from `ref` if that is a full name",
    ),
    ref: words("name of the branch or tag, short (main) or full (refs/heads/main)"),
    commit_from: hash("hash of the commit before the push; absent if the ref is created"),
    commit_to: hash("hash of the commit after the push; absent if the ref is removed"),
    ...commitMembers,
  },
  { nested: true },
);
const NoteBody = Type.Object(
  {
    body: Type.String({ description: "text of the comment" }),
    id: number("same as `target_id`; used if that is absent"),
    type: optional(Type.Enum(["DiscussionNote", "DiffNote"]), "ignored; derived from `target_type`"),
    system: flag("true: written by the sending system, not by a person; default: false"),
    internal: flag("true: visible only to Planners and above; default: false"),
    attachment: Type.Optional(
      Type.Unknown({ description: "any value; stored and returned unchanged; default: null" }),
    ),
    noteable_type: optional(
      Type.Enum(NOTEABLE_TYPES),
      "type of the item commented on; default: Commit with `commit_id`, MergeRequest for a DiffNote, otherwise Issue",
    ),
    noteable_iid: number("number within the project of the item commented on"),
    noteable_id: number("the sender's own id of the item commented on"),
    commit_id: hash("hash of the commit commented on"),
  },
  { nested: true },
);
const WikiBody = Type.Object(
  {
    slug: Type.String({ minLength: 1, maxLength: 1000, description: "path of the page in the wiki" }),
    title: Type.String({ maxLength: 1024, description: "title of the page" }),
    format: words("markup format; default: markdown", 255),
  },
  { nested: true },
);

const authorMembers = {
  author_id: optional(Type.Integer(), "id of the author; default: the caller"),
  author_username: words("username of the author, in place of `author_id`", 255),
};
const replayMembers = {
  created_at: optional(
    Type.String({ format: "date-time" }),
    "time of the event, ISO 8601; UTC if it has no offset; default: now",
  ),
  external_id: optional(
    Type.String({ minLength: 1, maxLength: 255 }),
    "replay key, unique within the project: the event is recorded only once; default: the header Idempotency-Key",
  ),
};

/** The body of `POST /projects/:id/events` and, with `project_id`, a row of `POST /events/bulk`. */
export const EventBody = Type.Object({
  action: Type.Enum(ACTIONS, { description: "action of the event" }),
  target_type: optional(
    Type.Enum([...TARGET_TYPES, ...TARGET_FILTERS]),
    "type of the target; default: none, as for a push",
  ),
  target_iid: number("number of the target, unique within the project for its type; default: `target_id`"),
  target_id: number("the sender's own id of the target; default: a generated one"),
  target_title: words("title of the target; for a comment, of the item commented on"),
  confidential: flag(
    "whether the target (for a comment, the item commented on) is confidential; default for new targets: false",
  ),
  assignee_ids: optional(
    Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 1000 }),
    "ids of the users assigned to the target, who can see it if it is confidential, at most 1000",
  ),
  ...authorMembers,
  push_data: optional(PushBody, "required with the action pushed, and allowed only with it"),
  note: optional(NoteBody, "required with the action commented, and allowed only with it"),
  wiki_page: optional(WikiBody, "wiki page; allowed only with target_type WikiPage::Meta"),
  imported_from: words("name of the system that the event was imported from; default: none", 255),
  ...replayMembers,
});
export type EventBody = Static<typeof EventBody>;

const ChangeBody = Type.Object(
  {
    ref: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: "full name of the ref, such as refs/heads/main",
    }),
    before: Type.String({
      pattern: HASH,
      description: "hash of the commit before the push; zeros if the ref is created",
    }),
    after: Type.String({
      pattern: HASH,
      description: "hash of the commit after the push; zeros if the ref is removed",
    }),
    ...commitMembers,
  },
  { nested: true },
);

/** The body of `POST /projects/:id/pushes`. */
export const PushesBody = Type.Object({
  changes: Type.Array(ChangeBody, {
    maxItems: 10_000,
    description: "changes of refs, one for each ref, at least one",
  }),
  ...authorMembers,
  ...replayMembers,
});
export type PushesBody = Static<typeof PushesBody>;

/**
 * Returns the draft of a validated body; `replayKey` (the header) is used if there is no `external_id`.
 * @throws ParameterProblem for commits that cannot be read
 */
export function draftOf(body: EventBody, replayKey?: string): EventDraft {
  const faults: string[] = [];
  const { push_data: push, note, wiki_page: wiki } = body;
  checkCommits("push_data", push?.commits, faults);
  if (faults.length > 0) throw new ParameterProblem(faults);
  return {
    action: body.action,
    targetType: typeOf(body.target_type ?? null),
    targetIid: body.target_iid ?? undefined,
    targetId: body.target_id ?? undefined,
    title: body.target_title ?? undefined,
    confidential: body.confidential ?? undefined,
    assigneeIds: body.assignee_ids ?? undefined,
    authorId: body.author_id ?? undefined,
    authorUsername: body.author_username ?? undefined,
    createdAt: momentOf(body.created_at),
    push: push ? pushedRef(push) : undefined,
    note: note ? noteDraft(note) : undefined,
    wikiPage: wiki ? { slug: wiki.slug, title: wiki.title, format: wiki.format ?? "markdown" } : undefined,
    importedFrom: body.imported_from ?? "none",
    externalId: body.external_id ?? replayKey,
  };
}

/** @throws ParameterProblem: there are no changes, or commits that cannot be read */
export function pushesOfBody(body: PushesBody, replayKey?: string): PushedRefs {
  const faults: string[] = [];
  body.changes.forEach((change, index) => {
    checkCommits(`changes[${index}]`, change.commits, faults);
  });
  if (body.changes.length === 0) faults.push("changes is empty");
  if (faults.length > 0) throw new ParameterProblem(faults.slice(0, 20));
  return {
    changes: body.changes.map(refChange),
    authorId: body.author_id ?? undefined,
    authorUsername: body.author_username ?? undefined,
    createdAt: momentOf(body.created_at),
    externalId: body.external_id ?? replayKey,
  };
}

/**
 * Returns the replay key of the `Idempotency-Key` header.
 * @throws ParameterProblem
 */
export function replayKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  if (typeof header !== "string" || header.length > 255) {
    throw new ParameterProblem(["Idempotency-Key is too long (maximum is 255 characters)"]);
  }
  return header;
}

function checkCommits(name: string, given: readonly unknown[] | null | undefined, faults: string[]): void {
  if (given?.some((one) => readCommit(one) === undefined)) faults.push(`${name}[commits] is invalid`);
}

function momentOf(given: string | null | undefined): Date | undefined {
  return given === undefined || given === null ? undefined : parseInstant(given);
}

/** Converts a value of the filter to its first type: `merge_request` to `MergeRequest`. */
function typeOf(word: TargetType | TargetFilter | null): TargetType | null {
  if (word === null || isOneOf(TARGET_TYPES, word)) return word;
  return TYPES_OF_FILTER[word][0] ?? null;
}

function pushedRef(push: Static<typeof PushBody>): PushedRef {
  return {
    ref: push.ref ?? null,
    refType: push.ref_type ?? undefined,
    action: push.action ?? undefined,
    commitFrom: push.commit_from ?? null,
    commitTo: push.commit_to ?? null,
    commitCount: push.commit_count ?? 0,
    commitTitle: push.commit_title ?? null,
    commits: push.commits ? newestCommits(push.commits) : undefined,
  };
}

function refChange(change: Static<typeof ChangeBody>): RefChange {
  const { ref, before, after } = change;
  const commitTitle = change.commit_title ?? null;
  const named = change.commits ? newestCommits(change.commits) : undefined;
  return { ref, before, after, commitCount: change.commit_count ?? 0, commitTitle, commits: named };
}

function noteDraft(note: Static<typeof NoteBody>): NoteDraft {
  return {
    id: note.id ?? undefined,
    body: note.body,
    system: note.system ?? false,
    internal: note.internal ?? false,
    attachment: note.attachment ?? null,
    noteableType: note.noteable_type ?? undefined,
    noteableIid: note.noteable_iid ?? undefined,
    noteableId: note.noteable_id ?? undefined,
    commitId: note.commit_id ?? undefined,
  };
}
