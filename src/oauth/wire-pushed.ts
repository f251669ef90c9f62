/** The parameters of a pushed authorization request, and its response (RFC 9126 §2.1, §2.2). */
import type { FastifyRequest } from "fastify";
import { record } from "../platform/answer-shapes.ts";
import type { Answers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { AUTHORIZATION_PARAMETERS, type GivenParameters } from "./authorization-parameters.ts";
import { PUSHED_SECONDS } from "./lifetimes.ts";
import { checkResources } from "./resource.ts";
import { givenResources, type Parameters, tokenBody } from "./wire.ts";
import { CLIENT_REFUSED, MEANWHILE, refusedBy } from "./wire-answers.ts";
import { assertionBody } from "./wire-keys.ts";

const { client_id, client_secret, resource } = tokenBody.properties;

/** Parameters that are always refused, or only used by this server itself. */
const UNSAID: readonly string[] = ["request", "request_uri", "registration", "expected_person"];

/** All documented parameters of an authorization request, besides client authentication. */
const asInAddress = AUTHORIZATION_PARAMETERS.filter((name) => !UNSAID.includes(name)).map((name) => [
  name,
  Type.Optional(Type.String({ description: "as in the address of /oauth/authorize" })),
]);
export const pushedBody = Type.Object({
  ...Object.fromEntries(asInAddress),
  client_id,
  client_secret,
  ...assertionBody,
  resource,
});

const TEXTS = AUTHORIZATION_PARAMETERS.filter((name) => name !== "resource");
export const PUSHED_PARAMETERS: readonly string[] = [
  ...TEXTS,
  "client_secret",
  ...Object.keys(assertionBody),
];

/**
 * Returns the parameters as an address would give them: empty ones are absent, and `resource` may be repeated.
 * @throws OAuthError invalid_target: a `resource` of another server, or not a string
 */
export function pushedParameters(
  request: FastifyRequest,
  parameter: Parameters,
  publicUrl: string,
): GivenParameters {
  const texts = TEXTS.flatMap((name) => {
    const value = parameter(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const resource = givenResources(request);
  checkResources(publicUrl, resource);
  const resources = resource.filter((one) => typeof one === "string");
  return { ...Object.fromEntries(texts), ...(resources.length > 0 ? { resource: resources } : {}) };
}

/** The responses of `POST /oauth/par`. */
export const PUSHED_ANSWERS: Answers = {
  201: {
    description: "The request_uri with which the browser opens /oauth/authorize",
    schema: record("PushedRequest", {
      request_uri: Type.String(),
      expires_in: Type.Integer({ description: "seconds within which the browser must open it" }),
    }),
  },
  400: refusedBy(
    "The authorization request is invalid",
    "invalid_request",
    "unauthorized_client",
    "unsupported_response_type",
    "invalid_scope",
    "invalid_target",
    "request_not_supported",
    "registration_not_supported",
    "invalid_dpop_proof",
  ),
  401: CLIENT_REFUSED,
  409: MEANWHILE,
  413: refusedBy("The parameters are too long together", "invalid_request"),
  429: refusedBy("Too many pushed requests are waiting", "temporarily_unavailable"),
};

export function pushedReply(requestUri: string): Record<string, unknown> {
  return { request_uri: requestUri, expires_in: PUSHED_SECONDS };
}
