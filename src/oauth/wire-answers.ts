/** The responses of the OAuth endpoints for the OpenAPI document (RFC 6749 §5; RFC 7009; RFC 7662; RFC 8628). */
import { SCOPES } from "../accounts/scope.ts";
import { nullable, record, unnamed } from "../platform/answer-shapes.ts";
import type { Answer, Answers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import type { OAuthErrorCode } from "./error.ts";

type Code = OAuthErrorCode | "invalid_token" | "invalid_dpop_proof" | "temporarily_unavailable";

/** An error response of RFC 6749 §5.2, with its possible codes. */
export function refusedBy(description: string, ...codes: readonly Code[]): Answer {
  const error = Type.Enum([...codes]);
  return { description, schema: unnamed({ error, error_description: Type.String() }) };
}

/** The error response of every endpoint that requires client authentication. */
export const CLIENT_REFUSED = refusedBy(
  "The application is unknown, or its credentials are missing or wrong",
  "invalid_client",
);
export const MEANWHILE = refusedBy("What the request is about was removed meanwhile", "invalid_request");
const LATER = refusedBy("Too many requests: Retry-After says when to try again", "temporarily_unavailable");

const seconds = (words: string) => Type.Integer({ description: `seconds ${words}` });
const epoch = (words: string) => Type.Integer({ description: `seconds since 1970 (UTC): ${words}` });

/** The responses of `POST /oauth/token`. */
export const TOKEN_ANSWERS: Answers = {
  200: {
    description: "The issued tokens",
    schema: record("TokenResponse", {
      access_token: Type.String(),
      token_type: Type.Enum(["bearer", "DPoP"], { description: "DPoP: bound to a key (RFC 9449)" }),
      expires_in: seconds("until it expires"),
      refresh_token: Type.Optional(
        Type.String({ description: "absent if the flow or the application has none" }),
      ),
      refresh_token_expires_in: Type.Optional(
        seconds("until the refresh token ends, if it is not used before"),
      ),
      scope: Type.String({ description: "scopes separated by blanks" }),
      created_at: epoch("when it was issued"),
      id_token: Type.Optional(Type.String({ description: "with the scope openid, if a person signed in" })),
    }),
  },
  400: refusedBy(
    "The request or its grant is invalid; or, for a polling device, what it has to do",
    "invalid_request",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
    "invalid_target",
    "invalid_dpop_proof",
    "authorization_pending",
    "slow_down",
    "access_denied",
    "expired_token",
  ),
  401: CLIENT_REFUSED,
  409: MEANWHILE,
  429: LATER,
};

/** The responses of `GET /oauth/token/info`. */
export const TOKEN_INFO_ANSWERS: Answers = {
  200: {
    description: "Information about the token",
    schema: record("TokenInformation", {
      resource_owner_id: Type.Integer({ description: "the user to whom the token belongs" }),
      scope: Type.Array(Type.Enum([...SCOPES])),
      expires_in: nullable(seconds("until it expires; null: never")),
      application: unnamed({ uid: nullable(Type.String({ description: "null: a personal access token" })) }),
      created_at: epoch("when it was issued"),
      scopes: Type.Array(Type.Enum([...SCOPES]), { deprecated: true, description: "as `scope`" }),
      expires_in_seconds: nullable(Type.Integer({ deprecated: true, description: "as `expires_in`" })),
    }),
  },
  400: refusedBy("The request carries two different tokens", "invalid_request"),
  401: refusedBy("The token is missing or invalid", "invalid_token", "invalid_dpop_proof"),
};

/** The responses of `POST /oauth/revoke`. */
export const REVOKE_ANSWERS: Answers = {
  200: {
    description: "The token is not valid any more, or was unknown",
    schema: unnamed({}),
  },
  400: refusedBy("A parameter is missing or wrong", "invalid_request"),
  401: CLIENT_REFUSED,
  403: refusedBy("It is the token of another application", "unauthorized_client"),
};

/** The responses of `POST /oauth/authorize_device`. */
export const DEVICE_ANSWERS: Answers = {
  200: {
    description: "The codes of the device, where its user enters one, and how often it may poll",
    schema: record("DeviceResponse", {
      device_code: Type.String(),
      user_code: Type.String(),
      verification_uri: Type.String(),
      verification_uri_complete: Type.String(),
      expires_in: seconds("until both codes expire"),
      interval: seconds("between two polls, at least"),
    }),
  },
  400: refusedBy(
    "The request is invalid",
    "invalid_request",
    "unauthorized_client",
    "invalid_scope",
    "invalid_target",
  ),
  401: CLIENT_REFUSED,
  409: MEANWHILE,
  503: refusedBy("Too many devices are waiting", "temporarily_unavailable"),
};

const NOTHING = unnamed({ active: Type.Literal(false) });
const COUNTS = record("Introspection", {
  active: Type.Literal(true),
  scope: Type.String({ description: "scopes separated by blanks" }),
  client_id: Type.String(),
  username: Type.String(),
  token_type: Type.Optional(Type.Enum(["bearer", "DPoP"], { description: "of access tokens" })),
  cnf: Type.Optional(
    unnamed({
      jkt: Type.String({ description: "the thumbprint of the key to which it is bound (RFC 9449 §6)" }),
    }),
  ),
  exp: Type.Optional(epoch("when it ends; of access tokens that do")),
  iat: epoch("when it was issued"),
  sub: Type.String({ description: "the id of the user" }),
  iss: Type.String(),
  jti: Type.String({ description: "the unique identifier of the token; it grants no access" }),
});

/** The responses of `POST /oauth/introspect`. */
export const INTROSPECT_ANSWERS: Answers = {
  200: {
    description: "The state of the token; of an inactive one only that it is inactive",
    schema: Type.Union([COUNTS, NOTHING]),
  },
  400: refusedBy("A parameter is missing or wrong", "invalid_request"),
  401: CLIENT_REFUSED,
  403: refusedBy("It is the token of another application", "unauthorized_client"),
};
