/**
 * The contents of a logout token, which tells an application that a session has ended (OpenID Connect Back-Channel Logout §2.4).
 */

/** The lifetime of a token in seconds, from when it is sent: at most two minutes are recommended. */
export const LOGOUT_TOKEN_SECONDS = 120;

/** The one member of `events`. */
export const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The `typ` of the token's header, so that it cannot be mistaken for an identity token. */
export const LOGOUT_TYPE = "logout+jwt";

/** What is stored of a message until it is sent. */
export interface LogoutContent {
  application_id: number;
  user_id: number;
  /** Null: all sessions of the person. */
  sid: string | null;
}
