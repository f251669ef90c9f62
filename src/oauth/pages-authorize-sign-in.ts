/**
 * Decides whether a person must sign in before they are asked, and how the request continues then (OpenID Connect Core §3.1.2.1,
 * §3.1.2.3).
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Browser, browserOf, SignInNeeded } from "../accounts/browser.ts";
import type { Platform } from "../platform/platform.ts";
import { AuthorizationError, type AuthorizationErrorCode } from "./authorization-error.ts";
import type { AuthorizationRequest } from "./check-authorization.ts";
import { type Expected, parametersAfterSignIn } from "./pages-authorize-hint.ts";
import { isPlainNavigation } from "./pages-authorize-leave.ts";
import { type Pushed, signInForPushed } from "./pages-authorize-pushed.ts";
import { signOutFor } from "./sign-out-for.ts";
import type { SingleParameters } from "./single-parameters.ts";
import { findSessionAge } from "./store-openid.ts";

/**
 * Whether nobody is signed in, or not the expected person, or the sign-in is too long ago (OpenID Connect Core §3.1.2.1,
 * §3.1.2.3).
 * @param hasSignedIn whether the person has signed in for this very request
 */
export async function mustSignIn(
  { db }: Platform,
  browser: Browser,
  asked: AuthorizationRequest,
  expected: Expected | undefined,
  hasSignedIn: boolean,
): Promise<boolean> {
  const { prompts, maxAgeSeconds } = asked;
  if (!browser.viewer) return true;
  if (expected && browser.viewer.userId !== expected.userId) return true;
  if (hasSignedIn) return false;
  // A max_age of 0 means prompt=login, however new the session is (errata set 2).
  if (prompts.includes("login") || maxAgeSeconds === 0) return true;
  if (maxAgeSeconds === undefined) return false;
  const age = await findSessionAge(db, browser.digest);
  return age === undefined || age.ageSeconds > maxAgeSeconds;
}

/** An authorization request that waits for a sign-in. */
export interface Waiting {
  asked: AuthorizationRequest;
  /** Its parameters as they were sent, without `resource`. */
  given: SingleParameters;
  expected: Expected | undefined;
  pushed: Pushed | undefined;
}

/**
 * Ends the session and redirects to the sign-in, and from there back to the request without the parameters that the sign-in
 * fulfils (`prompt=login`, `max_age`), so that it asks for one sign-in only. A pushed request cannot be changed; whether a
 * sign-in fulfils it is decided by the time of the sign-in.
 * @throws AuthorizationError login_required: nobody may be asked, or another person than the expected one signed in
 * @throws SignInNeeded
 */
export async function signInFirst(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { asked, given, expected, pushed }: Waiting,
): Promise<FastifyReply> {
  const { viewer } = await browserOf(platform, request, reply);
  if (viewer && expected?.wasAsked && viewer.userId !== expected.userId) {
    throw refusal(asked, "login_required", "Somebody else than the id_token_hint names signed in.");
  }
  // A prefetched or framed request must not sign anybody out.
  if (asked.prompts.includes("none") || (viewer && !isPlainNavigation(request))) {
    throw refusal(asked, "login_required", "The person must sign in first.");
  }
  if (viewer) await signOutFor(platform, request, reply, asked.application, { mayComeBack: true });
  const { prompt: _prompt, max_age: _maxAge, ...rest } = given;
  if (pushed) {
    if (viewer) return reply.redirect(pushed.path, 303);
    const named = expected ? await parametersAfterSignIn(platform, asked, expected, rest) : rest;
    return signInForPushed(platform, request, reply, pushed, named.login_hint);
  }
  const prompts = asked.prompts.filter((word) => word !== "login");
  const again = prompts.length === 0 ? rest : { ...rest, prompt: prompts.join(" ") };
  // Prompts that remain after the sign-in (`consent`) are no reason to repeat the request.
  const isFulfilled = prompts.length < asked.prompts.length || given.max_age !== undefined;
  if (viewer || isFulfilled || expected?.wasAsked === false) {
    const parameters = new URLSearchParams(
      expected ? await parametersAfterSignIn(platform, asked, expected, again) : again,
    );
    return reply.redirect(`/oauth/authorize?${parameters}`, 303);
  }
  throw new SignInNeeded();
}

/** Returns a refusal that is redirected to the application. */
export function refusal(
  { redirect, application }: AuthorizationRequest,
  code: AuthorizationErrorCode,
  words: string,
): AuthorizationError {
  return new AuthorizationError(redirect, code, words, application);
}
