/**
 * Reads the metadata of a program that registers itself, and makes the fields of an application of it (RFC 7591 §2;
 * decision 0196).
 */
import type { Scope } from "../accounts/scope.ts";
import { entryOf } from "../platform/entry-of.ts";
import { isObject, type JsonObject } from "../platform/json-object.ts";
import {
  type ApplicationFields,
  applicationFaults,
  DEFAULT_GRANT_TYPES,
  type GrantType,
  NOWHERE_PRIVATE,
} from "./application.ts";
import { OAuthError } from "./error.ts";
import { NO_KEYS } from "./public-keys.ts";
import { isOnOwnMachine, redirectUriFault } from "./redirect-uri.ts";

/** The most scopes that such an application may have: nobody has reviewed it, so that it gets no write access. */
export const SCOPES_OF_STRANGERS: readonly Scope[] = ["read_api", "read_user", "profile", "openid", "email"];

const MAX_REDIRECT_URIS = 10;

/**
 * Returns the fields of a public application that uses PKCE and always asks for consent, whatever else was requested: unsupported
 * values are replaced if the client sees that in the response (§3.2.1), and refused if the client could not work with the rest.
 * Unknown members are ignored, and no address among them is ever fetched.
 * @param body the JSON body
 * @throws OAuthError invalid_redirect_uri, invalid_client_metadata
 */
export function readClientMetadata(body: unknown): ApplicationFields {
  if (!isObject(body)) throw wrong("The body is not a JSON object.");
  const redirectUris = readRedirectUris(body.redirect_uris);
  // The value has no effect, since every such client gets `none`; but one that is not a string is an error.
  textOf(body, "token_endpoint_auth_method");
  if (!(listOf(body, "response_types") ?? ["code"]).includes("code")) {
    throw wrong("response_types must include code: no other is registered here.");
  }
  const fields: ApplicationFields = {
    name: textOf(body, "client_name")?.trim() || hostOf(redirectUris[0] ?? ""),
    redirectUris,
    postLogoutRedirectUris: [],
    backchannelLogoutUri: "",
    backchannelLogoutSessionRequired: false,
    scopes: readScopes(textOf(body, "scope")),
    grantTypes: readGrantTypes(listOf(body, "grant_types")),
    confidential: false,
    omitIss: false,
    requirePushed: flagOf(body, "require_pushed_authorization_requests"),
    idTokenAlgorithm: "RS256",
    boundTokensOnly: flagOf(body, "dpop_bound_access_tokens"),
    accessTokenSeconds: null,
    refreshIdleSeconds: null,
    refreshAbsoluteSeconds: null,
    homePage: textOf(body, "client_uri") ?? "",
    ...NO_KEYS,
  };
  const [field, faults] = Object.entries(applicationFaults(fields, NOWHERE_PRIVATE))[0] ?? [];
  if (field) throw wrong(`${WIRE_NAMES[field] ?? field} ${faults?.join(", ")}`);
  return fields;
}

const WIRE_NAMES: Readonly<Record<string, string>> = { name: "client_name", home_page: "client_uri" };

/**
 * Applies the rules of every registration, and allows only https and loopback, since another program on the device can claim
 * other schemes too (RFC 8252 §8.6).
 */
function readRedirectUris(given: unknown): readonly string[] {
  const uris: unknown[] = Array.isArray(given) ? [...new Set(given)] : [];
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    throw wrongUri(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} addresses.`);
  }
  for (const uri of uris) {
    const fault = typeof uri === "string" ? faultOf(uri) : "must be a valid URI.";
    if (fault) throw wrongUri(`Each of redirect_uris ${fault}`);
  }
  return uris as string[];
}

function faultOf(uri: string): string | undefined {
  const fault = redirectUriFault(uri);
  if (fault || /^https:/i.test(uri) || isOnOwnMachine(uri)) return fault;
  return "must be https, or http on a loopback address.";
}

/** The named scopes that programs which register themselves may have; absent: all of these. @throws OAuthError */
function readScopes(named: string | undefined): readonly Scope[] {
  const words = named?.split(" ");
  const scopes = SCOPES_OF_STRANGERS.filter((scope) => !words || words.includes(scope));
  if (scopes.length === 0) throw wrong(`The scope may name ${SCOPES_OF_STRANGERS.join(", ")}.`);
  return scopes;
}

/** The grant types; absent: only the authorization code (RFC 7591 §2). */
function readGrantTypes(named: readonly unknown[] = ["authorization_code"]): readonly GrantType[] {
  const types = DEFAULT_GRANT_TYPES.filter((type) => named.includes(type));
  if (types.includes("authorization_code")) return types;
  throw wrong("grant_types must include authorization_code; refresh_token alone is registered beside it.");
}

function textOf(body: JsonObject, name: string): string | undefined {
  const value = entryOf(body, name) ?? undefined;
  if (value !== undefined && typeof value !== "string") throw wrong(`${name} is not text.`);
  return value;
}

function flagOf(body: JsonObject, name: string): boolean {
  const value = entryOf(body, name) ?? false;
  if (typeof value !== "boolean") throw wrong(`${name} is neither true nor false.`);
  return value;
}

function listOf(body: JsonObject, name: string): readonly unknown[] | undefined {
  const value = entryOf(body, name) ?? undefined;
  if (value !== undefined && !Array.isArray(value)) throw wrong(`${name} is not a list.`);
  return value;
}

function hostOf(uri: string): string {
  return URL.parse(uri)?.host ?? "";
}

function wrong(words: string): OAuthError {
  return new OAuthError("invalid_client_metadata", words);
}

function wrongUri(words: string): OAuthError {
  return new OAuthError("invalid_redirect_uri", words);
}
