/** Changes what a person tells of themselves beside name and address. */
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { type About, aboutFaults } from "./about.ts";
import { updateAbout } from "./store-profiles.ts";

/** What is said empty is told no more. @throws FieldProblem: what a field may not be */
export async function changeAbout({ db }: Platform, userId: number, said: About): Promise<void> {
  const faults = aboutFaults(said);
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  await updateAbout(db, userId, said);
}
