/** The answers about events, as the OpenAPI document describes them (spec: Event; contract-events §1, §2). */
import Type from "typebox";
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { record, unnamed } from "../platform/answer-shapes.ts";
import {
  type Answers,
  MESSAGE,
  moment,
  nullable,
  PAGE_HEADERS,
  REFUSED,
  WRONG,
} from "../platform/answers.ts";
import {
  ACTIONS,
  isAllowedPair,
  NOTE_TYPES,
  NOTEABLE_TYPES,
  PUSH_ACTIONS,
  REF_TYPES,
  TARGET_TYPES,
} from "./event.ts";

const NOTE = record("EventNote", {
  id: Type.Integer(),
  type: nullable(Type.Enum(["DiscussionNote", "DiffNote"])),
  body: Type.String(),
  attachment: Type.Unknown(),
  author: AUTHOR,
  created_at: moment(),
  updated_at: moment(),
  system: Type.Boolean(),
  noteable_id: nullable(Type.Integer()),
  noteable_type: Type.Enum([...NOTEABLE_TYPES]),
  project_id: Type.Integer(),
  resolvable: Type.Boolean(),
  commit_id: Type.Optional(Type.String()),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
  noteable_iid: nullable(Type.Integer()),
});

const PUSH_DATA = record("EventPushData", {
  commit_count: Type.Integer(),
  action: Type.Enum([...PUSH_ACTIONS]),
  ref_type: Type.Enum([...REF_TYPES]),
  commit_from: nullable(Type.String()),
  commit_to: nullable(Type.String()),
  ref: nullable(Type.String()),
  commit_title: nullable(Type.String()),
  ref_count: nullable(
    Type.Integer({ description: "of a push of more than three refs, which has no ref of its own" }),
  ),
});

const WIKI_PAGE = record("EventWikiPage", {
  format: Type.String(),
  slug: Type.String(),
  title: Type.String(),
});

/** With `include`. */
const PROJECT = unnamed({
  id: Type.Integer(),
  name: Type.String(),
  path_with_namespace: Type.String(),
  web_url: Type.String(),
});
const TARGET = unnamed({
  id: nullable(Type.Integer()),
  iid: nullable(Type.Integer()),
  type: nullable(Type.String()),
  title: nullable(Type.String()),
  web_url: nullable(Type.String()),
});
const COMMIT = unnamed({
  id: Type.String(),
  title: nullable(Type.String()),
  author_name: Type.Optional(nullable(Type.String())),
  timestamp: Type.Optional(nullable(Type.String())),
});

/** Which actions go with which target types, in words: what the write API accepts, and so what lists can show. */
export function pairsInWords(): string {
  const lines = new Map<string, string[]>();
  for (const action of ACTIONS) {
    const types = [...TARGET_TYPES, null].filter((type) => isAllowedPair(action, type));
    const words = types.map((type) => type ?? "null").join(" ");
    lines.set(words, [...(lines.get(words) ?? []), action]);
  }
  return [...lines].map(([types, actions]) => `${actions.join(", ")}: ${types}`).join("; ");
}

/** An event, as every list, stream, export, hook and answer of the write API has it. */
export const EVENT = record(
  "Event",
  {
    id: Type.Integer(),
    title: Type.Null(),
    project_id: Type.Integer(),
    action_name: Type.String({ description: "for people, such as `opened`, `pushed new`, `commented on`" }),
    action: Type.Enum([...ACTIONS], { description: "the word of the filter" }),
    target_id: nullable(Type.Integer()),
    target_iid: nullable(Type.Integer()),
    target_type: nullable(Type.Enum([...TARGET_TYPES])),
    author_id: Type.Integer(),
    data: Type.Optional(Type.Null({ description: "on lists of a project" })),
    target_title: nullable(Type.String({ description: "on comments that of what was commented on" })),
    created_at: moment(),
    note: Type.Optional(NOTE),
    author: AUTHOR,
    wiki_page: Type.Optional(WIKI_PAGE),
    imported: Type.Boolean(),
    imported_from: Type.String(),
    push_data: Type.Optional(PUSH_DATA),
    author_username: Type.String(),
    external_id: Type.Optional(nullable(Type.String({ description: "in answers of the write API" }))),
    project: Type.Optional(PROJECT),
    target: Type.Optional(nullable(TARGET)),
    commits: Type.Optional(Type.Array(COMMIT)),
  },
  `Actions and the target types that go with them. ${pairsInWords()}. \`note\` stands with ${NOTE_TYPES.join(", ")}, \`push_data\` with pushed, \`wiki_page\` with WikiPage::Meta; \`project\`, \`target\` and \`commits\` when asked for by \`include\`.`,
);

/** Of the lists. */
export const LIST_ANSWERS: Answers = {
  200: {
    description: "A page of events",
    schema: Type.Array(EVENT),
    headers: {
      ...PAGE_HEADERS,
      "X-Next-Since": "with since: where to go on",
      Link: "rel prev, next, first and last; with pagination=keyset next alone",
      ETag: "for If-None-Match",
    },
  },
  304: { description: "Nothing changed since the ETag that If-None-Match bears" },
  400: { description: "A parameter is wrong", schema: WRONG },
  ...REFUSED,
};

const WRITE_REFUSED: Answers = {
  400: { description: "A member is missing or wrong", schema: WRONG },
  ...REFUSED,
  409: { description: "The replay key was used with another body", schema: MESSAGE },
  422: { description: "Members that do not go together", schema: MESSAGE },
};

/** Of one event that is written. */
export const WRITE_ANSWERS: Answers = {
  200: { description: "The first record of a replay key that comes again with an equal body", schema: EVENT },
  201: { description: "The record, which is in every list from now on", schema: EVENT },
  ...WRITE_REFUSED,
};

/** Of a push of several refs. */
export const PUSHES_ANSWERS: Answers = {
  200: {
    description: "The first records of a replay key that comes again with an equal body",
    schema: Type.Array(EVENT),
  },
  201: { description: "The records", schema: Type.Array(EVENT) },
  ...WRITE_REFUSED,
};

const { 404: _, ...WITHOUT_ADDRESS } = REFUSED;

/** Of a batch. */
export const BULK_ANSWERS: Answers = {
  200: {
    description: "What became of each row, in their order",
    schema: unnamed({
      created: Type.Integer(),
      duplicate: Type.Integer(),
      invalid: Type.Integer(),
      results: Type.Array(
        unnamed({
          index: Type.Integer({ description: "of the row, from 0" }),
          status: Type.Enum(["created", "duplicate", "invalid"]),
          id: nullable(Type.Integer()),
          error: nullable(Type.String()),
        }),
      ),
    }),
  },
  400: { description: "The body as a whole cannot be read", schema: WRONG },
  ...WITHOUT_ADDRESS,
  413: { description: "Too many rows or bytes; nothing was written", schema: MESSAGE },
  415: { description: "Neither JSON nor lines of it", schema: MESSAGE },
};

/** Of the calendar. */
export const CALENDAR_ANSWERS: Answers = {
  200: {
    description: "Contributions by day, `YYYY-MM-DD`; days without any are left out",
    schema: Type.Record(Type.String(), Type.Integer()),
  },
  400: { description: "A parameter is wrong", schema: WRONG },
  ...REFUSED,
};

/** Of the streams. */
export const STREAM_ANSWERS: Answers = {
  200: {
    description: "Server-sent events: `id` is the position for Last-Event-ID, `data` an event",
    mediaType: "text/event-stream",
    schema: Type.String(),
  },
  400: { description: "A parameter or the position is wrong", schema: WRONG },
  ...REFUSED,
};

/** Of the exports. */
export const EXPORT_ANSWERS: Answers = {
  200: {
    description: "An event a line, and a last line that says how many there were; with format=csv as CSV",
    mediaType: "application/x-ndjson",
    schema: Type.String(),
  },
  400: { description: "A parameter is wrong", schema: WRONG },
  ...REFUSED,
};

/** Of the door of the forges. */
export const RECEIVE_ANSWERS: Answers = {
  200: { description: "A ping", schema: unnamed({ status: Type.Enum(["pong"]) }) },
  202: {
    description: "What became of the delivery, after the commit",
    schema: unnamed({
      status: Type.Enum(["accepted", "duplicate", "ignored"]),
      event_ids: Type.Array(Type.Integer(), { description: "of a duplicate those of the first time" }),
      reason: nullable(Type.String({ description: "why it was ignored" })),
    }),
  },
  400: { description: "The body is not JSON", schema: WRONG },
  401: { description: "No proof, or one that does not fit", schema: MESSAGE },
  403: { description: "The project rests", schema: MESSAGE },
  404: { description: "There is no such source, or it is off", schema: MESSAGE },
  409: { description: "The source was removed at this moment", schema: MESSAGE },
  413: { description: "More than 25 MiB", schema: MESSAGE },
  422: { description: "A forge that is not read, or an event that cannot be", schema: MESSAGE },
};
