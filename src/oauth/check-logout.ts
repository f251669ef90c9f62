/** Checks a request to sign a person out (OpenID Connect RP-Initiated Logout §2, §3, §4). */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { cutWithoutSecrets } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { readIdentityHint } from "./read-identity-hint.ts";
import { MAX_STATE_BYTES, registeredWords, withAnswer } from "./redirect-uri.ts";
import { singleParameters } from "./single-parameters.ts";
import { findApplicationByUid } from "./store.ts";
import { isUid } from "./uid.ts";

/** The parameters that this endpoint knows; all others, `ui_locales` among them, are ignored. */
export const LOGOUT_PARAMETERS = [
  "id_token_hint",
  "logout_hint",
  "client_id",
  "post_logout_redirect_uri",
  "state",
] as const;

/** The parameters as they were sent: a list if one was repeated or was a structure; empty ones are absent. */
export type LogoutParameters = Readonly<
  Partial<Record<(typeof LOGOUT_PARAMETERS)[number], string | readonly string[]>>
>;

/** A checked request to sign out. */
export interface LogoutRequest {
  /** The application that asks; undefined: not named, or unknown. */
  application: Application | undefined;
  /** The person whom the application means, proven by an identity token; undefined: anybody. */
  userId: number | undefined;
  /** Where to go afterwards, with the state: a registered address of the application. */
  wayBack: string | undefined;
  /** What is wrong, if the request cannot be fulfilled. */
  fault: LogoutFault | undefined;
}

export interface LogoutFault {
  /** For the person, and for the developer of the application. */
  words: string;
  /** For the event log of the application. */
  reason: string;
}

/**
 * Of a faulty request neither the person nor the way back is used: nobody is redirected, and the person is asked.
 * @throws Problem invalid: a repeated parameter, or a state that is too long to be sent back
 */
export async function checkLogout(
  db: Queries,
  issuer: string,
  given: LogoutParameters,
): Promise<LogoutRequest> {
  const repeated = LOGOUT_PARAMETERS.find((name) => Array.isArray(given[name]));
  if (repeated) throw new Problem("invalid", `The parameter ${repeated} is repeated or is a list.`);
  const { client_id, id_token_hint, post_logout_redirect_uri, state } = singleParameters(given);
  if (Buffer.byteLength(state ?? "") > MAX_STATE_BYTES) {
    throw new Problem("invalid", "The state is longer than 4 KiB.");
  }
  const hint = id_token_hint === undefined ? undefined : await readIdentityHint(db, issuer, id_token_hint);
  const uid = client_id ?? hint?.applicationUid;
  const application = isUid(uid) ? await findApplicationByUid(db, uid) : undefined;
  const isOther = hint !== undefined && hint.applicationUid !== uid;
  const refused = (words: string, reason = words): LogoutRequest => ({
    application,
    userId: undefined,
    wayBack: undefined,
    fault: { words, reason },
  });
  if (client_id !== undefined && !application) return refused("No application has this client_id.");
  if (isOther) return refused("The id_token_hint was made for another application than client_id names.");
  const userId = hint?.userId;
  if (post_logout_redirect_uri === undefined) {
    return { application, userId, wayBack: undefined, fault: undefined };
  }
  if (!application) {
    return refused("The post_logout_redirect_uri needs a client_id or a valid id_token_hint.");
  }
  if (!application.postLogoutRedirectUris.includes(post_logout_redirect_uri)) {
    return refused(
      "The post_logout_redirect_uri is not registered for this application.",
      differs(application, post_logout_redirect_uri),
    );
  }
  const wayBack =
    state === undefined ? post_logout_redirect_uri : withAnswer(post_logout_redirect_uri, { state }, "query");
  return { application, userId, wayBack, fault: undefined };
}

function differs({ postLogoutRedirectUris: registered }: Application, sent: string): string {
  return `post_logout_redirect_uri differs: sent ${cutWithoutSecrets(sent, 400)}, registered ${registeredWords(registered)}`;
}
