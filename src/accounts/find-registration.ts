/** Reads who may register at this moment. */
import type { Platform } from "../platform/platform.ts";
import { type Registration, registrationNow } from "./registration.ts";
import { findStoredRegistration } from "./store-registration.ts";

/** Never from a cache: what is closed is closed in every process from the moment it is saved (decision 0121). */
export async function findRegistration({
  db,
  config,
}: Pick<Platform, "db" | "config">): Promise<Registration> {
  return registrationNow(await findStoredRegistration(db), config);
}
