/**
 * Finds the project or group that a caller names and may see; an invisible one is treated like an absent one (contract §4,
 * visibility).
 */
import type { Queries } from "../platform/db.ts";
import { Forbidden, Problem } from "../platform/problem.ts";
import { type Asker, readerOf } from "./asker.ts";
import type { Group } from "./group.ts";
import { type Lifecycle, type PlaceKind, type PlaceReference, readOnlyReason } from "./lifecycle.ts";
import type { Project } from "./project.ts";
import { isAtLeast, type Role } from "./role.ts";
import { findVisibleProject } from "./store.ts";
import { findGroupAt, findGroupEverAt, findVisibleGroup } from "./store-groups.ts";

/**
 * What is archived or marked for deletion can be read and takes no changes; this is the only place that decides so. Called for
 * every asker that `changes` something.
 * @throws Forbidden, with the reason
 */
export function checkWritable(kind: PlaceKind, place: Lifecycle): void {
  const why = readOnlyReason(kind, place);
  if (why !== undefined) throw new Forbidden(why);
}

/**
 * The project by id or full path (old paths too), if the asker may see it.
 * @throws Problem not_found, the same for absent and invisible; forbidden: the asker changes something, and it is archived or
 *   marked for deletion
 */
export async function visibleProject(
  db: Queries,
  asker: Asker | undefined,
  reference: string,
): Promise<Project> {
  const project = await findVisibleProject(db, asker, reference);
  if (!project) throw new Problem("not_found", "404 Project Not Found");
  if (asker?.changes) checkWritable("project", project);
  return project;
}

/**
 * Like `visibleProject`, and the asker must have the role there.
 * @throws Problem not_found, or forbidden when it is visible but the role is too low
 */
export async function projectFor(
  db: Queries,
  asker: Asker | undefined,
  reference: string,
  role: Role,
): Promise<Project> {
  const project = await visibleProject(db, asker, reference);
  if (!isAtLeast(project.access, role)) throw new Problem("forbidden", "403 Forbidden");
  return project;
}

/**
 * The group by id or full path (old paths too), if the asker may see it.
 * @throws Problem not_found, the same for absent and invisible; forbidden: the asker changes something, and it is archived or
 *   marked for deletion
 */
export async function visibleGroup(db: Queries, asker: Asker | undefined, reference: string): Promise<Group> {
  return checkGroup(asker, await findVisibleGroup(db, asker, reference));
}

/** Like `visibleGroup`, and the asker must have the role there. @throws Problem not_found; forbidden: the role is too low */
export async function groupFor(
  db: Queries,
  asker: Asker | undefined,
  reference: string,
  role: Role,
): Promise<Group> {
  return checkGroup(asker, await findVisibleGroup(db, asker, reference), role);
}

/** Like `groupFor`, by the full path only: a path on a page is never an id, even if it has only digits. */
export async function groupAtFor(db: Queries, asker: Asker, path: string, role: Role): Promise<Group> {
  return checkGroup(asker, await findGroupEverAt(db, asker, path), role);
}

function checkGroup(asker: Asker | undefined, group: Group | undefined, role?: Role): Group {
  if (!group) throw new Problem("not_found", "404 Group Not Found");
  if (asker?.changes) checkWritable("group", group);
  if (role && !isAtLeast(group.access, role)) throw new Problem("forbidden", "403 Forbidden");
  return group;
}

/** The group at this path now, if there is one that the asker may see; never by id. */
export function groupAt(db: Queries, asker: Asker | undefined, path: string): Promise<Group | undefined> {
  return findGroupAt(db, asker, path);
}

/**
 * A project or group that the asker owns, even if it is archived or marked for deletion.
 * @throws Problem not_found; forbidden: not theirs
 */
export function ownedPlace(
  db: Queries,
  asker: Asker,
  { kind, reference }: PlaceReference,
): Promise<Project | Group> {
  const owner = readerOf(asker);
  return kind === "project"
    ? projectFor(db, owner, reference, "owner")
    : groupFor(db, owner, reference, "owner");
}
