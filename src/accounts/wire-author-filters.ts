/** Filters of lists by who opened something and when, in the form of the GitLab v4 API, and their conversion (decision 0304). */
import type { AuthoredFilter } from "../platform/authored-filter.ts";
import { momentOf, timeBound, words } from "../platform/query-members.ts";
import Type, { type Static, type TProperties } from "../platform/schema.ts";

/** The scopes of such lists, in both spellings of GitLab. */
export const LIST_SCOPES = [
  "all",
  "created_by_me",
  "assigned_to_me",
  "created-by-me",
  "assigned-to-me",
] as const;

const userId = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));

/** The members of a query for its author; `things` are listed: `incidents`. */
export const authorFilters = (things: string) =>
  ({
    author_id: userId(`only ${things} opened by the user with this id`),
    "not[author_id]": userId(`leave out ${things} opened by the user with this id`),
    author_username: words(`only ${things} opened by the user with this username`),
    "not[author_username]": words(`leave out ${things} opened by the user with this username`),
  }) satisfies TProperties;

/** The members of a query for its times; `opened` and `updated` say of which: `incidents updated`. */
export const timeFilters = (opened: string, updated: string) =>
  ({
    created_after: timeBound(`only ${opened} at or after this time (ISO 8601)`),
    created_before: timeBound(`only ${opened} at or before this time (ISO 8601)`),
    updated_after: timeBound(`only ${updated} at or after this time (ISO 8601)`),
    updated_before: timeBound(`only ${updated} at or before this time (ISO 8601)`),
  }) satisfies TProperties;

const AuthoredQuery = Type.Object({
  scope: Type.Optional(Type.Enum([...LIST_SCOPES])),
  ...authorFilters(""),
  ...timeFilters("", ""),
});

/**
 * Returns the filter of a query; undefined if nothing can match it: what is assigned to the caller, as nothing here is, or what they
 * opened and somebody else did. `callerId` undefined: nobody asks, who has opened nothing.
 */
export function authoredFilterOf(
  query: Static<typeof AuthoredQuery>,
  callerId: number | undefined,
): AuthoredFilter | undefined {
  const isOwn = query.scope?.startsWith("created") ?? false;
  if (query.scope?.startsWith("assigned")) return undefined;
  if (isOwn && (callerId === undefined || (query.author_id ?? callerId) !== callerId)) return undefined;
  return {
    authorId: isOwn ? callerId : query.author_id,
    notAuthorId: query["not[author_id]"],
    author: query.author_username,
    notAuthor: query["not[author_username]"],
    createdAfter: momentOf(query.created_after),
    createdBefore: momentOf(query.created_before),
    updatedAfter: momentOf(query.updated_after),
    updatedBefore: momentOf(query.updated_before),
  };
}
