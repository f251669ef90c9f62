/** When a person is asked, what they may leave out, and when the answer given before still holds. */
import { covers, SCOPES } from "../accounts/scope.ts";
import type { Application } from "./application.ts";
import { isOfSite } from "./redirect-uri.ts";

/** What is asked for, and where the answer goes. */
interface Unasked {
  application: Application;
  responseType: "code" | "token";
  redirect: { uri: string };
  scopes: readonly string[];
}

/**
 * Whether a request may go on unasked: the application is trusted, or the person allowed it the same or more, until
 * they take it back. Never for a public application, which anybody can pretend to be (RFC 8252 §8.6; contract §4, consent), nor
 * for a token, for which no secret is shown, where its address may be any program's (decision 0220).
 */
export function mayGoOnUnasked(
  { application, responseType, redirect, scopes }: Unasked,
  allowed: readonly string[] | undefined,
): boolean {
  if (!application.confidential) return false;
  if (responseType === "token" && !isOfSite(redirect.uri, application.redirectUris)) return false;
  return application.trusted || (allowed !== undefined && covers(allowed, scopes));
}

/**
 * The scopes that a person may leave out of those that an application asks for (decision 0194). `openid` cannot be left out: a
 * sign-in needs it (OpenID Connect Core §3.1.2.1). Nor can a single scope, which one denies instead, nor any scope of a
 * trusted application, which does not ask.
 */
export function optionalScopes({ trusted }: { trusted: boolean }, asked: readonly string[]): string[] {
  return trusted || asked.length < 2 ? [] : asked.filter((scope) => scope !== "openid");
}

/** The scopes that the person allows, among those that were asked for; no others can be ticked. */
export function grantedScopes(
  application: { trusted: boolean },
  asked: readonly string[],
  isTicked: (scope: string) => boolean,
): string[] {
  const optional = optionalScopes(application, asked);
  return asked.filter((scope) => !optional.includes(scope) || isTicked(scope));
}

/** The scopes whose earlier consent ends by this answer: each that includes a scope which was left out. */
export function forgottenScopes(asked: readonly string[], granted: readonly string[]): string[] {
  const leftOut = asked.filter((scope) => !covers(granted, [scope]));
  return SCOPES.filter((scope) => leftOut.some((one) => covers([scope], [one])));
}
