/** Removes an account: the person's events stay, under a pseudonym of their own or under one for everybody (decision 0104). */
import { applicationOfAccount } from "../accounts/application-of-account.ts";
import type { Act } from "../accounts/audit.ts";
import { holdActor, holdAdministrator } from "../accounts/hold-actor.ts";
import { pseudonym } from "../accounts/pseudonym.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { RemoveGrants, RemovePerson } from "../accounts/removal.ts";
import type { User } from "../accounts/user.ts";
import type { Db } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { inPortions } from "../platform/in-portions.ts";
import { Problem } from "../platform/problem.ts";
import {
  deleteAccount,
  findRemovalObstacles,
  lockRemovalObstacles,
  type Move,
  moveAuthor,
  moveDeeds,
  moveSomeDeeds,
  moveSomeEvents,
  moveSomeTargets,
} from "./store-authors.ts";
import { forgetCommitAuthors } from "./store-commits.ts";
import { compactCounts } from "./store-totals.ts";

/** Events moved in one transaction, so that lists and writers never wait long, and a slow disk does not exceed the timeout. */
const EVENTS_AT_ONCE = 2000;
/** Targets examined in one transaction. */
const TARGETS_AT_ONCE = 2000;
const COMMITS_AT_ONCE = 10_000;
/** Records of what they did to alerts and incidents. */
const DEEDS_AT_ONCE = 2000;

/**
 * Removes the account with its keys, sessions and memberships. `erases`: the events go to a pseudonym of their own, which can
 * only be found again with the master key; else to one shared by all. If interrupted, it continues when repeated.
 * @param removeGrants passed in by `api-doors.ts` and `page-doors.ts`
 * @throws Problem forbidden: oneself; not_found: another removal was faster; conflict: the last administrator, an account of no
 *   person, or groups and projects that only they own; as `holdActor`
 */
export const removePersonWith: (removeGrants: RemoveGrants) => RemovePerson =
  (removeGrants) => async (platform, user, erases, act) => {
    const { db, keys } = platform;
    if (user.id === act.actorId)
      throw new Problem("forbidden", "403 Forbidden - You cannot remove yourself.");
    if (user.isPlaceholder) throw await refusalOf(db, user, act);
    checkNoObstacle(await findRemovalObstacles(db, user.id));
    const sign = keys.sign("pseudonym", erases ? String(user.id) : "everybody");
    const mark = sign
      .replace(/[^A-Za-z0-9]/g, "")
      .toLowerCase()
      .slice(0, 12);
    const standIn = await db.transaction(async (tx) => {
      await holdActor(tx, act);
      return erases
        ? pseudonym(tx, `erased-${mark}`, "Erased person")
        : pseudonym(tx, `ghost-${mark}`, "Ghost user");
    });
    if (erases) await forgetNames(db, [user.name, user.username]);
    const move = { from: user.id, to: standIn, forgets: erases };
    await moveMost(db, move);
    await removeGrants(platform, user.id, act);
    try {
      await db.transaction(async (tx) => {
        await moveAuthor(tx, move);
        await moveDeeds(tx, user.id, standIn);
        await lockRemovalObstacles(tx, user.id);
        checkNoObstacle(await findRemovalObstacles(tx, user.id));
        // What was moved may have taken minutes. All administrators are locked by now.
        await holdAdministrator(tx, act.actorId);
        await deleteAccount(tx, user.id);
        // After the account is deleted, so that the entry does not name it.
        await recordAudit(tx, { ...act, action: erases ? "user_erased" : "user_deleted", userId: user.id });
      });
    } catch (error) {
      if (violatedConstraint(error) === undefined) throw error;
      throw new Problem("conflict", "The user became active during the removal. Try again.");
    }
  };

/** Removes these names as authors of the commits in everybody's pushes. */
async function forgetNames(db: Db, names: readonly string[]): Promise<void> {
  let place: Awaited<ReturnType<typeof forgetCommitAuthors>> = { createdAt: new Date(0), id: 0 };
  while (place) place = await forgetCommitAuthors(db.pooled, names, place, COMMITS_AT_ONCE);
}

/** Moves most records in advance, so that the last transaction finds only what was added meanwhile. */
async function moveMost(db: Db, move: Move): Promise<void> {
  // The counts that wait for compaction must not grow beyond what can be compacted in time, either.
  const moveSome = async (most: number) => {
    const moved = await moveSomeEvents(db.pooled, move, most);
    await compactCounts(db.pooled);
    return moved;
  };
  await inPortions(moveSome, { portion: EVENTS_AT_ONCE });
  let last: number | null = 0;
  while (last !== null) last = await moveSomeTargets(db.pooled, move, last, TARGETS_AT_ONCE);
  await inPortions(() => moveSomeDeeds(db.pooled, move, DEEDS_AT_ONCE));
  await compactCounts(db.pooled);
}

/** Why an account of no person stays, and for that of an application, what to do instead (decision 0139). */
async function refusalOf(db: Db, user: User, { actorId }: Act): Promise<Problem> {
  if (user.bot !== "application") return new Problem("conflict", "This user is a placeholder already.");
  const asker = { id: actorId ?? 0, isAdmin: true };
  const application = await applicationOfAccount(db, user.id, asker);
  const words = application
    ? `This account belongs to the application ${application.name}. Delete the application instead: its tokens end at once, and the account stays for what was done in its name.`
    : "The application of this account is deleted, and its tokens with it. The account stays for what was done in its name.";
  return new Problem("conflict", words);
}

/** @throws Problem conflict, not_found */
function checkNoObstacle(obstacles: Awaited<ReturnType<typeof findRemovalObstacles>>): void {
  if (!obstacles) throw new Problem("not_found", "404 User Not Found");
  if (obstacles.isAdmin && obstacles.otherAdmins === 0) {
    throw new Problem("conflict", "There must be another administrator who can sign in.");
  }
  if (obstacles.projects.length > 0) {
    throw new Problem(
      "conflict",
      `The user owns projects: ${obstacles.projects.join(", ")}. Move or delete them first.`,
    );
  }
  if (obstacles.groups.length > 0) {
    throw new Problem(
      "conflict",
      `Groups have no other owner: ${obstacles.groups.join(", ")}. Name one first.`,
    );
  }
}
