/** The answers about events, as the OpenAPI document describes them (spec: Event; contract-events §1, §2). */
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { moment, nullable, record, unnamed, WRONG } from "../platform/answer-shapes.ts";
import {
  type Answers,
  PAGE_HEADERS,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
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
  imported: Type.Boolean(),
  imported_from: Type.String(),
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

/** The pairs of actions and target types in words: those that the write API accepts, and so those that lists can show. */
export function pairsInWords(): string {
  const lines = new Map<string, string[]>();
  for (const action of ACTIONS) {
    const types = [...TARGET_TYPES, null].filter((type) => isAllowedPair(action, type));
    const words = types.map((type) => type ?? "null").join(" ");
    lines.set(words, [...(lines.get(words) ?? []), action]);
  }
  return [...lines].map(([types, actions]) => `${actions.join(", ")}: ${types}`).join("; ");
}

/** An event as in every list, stream, export and hook, and in the answers of the write API. */
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

const LIST_REFUSED: Answers = { ...REFUSED.place, 400: refusal("A parameter is wrong", WRONG) };

const LIST_HEADERS = {
  "X-Next-Since": "with since: where to go on",
  Link: "rel prev, next, first and last; with pagination=keyset next alone",
  ETag: "for If-None-Match",
  "X-Poll-Interval": "how many seconds to wait before asking again whether anything is new",
};

/** For the lists. */
export const LIST_ANSWERS = pageAnswers(
  "A page of events",
  EVENT,
  {
    ...LIST_REFUSED,
    304: {
      description: "Nothing changed since the ETag that If-None-Match bears",
      headers: { ...PAGE_HEADERS, ...LIST_HEADERS },
    },
  },
  LIST_HEADERS,
);

/** The request headers that the lists read. */
export const LIST_READS = {
  "If-None-Match": "the ETag of the answer before, or several, or *: 304 while nothing changed",
};

const WRITE_REFUSED: Answers = {
  ...REFUSED.place,
  400: refusal("A member is missing or wrong", WRONG),
  409: refusal("The replay key was used with another body"),
  422: refusal("Members that do not go together"),
};

/** The request headers that the routes for writing events read. */
export const WRITE_READS = {
  "Idempotency-Key":
    "the replay key where the body names none, at most 255 characters: the same again is answered as the first time",
};

/** For writing one event. */
export const WRITE_ANSWERS = writeAnswers(201, "The record, which is in every list from now on", EVENT, {
  ...WRITE_REFUSED,
  200: {
    description: "The first record of a replay key that comes again with an equal body",
    schema: EVENT,
  },
});

/** For a push of several refs. */
export const PUSHES_ANSWERS = writeAnswers(201, "The records", Type.Array(EVENT), {
  ...WRITE_REFUSED,
  200: {
    description: "The first records of a replay key that comes again with an equal body",
    schema: Type.Array(EVENT),
  },
});

/** For a batch. */
export const BULK_ANSWERS = writeAnswers(
  200,
  "What became of each row, in their order",
  unnamed({
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
  {
    ...REFUSED.caller,
    400: refusal("The body as a whole cannot be read", WRONG),
    413: refusal("Too many rows or bytes; nothing was written"),
    415: refusal("Neither JSON nor lines of it"),
  },
);

/** For the calendar. */
export const CALENDAR_ANSWERS = readAnswers(
  "Contributions by day, `YYYY-MM-DD`; days without any are left out",
  Type.Record(Type.String(), Type.Integer()),
  LIST_REFUSED,
);

/** For the streams. */
export const STREAM_ANSWERS: Answers = {
  ...REFUSED.place,
  200: {
    description: "Server-sent events: `id` is the position for Last-Event-ID, `data` an event",
    mediaType: "text/event-stream",
    schema: Type.String(),
  },
  400: refusal("A parameter or the position is wrong", WRONG),
};

/** The request headers that the streams read. */
export const STREAM_READS = { "Last-Event-ID": "the `id` after which to go on; counts before `since`" };

/** For the exports. */
export const EXPORT_ANSWERS: Answers = {
  ...LIST_REFUSED,
  200: {
    description: "An event a line, and a last line that says how many there were; with format=csv as CSV",
    mediaType: "application/x-ndjson",
    schema: Type.String(),
    others: { "text/csv": Type.String() },
    headers: {
      "X-Next-Since": "the since of a list from which on nothing is missed",
      "Content-Disposition": "the name of a file to save it as",
    },
  },
};

/** For the route where forges deliver. */
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
  400: refusal("The body is not JSON", WRONG),
  401: refusal("No proof, or one that does not fit"),
  403: refusal("The project rests"),
  404: refusal("There is no such source, or it is off"),
  409: refusal("The source was removed at this moment"),
  413: refusal("More than 25 MiB"),
  422: refusal("A forge that is not read, or an event that cannot be"),
};
