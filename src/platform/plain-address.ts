/** Normalises request addresses with doubled or trailing slashes, which programs build from a base address (decision 0123). */

/** Addresses that programs call; project pages and the alert receiver below them have their own rules. */
const FOR_PROGRAMS =
  /^\/+(?:(?:oauth|api\/+v[34]|\.well-known|opsgenie\/+v2)\/|v2\/+(?:change\/+)?enqueue(?:\/|$))/;

/** Where libraries for GitLab's API v3 ask who signed in; v4 returns every member that they read (decision 0123). */
const OLD_PERSON = "/api/v3/user";
const PERSON = "/api/v4/user";

/** A trailing `.json`, except in the mail address of an invitation: no other name in the API can end so (`accounts/user.ts`). */
const SAYS_JSON = /^\/api\/v4\/(?!.*\/invitations\/[^/]*$).*[^/](\.json)$/;

/**
 * Removes doubled slashes and a trailing one, as GitLab does (decision 0123), and a trailing `.json`, since the API has no other
 * format; keeps the query. The v3 address of the current user becomes that of v4.
 */
export function plainAddress(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  if (!/\/\/|\/$|\.json$/.test(path) && path !== OLD_PERSON) return url;
  if (!FOR_PROGRAMS.test(path)) return url;
  const plain = path.replaceAll(/\/+/g, "/").replace(/\/$/, "");
  const [, suffix = ""] = SAYS_JSON.exec(plain) ?? [];
  const bare = plain.slice(0, plain.length - suffix.length);
  return (bare === OLD_PERSON ? PERSON : bare) + url.slice(path.length);
}

/** Returns path and query of an address, also if a client sends it with scheme and host (RFC 9112 §3.2.2). */
export function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
