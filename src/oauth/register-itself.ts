/**
 * Registers a program that nobody here has reviewed, if the administrators let programs register themselves (RFC 7591 §3;
 * decision 0196).
 */
import { networkOf } from "../accounts/authenticate.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Application } from "./application.ts";
import { readClientMetadata } from "./client-metadata.ts";
import { findSettings } from "./find-settings.ts";
import { registerApplication } from "./register-application.ts";
import { type Settings, settingsNow } from "./settings.ts";
import { findApplication } from "./store.ts";
import { countUnusedRegistrations } from "./store-registrations.ts";
import { findStoredSettings, lockSettings } from "./store-settings.ts";

/**
 * Most registrations that nobody has authorized yet. Whoever fills this up blocks others for a day at most, and a network only
 * itself.
 */
const MAX_UNUSED = 1000;
const MAX_UNUSED_OF_NETWORK = 50;

const LATER = { retryAfterSeconds: 3600 };

/**
 * @param metadata the JSON body
 * @throws Problem not_found: switched off; too_many, unavailable: too many registrations that nobody has authorized
 * @throws OAuthError invalid_redirect_uri, invalid_client_metadata
 */
export async function registerItself(
  platform: Platform,
  metadata: unknown,
  ip: string,
): Promise<Application> {
  checkSwitch(await findSettings(platform));
  const fields = readClientMetadata(metadata);
  const registeredFrom = networkOf(ip);
  return platform.db.transaction(async (tx) => {
    // Serialized, so that the limit is not exceeded, and nothing is registered after the setting was turned off.
    await lockSettings(tx);
    checkSwitch(settingsNow(await findStoredSettings(tx), platform.config.securityProfile));
    const unused = await countUnusedRegistrations(tx, registeredFrom);
    if (platform.config.rateLimits && unused.ofNetwork >= MAX_UNUSED_OF_NETWORK) {
      throw new Problem(
        "too_many",
        "Too many applications were registered from your network and are unused.",
        LATER,
      );
    }
    if (unused.all >= MAX_UNUSED) {
      throw new Problem("unavailable", "Too many registered applications are unused.", LATER);
    }
    const placing = { registeredFrom, act: { actorId: null, ip } };
    const { id } = await registerApplication(tx, null, fields, placing);
    return (await findApplication(tx, id)) as Application;
  });
}

function checkSwitch({ allowDynamicRegistration }: Settings): void {
  if (!allowDynamicRegistration) throw new Problem("not_found", "404 Not Found");
}
