/**
 * Checks an authorization request that an application pushes, and stores it for the browser that brings its name (RFC 9126 §2).
 */
import { networkOf } from "../accounts/authenticate.ts";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { GivenParameters } from "./authorization-parameters.ts";
import { type AuthorizationRequest, checkAuthorization, RedirectRefused } from "./check-authorization.ts";
import { OAuthError, type OAuthErrorCode } from "./error.ts";
import { findSettings } from "./find-settings.ts";
import { MAX_PUSHED_BYTES, newRequestUri } from "./pushed-request.ts";
import { deleteExpiredPushed, insertPushedRequest, type NewPushed } from "./store-pushed.ts";

/** How many expired requests one that is refused for them deletes at most. */
const EXPIRED_AT_ONCE = 1000;

/**
 * Returns the `request_uri`. The request is checked by the same code as one in an address, but refusals are returned, not
 * redirected.
 * @param application authenticated, or public and named by its id alone
 * @param alsoJudge further checks of a request that is valid so far
 * @throws OAuthError the codes of RFC 6749 §4.1.2.1; invalid_request for what would be shown to a browser as a page
 * @throws Problem too_many: too many requests of the application, or of the network, are waiting
 */
export async function pushRequest(
  platform: Platform,
  application: Application,
  given: GivenParameters,
  ip: string,
  alsoJudge: (asked: AuthorizationRequest) => Promise<unknown>,
): Promise<string> {
  // This parameter must not be pushed (RFC 9126 §2.1): the request would refer to another one.
  if (given.request_uri !== undefined) {
    throw new OAuthError(
      "invalid_request",
      "The parameter request_uri must not be pushed: it is part of the response.",
    );
  }
  const parameters = { ...given, client_id: application.uid };
  await convertingRefusals(async () => {
    const settings = await findSettings(platform);
    const context = { issuer: platform.config.publicUrl, settings, wasPushed: true };
    const asked = await checkAuthorization(platform.db, context, parameters);
    // Before the hint is checked, which is read up to this length only and would be called invalid.
    checkLength(parameters);
    await alsoJudge(asked);
  });
  const requestUri = newRequestUri();
  const { db, config } = platform;
  const isStored = await storeWithinLimits(db, {
    digest: digest(requestUri),
    applicationId: application.id,
    network: application.confidential || !config.rateLimits ? null : networkOf(ip),
    parameters,
  });
  if (isStored) return requestUri;
  throw new Problem("too_many", "Too many pushed requests are pending.", { retryAfterSeconds: 60 });
}

/** Expired requests, which are kept until a sweep to explain what happened to them, give way to those that can be answered. */
async function storeWithinLimits(db: Db, made: NewPushed): Promise<boolean> {
  if ((await insertPushedRequest(db, made)) === 1) return true;
  return (await deleteExpiredPushed(db, EXPIRED_AT_ONCE)) > 0 && (await insertPushedRequest(db, made)) === 1;
}

/** @throws OAuthError invalid_request (413) */
function checkLength(parameters: GivenParameters): void {
  if (Buffer.byteLength(JSON.stringify(parameters)) <= MAX_PUSHED_BYTES) return;
  const words = `The parameters are longer than ${MAX_PUSHED_BYTES / 1024} KiB together.`;
  throw new OAuthError("invalid_request", words, undefined, "too_large");
}

/** Converts refusals that would be redirected or shown as a page to those of this endpoint (RFC 9126 §2.3). */
async function convertingRefusals(judge: () => Promise<void>): Promise<void> {
  try {
    await judge();
  } catch (error) {
    // The codes about the person can only arise after the person was asked (RFC 9126 §2.3).
    if (error instanceof AuthorizationError)
      throw new OAuthError(error.code as OAuthErrorCode, error.message);
    if (error instanceof RedirectRefused)
      throw new OAuthError("invalid_request", error.message, error.reason);
    if (error instanceof Problem && error.kind === "invalid")
      throw new OAuthError("invalid_request", error.message);
    throw error;
  }
}
