/** The access token, personal or delegated: what a presented one is, and whether it still counts. */
import { boolean, instant, integer, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { UserRow } from "./user.ts";

export const TOKEN_KINDS = ["personal", "oauth"] as const;

/** A token as it is found by its digest, with the user it acts for. Expiry is judged by the database's clock. */
export const PresentedTokenRow = row({
  ...UserRow.columns,
  tokenId: integer,
  tokenKind: oneOf(TOKEN_KINDS),
  scopes: list(text),
  applicationId: nullable(integer),
  /** What the application may ask for now; null: the token is of no application. */
  applicationScopes: nullable(list(text)),
  authorizationId: nullable(integer),
  /** The thumbprint of the key whose possession must be proven with it; null: of none. */
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
  /** From which address; null: never, or longer ago than it is kept. */
  lastUsedIp: nullable(text),
  active: boolean,
});
export type PersonalToken = RowOf<typeof PersonalTokenRow>;

/** The orders that a list of personal tokens may have. */
export const TOKEN_ORDERS = [
  "created_desc",
  "created_asc",
  "expires_asc",
  "last_used_desc",
  "name_asc",
] as const;
export type TokenOrder = (typeof TOKEN_ORDERS)[number];
