/** Finds how long the tokens that an application gets now are valid. */
import type { Platform } from "../platform/platform.ts";
import { findSettings } from "./find-settings.ts";
import { hasLongLife, type Lives, livesOf, type SetLives } from "./lifetimes.ts";

/** The switch is read where it decides, and nowhere else (decision 0082): for lives that are longer than everywhere. */
export async function findLives(platform: Platform, application: SetLives): Promise<Lives> {
  const allowed = !hasLongLife(application) || (await findSettings(platform)).allowLongLives;
  return livesOf(application, allowed);
}
