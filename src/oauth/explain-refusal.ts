/** Finds the true reason of a refused request, after the response and without delaying it (decision 0080). */
import { findLogin } from "../accounts/find-login.ts";
import { covers } from "../accounts/scope.ts";
import type { Queries } from "../platform/db.ts";
import { cutWithoutSecrets, digest, maySecretBe } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { isVerifier } from "./pkce.ts";
import type { RefusalReason } from "./refusal-reason.ts";
import { readScope, sentScope } from "./requested-scope.ts";
import { mayNotActForAdministrators, type Settings } from "./settings.ts";
import {
  type AccessFacts,
  type CodeFacts,
  findAccessFacts,
  findCodeFacts,
  findDeviceFacts,
  findRefreshFacts,
  isAcquainted,
  type TokenFacts,
} from "./store-facts.ts";

/** The refused request, and the refusal. */
export interface RefusedRequest {
  /** The error code of the response. */
  answer: string;
  /** What exactly was wrong with a grant; undefined for other refusals, and for the password of a person. */
  reason: RefusalReason | undefined;
  /** The text for the operator's log, else the description in the response. */
  log: string;
  grantType: string;
  /** `gl_auth_type` of an authorization request that was pushed. */
  purpose: string | undefined;
  /** The settings of the instance. */
  settings: Settings;
  parameter(name: string): string | undefined;
}

export interface Explained {
  reason: string;
  userId: number | null;
}

/**
 * Returns the reason in words for the application's owner: without secrets, and without revealing whether a password was right.
 */
export async function explainRefusal(
  db: Queries,
  application: Application,
  asked: RefusedRequest,
): Promise<Explained> {
  const plain = { reason: asked.log, userId: null };
  if (asked.answer === "invalid_scope") return { ...plain, reason: scopeReason(application, asked) };
  if (asked.answer !== "invalid_grant") return plain;
  switch (asked.grantType) {
    case "authorization_code":
      return (await codeReason(db, application, asked)) ?? plain;
    case "refresh_token":
      return (await refreshReason(db, application, asked)) ?? plain;
    case "password":
      return passwordReason(db, application, asked);
    default:
      return (await deviceReason(db, application, asked)) ?? plain;
  }
}

function scopeReason({ scopes }: Application, asked: RefusedRequest): string {
  const named = asked.parameter("scope");
  const sent = named?.slice(0, 300);
  const registered = `the application is registered for ${scopes.join(" ")}`;
  if (asked.reason === "administrator") return asked.log;
  // Of the granted scopes, too, only those that the application still has count (decision 0029).
  if (asked.reason === "beyond_grant" && covers(scopes, readScope(named ?? "") ?? []))
    return `scope: sent “${sent}”; more than the authorization of the refresh_token has`;
  if (asked.reason === "scope_lost") return `scope: the device asked for more; ${registered} now`;
  const isNamed = sent !== undefined || asked.purpose === "login";
  return `scope: ${isNamed ? `sent ${sentScope(sent, asked.purpose)}` : "none was sent"}; ${registered}`;
}

async function codeReason(
  db: Queries,
  application: Application,
  asked: RefusedRequest,
): Promise<Explained | undefined> {
  const sent = asked.parameter("code") ?? "";
  if (!maySecretBe("authorizationCode", sent)) {
    return { reason: `code: what was sent is not one (${kindOf(sent)})`, userId: null };
  }
  const code = await findCodeFacts(db, digest(sent));
  if (!code) return { reason: "code: unknown, or older than 30 days", userId: null };
  return { reason: codeWords(code, asked), userId: personOf(code, application) };
}

/** The person is not named to an application other than the one that they authorized. */
function personOf(
  grant: { applicationId: number; userId: number | null },
  { id }: Application,
): number | null {
  return grant.applicationId === id ? grant.userId : null;
}

/** The rows only tell when and why; which of the reasons it was comes with the refusal, since the rows may have changed since. */
function codeWords(code: CodeFacts, asked: RefusedRequest): string {
  switch (asked.reason) {
    case "another_application":
      return "code: it was issued to another application; it was ended, with all that came of it";
    case "redirect_uri": {
      const sent = asked.parameter("redirect_uri") ?? "";
      return `redirect_uri differs: sent ${cutWithoutSecrets(sent, 300)}, the code was asked for with ${code.redirectUri.slice(0, 300)}`;
    }
    case "verifier":
      return verifierWords(code.hasChallenge, asked.parameter("code_verifier"));
    case "key":
      return "code: no proof of the key that dpop_jkt named";
    case "used_again":
    case "raced":
      return code.spentFor === null
        ? asked.log
        : `code used again, ${seconds(code.spentFor)} after its first use; the tokens of the first use were ended`;
    case "user_blocked":
      return "the user is blocked; the code was ended";
    case "revoked":
      return `code: the authorization had ended${because(code.revokedBecause ?? "")}`;
    case "expired":
      return `code expired ${seconds(code.expiredFor)} before`;
    default:
      return asked.log;
  }
}

function verifierWords(hasChallenge: boolean, verifier: string | undefined): string {
  if (!hasChallenge) return "code_verifier sent, but the authorization request had no code_challenge";
  if (verifier === undefined) return "code_verifier missing; the authorization request had a code_challenge";
  if (!isVerifier(verifier)) {
    return `code_verifier is not 43 to 128 unreserved characters (it has ${verifier.length})`;
  }
  return "code_verifier does not belong to the code_challenge of the authorization request";
}

async function refreshReason(
  db: Queries,
  application: Application,
  asked: RefusedRequest,
): Promise<Explained | undefined> {
  const sent = asked.parameter("refresh_token") ?? "";
  if (!maySecretBe("refreshToken", sent)) {
    return { reason: `refresh_token: what was sent is not one (${kindOf(sent)})`, userId: null };
  }
  const token = await findRefreshFacts(db, digest(sent));
  if (!token) return { reason: "refresh_token: unknown, or long expired", userId: null };
  return { reason: refreshWords(token, asked), userId: personOf(token, application) };
}

/** A reuse that has just revoked the family is described as a reuse. */
function refreshWords(token: TokenFacts, { reason, log }: RefusedRequest): string {
  switch (reason) {
    case "another_application":
      return "refresh_token: it was issued to another application";
    case "used_again":
      return `refresh_token used again, ${seconds(token.spentFor ?? 0)} after its first use; every token of the authorization was ended`;
    case "revoked":
    case "user_blocked":
    case "expired":
      return tokenWords("refresh_token", token) ?? log;
    default:
      return log;
  }
}

function tokenWords(name: string, token: TokenFacts): string | undefined {
  if (token.revokedBecause !== null)
    return `${name}: the authorization had ended${because(token.revokedBecause)}`;
  if (!token.userActive) return "the user is blocked";
  if (token.expiredFor !== null && token.expiredFor >= 0) {
    return `${name} expired ${seconds(token.expiredFor)} before`;
  }
  return undefined;
}

/**
 * The text does not depend on the password, so that a right one cannot be told from a wrong one. Of strangers nothing is said:
 * otherwise whoever registers an application could find out whether a mail address has an account (decision 0149).
 */
async function passwordReason(
  db: Queries,
  application: Application,
  asked: RefusedRequest,
): Promise<Explained> {
  const login = asked.parameter("username") ?? "";
  const user =
    login === "" || login.length > 255 || login.includes("\0") ? undefined : await findLogin(db, login);
  // Queried for an unknown name too, so that it takes the same time.
  const isKnown = await isAcquainted(db, application.id, user?.id ?? 0);
  if (!user || !isKnown) return { reason: OF_STRANGERS, userId: null };
  const userId = user.id;
  if (asked.reason === "throttled") return { reason: "too many failed tries; the user must wait", userId };
  if (user.state === "blocked") return { reason: "the user is blocked", userId };
  if (user.twoFactor) {
    return { reason: "the user has two-factor sign-in on: the password flow is closed to them", userId };
  }
  // Owners of applications must not learn who is an administrator, so that the text is the same for everybody.
  const scopes = (asked.parameter("scope") ?? "api").split(/[ ,]/);
  const isKeptOut = mayNotActForAdministrators(asked.settings, application, scopes);
  const further = isKeptOut ? "; or the server spares its administrators what is not trusted" : "";
  return { reason: `username or password is wrong${further}`, userId };
}

const OF_STRANGERS =
  "username or password is wrong, or the account cannot use the password flow: more is told of people who have used the application";

async function deviceReason(
  db: Queries,
  application: Application,
  asked: RefusedRequest,
): Promise<Explained | undefined> {
  const sent = asked.parameter("device_code");
  if (sent === undefined) return undefined;
  if (!maySecretBe("deviceCode", sent)) {
    return { reason: `device_code: what was sent is not one (${kindOf(sent)})`, userId: null };
  }
  const device = await findDeviceFacts(db, digest(sent));
  if (!device) return { reason: "device_code: unknown, or long expired", userId: null };
  return { reason: deviceWords(device.spentFor, asked), userId: personOf(device, application) };
}

function deviceWords(spentFor: number | null, { reason, log }: RefusedRequest): string {
  switch (reason) {
    case "another_application":
      return "device_code: it was issued to another application";
    case "user_blocked":
      return "the user is blocked; the device code was ended";
    case "used_again":
      return `device_code used again, ${seconds(spentFor ?? 0)} after its first use`;
    default:
      return log;
  }
}

/**
 * Returns why an access token was refused at userinfo; undefined if it is not the token of an application.
 * @param said what was wrong with the request or with how the token was sent, if that was it
 */
export async function explainToken(
  db: Queries,
  sent: string,
  said: string | undefined,
): Promise<(Explained & { applicationId: number }) | undefined> {
  const token = maySecretBe("accessToken", sent) ? await findAccessFacts(db, digest(sent)) : undefined;
  if (!token) return undefined;
  const { applicationId, userId } = token;
  return { applicationId, userId, reason: said ?? accessWords(token) };
}

function accessWords(token: AccessFacts): string {
  if (token.replaced) return "access_token: a refresh had put another in its place";
  const words = tokenWords("access_token", token);
  if (words !== undefined) return words;
  const { scopes, applicationScopes: kept } = token;
  const lacks = `access_token lacks the scope: it has ${scopes}`;
  return covers(kept.split(" "), scopes.split(" "))
    ? lacks
    : `${lacks}; the application is registered for ${kept} now`;
}

const KINDS = [
  ["accessToken", "an access token"],
  ["refreshToken", "a refresh token"],
  ["authorizationCode", "an authorization code"],
  ["deviceCode", "a device code"],
  ["personalAccessToken", "a personal access token"],
  ["clientSecret", "a client secret"],
] as const;

/** Describes the kind of secret that was sent in the wrong place, without quoting any of it. */
function kindOf(sent: string): string {
  const found = KINDS.find(([kind]) => maySecretBe(kind, sent));
  return found ? `it is ${found[1]}` : `${sent.length} characters, cut or from elsewhere`;
}

function because(words: string): string {
  return words === "" ? "" : `: ${words}`;
}

function seconds(number: number): string {
  return `${number} s`;
}
