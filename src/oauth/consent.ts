/** Decides when a person is asked for consent, what they may leave out, and how long an earlier consent holds. */
import { covers, SCOPES } from "../accounts/scope.ts";
import type { Application } from "./application.ts";
import { isOfSite } from "./redirect-uri.ts";

/** The part of a request that decides whether consent may be skipped. */
interface Unasked {
  application: Application;
  responseType: "code" | "token";
  redirect: { uri: string };
  scopes: readonly string[];
}

/**
 * Whether a request may be approved without asking: the application is trusted, or the person has allowed at least these scopes
 * and has not withdrawn them. Never for a public application, which anybody can impersonate (RFC 8252 §8.6;
 * contract §4, consent), nor for a token, which needs no client secret, unless its address belongs to the registered site for
 * certain (decision 0220).
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
 * Returns the requested scopes that a person may leave out (decision 0194). `openid` cannot be left out, since a sign-in needs it
 * (OpenID Connect Core §3.1.2.1). Nor can a single scope, which one denies instead, nor any scope of a trusted application, which
 * does not ask for consent.
 */
export function optionalScopes({ trusted }: { trusted: boolean }, asked: readonly string[]): string[] {
  return trusted || asked.length < 2 ? [] : asked.filter((scope) => scope !== "openid");
}

/** Returns the requested scopes that the person allows; no others can be ticked. */
export function grantedScopes(
  application: { trusted: boolean },
  asked: readonly string[],
  isTicked: (scope: string) => boolean,
): string[] {
  const optional = optionalScopes(application, asked);
  return asked.filter((scope) => !optional.includes(scope) || isTicked(scope));
}

/** Returns the scopes whose earlier consent ends with this answer: all that include a scope which was left out. */
export function forgottenScopes(asked: readonly string[], granted: readonly string[]): string[] {
  const leftOut = asked.filter((scope) => !covers(granted, [scope]));
  return SCOPES.filter((scope) => leftOut.some((one) => covers([scope], [one])));
}
