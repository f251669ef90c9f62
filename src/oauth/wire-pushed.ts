/** What an application pushes, and is answered (RFC 9126 §2.1, §2.2). */
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

/** Read and refused, or our own. */
const UNSAID: readonly string[] = ["request", "request_uri", "registration", "expected_person"];

/** Every parameter of an authorization request, whichever there are, beside the proof of the application. */
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
 * As an address would have given them: what is empty is absent, and `resource` may stand several times.
 * @throws OAuthError invalid_target: a `resource` that is none of ours, or no text
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

/** Of `POST /oauth/par`. */
export const PUSHED_ANSWERS: Answers = {
  201: {
    description: "The name with which the browser goes to /oauth/authorize",
    schema: record("PushedRequest", {
      request_uri: Type.String(),
      expires_in: Type.Integer({ description: "seconds within which the browser comes" }),
    }),
  },
  400: refusedBy(
    "The authorization request is not good",
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
  429: refusedBy("Too many wait for their people", "temporarily_unavailable"),
};

export function pushedReply(requestUri: string): Record<string, unknown> {
  return { request_uri: requestUri, expires_in: PUSHED_SECONDS };
}
