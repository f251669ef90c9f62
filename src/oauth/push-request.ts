/** Judges an authorization request that an application pushes, and keeps it for the browser that comes with its name (RFC 9126 §2). */
import { networkOf } from "../accounts/authenticate.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { GivenParameters } from "./authorization-parameters.ts";
import { type AuthorizationRequest, checkAuthorization, RedirectRefused } from "./check-authorization.ts";
import { OAuthError, type OAuthErrorCode } from "./error.ts";
import { findSettings } from "./find-settings.ts";
import { MOST_PUSHED_BYTES, newRequestUri } from "./pushed-request.ts";
import { insertPushedRequest } from "./store-pushed.ts";

/**
 * Returns the `request_uri`. Judged by the code that judges what stands in an address, and told here: nothing is redirected.
 * @param application proven, or public and named by its id alone
 * @param alsoJudge what else is judged of a request that is good so far
 * @throws OAuthError the codes of RFC 6749 §4.1.2.1; invalid_request for what a browser would be shown a page
 * @throws Problem too_many: too many of the application, or of the network, wait for their people
 */
export async function pushRequest(
  platform: Platform,
  application: Application,
  given: GivenParameters,
  ip: string,
  alsoJudge: (asked: AuthorizationRequest) => Promise<unknown>,
): Promise<string> {
  // By the one parameter that must not stand here (RFC 9126 §2.1) a request would lead to another.
  if (given.request_uri !== undefined) {
    throw new OAuthError(
      "invalid_request",
      "The parameter request_uri is not pushed: it is what comes back.",
    );
  }
  const parameters = { ...given, client_id: application.uid };
  await told(async () => {
    const settings = await findSettings(platform);
    const context = { issuer: platform.config.publicUrl, settings, wasPushed: true };
    const asked = await checkAuthorization(platform.db, context, parameters);
    // Ahead of the hint, which is read up to that length and would be called no token of ours.
    checkLength(parameters);
    await alsoJudge(asked);
  });
  const requestUri = newRequestUri();
  const made = await insertPushedRequest(platform.db, {
    digest: digest(requestUri),
    applicationId: application.id,
    network: application.confidential ? null : networkOf(ip),
    parameters,
  });
  if (made === 1) return requestUri;
  throw new Problem("too_many", "Too many pushed requests wait for their people.", { retryAfterSeconds: 60 });
}

/** @throws OAuthError invalid_request (413) */
function checkLength(parameters: GivenParameters): void {
  if (Buffer.byteLength(JSON.stringify(parameters)) <= MOST_PUSHED_BYTES) return;
  const words = `The parameters are longer than ${MOST_PUSHED_BYTES / 1024} KiB together.`;
  throw new OAuthError("invalid_request", words, undefined, "too_large");
}

/** What would be redirected or shown as a page, as the answer of this door (RFC 9126 §2.3). */
async function told(judge: () => Promise<void>): Promise<void> {
  try {
    await judge();
  } catch (error) {
    // The codes about the person come only after somebody was looked for (RFC 9126 §2.3).
    if (error instanceof AuthorizationError)
      throw new OAuthError(error.code as OAuthErrorCode, error.message);
    if (error instanceof RedirectRefused)
      throw new OAuthError("invalid_request", error.message, error.reason);
    if (error instanceof Problem && error.kind === "invalid")
      throw new OAuthError("invalid_request", error.message);
    throw error;
  }
}
