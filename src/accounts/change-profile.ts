/** Changes what a person says of themselves. */
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { type ProfileFields, profileFaults } from "./profile.ts";
import { updateProfile } from "./store-profiles.ts";

/** @throws FieldProblem name, time_zone */
export async function changeProfile(
  { db }: Platform,
  { userId, name }: { userId: number; name: string },
  fields: ProfileFields,
): Promise<void> {
  const faults = profileFaults(fields, name);
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  await updateProfile(db, userId, fields);
}
