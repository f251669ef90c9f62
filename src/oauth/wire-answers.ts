/** The answers of the OAuth doors, as the OpenAPI document describes them (RFC 6749 §5; RFC 7009; RFC 7662; RFC 8628). */
import { SCOPES } from "../accounts/scope.ts";
import { nullable, record, unnamed } from "../platform/answer-shapes.ts";
import type { Answer, Answers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import type { OAuthErrorCode } from "./error.ts";

type Code = OAuthErrorCode | "invalid_token" | "invalid_dpop_proof" | "temporarily_unavailable";

/** A refusal as RFC 6749 §5.2 writes it, with the codes that it can have. */
export function refusedBy(description: string, ...codes: readonly Code[]): Answer {
  const error = Type.Enum([...codes]);
  return { description, schema: unnamed({ error, error_description: Type.String() }) };
}

/** Of every door that wants the application proven. */
export const CLIENT_REFUSED = refusedBy(
  "The application is unknown, or its proof is missing or wrong",
  "invalid_client",
);
export const MEANWHILE = refusedBy("What it is about was removed at this moment", "invalid_request");
const LATER = refusedBy("Too much at once: Retry-After says when to try again", "temporarily_unavailable");

const seconds = (words: string) => Type.Integer({ description: `seconds ${words}` });
const epoch = (words: string) => Type.Integer({ description: `seconds since 1970 (UTC): ${words}` });

/** The answers of `POST /oauth/token`. */
export const TOKEN_ANSWERS: Answers = {
  200: {
    description: "A token, and what goes with it",
    schema: record("TokenResponse", {
      access_token: Type.String(),
      token_type: Type.Enum(["bearer", "DPoP"], { description: "DPoP: bound to a key (RFC 9449)" }),
      expires_in: seconds("until it ends"),
      refresh_token: Type.Optional(
        Type.String({ description: "absent where the flow or the application has none" }),
      ),
      refresh_token_expires_in: Type.Optional(
        seconds("until the refresh token ends, if it is not used before"),
      ),
      scope: Type.String({ description: "scopes separated by blanks" }),
      created_at: epoch("when it was made"),
      id_token: Type.Optional(
        Type.String({ description: "with the scope openid, where a person signed in" }),
      ),
    }),
  },
  400: refusedBy(
    "The request or what it presents is not good; of a device that polls, what it is to do",
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

/** The answers of `GET /oauth/token/info`. */
export const TOKEN_INFO_ANSWERS: Answers = {
  200: {
    description: "What the token is",
    schema: record("TokenInformation", {
      resource_owner_id: Type.Integer({ description: "whose it is" }),
      scope: Type.Array(Type.Enum([...SCOPES])),
      expires_in: nullable(seconds("until it ends; null: never")),
      application: unnamed({ uid: nullable(Type.String({ description: "null: a personal access token" })) }),
      created_at: epoch("when it was made"),
      scopes: Type.Array(Type.Enum([...SCOPES]), { deprecated: true, description: "as `scope`" }),
      expires_in_seconds: nullable(Type.Integer({ deprecated: true, description: "as `expires_in`" })),
    }),
  },
  400: refusedBy("The request carries two different tokens", "invalid_request"),
  401: refusedBy("No token, or one that is not good", "invalid_token", "invalid_dpop_proof"),
};

/** The answers of `POST /oauth/revoke`. */
export const REVOKE_ANSWERS: Answers = {
  200: {
    description: "The token counts no more, whether it was known or not",
    schema: unnamed({}),
  },
  400: refusedBy("A parameter is missing or wrong", "invalid_request"),
  401: CLIENT_REFUSED,
  403: refusedBy("It is the token of another application", "unauthorized_client"),
};

/** The answers of `POST /oauth/authorize_device`. */
export const DEVICE_ANSWERS: Answers = {
  200: {
    description: "Where the device sends its person, and how it asks afterwards",
    schema: record("DeviceResponse", {
      device_code: Type.String(),
      user_code: Type.String(),
      verification_uri: Type.String(),
      verification_uri_complete: Type.String(),
      expires_in: seconds("until both codes end"),
      interval: seconds("between two polls, at least"),
    }),
  },
  400: refusedBy(
    "The request is not good",
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
  iat: epoch("when it was made"),
  sub: Type.String({ description: "the number of the account" }),
  iss: Type.String(),
  jti: Type.String({ description: "a name that no other token has; opens nothing" }),
});

/** The answers of `POST /oauth/introspect`. */
export const INTROSPECT_ANSWERS: Answers = {
  200: {
    description: "What the token is worth; of one that does not count nothing but that",
    schema: Type.Union([COUNTS, NOTHING]),
  },
  400: refusedBy("A parameter is missing or wrong", "invalid_request"),
  401: CLIENT_REFUSED,
  403: refusedBy("It is the token of another application", "unauthorized_client"),
};
