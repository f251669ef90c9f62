/** How long what is handed out lives, in seconds (contract §4, token type and lifetimes). */

export const ACCESS_TOKEN_SECONDS = 7200;
/** An identity token says who signed in a moment ago; it opens nothing. */
export const IDENTITY_TOKEN_SECONDS = 3600;
/** How long a device waits for its person. */
export const DEVICE_SECONDS = 600;
/** How often it may ask at first, and what a hasty poll adds (RFC 8628 §3.5). */
export const DEVICE_INTERVAL_SECONDS = 5;
/** A refresh token that is not used for so long is dead. */
export const REFRESH_IDLE_SECONDS = 30 * 24 * 3600;
/** No refresh reaches beyond this, counted from the approval. */
export const REFRESH_ABSOLUTE_SECONDS = 180 * 24 * 3600;
/** Within this time the same refresh request gets the same successor. */
export const REFRESH_GRACE_SECONDS = 30;
/** How long a consent page waits for its answer. */
export const REQUEST_SECONDS = 30 * 60;
/** The longest overlap of an old client secret with its successor. */
export const MOST_GRACE_SECONDS = 86_400;
