/** Changes a person's name and profile settings. */
import type { Platform } from "../platform/platform.ts";
import { checkFaults } from "../platform/problem.ts";
import { type ProfileFields, profileFaults } from "./profile.ts";
import { updateProfile } from "./store-profiles.ts";

/** Fields that are not named stay. @throws FieldProblem name, time_zone */
export async function changeProfile(
  { db }: Platform,
  { userId, name }: { userId: number; name: string },
  change: Partial<ProfileFields>,
): Promise<void> {
  checkFaults(profileFaults(change, name));
  await updateProfile(db, userId, change);
}
