/** Exchanges a device code for tokens, once a person has answered (RFC 8628 §3.4, §3.5). */
import { issueDelegatedToken } from "../accounts/issue-delegated-token.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe, newSecret } from "../platform/secret.ts";
import { type AuthenticatedApplication, renewalKey } from "./authenticated-application.ts";
import { type Device, type DeviceVerdict, judgeDevice, type ProofPlace } from "./device.ts";
import { GrantError, OAuthError } from "./error.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import type { Issued } from "./issued.ts";
import { DEVICE_INTERVAL_SECONDS, type Lifetimes } from "./lifetimes.ts";
import type { RefusalReason } from "./refusal-reason.ts";
import { insertAuthorization } from "./store-authorizations.ts";
import { insertRefreshToken } from "./store-codes.ts";
import { lockDevice, spendDevice, updateDevicePoll } from "./store-devices.ts";

const REFUSALS = {
  authorization_pending: "The user has not yet answered the device request.",
  slow_down: "The device polls too often: it must wait five seconds longer each time.",
  access_denied: "The person denied the request.",
  expired_token: "The code of the device has expired.",
  invalid_scope: "The application may no longer ask for the scope.",
} as const;

/**
 * Of several concurrent polls exactly one gets the tokens. A client that polls before the interval is over must wait five seconds
 * longer from then on; repeating the same poll with the other method of client authentication does not count (decision 0018).
 * @throws OAuthError authorization_pending, slow_down, access_denied, expired_token; invalid_scope; invalid_grant: unknown,
 *   used, foreign
 */
export async function exchangeDevice(
  platform: Platform,
  application: AuthenticatedApplication,
  deviceCode: string,
  provenBy: ProofPlace,
): Promise<Issued> {
  if (!maySecretBe("deviceCode", deviceCode)) throw invalidGrant("unknown");
  const lifetimes = await findLifetimes(platform, application);
  // A refusal is thrown after the commit, so that the poll stays recorded.
  const outcome = await platform.db.transaction(async (tx) => {
    const device = await lockDevice(tx, digest(deviceCode), provenBy);
    const verdict = judgeDevice(device, application);
    if (device && typeof verdict === "object" && "burned" in verdict) await spendDevice(tx, device.digest);
    if (!device || typeof verdict === "object") return { refused: reasonOf(verdict) };
    if (verdict === "allowed") return issue(tx, application, device, lifetimes);
    const more = verdict === "slow_down" ? DEVICE_INTERVAL_SECONDS : 0;
    await updateDevicePoll(tx, device.digest, device.intervalSeconds + more, provenBy);
    return { error: verdict };
  });
  if ("refused" in outcome) throw invalidGrant(outcome.refused);
  if (!("error" in outcome)) return outcome;
  const { error } = outcome;
  if (error === "invalid_scope") throw new GrantError(error, REFUSALS[error], "device_code", "scope_lost");
  throw new OAuthError(error, REFUSALS[error]);
}

function reasonOf(verdict: DeviceVerdict): RefusalReason {
  if (typeof verdict === "string") return "unknown";
  return "burned" in verdict ? verdict.burned : verdict.refused;
}

async function issue(
  tx: Queries,
  application: AuthenticatedApplication,
  device: Device,
  lifetimes: Lifetimes,
): Promise<Issued> {
  const { scopes, authenticatedAt, authenticatedBy, now } = device;
  const userId = device.userId ?? 0;
  const given = { applicationId: application.id, userId, scopes };
  await spendDevice(tx, device.digest);
  const { id: authorizationId } = await insertAuthorization(tx, {
    ...given,
    flow: "device_code",
    authenticatedAt,
    authenticatedBy,
  });
  const accessToken = newSecret("accessToken");
  const lifetimeSeconds = lifetimes.accessTokenSeconds;
  const boundKey = application.provenKey;
  await issueDelegatedToken(tx, {
    ...given,
    secret: accessToken,
    boundKey,
    authorizationId,
    lifetimeSeconds,
  });
  // The session of the browser in which the code was typed is not the session of the device.
  const identity = { userId, nonce: null, sessionSid: null, authenticatedAt, authenticatedBy };
  const issued = { accessToken, scopes, expiresIn: lifetimeSeconds, createdAt: now, identity };
  if (!application.grantTypes.includes("refresh_token")) return issued;
  const refreshToken = newSecret("refreshToken");
  const refreshExpiresIn = Math.min(lifetimes.refreshIdleSeconds, lifetimes.refreshAbsoluteSeconds);
  await insertRefreshToken(tx, {
    digest: digest(refreshToken),
    authorizationId,
    boundKey: renewalKey(application),
    lifetimeSeconds: refreshExpiresIn,
  });
  return { ...issued, refreshToken, refreshExpiresIn };
}

function invalidGrant(reason: RefusalReason): GrantError {
  return new GrantError(
    "invalid_grant",
    "The device code is invalid, used before, or was issued to another application.",
    "device_code",
    reason,
  );
}
