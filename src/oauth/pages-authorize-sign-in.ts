/** Whether a person must sign in before they are asked, and how the request goes on after it (OpenID Connect Core §3.1.2.1, §3.1.2.3). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Browser, browserOf, SignInNeeded } from "../accounts/browser.ts";
import type { Platform } from "../platform/platform.ts";
import { AuthorizationError, type AuthorizationErrorCode } from "./authorization-error.ts";
import type { GivenParameters } from "./authorization-parameters.ts";
import type { AuthorizationRequest } from "./check-authorization.ts";
import { askedFor, type Expected } from "./pages-authorize-hint.ts";
import { isPlainNavigation } from "./pages-authorize-leave.ts";
import { type Pushed, signInForPushed } from "./pages-authorize-pushed.ts";
import { signOutFor } from "./pages-sign-out.ts";
import { findSessionAge } from "./store-openid.ts";

/**
 * Whether nobody is signed in, or somebody else than is expected, or only somebody who proved it too long ago (OpenID
 * Connect Core §3.1.2.1, §3.1.2.3).
 * @param hasSignedIn for this very request
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
  // A max_age of 0 is a prompt=login by another name, however young the session is (errata set 2).
  if (prompts.includes("login") || maxAgeSeconds === 0) return true;
  if (maxAgeSeconds === undefined) return false;
  const age = await findSessionAge(db, browser.digest);
  return age === undefined || age.ageSeconds > maxAgeSeconds;
}

/**
 * Leaves the session and begins again without what the new sign-in fulfils, so that it is asked once. A pushed request stays
 * as it is: whether a sign-in fulfils it is told by the time.
 */
export async function signInFirst(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: AuthorizationRequest,
  given: GivenParameters,
  { expected, pushed }: { expected: Expected | undefined; pushed: Pushed | undefined },
): Promise<FastifyReply> {
  const { viewer } = await browserOf(platform, request, reply);
  if (viewer && expected?.wasAsked && viewer.userId !== expected.userId) {
    throw refusal(asked, "login_required", "Somebody else than the id_token_hint names signed in.");
  }
  // What is fetched ahead or framed must not sign anybody out.
  if (asked.prompts.includes("none") || (viewer && !isPlainNavigation(request))) {
    throw refusal(asked, "login_required", "The person must sign in first.");
  }
  if (viewer) await signOutFor(platform, request, reply, asked.application, { mayComeBack: true });
  const { prompt: _prompt, max_age: _maxAge, ...rest } = given as Readonly<Record<string, string>>;
  if (pushed) {
    if (viewer) return reply.redirect(pushed.path, 303);
    const named = expected ? await askedFor(platform, asked, expected, rest) : rest;
    return signInForPushed(platform, request, reply, pushed, named.login_hint);
  }
  const prompts = asked.prompts.filter((word) => word !== "login");
  const again = prompts.length === 0 ? rest : { ...rest, prompt: prompts.join(" ") };
  // What is still to be asked after the sign-in is no reason to begin again.
  const isFulfilled = prompts.length < asked.prompts.length || given.max_age !== undefined;
  if (viewer || isFulfilled || expected?.wasAsked === false) {
    const parameters = new URLSearchParams(
      expected ? await askedFor(platform, asked, expected, again) : again,
    );
    return reply.redirect(`/oauth/authorize?${parameters}`, 303);
  }
  throw new SignInNeeded();
}

/** A refusal of a request that is proven. */
export function refusal(
  { redirect, application }: AuthorizationRequest,
  code: AuthorizationErrorCode,
  words: string,
): AuthorizationError {
  return new AuthorizationError(redirect, code, words, application);
}
