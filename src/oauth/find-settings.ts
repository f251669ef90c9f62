/** Reads the current settings of the instance. */
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { type Settings, settingsNow } from "./settings.ts";
import { findStoredSettings } from "./store-settings.ts";

const last = new WeakMap<Db, Settings | "changed">();

/** Never cached: what is switched off is refused by every process as soon as it is saved (decision 0082). */
export async function findSettings({ db, config }: Platform): Promise<Settings> {
  const settings = settingsNow(await findStoredSettings(db), config.securityProfile);
  last.set(db, settings);
  return settings;
}

/** Notes that the settings which this process read last are out of date. */
export function forgetSettings(db: Db): void {
  last.set(db, "changed");
}

/** The settings that this process read last, only to be shown; undefined: it has read none yet. */
export function lastSettings({ db }: Platform): Settings | "changed" | undefined {
  return last.get(db);
}
