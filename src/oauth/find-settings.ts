/** Reads the switches that count at this moment. */
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { type Settings, settingsNow } from "./settings.ts";
import { findStoredSettings } from "./store-settings.ts";

const last = new WeakMap<Db, Settings | "changed">();

/** Never from a cache: what is switched off is refused by every process from the moment it is saved (decision 0082). */
export async function findSettings({ db, config }: Platform): Promise<Settings> {
  const settings = settingsNow(await findStoredSettings(db), config.securityProfile);
  last.set(db, settings);
  return settings;
}

/** What this process read of them before is not so any more. */
export function forgetSettings(db: Db): void {
  last.set(db, "changed");
}

/** The settings that this process read last, to be shown only; undefined: it has read none yet. */
export function lastSettings({ db }: Platform): Settings | "changed" | undefined {
  return last.get(db);
}
