/** The metadata that a program sends to register itself, and the response (RFC 7591 §2, §3.2). */
import { record } from "../platform/answer-shapes.ts";
import type { Answers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { type Application, DEFAULT_GRANT_TYPES } from "./application.ts";
import { SCOPES_OF_STRANGERS } from "./client-metadata.ts";
import { epochSeconds } from "./epoch-seconds.ts";
import { refusedBy } from "./wire-answers.ts";

export const registrationBody = Type.Object({
  redirect_uris: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 10,
    description: "https, or http on a loopback address or localhost",
  }),
  client_name: Type.Optional(
    Type.String({ description: "shown to people; by default the host of the first address" }),
  ),
  client_uri: Type.Optional(Type.String({ description: "its home page" })),
  scope: Type.Optional(Type.String({ description: `of ${SCOPES_OF_STRANGERS.join(", ")}; by default all` })),
  grant_types: Type.Optional(
    Type.Array(Type.String(), { description: "authorization_code, optionally with refresh_token" }),
  ),
  response_types: Type.Optional(Type.Array(Type.String(), { description: "code" })),
  require_pushed_authorization_requests: Type.Optional(
    Type.Boolean({ description: "it must use pushed authorization requests (RFC 9126)" }),
  ),
  token_endpoint_auth_method: Type.Optional(Type.String({ description: "none, whatever is requested" })),
  dpop_bound_access_tokens: Type.Optional(
    Type.Boolean({ description: "it gets only tokens that are bound to a key (RFC 9449 §5.2)" }),
  ),
});

/** The responses of `POST /oauth/register`. */
export const REGISTRATION_ANSWERS: Answers = {
  201: {
    description: "The program is registered with these values, which may differ from the requested ones",
    schema: record("Registration", {
      client_id: Type.String(),
      client_id_issued_at: Type.Integer({ description: "seconds since 1970 (UTC)" }),
      client_name: Type.String(),
      client_uri: Type.Optional(Type.String()),
      redirect_uris: Type.Array(Type.String()),
      grant_types: Type.Array(Type.Enum([...DEFAULT_GRANT_TYPES])),
      response_types: Type.Array(Type.Literal("code")),
      token_endpoint_auth_method: Type.Literal("none"),
      dpop_bound_access_tokens: Type.Optional(
        Type.Literal(true, { description: "present if it was requested" }),
      ),
      scope: Type.String({ description: "scopes separated by blanks" }),
      require_pushed_authorization_requests: Type.Optional(Type.Literal(true)),
    }),
  },
  400: refusedBy(
    "The metadata is invalid",
    "invalid_redirect_uri",
    "invalid_client_metadata",
    "invalid_request",
  ),
  404: refusedBy("Programs may not register themselves here", "invalid_request"),
  429: refusedBy(
    "Too many registrations from your network: Retry-After says when to try again",
    "temporarily_unavailable",
  ),
  503: refusedBy(
    "Too many unused registrations: Retry-After says when to try again",
    "temporarily_unavailable",
  ),
};

/** All registered metadata (§3.2.1); there is no secret. */
export function registrationReply(application: Application): Record<string, unknown> {
  return {
    client_id: application.uid,
    client_id_issued_at: epochSeconds(application.createdAt),
    client_name: application.name,
    ...(application.homePage === "" ? {} : { client_uri: application.homePage }),
    redirect_uris: application.redirectUris,
    grant_types: application.grantTypes,
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...(application.boundTokensOnly ? { dpop_bound_access_tokens: true } : {}),
    scope: application.scopes.join(" "),
    ...(application.requirePushed ? { require_pushed_authorization_requests: true } : {}),
  };
}
