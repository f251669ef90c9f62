/** Requests and responses of the API's searches (GitLab v4 API, search; decisions 0192, 0293). */
import type { Caller } from "../accounts/caller.ts";
import { SEEN_USER } from "../accounts/wire-answers.ts";
import { pageAnswers, REFUSED } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { flag } from "../platform/query-members.ts";
import Type, { type Static, type TSchema } from "../platform/schema.ts";
import { PROJECT } from "./wire-answers.ts";

/** The query of a search with these scopes; `words` names them. */
const searchQuery = <Scope extends string>(scopes: readonly Scope[], words: string) =>
  Type.Object({
    scope: Type.Enum([...scopes], {
      description: "kind of items to search for",
      badValue: `does not have a valid value: ${words} can be searched`,
    }),
    search: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "text to search for, case-insensitive; projects: part of the full path or name; users: part of the username or name, or an entire mail address; issues: part of the title or description of an incident",
    }),
    state: Type.Optional(
      Type.Enum(["opened", "closed", "all"], {
        default: "all",
        description: "scope `issues`: only incidents in this state; default: all",
      }),
    ),
    confidential: flag(
      "scope `issues`; true: only confidential incidents, which do not exist, so the list is empty; default: false",
    ),
    order_by: Type.Optional(
      Type.Enum(["created_at"], { description: "field to sort by; `created_at` is the only one" }),
    ),
    sort: Type.Optional(
      Type.Enum(["asc", "desc"], { default: "desc", description: "sort direction; default: desc" }),
    ),
    ...pageParameters,
  });

export const SearchQuery = searchQuery(["projects", "users", "issues"], "projects, users and issues");
export const GroupSearchQuery = searchQuery(["projects", "issues"], "projects and issues");
export const ProjectSearchQuery = searchQuery(["issues"], "issues");
export type SearchQuery = Static<typeof SearchQuery>;
export type GroupSearchQuery = Static<typeof GroupSearchQuery>;
export type ProjectSearchQuery = Static<typeof ProjectSearchQuery>;

/** Responses of the searches; `issue` is the schema of an incident's record, which belongs to another room. */
export const searchAnswers = (issue: TSchema) => ({
  instance: pageAnswers(
    "A page of matching projects, users or incidents",
    Type.Union([PROJECT, SEEN_USER, issue]),
    REFUSED.caller,
  ),
  group: pageAnswers("A page of matching projects or incidents of the group", Type.Union([PROJECT, issue])),
  project: pageAnswers("A page of matching incidents of the project", issue),
});

/** Where to search, by id or full path; neither: everywhere. */
export interface SearchPlace {
  group?: string | undefined;
  project?: string | undefined;
}

/** @throws Problem not_found, forbidden: the place is not visible, or the caller lacks the role there */
export type Search = (
  platform: Platform,
  caller: Caller,
  query: SearchQuery,
  place: SearchPlace,
) => Promise<{ total: number; records: readonly unknown[] }>;

/** The search for what another room keeps, in the form of its own list; `row` describes its records. */
export interface SearchOfRoom {
  row: TSchema;
  search: Search;
}
