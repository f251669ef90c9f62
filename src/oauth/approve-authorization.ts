/** Carries out what a person allowed: a code, or a token in the fragment (RFC 6749 §4.1.2, §4.2.2). */
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
import { livesOf } from "./lifetimes.ts";
import { answeredMeanwhile } from "./pushed-request.ts";
import {
  insertAuthorization,
  insertUnaskedConsent,
  lockConsent,
  lockPerson,
  upsertConsent,
} from "./store-authorizations.ts";
import { insertCode } from "./store-codes.ts";
import { lockProof } from "./store-openid.ts";
import { usePushedRequest } from "./store-pushed.ts";

/** Who is let in by whom, and how long a code of theirs lives. */
export interface Approval {
  userId: number;
  /** The digest of the browser session in which it happens. */
  session: Buffer;
  /** The act of the person who was asked, and allowed it; without one an earlier answer, or trust, must still hold. */
  act?: Act;
  /** What they left out of it, and what would bring that. */
  forgotten?: readonly string[];
  /** The pushed request that this is the one answer to. */
  pushed?: Buffer | null | undefined;
  codeSeconds: number;
  /** Of the instance: tokens may live longer than everywhere. */
  allowLongLives: boolean;
}

/**
 * Returns the address that brings the answer to the application; who was asked has allowed it from now on. What was read
 * before is looked at once more while the person and the consent are held: undefined, and nothing was done, when the
 * session has ended since, with a new password for one, or the consent was taken back that spared the question.
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
    const proof = await lockProof(tx, session, userId);
    if (!proof) return undefined;
    if (act) await upsertConsent(tx, userId, application.id, { scopes, forgotten });
    else {
      const allowed = await lockConsent(tx, userId, application.id);
      if (!mayGoOnUnasked(request, allowed)) return undefined;
      if (!allowed) await insertUnaskedConsent(tx, userId, application.id);
    }
    // With what is handed out or not at all, so that two browsers never get two answers (RFC 9126 §4).
    if (pushed && (await usePushedRequest(tx, pushed)) === 0) {
      throw answeredMeanwhile(application);
    }
    const answer = await answerOf(tx, userId, proof, request, { codeSeconds, allowLongLives });
    const details = { ...auditDetails(application), scopes: scopes.join(" ") };
    if (act) await recordAudit(tx, { ...act, action: "access_granted", userId, details });
    return answerLocation(redirect, answer);
  });
}

/** The members that the address carries: a code, or a token. */
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
    const { accessTokenSeconds: lifetimeSeconds } = livesOf(request.application, allowLongLives);
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

/** Never a refresh token, and never a code beside it (contract §4). */
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
