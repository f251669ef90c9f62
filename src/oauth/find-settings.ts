/** Reads the switches that count at this moment. */
import type { Platform } from "../platform/platform.ts";
import { type Settings, settingsNow } from "./settings.ts";
import { findStoredSettings } from "./store-settings.ts";

/** Never from a cache: what is switched off is refused by every process from the moment it is saved (decision 0082). */
export async function findSettings({ db, config }: Platform): Promise<Settings> {
  return settingsNow(await findStoredSettings(db), config.securityProfile);
}
