/** The `scope` parameter: how it is read, and its default. */
import { covers, isScope } from "../accounts/scope.ts";
import type { Application } from "./application.ts";
import { OAuthError } from "./error.ts";

const LONGEST = 1000;

/** Scopes of GitLab for features that are missing here; glab requests one of them at each sign-in (decision 0123). */
const OF_GITLAB = new Set(
  ["repository", "registry", "virtual_registry"].flatMap((what) => [`read_${what}`, `write_${what}`]),
);

/** Scopes that OpenID Connect clients request besides `openid` wherever they are used (decision 0017). */
const OF_SIGN_IN = new Set(["offline_access", "address", "phone", "groups"]);

/**
 * Returns the scopes of a `scope` parameter, each once; undefined if it is malformed or names an unknown one. They are separated
 * by single blanks (RFC 6749 §3.3); a list with commas alone is accepted as well, since passport-gitlab2 sends one
 * (reference oauth 0.8). Besides `openid`, scopes that its clients always request are ignored (OpenID Connect Core §3.1.2.1):
 * `groups` of Argo CD, `address`, `phone`, and `offline_access`, since refresh tokens depend on the application's grant types
 * (§11, decision 0017). So are GitLab's scopes for repositories and registries if others are named; the response says what was
 * granted (RFC 6749 §3.3).
 */
export function readScope(parameter: string): string[] | undefined {
  if (parameter.length > LONGEST) return undefined;
  const named = parameter.split(parameter.includes(" ") ? " " : /[ ,]/);
  const signsIn = named.includes("openid");
  const words = named.filter((word) => !OF_GITLAB.has(word) && !(signsIn && OF_SIGN_IN.has(word)));
  return words.length > 0 && words.every(isScope) ? [...new Set(words)] : undefined;
}

/**
 * Returns the scopes of a registration without GitLab's for missing features, unless there are no others (reference oauth A11).
 */
export function registeredScopes(named: readonly string[]): readonly string[] {
  const known = named.filter((word) => !OF_GITLAB.has(word));
  return known.length > 0 ? known : named;
}

/** What an authorization request asked for, for the event log of the application; `gl_auth_type=login` limits it to a sign-in. */
export function sentScope(scope: unknown, purpose: unknown): string {
  if (purpose === "login") return "gl_auth_type=login, which asks for read_user";
  return `“${String(scope ?? "").slice(0, 300)}”`;
}

/** The scopes of an authorization request that names none: `api` if the application has it, else all it has (contract §4). */
export function defaultScopes(applicationScopes: readonly string[]): string[] {
  return applicationScopes.includes("api") ? ["api"] : [...applicationScopes];
}

/** Why a requested scope is refused. */
export const BAD_SCOPE = "The scope is malformed, unknown or not enabled for the application.";

/**
 * Returns the scopes that a token request names, or the usual ones if it names none.
 * @throws OAuthError invalid_scope: malformed, unknown, or beyond those of the application
 */
export function checkedScopes(
  application: Pick<Application, "scopes">,
  parameter: string | undefined,
  usual: readonly string[] = defaultScopes(application.scopes),
): readonly string[] {
  const scopes = parameter === undefined ? usual : readScope(parameter);
  if (!scopes || !covers(application.scopes, scopes)) throw new OAuthError("invalid_scope", BAD_SCOPE);
  return scopes;
}
