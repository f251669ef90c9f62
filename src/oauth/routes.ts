/** The OAuth endpoints that speak JSON: token, token information, revocation, introspection. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { presentedSecret } from "../accounts/caller.ts";
import { checkBinding } from "../accounts/check-binding.ts";
import { mayBeToken } from "../accounts/given-tokens.ts";
import { effectiveScopes } from "../accounts/scope.ts";
import { entryOf } from "../platform/entry-of.ts";
import { countUp } from "../platform/metrics.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem, UnknownToken } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { type Application, DEVICE_GRANT } from "./application.ts";
import { authenticateApplication } from "./authenticate-application.ts";
import type { AuthenticatedApplication } from "./authenticated-application.ts";
import { beginDevice } from "./begin-device.ts";
import { OAuthError } from "./error.ts";
import { exchangeClientCredentials } from "./exchange-client-credentials.ts";
import { exchangeCode } from "./exchange-code.ts";
import { exchangeDevice } from "./exchange-device.ts";
import { exchangePassword } from "./exchange-password.ts";
import { exchangeRefresh } from "./exchange-refresh.ts";
import { findSettings } from "./find-settings.ts";
import { introspectToken } from "./introspect-token.ts";
import type { Issued } from "./issued.ts";
import { proveKey } from "./prove-key.ts";
import { checkResources } from "./resource.ts";
import { revokeToken } from "./revoke-token.ts";
import { pushedRoutes } from "./routes-pushed.ts";
import type { Settings } from "./settings.ts";
import { signIdentityToken } from "./sign-identity-token.ts";
import { findTokenInfo } from "./store-presented.ts";
import {
  clientProof,
  described,
  deviceBody,
  deviceReply,
  givenResources,
  introspectBody,
  introspectionReply,
  needed,
  type Parameters,
  proofHeader,
  readParameters,
  revokeBody,
  textParameters,
  tokenBody,
  tokenInfoReply,
  tokenReply,
} from "./wire.ts";
import {
  DEVICE_ANSWERS,
  INTROSPECT_ANSWERS,
  REVOKE_ANSWERS,
  TOKEN_ANSWERS,
  TOKEN_INFO_ANSWERS,
} from "./wire-answers.ts";

const TOKEN_PARAMETERS = textParameters(tokenBody);
const DEVICE_PARAMETERS = textParameters(deviceBody);
/** Revocation and introspection take the same parameters. */
const TOKEN_QUESTION_PARAMETERS = textParameters(revokeBody);

/**
 * `POST /oauth/token`, `POST /oauth/authorize_device`, `GET /oauth/token/info`, `POST /oauth/revoke`, `POST /oauth/introspect`,
 * `POST /oauth/par`.
 */
export function oauthRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;

  const tokens = described(tokenBody, TOKEN_ANSWERS, proofHeader);
  app.post("/oauth/token", tokens, async (request, reply) => {
    const parameter = readParameters(request, TOKEN_PARAMETERS);
    const grant = needed(parameter, "grant_type");
    const exchange = exchangeOf(grant);
    // Checked before anything is used up; it has no further effect (decision 0195).
    checkResources(config.publicUrl, givenResources(request));
    const proven = authenticateApplication(platform, clientProof(request, parameter), {
      // Here nothing else would stand for the missing secret, as PKCE does for a code (spec: POST /oauth/token; decision 0307).
      idIsEnough: ({ grantTypes }) => grant !== "password" || !grantTypes.includes("password"),
    });
    const authenticating = proveKey(platform, request, proven);
    const issued = await exchange(platform, authenticating, parameter, request, proven);
    const application = await authenticating;
    countUp("gatehouse_tokens_issued_total", { grant });
    const identityToken = await signIdentityToken(platform, application, issued);
    return notStored(reply).send(tokenReply(issued, identityToken, application.provenKey !== null));
  });

  const informs = { config: { answers: TOKEN_INFO_ANSWERS, proof: "token" as const } };
  app.get("/oauth/token/info", informs, async (request, reply) => {
    const token = presentedSecret(request);
    // The body is that of an invalid token (contract §4, token/info); only the challenge names an error (RFC 6750 §3.1).
    if (!token) throw new Problem("unauthenticated", "401 Unauthorized");
    const info = mayBeToken(platform, token) ? await findTokenInfo(db, digest(token)) : undefined;
    const scopes = info ? effectiveScopes(info.scopes, info.applicationScopes ?? info.scopes) : [];
    // Unknown, expired and revoked tokens and those without any remaining scope get the same response.
    if (!info || scopes.length === 0) throw new UnknownToken();
    await checkBinding(platform, request, token, info.boundKey);
    return notStored(reply).send(tokenInfoReply(info, scopes));
  });

  app.post("/oauth/revoke", described(revokeBody, REVOKE_ANSWERS), async (request, reply) => {
    const parameter = readParameters(request, TOKEN_QUESTION_PARAMETERS);
    const application = await authenticateApplication(platform, clientProof(request, parameter));
    await revokeToken(db, application, needed(parameter, "token"));
    return notStored(reply).send({});
  });

  app.post("/oauth/authorize_device", described(deviceBody, DEVICE_ANSWERS), async (request, reply) => {
    const parameter = readParameters(request, DEVICE_PARAMETERS);
    const application = await authenticateApplication(platform, clientProof(request, parameter));
    checkGrantType(application, "device_code");
    checkResources(config.publicUrl, givenResources(request));
    const begun = await beginDevice(platform, application, {
      scope: parameter("scope"),
      ip: request.ip,
    });
    return notStored(reply).send(deviceReply(begun, config.publicUrl));
  });

  app.post("/oauth/introspect", described(introspectBody, INTROSPECT_ANSWERS), async (request, reply) => {
    const parameter = readParameters(request, TOKEN_QUESTION_PARAMETERS);
    // Somebody who found a token and knows the application's id, which is public, must not learn what the token allows.
    const application = await authenticateApplication(platform, clientProof(request, parameter), {
      idIsEnough: () => false,
    });
    const token = await introspectToken(platform, application, needed(parameter, "token"));
    return notStored(reply).send(introspectionReply(token, application.uid, config.publicUrl));
  });

  pushedRoutes(app, platform);
}

/**
 * Exchanges a grant. The application is a promise, so that its credentials and the grant are looked up in one round trip; `proven`
 * is the same one as soon as it is authenticated, whatever it is refused for afterwards.
 */
type Exchange = (
  platform: Platform,
  authenticating: Promise<AuthenticatedApplication>,
  parameter: Parameters,
  request: FastifyRequest,
  proven: Promise<Application>,
) => Promise<Issued>;

/** The flows of the token endpoint, by `grant_type`. */
const EXCHANGES: Readonly<Record<string, Exchange>> = {
  authorization_code: (platform, authenticating, parameter, _request, proven) =>
    exchangeCode(
      platform,
      applicationFor(authenticating, "authorization_code", parameter, ["code", "redirect_uri"]),
      {
        code: parameter("code") ?? "",
        redirectUri: parameter("redirect_uri") ?? "",
        verifier: parameter("code_verifier"),
        shownBy: proven,
      },
    ),
  password: (platform, authenticating, parameter, request) => {
    const settings = findSettings(platform);
    return exchangePassword(
      platform,
      applicationFor(switchedOn(settings, authenticating), "password", parameter),
      {
        username: parameter("username"),
        password: parameter("password"),
        scope: parameter("scope"),
        address: request.ip,
        settings,
      },
    );
  },
  client_credentials: async (platform, authenticating, parameter) => {
    const application = await applicationFor(authenticating, "client_credentials", parameter);
    return exchangeClientCredentials(platform, application, parameter("scope"));
  },
  [DEVICE_GRANT]: async (platform, authenticating, parameter, request) => {
    const application = await applicationFor(authenticating, "device_code", parameter, ["device_code"]);
    const provenBy = request.headers.authorization === undefined ? "body" : "header";
    return exchangeDevice(platform, application, parameter("device_code") ?? "", provenBy);
  },
  refresh_token: (platform, authenticating, parameter) =>
    exchangeRefresh(platform, applicationFor(authenticating, "refresh_token", parameter, ["refresh_token"]), {
      refreshToken: parameter("refresh_token") ?? "",
      scope: parameter("scope"),
    }),
};

/** @throws OAuthError unsupported_grant_type: the password flow is switched off */
async function switchedOn(
  settings: Promise<Settings>,
  authenticating: Promise<AuthenticatedApplication>,
): Promise<AuthenticatedApplication> {
  const [application, { allowPassword }] = await Promise.all([authenticating, settings]);
  if (!allowPassword) throw unsupported("switched off by the administrators");
  return application;
}

/**
 * Returns the application, once it is authenticated, registered for the flow, and has sent the parameters `names`.
 * @throws OAuthError invalid_client, unauthorized_client, invalid_request
 */
async function applicationFor(
  authenticating: Promise<AuthenticatedApplication>,
  grantType: Application["grantTypes"][number],
  parameter: Parameters,
  names: readonly string[] = [],
): Promise<AuthenticatedApplication> {
  const application = await authenticating;
  checkGrantType(application, grantType);
  for (const name of names) needed(parameter, name);
  return application;
}

/** @throws OAuthError unsupported_grant_type */
function exchangeOf(grantType: string): Exchange {
  const exchange = entryOf(EXCHANGES, grantType);
  if (!exchange) throw unsupported("unknown grant type");
  return exchange;
}

function unsupported(log: string): OAuthError {
  return new OAuthError(
    "unsupported_grant_type",
    "The authorization grant type is not supported by this server.",
    log,
  );
}

/** @throws OAuthError unauthorized_client: the application is not registered for this flow */
function checkGrantType(application: Application, grantType: Application["grantTypes"][number]): void {
  if (application.grantTypes.includes(grantType)) return;
  throw new OAuthError(
    "unauthorized_client",
    `The application is not registered for the grant type ${grantType}.`,
  );
}

/** Forbids caching of a response with a token (RFC 6749 §5.1). */
function notStored(reply: FastifyReply): FastifyReply {
  return reply.headers({ "cache-control": "no-store", pragma: "no-cache" });
}
