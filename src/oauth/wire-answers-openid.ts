/** The answers of OpenID Connect and of discovery, as the OpenAPI document describes them (RFC 8414; RFC 7033; RFC 7517). */
import { SCOPES } from "../accounts/scope.ts";
import { ERROR, record, unnamed } from "../platform/answer-shapes.ts";
import { type Answers, refusal } from "../platform/answers.ts";
import { SIGNATURE_ALGORITHMS } from "../platform/jwt.ts";
import Type from "../platform/schema.ts";
import { PROMPTS } from "./check-authorization.ts";
import { CLAIMS, CLASSES, ROLE_CLAIMS } from "./claims.ts";
import { RESPONSE_MODES } from "./redirect-uri.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { refusedBy } from "./wire-answers.ts";

const words = () => Type.Array(Type.String());
const some = (known: readonly string[]) => Type.Array(Type.Enum([...known]));

/** Of both metadata documents. */
export const METADATA_ANSWERS: Answers = {
  200: {
    description: "What this server can do",
    schema: record("ServerMetadata", {
      issuer: Type.String(),
      authorization_endpoint: Type.String(),
      pushed_authorization_request_endpoint: Type.String(),
      require_pushed_authorization_requests: Type.Boolean(),
      token_endpoint: Type.String(),
      revocation_endpoint: Type.String(),
      introspection_endpoint: Type.String(),
      device_authorization_endpoint: Type.String(),
      registration_endpoint: Type.Optional(
        Type.String({ description: "where programs may register themselves" }),
      ),
      userinfo_endpoint: Type.String(),
      end_session_endpoint: Type.String(),
      backchannel_logout_supported: Type.Boolean(),
      backchannel_logout_session_supported: Type.Boolean(),
      jwks_uri: Type.String(),
      scopes_supported: some(SCOPES),
      response_types_supported: words(),
      response_modes_supported: some(RESPONSE_MODES),
      grant_types_supported: words(),
      token_endpoint_auth_methods_supported: words(),
      revocation_endpoint_auth_methods_supported: words(),
      introspection_endpoint_auth_methods_supported: words(),
      token_endpoint_auth_signing_alg_values_supported: some(SIGNATURE_ALGORITHMS),
      revocation_endpoint_auth_signing_alg_values_supported: some(SIGNATURE_ALGORITHMS),
      introspection_endpoint_auth_signing_alg_values_supported: some(SIGNATURE_ALGORITHMS),
      code_challenge_methods_supported: words(),
      authorization_response_iss_parameter_supported: Type.Boolean(),
      prompt_values_supported: some(PROMPTS),
      subject_types_supported: words(),
      id_token_signing_alg_values_supported: some(SIGNING_ALGORITHMS),
      dpop_signing_alg_values_supported: some(SIGNATURE_ALGORITHMS),
      claim_types_supported: words(),
      claims_supported: some(CLAIMS),
      acr_values_supported: some(CLASSES),
      claims_parameter_supported: Type.Boolean(),
      request_parameter_supported: Type.Boolean(),
      request_uri_parameter_supported: Type.Boolean(),
      protected_resources: words(),
    }),
  },
};

/** Of the documents of the protected resources (RFC 9728 §3.2). */
export const RESOURCE_ANSWERS: Answers = {
  200: {
    description: "Who gives tokens for this API, and which",
    schema: record("ResourceMetadata", {
      resource: Type.String({ description: "as `resource` names it" }),
      authorization_servers: words(),
      scopes_supported: words(),
      bearer_methods_supported: words(),
      dpop_signing_alg_values_supported: some(SIGNATURE_ALGORITHMS),
      dpop_bound_access_tokens_required: Type.Boolean(),
      resource_name: Type.String(),
      resource_documentation: Type.String(),
    }),
  },
};

/** The answers of `GET /.well-known/webfinger`. */
export const WEBFINGER_ANSWERS: Answers = {
  200: {
    description: "Where people sign in; the same for everybody",
    mediaType: "application/jrd+json",
    schema: record("ResourceDescriptor", {
      subject: Type.String({ description: "the resource that was asked for" }),
      links: Type.Array(unnamed({ rel: Type.String(), href: Type.String() })),
    }),
  },
  400: refusedBy("A parameter is missing or wrong", "invalid_request"),
};

const key = { kid: Type.String(), use: Type.Literal("sig") };
const RSA = unnamed({
  kty: Type.Literal("RSA"),
  n: Type.String(),
  e: Type.String(),
  ...key,
  alg: Type.Literal("RS256"),
});
const CURVE = unnamed({
  kty: Type.Literal("EC"),
  crv: Type.Literal("P-256"),
  x: Type.String(),
  y: Type.String(),
  ...key,
  alg: Type.Literal("ES256"),
});

/** The answers of `GET /oauth/discovery/keys`. */
export const KEYS_ANSWERS: Answers = {
  200: {
    description: "The public keys by which identity tokens are proven",
    schema: record("KeySet", { keys: Type.Array(Type.Union([RSA, CURVE])) }),
  },
};

/** The answers of `/oauth/userinfo`. */
export const USERINFO_ANSWERS: Answers = {
  200: {
    description: "The person; `profile` and `email` of the scope tell more",
    schema: record("UserInfo", {
      sub: Type.String({ description: "the number of the account" }),
      name: Type.Optional(Type.String()),
      nickname: Type.Optional(Type.String()),
      preferred_username: Type.Optional(Type.String()),
      profile: Type.Optional(Type.String()),
      website: Type.Optional(Type.String({ description: "if they tell everybody of one" })),
      picture: Type.Optional(Type.String()),
      groups: Type.Optional(Type.Array(Type.String(), { description: "paths, inherited ones too" })),
      groups_direct: Type.Optional(Type.Array(Type.String())),
      ...Object.fromEntries(
        ROLE_CLAIMS.map((claim) => [
          claim,
          Type.Optional(
            Type.Array(Type.String(), {
              description: "paths of groups where they have this role themselves",
            }),
          ),
        ]),
      ),
      email: Type.Optional(Type.String()),
      email_verified: Type.Optional(Type.Boolean()),
    }),
  },
  400: refusedBy("The request carries two tokens", "invalid_request"),
  401: refusedBy("No token, or one that is not good", "invalid_token", "invalid_dpop_proof"),
  403: refusal("The token lacks the scope openid, or the account is blocked", ERROR),
};
