/** Issues a code, or a token in the fragment, for an authorization request that a person approved (RFC 6749 §4.1.2, §4.2.2). */
import type { Act } from "../accounts/audit.ts";
import { type DelegatedToken, issueDelegatedToken } from "../accounts/issue-delegated-token.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db, Queries } from "../platform/db.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { auditDetails } from "./application.ts";
import { answerLocation } from "./authorization-error.ts";
import type { AuthorizationRequest } from "./check-authorization.ts";
import { mayGoOnUnasked } from "./consent.ts";
import type { ProvenBy } from "./issued.ts";
import { lifetimesOf } from "./lifetimes.ts";
import { answeredMeanwhile } from "./pushed-request.ts";
import {
  insertAuthorization,
  insertUnaskedConsent,
  lockConsent,
  lockPerson,
  upsertConsent,
} from "./store-authorizations.ts";
import { insertCode } from "./store-codes.ts";
import { lockSession } from "./store-openid.ts";
import { spendPushedRequest } from "./store-pushed.ts";

/** The person who approves, their session, and the lifetime of the code. */
export interface Approval {
  userId: number;
  /** The digest of the browser session. */
  session: Buffer;
  /**
   * The actor, if the person was asked and approved; absent: nobody was asked, and an earlier consent or trust must still hold.
   */
  act?: Act;
  /** Scopes whose earlier consent ends: those left out, with those that include them. */
  forgotten?: readonly string[];
  /** The digest of the pushed request that this answers, which can be answered only once. */
  pushed?: Buffer | null | undefined;
  codeSeconds: number;
  /** Whether the instance allows longer lifetimes than the default limits. */
  allowLongLives: boolean;
}

/**
 * Returns the redirect address with the response for the application, and stores the consent of a person who was asked. Session
 * and consent are read again while the person and the consent are locked. Returns undefined, without any effect, if the session
 * has ended meanwhile, for example by a new password, or the earlier consent was withdrawn.
 * @throws PushedRefused: the pushed request was answered already
 */
export async function approveAuthorization(
  db: Db,
  { userId, session, act, forgotten = [], pushed, codeSeconds, allowLongLives }: Approval,
  request: AuthorizationRequest,
): Promise<string | undefined> {
  const { application, redirect, scopes } = request;
  return db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const proof = await lockSession(tx, session, userId);
    if (!proof) return undefined;
    if (act) await upsertConsent(tx, userId, application.id, { scopes, forgotten });
    else {
      const allowed = await lockConsent(tx, userId, application.id);
      if (!mayGoOnUnasked(request, allowed)) return undefined;
      if (!allowed) await insertUnaskedConsent(tx, userId, application.id);
    }
    // In the same transaction as the code or token, so that two browsers never both get a response (RFC 9126 §4).
    if (pushed && (await spendPushedRequest(tx, pushed)) === 0) {
      throw answeredMeanwhile(application);
    }
    const answer = await answerOf(tx, userId, proof, request, { codeSeconds, allowLongLives });
    const details = { ...auditDetails(application), scopes: scopes.join(" ") };
    if (act) await recordAudit(tx, { ...act, action: "access_granted", userId, details });
    return answerLocation(redirect, answer);
  });
}

/** Issues the code or the token; returns the parameters of the response. */
async function answerOf(
  tx: Queries,
  userId: number,
  { authenticatedAt, authenticatedBy, sid }: ProvenBy & { sid: string },
  request: AuthorizationRequest,
  { codeSeconds, allowLongLives }: Pick<Approval, "codeSeconds" | "allowLongLives">,
) {
  const { responseType, redirect, scopes } = request;
  const flow = responseType === "code" ? "authorization_code" : "implicit";
  const applicationId = request.application.id;
  const proven = { authenticatedAt, authenticatedBy, sessionSid: sid };
  const given = { applicationId, userId, flow, scopes, ...proven } as const;
  const { id: authorizationId } = await insertAuthorization(tx, given);
  if (responseType === "token") {
    const { accessTokenSeconds: lifetimeSeconds } = lifetimesOf(request.application, allowLongLives);
    return tokenAnswer(tx, { userId, applicationId, authorizationId, scopes, lifetimeSeconds });
  }
  const code = newSecret("authorizationCode");
  await insertCode(tx, {
    digest: digest(code),
    authorizationId,
    redirectUri: redirect.uri,
    codeChallenge: request.codeChallenge ?? null,
    boundKey: request.boundKey ?? null,
    nonce: request.nonce ?? null,
    lifetimeSeconds: codeSeconds,
  });
  return { code };
}

/** Issues a token without a refresh token or a code (contract §4). */
async function tokenAnswer(tx: Queries, token: Omit<DelegatedToken, "secret">) {
  const { lifetimeSeconds, scopes } = token;
  const secret = newSecret("accessToken");
  await issueDelegatedToken(tx, { ...token, secret });
  return {
    access_token: secret,
    token_type: "bearer",
    expires_in: lifetimeSeconds,
    scope: scopes.join(" "),
  };
}
