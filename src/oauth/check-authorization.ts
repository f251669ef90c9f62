/** Checks an authorization request, before the person is asked anything (RFC 6749 §4.1.1, §4.2.1; spec: GET /oauth/authorize). */
import { covers } from "../accounts/scope.ts";
import type { Queries } from "../platform/db.ts";
import { isOneOf } from "../platform/one-of.ts";
import { Problem } from "../platform/problem.ts";
import { cutWithoutSecrets } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import {
  AuthorizationError,
  type AuthorizationErrorCode,
  StateTooLong,
  type TrustedRedirect,
} from "./authorization-error.ts";
import {
  type AuthorizationParameter,
  type GivenParameters,
  parameterFault,
} from "./authorization-parameters.ts";
import { isChallenge } from "./pkce.ts";
import {
  isOutOfBand,
  isWebAddress,
  MAX_STATE_BYTES,
  matchesRedirectUri,
  RESPONSE_MODES,
  type ResponseMode,
  registeredWords,
} from "./redirect-uri.ts";
import { BAD_SCOPE, defaultScopes, readScope } from "./requested-scope.ts";
import { areOurs, FOREIGN_RESOURCE } from "./resource.ts";
import type { Settings } from "./settings.ts";
import { type SingleParameters, singleParameters } from "./single-parameters.ts";
import { findApplicationByUid } from "./store.ts";
import { isUid } from "./uid.ts";

/** A valid authorization request, about which the person may be asked. */
export interface AuthorizationRequest {
  application: Application;
  responseType: "code" | "token";
  redirect: TrustedRedirect;
  scopes: readonly string[];
  codeChallenge: string | undefined;
  /** The thumbprint of the key whose possession must be proven with the code (RFC 9449 §10). */
  boundKey: string | undefined;
  nonce: string | undefined;
  /** Values of `prompt`: `none`, `login`, `consent`, `select_account` (OpenID Connect Core §3.1.2.1). */
  prompts: readonly string[];
  /** The most seconds since the person last authenticated. */
  maxAgeSeconds: number | undefined;
}

/**
 * Parameters that would change the request and are not supported, so that they must not be ignored (OpenID Connect
 * Core §3.1.2.6).
 */
const UNSUPPORTED = ["request", "request_uri", "registration"] as const;

/** `none` cannot be combined with others. */
export const PROMPTS = ["none", "login", "consent", "select_account"] as const;

/** The redirect URI of the request is not registered; those who may change the application are shown both (decision 0019). */
export class RedirectRefused extends Problem {
  readonly application: Application;
  readonly sent: string;

  constructor(
    application: Application,
    sent: string,
    words = "The redirect URI included is not valid: it is not registered for this application.",
  ) {
    super("invalid", words);
    this.application = application;
    this.sent = sent;
  }

  /** For the event log of the application (decision 0080), and the log of the service. */
  get reason(): string {
    if (this.sent === "") return "redirect_uri is missing";
    return `redirect_uri differs: sent ${cutWithoutSecrets(this.sent, 400)}, registered ${registeredWords(this.application.redirectUris)}`;
  }
}

type Refuse = (code: AuthorizationErrorCode, description: string) => never;

/** The issuer and settings of this service, and whether the request was pushed (RFC 9126). */
export interface AuthorizationContext {
  issuer: string;
  settings: Pick<Settings, "allowImplicit" | "requirePkce">;
  wasPushed: boolean;
  /** Parameters whose percent-encoding is broken or not UTF-8, so that their values are not what was meant. */
  unreadable?: readonly AuthorizationParameter[];
}

/**
 * Checks the client, then the redirect URI, then everything else: only refusals of the third step may be redirected.
 * @throws Problem invalid: unknown client, bad redirect_uri, a state that is too long to be sent back: shown as a page, never
 *   redirected
 * @throws AuthorizationError everything else
 */
export async function checkAuthorization(
  db: Queries,
  { issuer, settings, wasPushed, unreadable = [] }: AuthorizationContext,
  given: GivenParameters,
): Promise<AuthorizationRequest> {
  const application = await provenApplication(db, given);
  const redirect = provenRedirect(application, given, { issuer, unreadable });
  const refuse: Refuse = (code, description) => {
    throw new AuthorizationError(redirect, code, description, application);
  };
  if (application.requirePushed && !wasPushed) {
    refuse("invalid_request", "Pushed authorization request is required: the application uses /oauth/par.");
  }
  const fault = parameterFault(given, unreadable);
  if (fault) refuse("invalid_request", fault);
  const unsupported = UNSUPPORTED.find((name) => given[name] !== undefined);
  if (unsupported) refuse(`${unsupported}_not_supported`, `The parameter ${unsupported} is not supported.`);
  // Only `resource` may be repeated, since there is no such fault.
  const single = singleParameters(given);
  const responseType = askedResponse(application, redirect, settings, single, refuse);
  // May be repeated (RFC 8707 §2). It is not stored: every token is for the only resource of this server.
  if (!areOurs(issuer, [given.resource ?? ""].flat())) refuse("invalid_target", FOREIGN_RESOURCE);
  const scopes = askedScopes(application, given);
  if (!scopes) refuse("invalid_scope", BAD_SCOPE);
  const asksForCode = responseType === "code";
  return {
    application,
    responseType,
    redirect,
    scopes,
    codeChallenge: asksForCode
      ? askedChallenge(application, settings.requirePkce, single, refuse)
      : undefined,
    boundKey: asksForCode ? askedKey(single.dpop_jkt, refuse) : undefined,
    nonce: single.nonce,
    prompts: askedPrompts(single.prompt, refuse),
    maxAgeSeconds: askedMaxAge(single.max_age, refuse),
  };
}

/** Returns the application that the request names. @throws Problem invalid: it names none, or an unknown one */
export async function provenApplication(db: Queries, given: GivenParameters): Promise<Application> {
  const { client_id: uid } = given;
  if (uid === undefined)
    throw new Problem("invalid", "The request names no application: client_id is missing.");
  const application = isUid(uid) ? await findApplicationByUid(db, uid) : undefined;
  if (!application)
    throw new Problem("invalid", "The application that sent you here is not known: check client_id.");
  return application;
}

function provenRedirect(
  application: Application,
  given: GivenParameters,
  { issuer, unreadable }: { issuer: string; unreadable: readonly AuthorizationParameter[] },
): TrustedRedirect {
  const { redirect_uri: uri, response_type: responseType, response_mode: mode, state } = given;
  if (uri === undefined) {
    throw new RedirectRefused(application, "", "Missing required parameter: redirect_uri.");
  }
  if (typeof uri !== "string" || !matchesRedirectUri(application.redirectUris, uri)) {
    throw new RedirectRefused(application, typeof uri === "string" ? uri : uri.join(" "));
  }
  if (typeof state === "string" && Buffer.byteLength(state) > MAX_STATE_BYTES) {
    throw new StateTooLong(application);
  }
  return {
    uri,
    mode: answerMode(uri, responseType, mode),
    // Exactly as it was received, or not at all (RFC 6749 §4.1.2.1).
    state: typeof state === "string" && !unreadable.includes("state") ? state : undefined,
    issuer: application.omitIss || isGitlabProvider(application, uri, given) ? undefined : issuer,
  };
}

/**
 * Whether the request comes from the GitLab provider of Auth.js or next-auth, which takes a response with `iss` for that of
 * another issuer unless ours was configured. Its redirect URI is used for this provider alone, which protects against mix-up
 * attacks as `iss` does (RFC 9700 §4.4.2.2; decision 0123). Clients that read the metadata, and so expect `iss`, ask for
 * `openid`.
 */
function isGitlabProvider(application: Application, uri: string, given: GivenParameters): boolean {
  const { scope = "" } = given;
  if (!/^https?:\/\/[^?#]+\/callback\/gitlab$/.test(uri) || typeof scope !== "string") return false;
  // If no scope is named, the default scopes count: the result must be the same before and after the person is asked.
  return !(askedScopes(application, given) ?? scope.split(" ")).includes("openid");
}

/**
 * Returns how the response is sent. Responses to requests for a token go in the fragment, refusals included (RFC 6749 §4.2.2.1),
 * and so do refusals of unsupported response types with tokens, since their clients look nowhere else (OAuth 2.0 Multiple
 * Response Types §3, §5).
 */
function answerMode(uri: string, responseType: unknown, mode: unknown): ResponseMode {
  // Forms can be posted to web addresses only.
  if (mode === "form_post" && responseType !== "token" && isWebAddress(uri)) return "form_post";
  return mode === "fragment" || asksForTokens(responseType) ? "fragment" : "query";
}

function asksForTokens(responseType: unknown): boolean {
  if (typeof responseType !== "string") return false;
  return responseType.split(" ").some((word) => word === "token" || word === "id_token");
}

/**
 * Returns the response type. Refuses one that is switched off, not registered for the application, or impossible with this
 * redirect URI.
 */
function askedResponse(
  application: Application,
  redirect: TrustedRedirect,
  settings: AuthorizationContext["settings"],
  { response_type: responseType, response_mode: mode }: SingleParameters,
  refuse: Refuse,
): AuthorizationRequest["responseType"] {
  if (!responseType) return refuse("invalid_request", "Missing required parameter: response_type.");
  if (responseType !== "code" && responseType !== "token") {
    return refuse("unsupported_response_type", "The response_type must be code or token.");
  }
  if (responseType === "token" && !settings.allowImplicit) {
    refuse("unsupported_response_type", "The implicit grant is switched off on this server.");
  }
  const flow = responseType === "code" ? "authorization_code" : "implicit";
  if (!application.grantTypes.includes(flow)) {
    refuse("unauthorized_client", `The application is not registered for response_type ${responseType}.`);
  }
  if (responseType === "token" && application.boundTokensOnly) {
    refuse("unauthorized_client", "The application requires key-bound tokens: use the code flow.");
  }
  if (mode !== undefined && !isOneOf(RESPONSE_MODES, mode)) {
    refuse("invalid_request", "The response_mode must be query, fragment or form_post.");
  }
  if (mode !== undefined && mode !== "fragment" && responseType === "token") {
    refuse("invalid_request", "A token is only sent in the fragment: response_mode must be fragment.");
  }
  if (mode === "form_post" && !isWebAddress(redirect.uri)) {
    refuse("invalid_request", "A form is sent to http and https addresses only.");
  }
  if (responseType === "token" && isOutOfBand(redirect.uri)) {
    refuse("invalid_request", "A token is never shown to a person: response_type must be code.");
  }
  return responseType;
}

/** Returns the requested scopes; undefined if the application may not ask for them. */
function askedScopes(application: Application, given: GivenParameters): string[] | undefined {
  const { scope, gl_auth_type: purpose } = given;
  // An application that only signs people in gets no more than that takes (reference oauth A2).
  const parameter = purpose === "login" ? "read_user" : (scope as string | undefined);
  if (parameter === undefined) return defaultScopes(application.scopes);
  const asked = readScope(parameter);
  return asked && covers(application.scopes, asked) ? asked : undefined;
}

function askedChallenge(
  application: Application,
  always: boolean,
  { code_challenge: challenge, code_challenge_method: method }: SingleParameters,
  refuse: Refuse,
): string | undefined {
  if (challenge === undefined) {
    if (method !== undefined) refuse("invalid_request", "Missing required parameter: code_challenge.");
    if (!application.confidential) {
      refuse("invalid_request", "Code challenge is required: a public application uses PKCE with S256.");
    }
    if (always)
      refuse("invalid_request", "Code challenge is required: this server wants PKCE with S256 of everyone.");
    return undefined;
  }
  if (method !== "S256") refuse("invalid_request", "The code_challenge_method must be S256.");
  if (!isChallenge(challenge)) refuse("invalid_request", "The code_challenge is not a SHA-256 in base64url.");
  return challenge;
}

function askedKey(thumbprint: string | undefined, refuse: Refuse): string | undefined {
  if (thumbprint !== undefined && !/^[\w-]{43}$/.test(thumbprint)) {
    refuse("invalid_request", "The dpop_jkt is not the SHA-256 thumbprint of a key in base64url.");
  }
  return thumbprint;
}

function askedPrompts(prompt: string | undefined, refuse: Refuse): readonly string[] {
  const words = prompt?.split(" ").filter((word) => word !== "") ?? [];
  if (words.some((word) => !isOneOf(PROMPTS, word))) {
    refuse("invalid_request", `The prompt may be ${PROMPTS.join(", ")}.`);
  }
  if (words.includes("none") && words.length > 1) {
    refuse("invalid_request", "The prompt none cannot be combined with others.");
  }
  return words;
}

function askedMaxAge(maxAge: string | undefined, refuse: Refuse): number | undefined {
  if (maxAge === undefined) return undefined;
  if (!/^\d{1,9}$/.test(maxAge)) refuse("invalid_request", "The max_age is not a number of seconds.");
  return Number(maxAge);
}
