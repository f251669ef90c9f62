/** Personal access tokens on the wire: what may be asked, and their record. */
import Type, { type Static } from "typebox";
import { pageParameters } from "../platform/pagination.ts";
import { SCOPES } from "./scope.ts";
import { type PersonalToken, TOKEN_ORDERS } from "./token.ts";

export const NewTokenBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  scopes: Type.Array(Type.Enum([...SCOPES])),
  expires_at: Type.Optional(
    Type.Union([Type.String({ format: "date" }), Type.Null()], {
      description: "YYYY-MM-DD; the token ends at the beginning of that day (UTC)",
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 255 })),
});
export type NewTokenBody = Static<typeof NewTokenBody>;

export const RotateBody = Type.Optional(
  Type.Object({
    expires_at: Type.Optional(Type.Union([Type.String({ format: "date" }), Type.Null()])),
  }),
);
export type RotateBody = Static<typeof RotateBody>;

const day = () => Type.Optional(Type.String({ format: "date" }));

export const TokensQuery = Type.Object({
  user_id: Type.Optional(Type.Integer()),
  state: Type.Optional(Type.Enum(["active", "inactive"])),
  revoked: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ maxLength: 255 })),
  created_after: day(),
  created_before: day(),
  last_used_after: day(),
  last_used_before: day(),
  expires_after: day(),
  expires_before: day(),
  sort: Type.Optional(Type.Enum([...TOKEN_ORDERS])),
  ...pageParameters,
});
export type TokensQuery = Static<typeof TokensQuery>;

/** A token without its secret (reference oauth A10); `expires_at` is the day at whose beginning it ends. */
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
