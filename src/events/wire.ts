/** Events on the wire: the query of the lists and the record they answer with (spec: Event). */
import Type, { type Static } from "typebox";
import { type AuthorRecord, authorRecord } from "../accounts/wire.ts";
import { pageParameters } from "../platform/pagination.ts";
import { ACTIONS, actionName, type Event, type NoteData, type PushData } from "./event.ts";
import { type EventFilter, TARGET_FILTERS } from "./filter.ts";

export const EventsQuery = Type.Object({
  action: Type.Optional(Type.Enum(ACTIONS, { description: "only events of this action" })),
  target_type: Type.Optional(Type.Enum(TARGET_FILTERS, { description: "only events of this target type" })),
  before: Type.Optional(Type.String({ format: "date", description: "only events before this day (UTC)" })),
  after: Type.Optional(Type.String({ format: "date", description: "only events after this day (UTC)" })),
  sort: Type.Optional(Type.Enum(["asc", "desc"], { default: "desc", description: "by created_at" })),
  ...pageParameters,
  pagination: Type.Optional(
    Type.Enum(["offset", "keyset"], { description: "`keyset`: Link rel=next carries a cursor, no X-Page" }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 100, description: "of Link rel=next, with pagination=keyset" }),
  ),
  since: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "`start` or X-Next-Since: in the order of arrival, without gaps",
    }),
  ),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** `scope` is any word; only `all` has an effect, and only on the caller's own list (reference events A2). */
export const OwnEventsQuery = Type.Object({
  ...EventsQuery.properties,
  scope: Type.Optional(
    Type.Unknown({ description: "`all`: events by anyone in the projects of which the caller is a member" }),
  ),
});
export type OwnEventsQuery = Static<typeof OwnEventsQuery>;

export const IdParameters = Type.Object({ id: Type.String() });

/** The filter of a checked query. */
export function filterOf(query: EventsQuery): EventFilter {
  return {
    action: query.action,
    target: query.target_type,
    before: query.before,
    after: query.after,
    sort: query.sort,
  };
}

/** On which list a record stands; `written` is the answer of the write API. */
export type Listing = "user" | "project" | "written";

/**
 * An event as the API shows it. The order of members is fixed (contract-events §1); absent ones are left out when
 * the record becomes JSON.
 */
export function eventRecord(event: Event, listing: Listing, publicUrl: string) {
  const author = authorRecord(
    { id: event.authorId, username: event.authorUsername, name: event.authorName, state: event.authorState },
    publicUrl,
  );
  return {
    id: event.id,
    title: null,
    project_id: event.projectId,
    action_name: actionName(event),
    action: event.action,
    target_id: event.targetId,
    target_iid: event.targetIid,
    target_type: event.targetType,
    author_id: event.authorId,
    data: listing === "user" ? undefined : null,
    target_title: event.targetTitle,
    created_at: event.createdAt.toISOString(),
    note: event.note ? noteRecord(event, event.note, author) : undefined,
    author,
    wiki_page: event.wikiPage
      ? { format: event.wikiPage.format, slug: event.wikiPage.slug, title: event.wikiPage.title }
      : undefined,
    imported: event.importedFrom !== "none",
    imported_from: event.importedFrom,
    push_data: event.pushData ? pushRecord(event.pushData) : undefined,
    author_username: event.authorUsername,
    external_id: listing === "written" ? event.externalId : undefined,
  };
}

function noteRecord(event: Event, note: NoteData, author: AuthorRecord) {
  const at = event.createdAt.toISOString();
  return {
    id: event.targetId,
    type: note.type,
    body: note.body,
    attachment: note.attachment,
    author,
    created_at: at,
    updated_at: at,
    system: note.system,
    noteable_id: note.noteableId ?? event.noteableNumber,
    noteable_type: note.noteableType,
    project_id: event.projectId,
    // Threads on merge requests can be resolved, single comments cannot.
    resolvable: note.type !== null && note.noteableType === "MergeRequest",
    commit_id: note.commitId ?? undefined,
    confidential: note.internal,
    internal: note.internal,
    noteable_iid: note.noteableIid,
  };
}

function pushRecord(push: PushData) {
  return {
    commit_count: push.commitCount,
    action: push.action,
    ref_type: push.refType,
    commit_from: push.commitFrom,
    commit_to: push.commitTo,
    ref: push.ref,
    commit_title: push.commitTitle,
    ref_count: push.refCount,
  };
}
