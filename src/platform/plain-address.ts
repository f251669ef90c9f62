/** Reads the addresses that programs put together: a base with a slash at its end makes two, and some end in one. */

/** Where programs call; project pages and alert doors have their own rules. */
const FOR_PROGRAMS = /^\/+(?:oauth|api\/+v4|\.well-known)\//;

/** The address without doubled slashes and without one at its end, as GitLab reads it (decision 0123); the query stays. */
export function plainAddress(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  if (!path.includes("//") && !path.endsWith("/")) return url;
  if (!FOR_PROGRAMS.test(path)) return url;
  return path.replaceAll(/\/+/g, "/").replace(/\/$/, "") + url.slice(path.length);
}

/** The address as it stands below the host, also where a client writes the whole of it (RFC 9112 §3.2.2). */
export function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
