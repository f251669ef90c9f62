/** Checks at the moment of a change that whoever makes it still has the role for it in the project or group (decisions 0302, 0322). */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { type Asker, readerOf } from "./asker.ts";
import { actorOf, holdLevel } from "./hold-level.ts";
import type { MemberSource } from "./member.ts";
import { isAtLeast, type Role } from "./role.ts";

/**
 * Must be called first in the transaction: its locks are those of `holdLevel`.
 * @param actorId null: the service itself or the console, which have no role
 * @throws Problem not_found, forbidden: as `holdLevel`, or the role is too low by now
 */
export async function holdMaintainer(tx: Queries, actorId: number | null, projectId: number): Promise<void> {
  if (actorId !== null) await holdRole(tx, actorOf(actorId), { projectId }, "maintainer");
}

/** Like `holdMaintainer`, for what Developers may change. */
export async function holdDeveloper(tx: Queries, actorId: number | null, projectId: number): Promise<void> {
  if (actorId !== null) await holdRole(tx, actorOf(actorId), { projectId }, "developer");
}

/** The same for the owner of a group, even if it is archived or marked for deletion. */
export function holdOwner(tx: Queries, actorId: number, groupId: number): Promise<void> {
  return holdRole(tx, readerOf(actorOf(actorId)), { namespaceId: groupId }, "owner");
}

/** @throws Problem not_found, forbidden: as `holdLevel`, or the role is too low by now */
async function holdRole(tx: Queries, actor: Asker, source: MemberSource, role: Role): Promise<void> {
  const { access } = await holdLevel(tx, actor, source, []);
  if (!isAtLeast(access, role)) throw new Problem("forbidden", "403 Forbidden");
}
