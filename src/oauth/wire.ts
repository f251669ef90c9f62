/** The parameters of the OAuth endpoints, the token response, and token information. */
import type { FastifyRequest } from "fastify";
import type { Answers } from "../platform/answers.ts";
import { entryOf } from "../platform/entry-of.ts";
import { isObject } from "../platform/json-object.ts";
import { headerLines } from "../platform/raw-headers.ts";
import Type, { type TSchema } from "../platform/schema.ts";
import { DEVICE_GRANT } from "./application.ts";
import type { ClientProof } from "./authenticate-application.ts";
import { AUTHORIZATION_PARAMETERS, type GivenParameters, textsOf } from "./authorization-parameters.ts";
import { LOGOUT_PARAMETERS, type LogoutParameters } from "./check-logout.ts";
import { shownUserCode } from "./device.ts";
import { epochSeconds } from "./epoch-seconds.ts";
import { OAuthError } from "./error.ts";
import type { Introspected } from "./introspect-token.ts";
import type { Issued } from "./issued.ts";
import { DEVICE_INTERVAL_SECONDS, DEVICE_SECONDS } from "./lifetimes.ts";
import type { WaitingRequest } from "./store-authorizations.ts";
import type { TokenInfo } from "./store-presented.ts";
import { assertionBody } from "./wire-keys.ts";

const word = (description: string) => Type.Optional(Type.String({ description }));

const resource = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description: "what the token is for; only addresses of this server and its API (RFC 8707)",
  }),
);

export const tokenBody = Type.Object({
  grant_type: Type.String({
    description: `authorization_code, refresh_token, ${DEVICE_GRANT}, client_credentials or password`,
  }),
  client_id: word("Application ID, unless sent by HTTP Basic"),
  client_secret: word("Client Secret, unless sent by HTTP Basic"),
  ...assertionBody,
  code: word("authorization_code: the code of the redirect"),
  redirect_uri: word("authorization_code: equal to the one of the authorization request"),
  code_verifier: word("authorization_code: the PKCE verifier"),
  username: word("password: username or mail address"),
  password: word("password: the password"),
  refresh_token: word("refresh_token: the refresh token"),
  device_code: word("device: the device code"),
  resource,
  scope: word("password, refresh_token, client_credentials: scopes separated by blanks"),
});

/** Headers of the token endpoint and of pushed requests: with this proof the token or code is bound to a key. */
export const proofHeader = Type.Object({
  DPoP: word("a DPoP proof of the key to which the token or code is bound (RFC 9449)"),
});

export const revokeBody = Type.Object({
  token: Type.String({ description: "the access or refresh token to revoke" }),
  token_type_hint: word("access_token or refresh_token; only a hint"),
  client_id: word("Application ID, unless sent by HTTP Basic"),
  client_secret: word("Client Secret, unless sent by HTTP Basic"),
  ...assertionBody,
});

export const deviceBody = Type.Object({
  client_id: word("Application ID, unless sent by HTTP Basic"),
  client_secret: word("Client Secret, unless sent by HTTP Basic"),
  ...assertionBody,
  resource,
  scope: word("scopes separated by blanks"),
});

export const introspectBody = Type.Object({
  ...revokeBody.properties,
  token: Type.String({ description: "the access or refresh token to introspect" }),
});

/**
 * Documents an endpoint at which applications authenticate: its body, headers and responses for the OpenAPI document, without
 * validating by them, since the errors of these endpoints are those of RFC 6749 §5.2.
 */
export function described(body: TSchema, answers: Answers, headers?: TSchema) {
  const consumes = ["application/x-www-form-urlencoded", "application/json"];
  return {
    config: { answers, proof: "application" as const },
    schema: { body, consumes, ...(headers && { headers }) },
    validatorCompiler: () => () => true,
  };
}

/** Returns keys such as `scope[]` and `scope[a]`, where RFC 6749 knows only strings, by the name before the bracket. */
function structuresIn(given: object): Map<string, string[]> {
  const keys = Object.keys(given).filter((key) => key.includes("["));
  return Map.groupBy(keys, (key) => key.slice(0, key.indexOf("[")));
}

/** Returns a parameter of the body, or undefined if it is absent or empty (RFC 6749 §3.2). */
export type Parameters = (name: string) => string | undefined;

/**
 * Reads the parameters of a form or JSON body.
 * @throws OAuthError invalid_request: not an object; a parameter is repeated or not a string; all are in the address
 */
export function readParameters(request: FastifyRequest, known: readonly string[]): Parameters {
  const given = request.body ?? {};
  if (!isObject(given)) {
    throw new OAuthError("invalid_request", "The body is neither a form nor a JSON object.");
  }
  const values = new Map<string, string>();
  const structures = structuresIn(given);
  for (const name of known) {
    const value = entryOf(given, name);
    if (structures.has(name) || Array.isArray(value)) {
      throw new OAuthError("invalid_request", `The parameter ${name} is repeated or is a list.`);
    }
    if (value === undefined || value === null || value === "") continue;
    if (typeof value !== "string")
      throw new OAuthError("invalid_request", `The parameter ${name} is not text.`);
    values.set(name, value);
  }
  // GitLab accepts them there, so that many programs send them there; but addresses, with their secrets, end up in logs.
  const inAddress = (request.query ?? {}) as object;
  if (values.size === 0 && known.some((name) => Object.hasOwn(inAddress, name))) {
    throw new OAuthError(
      "invalid_request",
      "The parameters stand in the address: they are read from the body alone.",
    );
  }
  return (name) => values.get(name);
}

/** The parameters of a body that are strings and not repeated. */
export function textParameters(body: { properties: object }): string[] {
  return Object.keys(body.properties).filter((name) => name !== "resource");
}

/** Returns every `resource` of a form or JSON body, as it was sent: it may be repeated (RFC 8707 §2). */
export function givenResources(request: FastifyRequest): readonly unknown[] {
  const given = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  const members = structuresIn(given).get("resource") ?? [];
  const plain = Object.hasOwn(given, "resource") ? [given.resource ?? ""].flat() : [];
  return [...plain, ...members.map((key) => given[key])];
}

/** Returns the credentials of the application; those in the query are not read (RFC 6749 §2.3.1). */
export function clientProof(request: FastifyRequest, parameter: Parameters): ClientProof {
  return {
    authorizations: headerLines(request, "authorization"),
    id: parameter("client_id"),
    secret: parameter("client_secret"),
    assertion: parameter("client_assertion"),
    assertionType: parameter("client_assertion_type"),
    path: request.routeOptions.url ?? "",
  };
}

/** @throws OAuthError invalid_request: it is missing */
export function needed(parameter: Parameters, name: string): string {
  const value = parameter(name);
  if (value === undefined) throw new OAuthError("invalid_request", `Missing required parameter: ${name}.`);
  return value;
}

/** The token response (spec: Token response), with the identity token if one is due; `bound` to a key (RFC 9449 §5) or not. */
export function tokenReply(
  issued: Issued,
  identityToken: string | undefined,
  bound: boolean,
): Record<string, unknown> {
  const { accessToken, refreshToken, refreshExpiresIn, scopes, expiresIn, createdAt } = issued;
  return {
    access_token: accessToken,
    token_type: bound ? "DPoP" : "bearer",
    expires_in: expiresIn,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(refreshExpiresIn === undefined ? {} : { refresh_token_expires_in: refreshExpiresIn }),
    scope: scopes.join(" "),
    created_at: epochSeconds(createdAt),
    ...(identityToken === undefined ? {} : { id_token: identityToken }),
  };
}

/** The response to a device: where its person types the code, and how often it may poll (RFC 8628 §3.2). */
export function deviceReply(
  { deviceCode, userCode }: { deviceCode: string; userCode: string },
  issuer: string,
): Record<string, unknown> {
  const place = `${issuer}/oauth/device`;
  return {
    device_code: deviceCode,
    user_code: shownUserCode(userCode),
    verification_uri: place,
    verification_uri_complete: `${place}?user_code=${shownUserCode(userCode)}`,
    expires_in: DEVICE_SECONDS,
    interval: DEVICE_INTERVAL_SECONDS,
  };
}

/** Token information with the scopes in effect, and its two deprecated aliases (spec: Token information; Versioning 2). */
export function tokenInfoReply(info: TokenInfo, scopes: readonly string[]): Record<string, unknown> {
  return {
    resource_owner_id: info.userId,
    scope: scopes,
    expires_in: info.expiresIn,
    application: { uid: info.applicationUid },
    created_at: epochSeconds(info.createdAt),
    scopes,
    expires_in_seconds: info.expiresIn,
  };
}

/** The introspection response (RFC 7662 §2.2); an inactive token has no other member. */
export function introspectionReply(
  token: Introspected | undefined,
  clientId: string,
  issuer: string,
): Record<string, unknown> {
  if (!token) return { active: false };
  const access = token.kind === "access";
  return {
    active: true,
    scope: token.scopes.join(" "),
    client_id: clientId,
    username: token.username,
    ...(access ? { token_type: token.boundKey === null ? "bearer" : "DPoP" } : {}),
    ...(token.boundKey === null ? {} : { cnf: { jkt: token.boundKey } }),
    ...(access && token.expiresAt ? { exp: epochSeconds(token.expiresAt) } : {}),
    iat: epochSeconds(token.createdAt),
    sub: String(token.userId),
    iss: issuer,
    jti: token.identifier,
  };
}

/** Returns the parameters of an authorization request; empty ones are absent (RFC 6749 §3.1), structures are lists. */
export function authorizationParameters(query: unknown): GivenParameters {
  return knownParameters(query, AUTHORIZATION_PARAMETERS);
}

function knownParameters<Name extends string>(query: unknown, known: readonly Name[]) {
  const all = (query ?? {}) as Readonly<Record<string, unknown>>;
  const found: Partial<Record<Name, string | readonly string[]>> = {};
  const structures = structuresIn(all);
  for (const name of known) {
    const own = entryOf(all, name);
    const value = own === undefined ? undefined : textsOf(own);
    // If `scope[]=read_user` were ignored, the default scopes would be requested. It becomes a list of at least two, so that it
    // stays one when the request is repeated by GET.
    const members = structures.get(name);
    if (members) found[name] = [value ?? "", ...members.map((key) => textsOf(all[key]))].flat();
    else if (value !== undefined && value !== "") found[name] = value;
  }
  return found;
}

/** Returns the parameters of a request to sign out; empty ones are absent. */
export function logoutParameters(query: unknown): LogoutParameters {
  return knownParameters(query, LOGOUT_PARAMETERS);
}

/** Returns the parameters of a request that was stored while the person was asked. */
export function waitingParameters(waiting: WaitingRequest): Record<string, string> {
  const { state, codeChallenge, boundKey, nonce } = waiting;
  return {
    client_id: waiting.applicationUid,
    redirect_uri: waiting.redirectUri,
    response_type: waiting.responseType,
    response_mode: waiting.responseMode,
    scope: waiting.scopes.join(" "),
    ...(state === null ? {} : { state }),
    ...(codeChallenge === null ? {} : { code_challenge: codeChallenge, code_challenge_method: "S256" }),
    ...(boundKey === null ? {} : { dpop_jkt: boundKey }),
    ...(nonce === null ? {} : { nonce }),
  };
}
