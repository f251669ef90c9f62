/** Finds the lifetimes of the tokens that an application gets now. */
import type { Platform } from "../platform/platform.ts";
import { findSettings } from "./find-settings.ts";
import { hasLongLife, type Lives, livesOf, type SetLives } from "./lifetimes.ts";

/**
 * Reads the settings only if the application has a lifetime longer than the default, which the settings must allow
 * (decision 0082).
 */
export async function findLives(platform: Platform, application: SetLives): Promise<Lives> {
  const allowed = !hasLongLife(application) || (await findSettings(platform)).allowLongLives;
  return livesOf(application, allowed);
}
