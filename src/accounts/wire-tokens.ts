/** Requests about personal access tokens, and their record on the API. */
import { pageParameters } from "../platform/pagination.ts";
import { timeBound } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { SCOPES } from "./scope.ts";
import { type PersonalToken, TOKEN_ORDERS } from "./token.ts";
import { UserParameters } from "./wire-users.ts";

export const NewTokenParameters = Type.Object({ user_id: UserParameters.properties.id });

export const TokenParameters = Type.Object({ id: Type.String({ description: "number of the token" }) });

const endOfToken = (byDefault: string) =>
  Type.Optional(
    Type.Union([Type.String({ format: "date" }), Type.Null()], {
      description: `day on which the token expires, YYYY-MM-DD, at 00:00 UTC; ${byDefault}`,
    }),
  );

export const NewTokenBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: "name of the token, shown to its owner" }),
  // GitLab also accepts text, and the documentation of python-gitlab uses it.
  scopes: Type.Array(Type.Enum([...SCOPES]), {
    orText: true,
    description: "scopes of the token, at least one, as a list or as comma-separated text",
  }),
  expires_at: endOfToken("default: never"),
  description: Type.Optional(Type.String({ maxLength: 255, description: "purpose of the token" })),
});
export type NewTokenBody = Static<typeof NewTokenBody>;

export const RotateBody = Type.Optional(
  Type.Object({
    expires_at: endOfToken("default: in seven days, or never if the old token does not expire"),
  }),
);
export type RotateBody = Static<typeof RotateBody>;

const day = (description: string) => Type.Optional(Type.String({ format: "date", description }));

export const TokensQuery = Type.Object({
  user_id: Type.Optional(
    Type.Integer({
      description:
        "only tokens of the user with this id; ids of others are for administrators only; default: the caller, for administrators all users",
    }),
  ),
  state: Type.Optional(
    Type.Enum(["active", "inactive"], {
      description: "only tokens in this state; active: neither revoked nor expired; default: both",
    }),
  ),
  revoked: Type.Optional(
    Type.Boolean({
      description: "true: only revoked tokens; false: only tokens that are not revoked; default: both",
    }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 255, description: "part of the token's name, case-insensitive" }),
  ),
  created_after: timeBound("only tokens created at or after this time (ISO 8601)"),
  created_before: timeBound("only tokens created at or before this time (ISO 8601)"),
  last_used_after: timeBound("only tokens last used at or after this time (ISO 8601)"),
  last_used_before: timeBound("only tokens last used at or before this time (ISO 8601)"),
  expires_after: day("only tokens that expire on this day (UTC) or later"),
  expires_before: day("only tokens that expire before this day (UTC)"),
  sort: Type.Optional(
    Type.Enum([...TOKEN_ORDERS], {
      description:
        "sort order; default: created_desc, newest first; tokens that never expire or were never used count as the latest of all",
    }),
  ),
  ...pageParameters,
});
export type TokensQuery = Static<typeof TokensQuery>;

/** A token without its secret (reference oauth A10); `expires_at` is the day at whose beginning it expires. */
export function tokenRecord(token: PersonalToken) {
  return {
    id: token.id,
    name: token.name,
    revoked: token.revokedAt !== null,
    created_at: token.createdAt,
    description: token.description,
    scopes: token.scopes,
    user_id: token.userId,
    last_used_at: token.lastUsedAt,
    active: token.active,
    expires_at: token.expiresAt?.toISOString().slice(0, 10) ?? null,
  };
}
