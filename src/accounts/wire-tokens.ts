/** Requests about personal access tokens, and their record on the API. */
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { SCOPES } from "./scope.ts";
import { type PersonalToken, TOKEN_ORDERS } from "./token.ts";
import { UserParameters } from "./wire-users.ts";

export const NewTokenParameters = Type.Object({ user_id: UserParameters.properties.id });

export const TokenParameters = Type.Object({ id: Type.String({ description: "number of the token" }) });

const endOfToken = (whenUnsaid: string) =>
  Type.Optional(
    Type.Union([Type.String({ format: "date" }), Type.Null()], {
      description: `YYYY-MM-DD; the token ends at the beginning of that day (UTC); ${whenUnsaid}`,
    }),
  );

export const NewTokenBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: "what its owner knows it by" }),
  // Also one text, as in the documentation of python-gitlab and at GitLab.
  scopes: Type.Array(Type.Enum([...SCOPES]), {
    orText: true,
    description: "what it may be used for, at least one; or in one text, separated by commas",
  }),
  expires_at: endOfToken("default: never"),
  description: Type.Optional(Type.String({ maxLength: 255, description: "what it is for, in words" })),
});
export type NewTokenBody = Static<typeof NewTokenBody>;

export const RotateBody = Type.Optional(
  Type.Object({
    expires_at: endOfToken("default: in seven days, or never if the old one had no end"),
  }),
);
export type RotateBody = Static<typeof RotateBody>;

const day = (description: string) => Type.Optional(Type.String({ format: "date", description }));

export const TokensQuery = Type.Object({
  user_id: Type.Optional(
    Type.Integer({
      description:
        "number of the user whose they are, others' for administrators alone; default: one's own, to administrators all",
    }),
  ),
  state: Type.Optional(
    Type.Enum(["active", "inactive"], { description: "active: neither revoked nor expired; default: both" }),
  ),
  revoked: Type.Optional(
    Type.Boolean({ description: "only those that were revoked, or only those that were not" }),
  ),
  search: Type.Optional(Type.String({ maxLength: 255, description: "part of the name, in any case" })),
  created_after: day("only those made after this day began (UTC)"),
  created_before: day("only those made before this day began (UTC)"),
  last_used_after: day("only those last used after this day began (UTC)"),
  last_used_before: day("only those last used before this day began (UTC)"),
  expires_after: day("only those that end after this day begins (UTC)"),
  expires_before: day("only those that end before this day begins (UTC)"),
  sort: Type.Optional(
    Type.Enum([...TOKEN_ORDERS], { description: "default: created_desc, the newest first" }),
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
