/** The person whom an authorization request expects: `id_token_hint`, and how it is kept during the sign-in (decision 0136). */
import type { Platform } from "../platform/platform.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { AuthorizationRequest } from "./check-authorization.ts";
import { type IdentityHint, readIdentityHint } from "./read-identity-hint.ts";
import type { SingleParameters } from "./single-parameters.ts";
import { findIdentity } from "./store-openid.ts";

/** The person whom the application expects, and whether they were asked to sign in for this request already. */
export interface Expected {
  userId: number;
  wasAsked: boolean;
  /** What may be filled in for them: no more than the application has read in its token (decision 0149). */
  names: IdentityHint["names"];
}

/**
 * Returns undefined if the application expects nobody in particular.
 * @throws AuthorizationError invalid_request for a hint that is not an identity token of this application (Core §3.1.2.6)
 */
export async function expectedPerson(
  { db, keys, config }: Platform,
  asked: AuthorizationRequest,
  { expected_person: kept, id_token_hint: hint }: SingleParameters,
): Promise<Expected | undefined> {
  const { application, redirect } = asked;
  const [id = "", signature = ""] = kept?.split(".") ?? [];
  const isOurs = keys.isSigned("expected person", `${application.uid} ${id}`, signature);
  if (kept !== undefined && isOurs) {
    return { userId: Number(id), wasAsked: true, names: undefined };
  }
  if (hint === undefined) return undefined;
  const read = await readIdentityHint(db, config.publicUrl, hint);
  if (read?.applicationUid === application.uid) {
    return { userId: read.userId, wasAsked: false, names: read.names };
  }
  const words = "The id_token_hint is not an identity token that this server made for the application.";
  throw new AuthorizationError(redirect, "invalid_request", words, application);
}

/**
 * Returns the parameters with which the request continues after the sign-in: the token is replaced by a short signed value, since
 * it can be longer than what can be kept meanwhile, and the username or mail address is filled in if the token contains it.
 */
export async function parametersAfterSignIn(
  { db, keys }: Platform,
  { application }: AuthorizationRequest,
  { userId, names }: Expected,
  parameters: SingleParameters,
): Promise<SingleParameters> {
  const { id_token_hint: _hint, ...rest } = parameters;
  const person = names && (await findIdentity(db, userId));
  return {
    ...rest,
    ...(person ? { login_hint: person[names] } : {}),
    expected_person: `${userId}.${keys.sign("expected person", `${application.uid} ${userId}`)}`,
  };
}
