/** Responses about events, for the OpenAPI document (spec: Event; contract-events §1, §2). */
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
    Type.Integer({
      description: "number of refs, for a push of more than three refs, which names no single ref",
    }),
  ),
});

const WIKI_PAGE = record("EventWikiPage", {
  format: Type.String(),
  slug: Type.String(),
  title: Type.String(),
});

/** The schemas of members that `include` adds. */
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

/** Returns as text the pairs of actions and target types that the write API accepts, and that lists can therefore contain. */
export function pairsInWords(): string {
  const lines = new Map<string, string[]>();
  for (const action of ACTIONS) {
    const types = [...TARGET_TYPES, null].filter((type) => isAllowedPair(action, type));
    const words = types.map((type) => type ?? "null").join(" ");
    lines.set(words, [...(lines.get(words) ?? []), action]);
  }
  return [...lines].map(([types, actions]) => `${actions.join(", ")}: ${types}`).join("; ");
}

/** An event, in every list, stream, export and hook, and in responses of the write API. */
export const EVENT = record(
  "Event",
  {
    id: Type.Integer(),
    title: Type.Null(),
    project_id: Type.Integer(),
    action_name: Type.String({
      description: "the action in words, such as `opened`, `pushed new`, `commented on`",
    }),
    action: Type.Enum([...ACTIONS], { description: "the action, as used by the filter `action`" }),
    target_id: nullable(Type.Integer()),
    target_iid: nullable(Type.Integer()),
    target_type: nullable(Type.Enum([...TARGET_TYPES])),
    author_id: Type.Integer(),
    data: Type.Optional(Type.Null({ description: "always null; only in lists of a project" })),
    target_title: nullable(
      Type.String({ description: "title of the target; for a comment, of the item commented on" }),
    ),
    created_at: moment(),
    note: Type.Optional(NOTE),
    author: AUTHOR,
    wiki_page: Type.Optional(WIKI_PAGE),
    imported: Type.Boolean(),
    imported_from: Type.String(),
    push_data: Type.Optional(PUSH_DATA),
    author_username: Type.String(),
    external_id: Type.Optional(
      nullable(Type.String({ description: "replay key; only in responses of the write API" })),
    ),
    project: Type.Optional(PROJECT),
    target: Type.Optional(nullable(TARGET)),
    commits: Type.Optional(Type.Array(COMMIT)),
  },
  `Actions and the target types that go with them. ${pairsInWords()}. \`note\` is present with ${NOTE_TYPES.join(", ")}, \`push_data\` with pushed, \`wiki_page\` with WikiPage::Meta; \`project\`, \`target\` and \`commits\` when requested with \`include\`.`,
);

const LIST_REFUSED: Answers = { ...REFUSED.place, 400: refusal("A parameter is invalid", WRONG) };

const LIST_HEADERS = {
  "X-Next-Since": "with `since`: value of `since` for the next request",
  Link: "addresses of other pages, with rel prev, next, first and last; with pagination=keyset only next",
  ETag: "version of the page, to be sent in If-None-Match",
  "X-Poll-Interval": "number of seconds to wait before polling again",
};

/** Responses of the lists. */
export const LIST_ANSWERS = pageAnswers(
  "A page of events",
  EVENT,
  {
    ...LIST_REFUSED,
    304: {
      description: "Nothing changed since the ETag that If-None-Match carries",
      headers: { ...PAGE_HEADERS, ...LIST_HEADERS },
    },
  },
  LIST_HEADERS,
);

/** The request headers that the lists read. */
export const LIST_READS = {
  "If-None-Match": "ETag of an earlier response, several ETags, or *; the response is 304 if nothing changed",
};

const WRITE_REFUSED: Answers = {
  ...REFUSED.place,
  400: refusal("A member is missing or invalid", WRONG),
  409: refusal("The replay key was already used with a different body"),
  422: refusal("Members contradict each other"),
};

/** The request headers that the routes for writing events read. */
export const WRITE_READS = {
  "Idempotency-Key":
    "replay key, at most 255 characters, if the body has none; a repeated request with the same key and body gets the response of the first",
};

/** Responses of writing one event. */
export const WRITE_ANSWERS = writeAnswers(201, "The new event", EVENT, {
  ...WRITE_REFUSED,
  200: {
    description: "The event recorded by an earlier request with the same replay key and body",
    schema: EVENT,
  },
});

/** Responses of writing a push of several refs. */
export const PUSHES_ANSWERS = writeAnswers(201, "The new events", Type.Array(EVENT), {
  ...WRITE_REFUSED,
  200: {
    description: "The events recorded by an earlier request with the same replay key and body",
    schema: Type.Array(EVENT),
  },
});

/** Responses of writing a batch. */
export const BULK_ANSWERS = writeAnswers(
  200,
  "The outcome of each row, in the order of the request",
  unnamed({
    created: Type.Integer(),
    duplicate: Type.Integer(),
    invalid: Type.Integer(),
    results: Type.Array(
      unnamed({
        index: Type.Integer({ description: "index of the row, starting at 0" }),
        status: Type.Enum(["created", "duplicate", "invalid"]),
        id: nullable(Type.Integer()),
        error: nullable(Type.String()),
      }),
    ),
  }),
  {
    ...REFUSED.caller,
    400: refusal("The body as a whole cannot be read", WRONG),
    413: refusal("Too many rows, bytes or JSON values; nothing was written"),
    415: refusal("The body is neither JSON nor NDJSON"),
  },
);

/** Responses of the calendar. */
export const CALENDAR_ANSWERS = readAnswers(
  "Number of contributions by day, `YYYY-MM-DD`; days without contributions are left out",
  Type.Record(Type.String(), Type.Integer()),
  LIST_REFUSED,
);

/** Responses of the streams. */
export const STREAM_ANSWERS: Answers = {
  ...REFUSED.place,
  200: {
    description: "Server-sent events; `id` is the position for Last-Event-ID, `data` an event",
    mediaType: "text/event-stream",
    schema: Type.String(),
    headers: { "X-Accel-Buffering": "`no`: a proxy must send on what it has at once" },
  },
  400: refusal("A parameter or the position is invalid", WRONG),
};

/** The request headers that the streams read. */
export const STREAM_READS = {
  "Last-Event-ID":
    "`id` of the last event received, after which the stream resumes; takes precedence over `since`",
};

/** Responses of the exports. */
export const EXPORT_ANSWERS: Answers = {
  ...LIST_REFUSED,
  200: {
    description: "One event per line, and a last line with the number of events; as CSV with format=csv",
    mediaType: "application/x-ndjson",
    schema: Type.String(),
    others: { "text/csv": Type.String() },
    headers: {
      "X-Next-Since": "value of `since` for a list that continues where the export ends, without gaps",
      "Content-Disposition": "suggested file name",
    },
  },
};

/** Responses of the route that receives webhooks of forges. */
export const RECEIVE_ANSWERS: Answers = {
  200: { description: "The request was a ping", schema: unnamed({ status: Type.Enum(["pong"]) }) },
  202: {
    description: "The outcome of the delivery, whose events are stored",
    schema: unnamed({
      status: Type.Enum(["accepted", "duplicate", "ignored"]),
      event_ids: Type.Array(Type.Integer(), {
        description: "ids of the recorded events; for a duplicate, those of the first delivery",
      }),
      reason: nullable(Type.String({ description: "why the delivery was ignored" })),
    }),
  },
  400: refusal("The body is not JSON", WRONG),
  401: refusal("The signature or token is missing or wrong"),
  403: refusal("The project is archived or marked for deletion"),
  404: refusal("The source does not exist or is inactive"),
  409: refusal("The source was removed while the request was processed"),
  413: refusal("The body is larger than 25 MiB, or has too many JSON values"),
  422: refusal("The event cannot be recorded, or its author is unknown"),
  429: refusal(
    "The source received more than 2,000 deliveries within a minute, or the address sent more than 300 that were refused",
  ),
};
