/** The responses of OpenID Connect and of discovery for the OpenAPI document (RFC 8414; RFC 7033; RFC 7517). */
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

/** The responses of both metadata documents. */
export const METADATA_ANSWERS: Answers = {
  200: {
    description: "The capabilities of this server",
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
        Type.String({ description: "present if programs may register themselves" }),
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

/** The responses of the documents about protected resources (RFC 9728 §3.2). */
export const RESOURCE_ANSWERS: Answers = {
  200: {
    description: "The authorization server for this API, and the tokens that it accepts",
    schema: record("ResourceMetadata", {
      resource: Type.String({ description: "the value for the parameter `resource`" }),
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

/** The responses of `GET /.well-known/webfinger`. */
export const WEBFINGER_ANSWERS: Answers = {
  200: {
    description: "The issuer at which people sign in; the same for everybody",
    mediaType: "application/jrd+json",
    schema: record("ResourceDescriptor", {
      subject: Type.String({ description: "the requested resource" }),
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

/** The responses of `GET /oauth/discovery/keys`. */
export const KEYS_ANSWERS: Answers = {
  200: {
    description: "The public keys that verify identity tokens",
    schema: record("KeySet", { keys: Type.Array(Type.Union([RSA, CURVE])) }),
  },
};

/** The responses of `/oauth/userinfo`. */
export const USERINFO_ANSWERS: Answers = {
  200: {
    description: "The claims about the person; the scopes `profile` and `email` add more",
    schema: record("UserInfo", {
      sub: Type.String({ description: "the id of the user" }),
      name: Type.Optional(Type.String()),
      nickname: Type.Optional(Type.String()),
      preferred_username: Type.Optional(Type.String()),
      profile: Type.Optional(Type.String()),
      website: Type.Optional(Type.String({ description: "if their profile is not private and names one" })),
      picture: Type.Optional(Type.String()),
      groups: Type.Optional(Type.Array(Type.String(), { description: "paths, including inherited ones" })),
      groups_direct: Type.Optional(Type.Array(Type.String())),
      ...Object.fromEntries(
        ROLE_CLAIMS.map((claim) => [
          claim,
          Type.Optional(
            Type.Array(Type.String(), {
              description: "paths of the groups in which they have this role as direct members",
            }),
          ),
        ]),
      ),
      email: Type.Optional(Type.String()),
      email_verified: Type.Optional(Type.Boolean()),
    }),
  },
  400: refusedBy("The request carries two tokens", "invalid_request"),
  401: refusedBy("The token is missing or invalid", "invalid_token", "invalid_dpop_proof"),
  403: refusal("The token lacks the scope openid", ERROR),
};
