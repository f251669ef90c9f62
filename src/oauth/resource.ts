/** What tokens are for: this service alone, by the resource identifiers that clients know (RFC 8707; RFC 9728; decision 0195). */
import { cutWithoutSecrets } from "../platform/secret.ts";
import { OAuthError } from "./error.ts";

/** Paths of the resources: the service as a whole, and the API, where most clients start. */
export const RESOURCE_PATHS = ["", "/api/v4"] as const;

/** The resource identifiers of this service (RFC 9728 §1.2). */
export function resourcesOf(publicUrl: string): string[] {
  return RESOURCE_PATHS.map((path) => publicUrl + path);
}

/** The error for a `resource` of another server; the words are those of RFC 8707 §2. */
export const FOREIGN_RESOURCE = "The resource is not one of this server, or is no absolute URI.";

/**
 * Whether each of these values of `resource` names this service; empty ones are absent (RFC 6749 §3.1). Libraries add a slash to
 * an origin, and some to every address, so that one trailing slash is ignored.
 */
export function areOurs(publicUrl: string, named: readonly unknown[]): boolean {
  const ours = resourcesOf(publicUrl);
  return named.every((value) => {
    if (typeof value !== "string") return false;
    return value === "" || ours.includes(value.endsWith("/") ? value.slice(0, -1) : value);
  });
}

/** @throws OAuthError invalid_target */
export function checkResources(publicUrl: string, named: readonly unknown[]): void {
  if (areOurs(publicUrl, named)) return;
  throw new OAuthError("invalid_target", FOREIGN_RESOURCE, `resource: sent ${shownResource(named)}`);
}

/** What was sent, for the application's owner and the log: truncated, on one line, without secrets. */
export function shownResource(named: readonly unknown[]): string {
  const sent = named.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");
  return cutWithoutSecrets(sent, 300).replaceAll(/\p{Cc}/gu, " ");
}
