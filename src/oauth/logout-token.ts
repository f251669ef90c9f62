/** The message that a session is over, as an application is to read it (OpenID Connect Back-Channel Logout §2.4). */

/** How long a token counts, in seconds, from when it is sent: two minutes at most are recommended. */
export const LOGOUT_TOKEN_SECONDS = 120;

/** The one member of `events`. */
export const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The type in the head of the token, by which it cannot be taken for an identity token. */
export const LOGOUT_TYPE = "logout+jwt";

/** What is kept of a message until it is sent. */
export interface LogoutContent {
  application_id: number;
  user_id: number;
  /** Null: all sessions of the person. */
  sid: string | null;
}
