/** Finds the lifetimes of the tokens that an application gets now. */
import type { Platform } from "../platform/platform.ts";
import { findSettings } from "./find-settings.ts";
import { hasLongLifetime, type Lifetimes, lifetimesOf, type OwnLifetimes } from "./lifetimes.ts";

/**
 * Reads the settings only if the application has a lifetime longer than the default, which the settings must allow
 * (decision 0082).
 */
export async function findLifetimes(platform: Platform, application: OwnLifetimes): Promise<Lifetimes> {
  const allowed = !hasLongLifetime(application) || (await findSettings(platform)).allowLongLives;
  return lifetimesOf(application, allowed);
}
