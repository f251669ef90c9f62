/**
 * Adds, changes and removes members, within the roles that the acting person may give and take at that moment (decision 0302).
 */
import type { Db, Queries } from "../platform/db.ts";
import { FieldProblem, Forbidden, Problem } from "../platform/problem.ts";
import type { Asker } from "./asker.ts";
import type { Happening, RecordHappenings } from "./happenings.ts";
import { holdLevel } from "./hold-level.ts";
import type { Member, MemberPlace } from "./member.ts";
import { type AccessLevel, ROLES } from "./role.ts";
import {
  countOtherOwners,
  deleteMember,
  findMember,
  insertMember,
  takeExpiredMembers,
  updateMember,
} from "./store-members.ts";

export interface Change {
  db: Db;
  record: RecordHappenings;
  /** The project or group, with the level that the actor had when it was looked up: it is read again for the change. */
  place: MemberPlace;
  actor: Asker;
}

/** The error of an end in the past. */
export const PAST = { expires_at: ["cannot be a date in the past"] };

/**
 * Adds members, all or none.
 * @throws Problem forbidden: not allowed, or above one's own level; conflict: is a member already; FieldProblem: an end in the
 *   past
 */
export async function addMembers(
  { db, record, place, actor }: Change,
  userIds: readonly number[],
  member: { accessLevel: number; expiresAt: Date | null },
): Promise<void> {
  checkLevel(place, member.accessLevel);
  await db.transaction(async (tx) => {
    checkLevel(await holdLevel(tx, actor, place.source, userIds), member.accessLevel);
    // Two requests that add the same people wait for each other in one order.
    for (const userId of userIds.toSorted((a, b) => a - b)) {
      const expired = await takeExpiredMembers(tx, { source: place.source, userId });
      const added = await insertMember(tx, place.source, { ...member, userId, createdBy: actor.id });
      if (added === 0) {
        if (await findMember(tx, place.source, userId))
          throw new Problem("conflict", "Member already exists");
        throw new FieldProblem(PAST);
      }
      await record(tx, [...endings(expired), ...joins(place, userId)]);
    }
  });
}

/**
 * Returns the resulting level; absent members of `change` stay as they are.
 * @throws Problem not_found; forbidden: their level or the new one is above one's own, or they are the last owner; FieldProblem
 */
export async function changeMember(
  { db, place, actor }: Change,
  userId: number,
  change: { accessLevel?: number | undefined; expiresAt?: Date | null | undefined },
): Promise<number> {
  if (change.accessLevel !== undefined) checkLevel(place, change.accessLevel);
  return db.transaction(async (tx) => {
    const held = await holdLevel(tx, actor, place.source, [userId]);
    if (change.accessLevel !== undefined) checkLevel(held, change.accessLevel);
    const member = await existing(tx, place, userId);
    checkLevel(held, member.accessLevel);
    const accessLevel = change.accessLevel ?? member.accessLevel;
    if (accessLevel < ROLES.owner || change.expiresAt) await checkOwnerLeft(tx, place, member);
    const expiresAt = change.expiresAt === undefined ? member.expiresAt : change.expiresAt;
    const changed = await updateMember(tx, place.source, userId, { accessLevel, expiresAt });
    if (changed === 0) throw new FieldProblem(PAST);
    return accessLevel;
  });
}

/** Removes a member; all members may remove themselves. @throws Problem not_found, forbidden */
export async function removeMember({ db, record, place, actor }: Change, userId: number): Promise<void> {
  const isOther = userId !== actor.id;
  if (isOther) checkLevel(place, 0);
  await db.transaction(async (tx) => {
    const held = await holdLevel(tx, actor, place.source, [userId]);
    if (isOther) checkLevel(held, 0);
    const member = await existing(tx, place, userId);
    if (isOther) checkLevel(held, member.accessLevel);
    await checkOwnerLeft(tx, place, member);
    // The membership may have ended since it was read; then the sweep records its end.
    if ((await deleteMember(tx, place.source, userId)) === 0) throw new Problem("not_found", "404 Not found");
    if (place.source.projectId !== undefined) {
      await record(tx, [{ kind: "left", projectId: place.source.projectId, userId }]);
    }
  });
}

/** The level that is needed to change members, and to see everything on their page. */
export function levelToChange(kind: "group" | "project"): AccessLevel {
  return kind === "group" ? ROLES.owner : ROLES.maintainer;
}

/** @throws Problem forbidden: one's own role is too low */
export function checkLevel(place: MemberPlace, level: number): void {
  if (!reaches(place, level)) throw new Problem("forbidden", "403 Forbidden");
}

/** Whether the level in a place suffices to give, change or take this one there. */
export function reaches({ source, access }: MemberPlace, level: number): boolean {
  return access >= levelToChange(source.projectId === undefined ? "group" : "project") && level <= access;
}

async function existing(tx: Queries, place: MemberPlace, userId: number): Promise<Member> {
  const member = await findMember(tx, place.source, userId);
  if (!member) throw new Problem("not_found", "404 Not found");
  return member;
}

/**
 * A project always has the owners of its namespace. A group must keep an owner of its own, and a lasting one if this member's
 * role has no end.
 */
async function checkOwnerLeft(tx: Queries, { source }: MemberPlace, member: Member): Promise<void> {
  if (source.namespaceId === undefined || member.accessLevel < ROLES.owner) return;
  const others = await countOtherOwners(tx, source.namespaceId, member.userId);
  if (others.now === 0 || (member.expiresAt === null && others.lasting === 0)) {
    throw new Forbidden(
      "The last owner of a group cannot be removed, or get a lower role or an expiry date.",
    );
  }
}

function joins({ source }: MemberPlace, userId: number): Happening[] {
  return source.projectId === undefined ? [] : [{ kind: "joined", projectId: source.projectId, userId }];
}

/** The happenings of memberships that have ended; memberships of groups have none. */
export function endings(
  expired: readonly { projectId: number | null; userId: number; expiresAt: Date }[],
): Happening[] {
  return expired.flatMap(({ projectId, userId, expiresAt }) =>
    projectId === null ? [] : [{ kind: "expired" as const, projectId, userId, at: expiresAt }],
  );
}
