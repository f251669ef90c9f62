/** Changes the optional fields of a person's profile. */
import type { Platform } from "../platform/platform.ts";
import { checkFaults } from "../platform/problem.ts";
import { type About, aboutFaults } from "./about.ts";
import { updateAbout } from "./store-profiles.ts";

/** Clears fields that are given empty. @throws FieldProblem: an invalid field */
export async function changeAbout({ db }: Platform, userId: number, change: About): Promise<void> {
  checkFaults(aboutFaults(change));
  await updateAbout(db, userId, change);
}
