/** A registered application (OAuth client): its fields, the flows it may use, and the rules for its fields. */
import { nameFault } from "../accounts/name.ts";
import { covers, isScope } from "../accounts/scope.ts";
import { type RequestPolicy, targetFault } from "../outbox/safe-request.ts";
import {
  boolean,
  bytes,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import { lifetimeFaults, type OwnLifetimes } from "./lifetimes.ts";
import { keyFaults, type SetKeys } from "./public-keys.ts";
import {
  isPlainHttp,
  isWebAddress,
  postLogoutUriFaults,
  redirectUriFault,
  redirectUriFaults,
} from "./redirect-uri.ts";
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from "./signing-key.ts";

/** The values of `grant_types` in a registration; `implicit` stands for `response_type=token`. */
export const GRANT_TYPES = [
  "authorization_code",
  "implicit",
  "password",
  "refresh_token",
  "client_credentials",
  "device_code",
] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** The `grant_type` of the device flow at the token endpoint (RFC 8628 §3.4). */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** The grant types of an application that names none: the web application flow with refresh tokens. */
export const DEFAULT_GRANT_TYPES: readonly GrantType[] = ["authorization_code", "refresh_token"];

/** In the order of the registration form: discouraged ones come last. */
export const OFFERED_GRANT_TYPES: readonly GrantType[] = [
  "authorization_code",
  "refresh_token",
  "device_code",
  "client_credentials",
  "implicit",
  "password",
];

/** Flows that end at a redirect URI. */
const REDIRECTING: readonly GrantType[] = ["authorization_code", "implicit"];

export const ApplicationRow = row({
  id: integer,
  /** The Application ID, `client_id` on the wire. */
  uid: text,
  name: text,
  /** Null: the application belongs to the instance or to a group. */
  ownerId: nullable(integer),
  ownerUsername: nullable(text),
  redirectUris: list(text),
  /** Where people may be sent after they signed out (OpenID Connect RP-Initiated Logout §3.1). */
  postLogoutRedirectUris: list(text),
  /** Where it is notified when a session has ended here (OpenID Connect Back-Channel Logout §2.2); empty: nowhere. */
  backchannelLogoutUri: text,
  /** Whether its logout tokens must name the session, not only the user. */
  backchannelLogoutSessionRequired: boolean,
  scopes: list(text),
  grantTypes: list(oneOf(GRANT_TYPES)),
  confidential: boolean,
  trusted: boolean,
  /** Whether it registered itself, so that nobody here has checked it (RFC 7591; decision 0196). */
  selfRegistered: boolean,
  omitIss: boolean,
  /** Whether it must use pushed authorization requests (RFC 9126 §6). */
  requirePushed: boolean,
  /** The algorithm that signs its identity tokens. */
  idTokenAlgorithm: oneOf(SIGNING_ALGORITHMS),
  /** Whether it gets only tokens that are bound to a key (RFC 9449 §5.2). */
  boundTokensOnly: boolean,
  homePage: text,
  /** Lifetimes of its tokens; null: the default. */
  accessTokenSeconds: nullable(integer),
  refreshIdleSeconds: nullable(integer),
  refreshAbsoluteSeconds: nullable(integer),
  /** Its public keys; empty: none. */
  jwks: text,
  /** Whether it authenticates by key alone, so that its secrets are not accepted. */
  onlyByKey: boolean,
  createdAt: instant,
});
export type Application = RowOf<typeof ApplicationRow>;

/** The application with the digests of its valid secrets. */
export const ApplicationWithSecretsRow = row({ ...ApplicationRow.columns, secretDigests: list(bytes) });
export type ApplicationWithSecrets = RowOf<typeof ApplicationWithSecretsRow>;

/** The part of the configuration that says which private networks requests may go to. */
export type TargetPolicy = Pick<RequestPolicy, "allowPrivateTargets">;
export const NOWHERE_PRIVATE: TargetPolicy = { allowPrivateTargets: [] };

/** The fields of an application that its owner or an administrator sets. */
export interface ApplicationFields extends OwnLifetimes, SetKeys {
  name: string;
  redirectUris: readonly string[];
  postLogoutRedirectUris: readonly string[];
  backchannelLogoutUri: string;
  backchannelLogoutSessionRequired: boolean;
  scopes: readonly string[];
  grantTypes: readonly GrantType[];
  confidential: boolean;
  omitIss: boolean;
  requirePushed: boolean;
  idTokenAlgorithm: SigningAlgorithm;
  boundTokensOnly: boolean;
  homePage: string;
}

/**
 * Returns the faults of the fields, by their wire names; empty if there are none.
 * @param policy which private networks requests may go to
 * @param before its current name, if it has one
 */
export function applicationFaults(
  fields: ApplicationFields,
  policy: TargetPolicy,
  before?: string,
): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const wrongName = nameFault(fields.name, 255, before);
  if (wrongName) faults.name = [wrongName];
  const wrongUris = redirectUriFaults(fields.redirectUris);
  if (wrongUris.length > 0) faults.redirect_uri = wrongUris;
  else if (fields.redirectUris.length === 0 && fields.grantTypes.some((type) => REDIRECTING.includes(type))) {
    faults.redirect_uri = ["can't be blank"];
  }
  const wrongAfter = postLogoutUriFaults(fields.postLogoutRedirectUris);
  if (wrongAfter.length > 0) faults.post_logout_redirect_uris = wrongAfter;
  const wrongBack = backchannelFault(fields, policy);
  if (wrongBack) faults.backchannel_logout_uri = [wrongBack];
  if (fields.scopes.length === 0) faults.scopes = ["can't be blank"];
  else if (!fields.scopes.every(isScope)) faults.scopes = ["doesn't match configured on the server."];
  if (fields.grantTypes.length === 0) faults.grant_types = ["can't be blank"];
  else if (!fields.grantTypes.some((type) => type !== "refresh_token")) {
    faults.grant_types = ["must name a flow beside refresh_token"];
  } else if (!fields.confidential && fields.grantTypes.includes("client_credentials")) {
    // CVE-2026-44476: a client that cannot keep a secret cannot act for itself.
    faults.grant_types = ["cannot include client_credentials for an application that is not confidential"];
  }
  const wrongHome = homePageFault(fields.homePage);
  if (wrongHome) faults.home_page = [wrongHome];
  return { ...faults, ...lifetimeFaults(fields), ...keyFaults(fields, fields.confidential) };
}

/** Checks it as a redirect URI, and as a target of our own requests (Back-Channel Logout §2.2; decision 0049). */
function backchannelFault(
  { backchannelLogoutUri: uri, confidential }: ApplicationFields,
  policy: TargetPolicy,
): string | undefined {
  if (uri === "") return undefined;
  const fault = redirectUriFault(uri);
  if (fault) return fault;
  if (!isWebAddress(uri)) return "must be an http or https address";
  if (isPlainHttp(uri) && !confidential) return "must be https for an application that is not confidential";
  return targetFault(uri, policy);
}

/** Anybody who impersonates a trusted public application would get access without consent (RFC 8252 §8.6). */
export function trustFaults(trusted: boolean, confidential: boolean): Record<string, string[]> {
  return trusted && !confidential ? { trusted: ["is for confidential applications alone"] } : {};
}

/**
 * Whether an application would get further with the new fields than with those that its administrators trusted: to another scope,
 * to another address, or by another flow (decision 0296).
 */
export function reachesFurther(
  before: Pick<ApplicationFields, "scopes" | "redirectUris" | "grantTypes">,
  after: Pick<ApplicationFields, "scopes" | "redirectUris" | "grantTypes">,
): boolean {
  return (
    !covers(before.scopes, after.scopes) ||
    after.redirectUris.some((uri) => !before.redirectUris.includes(uri)) ||
    after.grantTypes.some((type) => !before.grantTypes.includes(type))
  );
}

function homePageFault(homePage: string): string | undefined {
  if (homePage === "") return undefined;
  if (homePage.length > 2048) return "is too long (maximum is 2048 characters)";
  const url = /^https?:\/\/[\x21-\x7e]+$/i.test(homePage) ? URL.parse(homePage) : null;
  return url && !url.username ? undefined : "must be an http or https address";
}

const LONGEST_SHOWN = 64;

/**
 * The name as shown where people rely on it: truncated, and without characters that could reverse or hide the text around it
 * (reference oauth D42).
 */
export function shownName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, "").trim();
  const characters = [...plain];
  return characters.length > LONGEST_SHOWN ? `${characters.slice(0, LONGEST_SHOWN - 1).join("")}…` : plain;
}

/** The details of an application for the audit log, without the name of one that registered itself, which a stranger chose. */
export function auditDetails({
  name,
  uid,
  selfRegistered,
}: Pick<Application, "name" | "uid" | "selfRegistered">) {
  return selfRegistered ? { registered: "by itself", uid } : { application: shownName(name), uid };
}
