/** Reads who may register now. */
import type { Platform } from "../platform/platform.ts";
import { type Registration, registrationNow } from "./registration.ts";
import { findStoredRegistration } from "./store-registration.ts";

/** Never cached: closing registration takes effect in every process when it is saved (decision 0121). */
export async function findRegistration({
  db,
  config,
}: Pick<Platform, "db" | "config">): Promise<Registration> {
  return registrationNow(await findStoredRegistration(db), config);
}
