/** Finds out the true reason of a refused request; asked after the answer, never on the way to it (decision 0080). */
import { findLogin } from "../accounts/find-login.ts";
import type { Queries } from "../platform/db.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { isVerifier } from "./pkce.ts";
import { type Settings, sparesAdministrators } from "./settings.ts";
import {
  type CodeFacts,
  findAccessFacts,
  findCodeFacts,
  findDeviceFacts,
  findRefreshFacts,
  isAcquainted,
  type TokenFacts,
} from "./store-facts.ts";

/** What was asked and what was thought of it. */
export interface RefusedRequest {
  /** The error code that was answered. */
  answer: string;
  /** What the operator's log says, else what was answered in words. */
  log: string;
  grantType: string;
  /** What the instance allows. */
  settings: Settings;
  parameter(name: string): string | undefined;
}

export interface Explained {
  reason: string;
  userId: number | null;
}

/** The reason in words for the application's owner: no secret, and never whether a password was right. */
export async function explainRefusal(
  db: Queries,
  application: Application,
  asked: RefusedRequest,
): Promise<Explained> {
  const plain = { reason: asked.log, userId: null };
  if (asked.answer !== "invalid_grant") {
    if (asked.answer === "invalid_scope" && !/administrator/.test(asked.log))
      return { ...plain, reason: scopeReason(application, asked) };
    return plain;
  }
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
  const sent = asked.parameter("scope");
  if (sent === undefined)
    return `scope: none was sent; the application is registered for ${scopes.join(" ")}`;
  return `scope: sent “${sent.slice(0, 300)}”; the application is registered for ${scopes.join(" ")}`;
}

/** In the order in which `judgeCode` looks. */
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
  return { reason: codeWords(code, application, asked), userId: code.userId };
}

function codeWords(code: CodeFacts, application: Application, asked: RefusedRequest): string {
  if (code.applicationId !== application.id) {
    return "code: it was issued to another application; it was ended, with all that came of it";
  }
  const redirectUri = asked.parameter("redirect_uri") ?? "";
  if (code.redirectUri !== redirectUri) {
    return `redirect_uri differs: sent ${redirectUri.slice(0, 300)}, the code was asked for with ${code.redirectUri.slice(0, 300)}`;
  }
  if (/\bkey\b/.test(asked.log)) return asked.log;
  if (/verifier/.test(asked.log)) return verifierWords(code.hasChallenge, asked.parameter("code_verifier"));
  if (code.spentFor !== null) {
    return `code used again, ${seconds(code.spentFor)} after its first use; the tokens of the first use were ended`;
  }
  // The refusal ended it, and is explained afterwards.
  if (asked.log === "user blocked") return "the user is blocked; the code was ended";
  if (code.revokedBecause !== null) return `code: the authorization had ended${because(code.revokedBecause)}`;
  if (code.expiredFor >= 0) return `code expired ${seconds(code.expiredFor)} before`;
  return asked.log;
}

function verifierWords(hasChallenge: boolean, verifier: string | undefined): string {
  if (!hasChallenge) return "code_verifier sent, but the authorization request had no code_challenge";
  if (verifier === undefined) return "code_verifier missing; the authorization request had a code_challenge";
  if (!isVerifier(verifier)) {
    return `code_verifier is not 43 to 128 unreserved characters (it has ${verifier.length})`;
  }
  return "code_verifier does not belong to the code_challenge of the authorization request";
}

/** In the order in which `judgeRefresh` looks; a reuse that ended the family just now is told as what it was. */
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
  const { userId } = token;
  if (token.applicationId !== application.id) {
    return { reason: "refresh_token: it was issued to another application", userId };
  }
  if (/\bkey\b/.test(asked.log)) return { reason: asked.log, userId };
  if (/again/.test(asked.log) && token.spentFor !== null) {
    const words = `refresh_token used again, ${seconds(token.spentFor)} after its first use`;
    return { reason: `${words}; every token of the authorization was ended`, userId };
  }
  return { reason: tokenWords("refresh_token", token) ?? asked.log, userId };
}

function tokenWords(name: string, token: TokenFacts): string | undefined {
  if (token.revokedBecause !== null)
    return `${name}: the authorization had ended${because(token.revokedBecause)}`;
  if (!token.userActive) return "the user is blocked";
  if (token.spentFor !== null) return `${name} repeated with another scope`;
  if (token.expiredFor !== null && token.expiredFor >= 0) {
    return `${name} expired ${seconds(token.expiredFor)} before`;
  }
  return undefined;
}

/**
 * What is said does not depend on the password, so that a right one cannot be told from a wrong one. Of strangers nothing
 * is said: whoever registers an application could ask whose a mail address is (decision 0149).
 */
async function passwordReason(
  db: Queries,
  application: Application,
  asked: RefusedRequest,
): Promise<Explained> {
  const login = asked.parameter("username") ?? "";
  const user =
    login === "" || login.length > 255 || login.includes("\0") ? undefined : await findLogin(db, login);
  // Asked also of nobody, so that an unknown name costs what a known one does.
  const isKnown = await isAcquainted(db, application.id, user?.id ?? 0);
  if (!user || !isKnown) return { reason: OF_STRANGERS, userId: null };
  const userId = user.id;
  if (asked.log === "throttled") return { reason: "too many failed tries; the user must wait", userId };
  if (user.state === "blocked") return { reason: "the user is blocked", userId };
  if (user.twoFactor) {
    return { reason: "the user has two-factor sign-in on: the password flow is closed to them", userId };
  }
  // Who administers is not told to owners of applications either, so that the words are for everybody.
  const scopes = (asked.parameter("scope") ?? "api").split(/[ ,]/);
  const spares = sparesAdministrators(asked.settings, application, scopes);
  const spared = spares ? "; or the server spares its administrators what is not trusted" : "";
  return { reason: `username or password is wrong${spared}`, userId };
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
  const { userId } = device;
  if (device.applicationId !== application.id) {
    return { reason: "device_code: it was issued to another application", userId };
  }
  // The refusal spent it, and is explained afterwards.
  if (/user blocked/.test(asked.log))
    return { reason: "the user is blocked; the device code was ended", userId };
  if (device.spentFor !== null) {
    return { reason: `device_code used again, ${seconds(device.spentFor)} after its first use`, userId };
  }
  return { reason: asked.log, userId };
}

/**
 * Why an access token was refused at userinfo; undefined for one of no application.
 * @param said what was wrong with how it was shown, if that was it
 */
export async function explainToken(
  db: Queries,
  sent: string,
  said: string | undefined,
): Promise<(Explained & { applicationId: number }) | undefined> {
  const token = maySecretBe("accessToken", sent) ? await findAccessFacts(db, digest(sent)) : undefined;
  if (!token) return undefined;
  const { applicationId, userId } = token;
  const reason =
    said ?? tokenWords("access_token", token) ?? `access_token lacks the scope: it has ${token.scopes}`;
  return { applicationId, userId, reason };
}

const KINDS = [
  ["accessToken", "an access token"],
  ["refreshToken", "a refresh token"],
  ["authorizationCode", "an authorization code"],
  ["deviceCode", "a device code"],
  ["personalAccessToken", "a personal access token"],
  ["clientSecret", "a client secret"],
] as const;

/** What a secret in the wrong place looks like, without a character of it. */
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
