/** Gives a device its two codes: one to poll with, one for a person to type elsewhere (RFC 8628 §3.1, §3.2). */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { newUserCode } from "./device.ts";
import { DEVICE_INTERVAL_SECONDS } from "./lifetimes.ts";
import { checkedScopes } from "./requested-scope.ts";
import { insertDevice } from "./store-devices.ts";

/** @throws OAuthError invalid_scope */
export async function beginDevice(
  { db, keys }: Platform,
  application: Application,
  asked: { scope: string | undefined; ip: string },
): Promise<{ deviceCode: string; userCode: string }> {
  const scopes = checkedScopes(application, asked.scope);
  const deviceCode = newSecret("deviceCode");
  // A collision of user codes is very unlikely, but must not happen.
  for (let tries = 0; tries < 5; tries++) {
    const userCode = newUserCode();
    const made = await insertDevice(db, {
      digest: digest(deviceCode),
      userCodeHash: keys.sign("user code", userCode),
      applicationId: application.id,
      scopes,
      ip: asked.ip,
      intervalSeconds: DEVICE_INTERVAL_SECONDS,
    });
    if (made === 1) return { deviceCode, userCode };
  }
  throw new Problem("unavailable", "Too many devices are waiting. Try again in a moment.", {
    retryAfterSeconds: 2,
  });
}
