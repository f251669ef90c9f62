/** Access tokens, personal and delegated, as they are presented and listed. */
import { boolean, instant, integer, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { UserRow } from "./user.ts";

export const TOKEN_KINDS = ["personal", "oauth"] as const;

/** A token found by its digest, with the user it acts for. Expiry is checked by the database's clock. */
export const PresentedTokenRow = row({
  ...UserRow.columns,
  tokenId: integer,
  tokenKind: oneOf(TOKEN_KINDS),
  scopes: list(text),
  applicationId: nullable(integer),
  /** The current scopes of the application; null: a personal token. */
  applicationScopes: nullable(list(text)),
  authorizationId: nullable(integer),
  /** The thumbprint of the key that it is bound to; null: unbound. */
  boundKey: nullable(text),
  tokenCreatedAt: instant,
  /** Seconds left; null: never expires. */
  expiresIn: nullable(integer),
  expired: boolean,
  revoked: boolean,
  staleUse: boolean,
});
export type PresentedToken = RowOf<typeof PresentedTokenRow>;

/** A personal access token as its owner sees it. */
export const PersonalTokenRow = row({
  id: integer,
  userId: integer,
  name: text,
  description: text,
  scopes: list(text),
  createdAt: instant,
  expiresAt: nullable(instant),
  revokedAt: nullable(instant),
  lastUsedAt: nullable(instant),
  /** The network address of the last use; null: never used, or the address was deleted after some time. */
  lastUsedIp: nullable(text),
  active: boolean,
});
export type PersonalToken = RowOf<typeof PersonalTokenRow>;

/** The sort orders of lists of personal tokens: those of the GitLab v4 API. */
export const TOKEN_ORDERS = [
  "created_desc",
  "created_asc",
  "expires_asc",
  "expires_desc",
  "last_used_asc",
  "last_used_desc",
  "name_asc",
  "name_desc",
] as const;
export type TokenOrder = (typeof TOKEN_ORDERS)[number];
