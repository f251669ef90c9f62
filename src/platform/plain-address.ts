/** Reads request addresses with doubled slashes or one at the end, as programs build them from a base address (decision 0123). */

/** Where programs call; project pages and the alert doors below them have their own rules. */
const FOR_PROGRAMS =
  /^\/+(?:(?:oauth|api\/+v[34]|\.well-known|opsgenie\/+v2)\/|v2\/+(?:change\/+)?enqueue(?:\/|$))/;

/** Where libraries of GitLab's third version ask who signed in; the fourth has every member that they read (decision 0123). */
const OLD_PERSON = "/api/v3/user";
const PERSON = "/api/v4/user";

/** Nothing that the API names can end so (`accounts/user.ts`) but a mail address, by which an invitation is known. */
const SAYS_JSON = /^\/api\/v4\/(?!.*\/invitations\/[^/]*$).*[^/](\.json)$/;

/**
 * The address without doubled slashes and without one at its end, as GitLab reads it (decision 0123); the query stays,
 * and what says that JSON is meant goes: the API speaks nothing else. Who asks for the person by the third version is
 * answered by the fourth.
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

/** The address as it stands below the host, also where a client writes the whole of it (RFC 9112 §3.2.2). */
export function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
