/**
 * The parameters of an authorization request as they were sent, and whether each is a single valid string (RFC 6749 §3.1,
 * §4.1.1).
 */
import { formDecoded } from "../platform/form-decoded.ts";

/** The parameters that the authorization endpoint knows; all others are ignored (RFC 6749 §3.1). */
export const AUTHORIZATION_PARAMETERS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "scope",
  "resource",
  "state",
  "code_challenge",
  "code_challenge_method",
  "dpop_jkt",
  "nonce",
  "prompt",
  "max_age",
  "login_hint",
  "id_token_hint",
  "expected_person",
  "gl_auth_type",
  "request",
  "request_uri",
  "registration",
] as const;
export type AuthorizationParameter = (typeof AUTHORIZATION_PARAMETERS)[number];

/** The parameters as they were sent: a list if one was repeated or was a structure such as `scope[]`; empty ones are absent. */
export type GivenParameters = Readonly<Partial<Record<AuthorizationParameter, string | readonly string[]>>>;

/** Converts a JSON value to what a query would give: null becomes empty, and a structure becomes a list. */
export function textsOf(value: unknown): string | string[] {
  if (Array.isArray(value)) return value.map((one) => (typeof one === "object" ? "" : String(one)));
  if (typeof value === "object" && value !== null) return ["", ""];
  return String(value ?? "");
}

/** Parameters that may contain any characters, since only the application knows their form, or they do not affect the request. */
const KEPT_AS_IT_CAME = ["state", "nonce", "login_hint", "gl_auth_type"] as const;

/**
 * Returns what is wrong with the form of the parameters, in words; undefined if each is one string that can be stored and sent
 * back.
 * @param unreadable see `unreadableIn`
 */
export function parameterFault(
  given: GivenParameters,
  unreadable: readonly AuthorizationParameter[],
): string | undefined {
  const repeated = AUTHORIZATION_PARAMETERS.find((name) => name !== "resource" && Array.isArray(given[name]));
  if (repeated) return `The parameter ${repeated} is repeated or is a list.`;
  // JSON can contain a lone surrogate, which no encoding can represent.
  const isHalf = (name: AuthorizationParameter) => !String(given[name] ?? "").isWellFormed();
  const broken = unreadable[0] ?? AUTHORIZATION_PARAMETERS.find(isHalf);
  if (broken) return `The parameter ${broken} is not valid UTF-8.`;
  const withNul = KEPT_AS_IT_CAME.find((name) => given[name]?.includes("\0"));
  return withNul && `The parameter ${withNul} contains a NUL character.`;
}

/**
 * Returns the parameters of an authorization request whose percent-encoding in the address is broken or is not UTF-8 (RFC 6749
 * appendix B): the framework passes these on undecoded. Unknown parameters are ignored (§3.1).
 */
export function unreadableIn(address: string): AuthorizationParameter[] {
  const [, query = ""] = /[?#](.*)$/s.exec(address) ?? [];
  const unread = query.split("&").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return formDecoded(value.join("=")) === undefined ? [formDecoded(name)] : [];
  });
  return AUTHORIZATION_PARAMETERS.filter((name) => unread.includes(name));
}
