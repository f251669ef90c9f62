/** Applications in the API and in forms. */
import type { FastifyRequest } from "fastify";
import { isScope, SCOPES } from "../accounts/scope.ts";
import type { Shown } from "../platform/form-shown.ts";
import { formList, formText } from "../platform/form-text.ts";
import { isOneOf } from "../platform/one-of.ts";
import Type, { type Static } from "../platform/schema.ts";
import {
  type Application,
  type ApplicationFields,
  DEFAULT_GRANT_TYPES,
  DEVICE_GRANT,
  GRANT_TYPES,
  type GrantType,
  OFFERED_GRANT_TYPES,
} from "./application.ts";
import { MAX_GRACE_SECONDS } from "./lifetimes.ts";
import { splitRedirectUris } from "./redirect-uri.ts";
import { registeredScopes } from "./requested-scope.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { keysBody, keysOfBody, keysOfForm, keysOfQuery, keysRecord, prefilledKeys } from "./wire-keys.ts";
import {
  lifetimeBody,
  lifetimeRecord,
  lifetimesOfBody,
  lifetimesOfForm,
  lifetimesOfQuery,
  prefilledLifetimes,
} from "./wire-lifetimes.ts";

/** RFC 9126 §6 */
const REQUIRE_PUSHED = "require_pushed_authorization_requests";

export const applicationBody = Type.Object({
  name: Type.String({ minLength: 1, description: "shown to people on the consent page" }),
  redirect_uri: Type.String({ description: "one or several, separated by blanks or line breaks" }),
  post_logout_redirect_uris: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 50,
      description:
        "where people may be redirected after they signed out (OpenID Connect RP-Initiated Logout)",
    }),
  ),
  backchannel_logout_uri: Type.Optional(
    Type.String({
      description:
        "where it is notified that a session has ended (OpenID Connect Back-Channel Logout); empty: nowhere",
    }),
  ),
  backchannel_logout_session_required: Type.Optional(
    Type.Boolean({ description: "its logout tokens must name the session (`sid`), not only the user" }),
  ),
  // GitLab documents a string; callers of its libraries pass a list.
  scopes: Type.Union(
    [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 50 })],
    { emptyToo: true, description: "the scopes that it may request, separated by blanks or as a list" },
  ),
  confidential: Type.Optional(
    Type.Boolean({
      description: "it can keep a secret, since it runs on a server; true for a new one by default",
    }),
  ),
  grant_types: Type.Optional(
    Type.Array(Type.Union([...GRANT_TYPES, DEVICE_GRANT].map((type) => Type.Literal(type))), {
      maxItems: 10,
      description:
        "the flows that it may use; by default authorization_code and refresh_token. device_code may also have its long name, as in the metadata",
    }),
  ),
  trusted: Type.Optional(
    Type.Boolean({ description: "people are not asked for consent, if the application is confidential" }),
  ),
  home_page: Type.Optional(Type.String({ description: "http or https address" })),
  omit_iss: Type.Optional(Type.Boolean({ description: "leave `iss` (RFC 9207) out of redirects" })),
  require_pushed_authorization_requests: Type.Optional(
    Type.Boolean({ description: "refuse authorization requests that were not pushed (RFC 9126 §6)" }),
  ),
  id_token_signed_response_alg: Type.Optional(
    Type.Union(
      SIGNING_ALGORITHMS.map((algorithm) => Type.Literal(algorithm)),
      { description: "the algorithm of its identity tokens; by default RS256" },
    ),
  ),
  dpop_bound_access_tokens: Type.Optional(
    Type.Boolean({ description: "it gets only tokens that are bound to a key (RFC 9449)" }),
  ),
  ...lifetimeBody,
  ...keysBody,
});

/** Absent members stay unchanged. */
export const applicationChange = Type.Partial(applicationBody);

/** Returns all fields of the application as they are once a validated change is applied. */
export function fieldsAfter(
  before: Application,
  change: Static<typeof applicationChange>,
): ApplicationFields {
  return applicationFields({
    name: before.name,
    redirect_uri: before.redirectUris.join("\n"),
    post_logout_redirect_uris: before.postLogoutRedirectUris,
    backchannel_logout_uri: before.backchannelLogoutUri,
    backchannel_logout_session_required: before.backchannelLogoutSessionRequired,
    scopes: before.scopes,
    grant_types: before.grantTypes,
    confidential: before.confidential,
    omit_iss: before.omitIss,
    require_pushed_authorization_requests: before.requirePushed,
    id_token_signed_response_alg: before.idTokenAlgorithm,
    dpop_bound_access_tokens: before.boundTokensOnly,
    home_page: before.homePage,
    ...lifetimeRecord(before),
    ...keysRecord(before),
    ...change,
  } as Static<typeof applicationBody>);
}

export const renewBody = Type.Optional(
  Type.Object({
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_SECONDS,
        description: "how long the old secret stays valid; by default not at all. Earlier ones end at once",
      }),
    ),
  }),
);

/** Returns the fields in a validated body. */
export function applicationFields(body: Static<typeof applicationBody>): ApplicationFields {
  return {
    name: body.name,
    redirectUris: splitRedirectUris(body.redirect_uri),
    postLogoutRedirectUris: [...new Set(body.post_logout_redirect_uris ?? [])],
    backchannelLogoutUri: body.backchannel_logout_uri ?? "",
    backchannelLogoutSessionRequired: body.backchannel_logout_session_required ?? false,
    scopes: registeredScopes(wordsOf([body.scopes].flat().join(" "))),
    grantTypes: body.grant_types ? grantTypesOf(body.grant_types) : DEFAULT_GRANT_TYPES,
    confidential: body.confidential ?? true,
    omitIss: body.omit_iss ?? false,
    requirePushed: body.require_pushed_authorization_requests ?? false,
    idTokenAlgorithm: body.id_token_signed_response_alg ?? "RS256",
    boundTokensOnly: body.dpop_bound_access_tokens ?? false,
    homePage: body.home_page ?? "",
    ...lifetimesOfBody(body),
    ...keysOfBody(body),
  };
}

/** Returns each grant type once; the device flow also has the name of the metadata (RFC 8414 §2). */
function grantTypesOf(given: readonly string[]): GrantType[] {
  return [...new Set(given.map((type) => (type === DEVICE_GRANT ? "device_code" : type)))].filter(
    isGrantType,
  );
}

/** Returns the fields in a posted form; `kept` are flows of the application that the form does not offer. */
export function applicationForm(request: FastifyRequest, kept: readonly GrantType[] = []): ApplicationFields {
  const ticked = formList(request, "grant_types").filter(isGrantType);
  return {
    name: formText(request, "name").trim(),
    redirectUris: splitRedirectUris(formText(request, "redirect_uri")),
    postLogoutRedirectUris: splitRedirectUris(formText(request, "post_logout_redirect_uris")),
    backchannelLogoutUri: formText(request, "backchannel_logout_uri").trim(),
    backchannelLogoutSessionRequired: formText(request, "backchannel_logout_session_required") !== "",
    scopes: [...new Set(formList(request, "scopes"))],
    grantTypes: [...new Set([...ticked, ...kept])],
    confidential: formText(request, "confidential") !== "",
    omitIss: formText(request, "omit_iss") !== "",
    requirePushed: formText(request, REQUIRE_PUSHED) !== "",
    idTokenAlgorithm: formText(request, "id_token_signed_response_alg") === "ES256" ? "ES256" : "RS256",
    boundTokensOnly: formText(request, "dpop_bound_access_tokens") !== "",
    homePage: formText(request, "home_page").trim(),
    ...lifetimesOfForm(request),
    ...keysOfForm(request),
  };
}

/** The values in the form of an application, as `applicationForm` reads them if nobody changes any (decision 0246). */
export function applicationShown(fields: ApplicationFields): Shown {
  // Only the fields of the form, and nothing else that is known of an application.
  const names = new Set(Object.keys(applicationQuery({})));
  const { scopes, grantTypes } = fields;
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name))),
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    grantTypes: [
      ...OFFERED_GRANT_TYPES.filter((type) => grantTypes.includes(type)),
      ...grantTypes.filter((type) => !OFFERED_GRANT_TYPES.includes(type)),
    ],
  };
}

/** The initial values of the form for a new application, from the address (`?name=…&redirect_uri=…&scopes=…`). */
export function applicationQuery(query: unknown): ApplicationFields {
  const given = query as Readonly<Record<string, unknown>>;
  const text = (name: string) => {
    const value = given[name];
    return typeof value === "string" ? value.replaceAll("\0", "") : "";
  };
  const grants = wordsOf(text("grant_types")).filter(isGrantType);
  return {
    name: text("name"),
    redirectUris: splitRedirectUris(text("redirect_uri")),
    postLogoutRedirectUris: splitRedirectUris(text("post_logout_redirect_uris")),
    backchannelLogoutUri: text("backchannel_logout_uri"),
    backchannelLogoutSessionRequired: text("backchannel_logout_session_required") === "true",
    scopes: wordsOf(text("scopes")).filter(isScope),
    grantTypes: grants.length > 0 ? grants : DEFAULT_GRANT_TYPES,
    confidential: text("confidential") !== "false",
    omitIss: text("omit_iss") === "true",
    requirePushed: text(REQUIRE_PUSHED) === "true",
    idTokenAlgorithm: text("id_token_signed_response_alg") === "ES256" ? "ES256" : "RS256",
    boundTokensOnly: text("dpop_bound_access_tokens") === "true",
    homePage: text("home_page"),
    ...lifetimesOfQuery(text),
    ...keysOfQuery(text),
  };
}

/** Addresses are limited to 8 KiB; the rest of it is for the path to the page. */
const LONGEST_PREFILL = 6000;

/**
 * The same as a query, for a person who must first confirm who they are; it contains no secret. Values that do not fit are left
 * out: a truncated address would be a different one, and must not be registered.
 */
export function prefillOf(fields: ApplicationFields): URLSearchParams {
  let prefill = new URLSearchParams({
    name: fields.name.slice(0, 255),
    ...(fields.backchannelLogoutSessionRequired ? { backchannel_logout_session_required: "true" } : {}),
    scopes: fields.scopes.filter(isScope).join(" "),
    grant_types: fields.grantTypes.join(" "),
    ...(fields.confidential ? {} : { confidential: "false" }),
    ...(fields.omitIss ? { omit_iss: "true" } : {}),
    ...(fields.requirePushed ? { [REQUIRE_PUSHED]: "true" } : {}),
    id_token_signed_response_alg: fields.idTokenAlgorithm,
    ...(fields.boundTokensOnly ? { dpop_bound_access_tokens: "true" } : {}),
    ...prefilledLifetimes(fields),
  });
  const lists = {
    redirect_uri: fields.redirectUris,
    home_page: [fields.homePage],
    ...prefilledKeys(fields),
    post_logout_redirect_uris: fields.postLogoutRedirectUris,
    backchannel_logout_uri: [fields.backchannelLogoutUri],
  };
  for (const [name, values] of Object.entries(lists)) {
    for (const value of [values].flat()) {
      if (value === "") continue;
      const before = prefill.get(name);
      const longer = new URLSearchParams(prefill);
      longer.set(name, before === null ? value : `${before} ${value}`);
      if (String(longer).length <= LONGEST_PREFILL) prefill = longer;
    }
  }
  return prefill;
}

function isGrantType(word: string): word is GrantType {
  return isOneOf(GRANT_TYPES, word);
}

function wordsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ""))];
}

/** An application in the API; with its secret only right after it was created (contract §3). */
export function applicationRecord(application: Application): Record<string, unknown> {
  return {
    id: application.id,
    application_id: application.uid,
    application_name: application.name,
    callback_url: application.redirectUris.join("\n"),
    post_logout_redirect_uris: application.postLogoutRedirectUris,
    backchannel_logout_uri: application.backchannelLogoutUri,
    backchannel_logout_session_required: application.backchannelLogoutSessionRequired,
    confidential: application.confidential,
    trusted: application.trusted,
    self_registered: application.selfRegistered,
    scopes: application.scopes,
    grant_types: application.grantTypes,
    omit_iss: application.omitIss,
    require_pushed_authorization_requests: application.requirePushed,
    id_token_signed_response_alg: application.idTokenAlgorithm,
    dpop_bound_access_tokens: application.boundTokensOnly,
    home_page: application.homePage,
    ...lifetimeRecord(application),
    ...keysRecord(application),
    owner_id: application.ownerId,
    created_at: application.createdAt.toISOString(),
  };
}
