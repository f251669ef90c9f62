/**
 * Tells an application that a session has ended: signs a logout token and posts it (OpenID Connect Back-Channel Logout §2.4,
 * §2.5).
 */
import type { Outcome, Sender, Taken } from "../outbox/delivery.ts";
import { postParameters } from "../outbox/post.ts";
import type { Platform } from "../platform/platform.ts";
import type { Application } from "./application.ts";
import { currentSigningKey } from "./current-signing-key.ts";
import { epochSeconds } from "./epoch-seconds.ts";
import { LOGOUT_EVENT, LOGOUT_TOKEN_SECONDS, LOGOUT_TYPE, type LogoutContent } from "./logout-token.ts";
import { recordRefusal } from "./record-refusal.ts";
import { findApplication } from "./store.ts";

/** For the outbox. Deliveries that were given up are recorded in the event log of the application. */
export const logoutSender: Sender = { send: sendLogoutToken, givenUp: noteGivenUp };

/** Sends to the current address; every try signs a new token, with the same `jti`. */
async function sendLogoutToken(platform: Platform, taken: Taken): Promise<Outcome> {
  const content = taken.content as LogoutContent;
  const application = await findApplication(platform.db, content.application_id);
  if (!application?.backchannelLogoutUri) {
    return {
      isSent: false,
      isFinal: true,
      status: null,
      error: "The application no longer has a back-channel logout URI.",
    };
  }
  const token = await signLogoutToken(platform, application, taken);
  const outcome = await postParameters(platform, application.backchannelLogoutUri, { logout_token: token });
  // The application has rejected the token, or could not end the session; another try would not help (§2.8).
  return outcome.status === 400
    ? { ...outcome, isFinal: true, error: "The application refused the logout token (status 400)." }
    : outcome;
}

async function signLogoutToken(
  platform: Platform,
  { uid, idTokenAlgorithm: alg }: Application,
  { content, messageId, takenAt }: Taken,
): Promise<string> {
  const { user_id: userId, sid } = content as LogoutContent;
  const { kid, key } = await currentSigningKey(platform, alg);
  const issuedAt = epochSeconds(takenAt);
  const { SignJWT } = await import("jose");
  return new SignJWT({ events: { [LOGOUT_EVENT]: {} }, ...(sid === null ? {} : { sid }) })
    .setProtectedHeader({ alg, kid, typ: LOGOUT_TYPE })
    .setIssuer(platform.config.publicUrl)
    .setSubject(String(userId))
    .setAudience(uid)
    .setJti(messageId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LOGOUT_TOKEN_SECONDS)
    .sign(key);
}

function noteGivenUp(
  platform: Platform,
  { content, messageId, target, attempts }: Taken,
  last: Outcome,
): void {
  const { application_id: applicationId, user_id: userId } = content as LogoutContent;
  const tries = attempts === 1 ? "1 try" : `${attempts} tries`;
  recordRefusal(platform, {
    applicationId,
    endpoint: "backchannel_logout",
    grantType: "",
    answer: "not_delivered",
    reason: `${target} was not told of a sign-out, after ${tries}. ${last.error}`,
    requestId: messageId,
    network: "",
    userId,
  });
}
