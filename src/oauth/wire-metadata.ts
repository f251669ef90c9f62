/** The metadata of the server and its key set. */
import type { JWK } from "jose";
import { SCOPES } from "../accounts/scope.ts";
import { SIGNATURE_ALGORITHMS } from "../platform/jwt.ts";
import Type, { type Static } from "../platform/schema.ts";
import { DEVICE_GRANT } from "./application.ts";
import { PROMPTS } from "./check-authorization.ts";
import { CLAIMS, CLASSES } from "./claims.ts";
import { RESPONSE_MODES } from "./redirect-uri.ts";
import { type RESOURCE_PATHS, resourcesOf } from "./resource.ts";
import type { Settings } from "./settings.ts";
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from "./signing-key.ts";

const CLIENT_AUTHENTICATION = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"];

/** The capabilities of this server (RFC 8414 §2; OpenID Connect Discovery §3). */
export function serverMetadata(
  issuer: string,
  settings: Pick<Settings, "allowImplicit" | "allowPassword" | "allowDynamicRegistration">,
): Record<string, unknown> {
  const { allowImplicit, allowPassword, allowDynamicRegistration } = settings;
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
    // Required by some applications, not by the server (RFC 9126 §5, §6).
    require_pushed_authorization_requests: false,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    device_authorization_endpoint: `${issuer}/oauth/authorize_device`,
    ...(allowDynamicRegistration ? { registration_endpoint: `${issuer}/oauth/register` } : {}),
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    end_session_endpoint: `${issuer}/oauth/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    jwks_uri: `${issuer}/oauth/discovery/keys`,
    scopes_supported: SCOPES,
    response_types_supported: allowImplicit ? ["code", "token"] : ["code"],
    response_modes_supported: RESPONSE_MODES,
    grant_types_supported: [
      "authorization_code",
      ...(allowImplicit ? ["implicit"] : []),
      ...(allowPassword ? ["password"] : []),
      "refresh_token",
      "client_credentials",
      DEVICE_GRANT,
    ],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    // Introspection requires authentication, so that `none` is left out (RFC 7662 §2.1).
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION.filter((way) => way !== "none"),
    token_endpoint_auth_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
    revocation_endpoint_auth_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
    introspection_endpoint_auth_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: PROMPTS,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: SIGNING_ALGORITHMS,
    dpop_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
    claim_types_supported: ["normal"],
    claims_supported: CLAIMS,
    acr_values_supported: CLASSES,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    protected_resources: resourcesOf(issuer),
  };
}

/** The metadata that a program needs which knows only the address of the API (RFC 9728 §2). */
export function resourceMetadata(
  issuer: string,
  path: (typeof RESOURCE_PATHS)[number],
): Record<string, unknown> {
  return {
    resource: issuer + path,
    authorization_servers: [issuer],
    // Not all scopes, since some clients request the whole list: those of the API that programs may have which register
    // themselves.
    scopes_supported: ["read_user", "read_api"],
    // Tokens in the address may be switched off, and are discouraged.
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
    dpop_bound_access_tokens_required: false,
    resource_name: "Gatehouse",
    resource_documentation: `${issuer}/-/docs`,
  };
}

export const webfingerQuery = Type.Object({
  resource: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: "the resource, such as acct:maya@example.org",
  }),
  rel: Type.Optional(
    Type.Array(Type.String(), { maxItems: 20, description: "only links with these relations" }),
  ),
});

const ISSUER_REL = "http://openid.net/specs/connect/1.0/issuer";

/** The issuer at which the people of this server sign in (RFC 7033 §4.4; OpenID Connect Discovery §2). */
export function issuerOfResource(
  issuer: string,
  { resource, rel }: Static<typeof webfingerQuery>,
): Record<string, unknown> {
  const links = rel === undefined || rel.includes(ISSUER_REL) ? [{ rel: ISSUER_REL, href: issuer }] : [];
  return { subject: resource, links };
}

/** A set of public keys (RFC 7517 §5). */
export function keySet(
  published: readonly { kid: string; algorithm: SigningAlgorithm; publicJwk: JWK }[],
): Record<string, unknown> {
  return {
    keys: published.map(({ kid, algorithm, publicJwk }) => ({
      ...publicJwk,
      kid,
      use: "sig",
      alg: algorithm,
    })),
  };
}
